import { copyFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { systemClock } from '../../../../actors/supervision/system-clock.ts';
import { failureMessage, messageOf } from '../../../../contract/base/errors.ts';
import type { EngineFailureCode } from '../../../../contract/causes/engine-failures.ts';
import { engineFailureOf } from '../../../../contract/causes/stored-failures.ts';
import { maximumLineCharacters } from '../../../../contract/evidence/evidence.ts';
import { rawRegion } from '../../../../contract/recognition.ts';
import { ProcessFailure } from '../../../../executors/process/process.ts';
import { fileDigestOf } from '../../../../executors/process/tools.ts';
import {
  demandRunning,
  RecognitionFailure,
  RecognizerUnavailable,
} from '../../../../executors/recognition/recognizer.ts';
import { ofProgram as programFailure } from '../../../../features/recognition/engine/engine-files.ts';
import { openRecognizer } from '../../../../features/recognition/engine/open-recognizer.ts';
import { openOpenaiRecognizer, TRANSCRIPTION_LIMITS } from '../../../../features/recognition/engine/openai.ts';
import { openPocketsphinx } from '../../../../features/recognition/engine/pocketsphinx.ts';
import { regionSound } from '../../../../features/recognition/engine/region-sound.ts';
import type { ResponseFormat } from '../../../../features/recognition/engine/transcription-wires.ts';
import { openWhisperCli } from '../../../../features/recognition/engine/whisper-cli.ts';
import {
  stubTranscriber,
  type TranscriberBehavior,
  transcribes,
} from '../../../../fixtures/hosted-model/stub-transcriber.ts';
import { canonicalJson } from '../../../../formats/canonical-json.ts';
import { baseLanguage } from '../../../../rules/languages.ts';
import { placedTranscript } from '../../../../rules/recognition.ts';
import { SimulatedClock } from '../../../actors/supervision/simulated-clock.ts';
import { openDetectionBench, watched } from '../../../executors/evidence/detection-for-tests.ts';
import { fake, launcherFor, temporaryFolder } from '../../../executors/process/launcher-for-tests.ts';
import { type MediaRecipe, madeMedia } from '../../../media/made-media.ts';
import { drawn, quickH264 } from '../../../media/recipes.ts';
import { judgedLines } from '../../../receipts/recognition/transcripts.ts';
import { inventNothing } from './inventions.ts';
import { hasPocketsphinx } from './pocketsphinx-of-machine.ts';
import { passedOf, recognizeFile } from './recognized-file.ts';

const bench = await openDetectionBench();
test.after.always(() => bench.close());

const sound = { samples: Buffer.alloc(3_200, 1), language: 'en' };
const { signal } = new AbortController();
const apiKey = 'sk-test-0123456789';

async function opened(
  t: ExecutionContext,
  behavior: TranscriberBehavior,
  responseFormat: ResponseFormat = 'verbose_json',
) {
  const server = await stubTranscriber(behavior);
  t.teardown(server.close);
  const clock = new SimulatedClock(0);
  const provider = { baseUrl: server.baseUrl, apiKey, isLocal: true };
  return { server, clock, recognizer: openOpenaiRecognizer({ provider, model: 'small', responseFormat, clock }) };
}

const none = { confidence: null, averageLogProbability: null, compressionRatio: null, noSpeechProbability: null };

test('a region is sent alone, at temperature 0, without a prompt, as a WAVE file', async (t) => {
  const { server, recognizer } = await opened(t, transcribes({ text: '' }));
  t.deepEqual(await recognizer.recognize(sound, signal), { language: null, lines: [] });
  const [asked] = server.asked;
  t.is(asked?.path, '/v1/audio/transcriptions');
  t.is(asked?.headers.authorization, `Bearer ${apiKey}`);
  t.deepEqual(asked?.fields, {
    model: ['small'],
    temperature: ['0'],
    response_format: ['verbose_json'],
    'timestamp_granularities[]': ['segment', 'word'],
    beam_size: ['5'],
    language: ['en'],
  });
  t.is(asked?.file.length, 3_244);
  t.is(asked?.file.toString('latin1', 0, 4), 'RIFF');
  t.false(JSON.stringify([recognizer.tools, recognizer.parameters]).includes(apiKey));
});

test('fields that a server leaves out are recorded as absent', async (t) => {
  const { server, recognizer } = await opened(t, transcribes({ text: ' Take the bus. ' }));
  const line = { text: 'Take the bus.', startMs: null, endMs: null, words: [], measures: none };
  t.deepEqual(await recognizer.recognize(sound, signal), { language: null, lines: [line] });
  const segment = {
    text: 'Take the bus.',
    start: 0.1,
    end: 1.5,
    avg_logprob: -0.25,
    compression_ratio: 0.9,
    no_speech_prob: 0.01,
  };
  const words = [
    { word: ' Take', start: 0.1, end: 0.4 },
    { word: ' late', start: 2, end: 2.5 },
  ];
  server.behave(transcribes({ language: 'english', duration: 3, segments: [segment], words }));
  t.deepEqual(await recognizer.recognize(sound, signal), {
    language: 'english',
    lines: [
      {
        text: 'Take the bus.',
        startMs: 100,
        endMs: 1500,
        words: [{ text: 'Take', startMs: 100, endMs: 400, confidence: null }],
        measures: { ...none, averageLogProbability: -0.25, compressionRatio: 0.9, noSpeechProbability: 0.01 },
      },
    ],
  });
  // As whisper.cpp nests its words, with probabilities.
  const nested = [{ word: 'Take', start: 0.1, end: 0.4, probability: 0.5 }];
  server.behave(transcribes({ segments: [{ text: 'Take', start: 0.1, end: 0.4, words: nested, avg_logprob: 'n/a' }] }));
  const { lines } = await recognizer.recognize(sound, signal);
  t.deepEqual(lines[0]?.measures, { ...none, confidence: 0.5 });
});

test('a model without times returns its text and the log-probabilities of its tokens', async (t) => {
  const logprobs = [
    { token: 'Take', logprob: -0.5, bytes: [84] },
    { token: ' it', logprob: -0.25, bytes: [32] },
  ];
  const { server, recognizer } = await opened(t, transcribes({ text: 'Take it', logprobs }), 'json');
  t.deepEqual(await recognizer.recognize(sound, signal), {
    language: null,
    lines: [
      { text: 'Take it', startMs: null, endMs: null, words: [], measures: { ...none, averageLogProbability: -0.375 } },
    ],
  });
  t.deepEqual(server.asked[0]?.fields, {
    model: ['small'],
    temperature: ['0'],
    response_format: ['json'],
    'include[]': ['logprobs'],
    language: ['en'],
  });
  t.like(recognizer.parameters, { responseFormat: 'json', include: 'logprobs' });
  server.behave(transcribes({ text: 'Take it', logprobs: 'none' }));
  const { lines } = await recognizer.recognize(sound, signal);
  t.deepEqual(lines[0]?.measures, none);
});

test('a refusal of the request itself names the option for models that know no times', async (t) => {
  const refuses: TranscriberBehavior = (response) => response.writeHead(400).end('{}');
  const verbose = await opened(t, refuses);
  await t.throwsAsync(verbose.recognizer.recognize(sound, signal), {
    message:
      /^http_400: the server refused the request; a model without times needs --semantic-recognizer-response-format json$/,
  });
  const plain = await opened(t, refuses, 'json');
  await t.throwsAsync(plain.recognizer.recognize(sound, signal), {
    message: 'http_400: the server refused the request',
  });
});

const failing: readonly (readonly [string, TranscriberBehavior, RegExp])[] = [
  [
    'a refusal',
    (response) => response.writeHead(429).end(`no, ${apiKey}`),
    /^http_429: the server refused the request$/,
  ],
  ['a redirect', (response) => response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(), /^redirected: /],
  ['what is no JSON', (response) => response.writeHead(200).end('fine'), /^invalid_output: the answer is not JSON$/],
  ['another shape', transcribes({ segments: 'all' }), /^invalid_output: the answer has another shape at 'segments'$/],
  ['the key', transcribes({ text: `Bearer ${apiKey}` }), /^invalid_output: the answer repeats the key$/],
  ['control characters', transcribes({ text: 'a\u0000b' }), /^invalid_output: a text of the answer cannot be stored$/],
  ['too much', transcribes({ text: 'a'.repeat(TRANSCRIPTION_LIMITS.maxResponseBytes) }), /^too_large: /],
  ['a connection that breaks', (response) => response.destroy(), /^unreachable: /],
];

for (const [what, behavior, message] of failing) {
  test(`${what} instead of an answer has its reason, and never the key`, async (t) => {
    const { recognizer } = await opened(t, behavior);
    const error = await t.throwsAsync(recognizer.recognize(sound, signal), { message });
    t.false(String(error?.message).includes(apiKey));
  });
}

test('bug: words beside segments that overlap were counted in each: a small answer had a million, and blocked for seconds', async (t) => {
  const segments = Array.from({ length: 250 }, (_, at) => ({ text: 'Take', start: 0, end: at === 0 ? 0.5 : 30 }));
  const words = [
    ...Array.from({ length: 40 }, () => ({ word: 'a', start: 0.1, end: 0.2 })),
    { word: 'late', start: 1, end: 2 },
  ];
  const { server, recognizer } = await opened(t, transcribes({ segments, words }));
  const { lines } = await recognizer.recognize(sound, signal);
  t.deepEqual(
    lines.map((line) => line.words.length),
    [40, 1, ...Array(248).fill(0)],
  );
  // Lists that are too long are refused before their items, which are invalid here.
  server.behave(transcribes({ text: 'Take', words: Array(4097).fill(7), segments: [] }));
  t.deepEqual((await recognizer.recognize(sound, signal)).lines[0]?.words, []);
  server.behave(transcribes({ segments: Array(257).fill({}) }));
  await t.throwsAsync(recognizer.recognize(sound, signal), {
    message: "invalid_output: the answer has another shape at 'segments'",
  });
});

test('bug: the key was looked for in all that an answer had, for most of a second, and not in what is kept', async (t) => {
  const { server, recognizer } = await opened(t, transcribes({ text: 'Take', request: `Bearer ${apiKey}` }));
  t.is((await recognizer.recognize(sound, signal)).lines[0]?.text, 'Take');
  const key = Buffer.from(apiKey).toString('base64');
  for (const kept of [{ text: key }, { text: 'Take', language: apiKey }, { segments: [{ text: `${apiKey}\n` }] }]) {
    server.behave(transcribes(kept));
    await t.throwsAsync(recognizer.recognize(sound, signal), { message: /repeats the key$/ });
  }
});

test('bug: an error that a server reports with status 200 was kept as speech without words', async (t) => {
  const { server, recognizer } = await opened(t, transcribes({ error: { message: 'rate limited' } }));
  await t.throwsAsync(recognizer.recognize(sound, signal), {
    message: 'invalid_output: engine_error: the answer is an error (it said “rate limited”)',
  });
  server.behave(transcribes({}));
  await t.throwsAsync(recognizer.recognize(sound, signal), {
    message: "invalid_output: the answer has another shape at 'text'",
  });
  const nothing = { language: null, lines: [] };
  for (const silence of [{ text: '' }, { text: null }, { segments: [] }]) {
    server.behave(transcribes(silence));
    t.deepEqual(await recognizer.recognize(sound, signal), nothing);
  }
});

test('bug: a language or a number that cannot be stored failed the whole study', async (t) => {
  const segment = { text: 'Take it', avg_logprob: -1e305, compression_ratio: 1e305 };
  const { server, recognizer } = await opened(t, transcribes({ segments: [segment] }));
  for (const language of ['\ud800', 'en\u0000', 'a\nb', ' '.repeat(3), 'a'.repeat(65)]) {
    server.behave(transcribes({ language, segments: [segment] }));
    const region = await recognizer.recognize(sound, signal);
    t.is(region.language, null);
    t.deepEqual(region.lines[0]?.measures, none);
    t.deepEqual(rawRegion.parse(region), region);
    t.notThrows(() => canonicalJson(region));
  }
});

test('bug: a loop of a recognizer in one region left a film without a transcript', async (t) => {
  const { recognizer } = await opened(t, transcribes({ text: 'thank you so much '.repeat(400) }), 'json');
  const region = await recognizer.recognize(sound, signal);
  // Without the space at its end.
  t.is(region.lines[0]?.text.length, maximumLineCharacters - 1);
  const contentId = `sha256:${'0'.repeat(64)}`;
  const heard = { samples: 480_000, contentId };
  const speech = [{ startMs: 0, endMs: 30_000 }];
  const window = { startMs: 0, endMs: 30_000, regions: speech };
  const { regions, lines } = placedTranscript([{ ...window, heard, raw: rawRegion.parse(region) }], speech);
  const [line] = judgedLines(
    lines.map((each) => ({ ...each, identified: 'en', second: null })),
    { speech, regions, languages: ['en'] },
  );
  t.is(line?.outcome, 'withheld');
  t.deepEqual(line?.reasonCodes, ['no_speech_evidence', 'repetition', 'compression']);
});

test('a server that does not answer in time is given up, and an abort ends the request at once', async (t) => {
  let reached = () => {};
  const { server, clock, recognizer } = await opened(t, () => reached());
  const arrived = () => new Promise<void>((resolve) => (reached = resolve));
  let waiting = arrived();
  const late = recognizer.recognize(sound, signal);
  late.catch(() => {});
  await waiting;
  clock.advance(TRANSCRIPTION_LIMITS.maxWallMs);
  await t.throwsAsync(late, { message: /^timeout: / });
  waiting = arrived();
  const stop = new AbortController();
  const stopped = recognizer.recognize(sound, stop.signal);
  stopped.catch(() => {});
  await waiting;
  stop.abort(new Error('enough'));
  await t.throwsAsync(stopped, { message: 'enough' });
  t.is(server.asked.length, 2);
});

const environment = { MEDIA_STUDY_WHISPER_CLI: fake('whisper-cli-stand-in') };
const second = { samples: Buffer.alloc(32_000), language: 'en' };

async function whisperCli(t: ExecutionContext, modelName: string) {
  const { launcher } = await launcherFor(t);
  const model = path.join(await temporaryFolder(t), modelName);
  await writeFile(model, 'ggml');
  const open = () => openRecognizer({ engine: 'whisper-cli', model }, { launcher, environment, clock: systemClock });
  return { open, model, launcher };
}

test('words come with times and confidences, joined from tokens, without the marks among them', async (t) => {
  const { open, model } = await whisperCli(t, 'ggml-base.bin');
  const recognizer = await open();
  t.deepEqual(await recognizer.recognize(second, signal), {
    language: 'en',
    lines: [
      {
        text: 'Take the bus.',
        startMs: 0,
        endMs: 1200,
        words: [
          { text: 'Take', startMs: 40, endMs: 300, confidence: 0.9 },
          { text: 'the', startMs: 300, endMs: 450, confidence: 0.8 },
          { text: 'bus.', startMs: 450, endMs: 1000, confidence: 0.7 },
        ],
        measures: {
          // Without the full stop.
          confidence: 0.775,
          averageLogProbability: -0.2656,
          compressionRatio: null,
          noSpeechProbability: null,
        },
      },
    ],
  });
  const tools = recognizer.tools.map(({ name, version }) => [name, version]);
  t.deepEqual(tools, [
    ['whisper-cli', 'unstated'],
    ['whisper-model', 'ggml-base.bin'],
  ]);
  await writeFile(model, 'another');
  await t.throwsAsync(recognizer.recognize(second, signal), { message: /^model_changed: / });
});

test('bug: a program whose libraries lie beside it was named by the digest of its shell alone, so that another library went unseen', async (t) => {
  const folder = await temporaryFolder(t);
  const [executable, model] = [path.join(folder, 'whisper-cli'), path.join(folder, 'ggml-base.bin')];
  await copyFile(fake('whisper-cli-stand-in'), executable);
  await writeFile(model, 'weights');
  const { launcher } = await launcherFor(t);
  const open = () => openWhisperCli(launcher, { executable, model, digestOf: fileDigestOf });
  const alone = await open();
  t.is(alone.tools[0].digest, await fileDigestOf(executable));

  const library = path.join(folder, 'libwhisper.so.1');
  await writeFile(library, 'one');
  const before = await open();
  t.not(before.tools[0].digest, alone.tools[0].digest);
  t.true(await before.isCurrent?.());
  await writeFile(library, 'another');
  t.false(await before.isCurrent?.());
  await t.throwsAsync(before.recognize(sound, signal), { message: /^model_changed: / });
  t.not((await open()).tools[0].digest, before.tools[0].digest);

  // A link on PATH leads to the folder of the libraries.
  const link = path.join(await temporaryFolder(t), 'whisper-cli');
  await symlink(executable, link);
  const linked = await openWhisperCli(launcher, { executable: link, model, digestOf: fileDigestOf });
  t.is(linked.tools[0].digest, (await open()).tools[0].digest);
});

test('whisper-cli is asked for the language that it hears, whatever it is told', async (t) => {
  const ask = async (name: string) => (await (await whisperCli(t, name)).open()).heardLanguage?.(second, signal);
  t.deepEqual(await ask('ggml-base.bin'), { language: 'es', probability: 0.9767, asked: null });
  t.deepEqual(await ask('javanese.bin'), { language: 'jv', probability: 0.5012, asked: null });
  t.is(await ask('mute.bin'), null);
  await t.throwsAsync(ask('crashes.bin'), { message: /^tool_exit: / });
});

test('a missing model is found when a recognizer is opened, and an invalid result when it is tried', async (t) => {
  const { launcher } = await launcherFor(t);
  const choice = { engine: 'whisper-cli', model: '/no/model' } as const;
  const unavailable = { instanceOf: RecognizerUnavailable, message: /^recognizer_unavailable: / };
  await t.throwsAsync(openRecognizer(choice, { launcher, environment, clock: systemClock }), unavailable);
  const nowhere = { launcher, environment: { MEDIA_STUDY_WHISPER_CLI: '/no/whisper-cli' }, clock: systemClock };
  await t.throwsAsync(openRecognizer(choice, nowhere), unavailable);
  for (const name of ['garbled.bin', 'empty.bin']) {
    const recognizer = await (await whisperCli(t, name)).open();
    await t.throwsAsync(demandRunning(recognizer), unavailable, name);
  }
});

/** A model of whisper.cpp as far as its sizes: 51,865 words, or others, of 384 numbers each. */
function ggmlOf(bytes: number, words = 51_865): Buffer {
  const model = Buffer.alloc(bytes);
  for (const [at, value] of [0x67676d6c, words, 1500, 384, 6, 4, 448, 384, 6, 4, 80, 1].entries())
    model.writeInt32LE(value, 4 * at);
  return model;
}

test('weights of whisper.cpp state which languages they have, and those for English alone are asked for none', async (t) => {
  const languagesOf = async (words: number) => {
    const { open, model } = await whisperCli(t, 'ggml-any.bin');
    await writeFile(model, ggmlOf(20_000_000, words));
    return open();
  };
  const [english, all, newest] = [await languagesOf(51_864), await languagesOf(51_865), await languagesOf(51_866)];
  t.deepEqual(english.languages, ['en']);
  t.is(english.heardLanguage, undefined);
  t.not(all.heardLanguage, undefined);
  const has = ({ languages }: typeof all, ...codes: string[]) => codes.map((code) => languages?.includes(code));
  const known = ['es', 'zh', 'nb', 'no', 'nn', 'fil', 'jv', 'hr', 'arz', 'haw'];
  t.deepEqual(has(all, ...known), Array(known.length).fill(true));
  t.deepEqual(has(all, 'yue', 'qu', 'ga', 'zu'), [false, false, false, false]);
  t.deepEqual(has(newest, 'yue', 'es', 'qu'), [true, true, false]);
  // Requests are read with `baseLanguage`, which makes `fil` of `tl`, and `jv` of `jw`.
  t.deepEqual(
    newest.languages?.filter((code) => code.length === 2 && baseLanguage(code) !== code),
    [],
  );
});

test('bug: a model that was cut off in its download was accepted, and every film had no speech', async (t) => {
  const { open, model } = await whisperCli(t, 'ggml-tiny.bin');
  await writeFile(model, ggmlOf(300_000));
  await t.throwsAsync(open(), { message: /^recognizer_unavailable: model_broken: the model file has 300000 bytes/ });
  await writeFile(model, ggmlOf(10_000_000));
  await t.notThrowsAsync(open());
});

const ofProgram: Readonly<Record<string, EngineFailureCode>> = {
  'broken.bin': 'engine_model_broken',
  'unknown-language.bin': 'engine_language_unknown',
  'crashes.bin': 'engine_stopped',
  'garbled.bin': 'engine_answered_other_json',
  'no-json.bin': 'engine_answered_text',
};

for (const [name, code] of Object.entries(ofProgram)) {
  test(`a program that fails with ${name} has its own cause: ${code}`, async (t) => {
    const { launcher } = await launcherFor(t);
    const model = path.join(await temporaryFolder(t), name);
    await writeFile(model, 'ggml');
    const recognizer = await openWhisperCli(launcher, {
      executable: fake('whisper-cli-stand-in'),
      model,
      digestOf: fileDigestOf,
    });
    const error = await t.throwsAsync(recognizer.recognize(second, signal));
    const cause = engineFailureOf(failureMessage(messageOf(error)), 'whisper-cli');
    t.is(cause?.code, code, error?.message);
    if (code === 'engine_language_unknown') t.is(cause?.params.said, "error: unknown language 'en'");
  });
}

test('whisper-cli gets as many threads as there are idle cores, which no operation depends on, and the stated beam', async (t) => {
  const { launcher, requests } = watched(await launcherFor(t).then((opened) => opened.launcher));
  const model = path.join(await temporaryFolder(t), 'base.bin');
  await writeFile(model, 'ggml');
  const files = { executable: fake('whisper-cli-stand-in'), model, digestOf: fileDigestOf };
  const argumentsOf = async (freeCores?: () => Promise<number>) => {
    const recognizer = await openWhisperCli(launcher, files, freeCores);
    const region = await recognizer.recognize(second, signal);
    return { region, parameters: recognizer.parameters, args: requests.at(-1)?.args.join(' ') ?? '' };
  };
  const [one, three, many] = [await argumentsOf(), await argumentsOf(async () => 3), await argumentsOf(async () => 64)];
  t.regex(one.args, / -t 1 .*-bs 5/);
  t.regex(three.args, / -t 3 /);
  t.regex(many.args, / -t 8 /);
  t.deepEqual([three.parameters, three.region], [one.parameters, one.region]);
  // The limit of a window is stated too: that of the study stands still while an engine works.
  t.deepEqual(one.parameters, {
    settings: '-tp 0 -nf -mc 0 -bs 5',
    beam: 5,
    means: 'without_marks',
    maxWallMs: 900_000,
  });
});

test('a server on this machine follows the same beam as the program, and others are not asked for it', async (t) => {
  const { server, recognizer } = await opened(t, transcribes({ text: '' }));
  await recognizer.recognize(sound, signal);
  t.deepEqual(server.asked[0]?.fields.beam_size, ['5']);
  t.is(recognizer.parameters.beam, 5);
  const provider = { baseUrl: server.baseUrl, apiKey, isLocal: false };
  const options = { provider, model: 'small', clock: new SimulatedClock(0) } as const;
  const outside = openOpenaiRecognizer({ ...options, responseFormat: 'verbose_json' });
  await outside.recognize(sound, signal);
  t.is(server.asked[1]?.fields.beam_size, undefined);
  t.is(outside.parameters.beam, undefined);
});

test('bug: the words of a program brought the folders of this machine into the journal of a study', (t) => {
  const files = { executable: '/opt/anna/whisper-cli', model: '/home/anna/models/ggml-base.bin' };
  const printed = `error: failed to open '${files.model}' for ${files.executable}\n`;
  const failure = programFailure(new ProcessFailure('tool_exit', 'whisper-cli: 1', { stderr: printed }), files);
  t.true(failure instanceof RecognitionFailure);
  t.regex(messageOf(failure), /failed to open 'the model' for the program/);
  t.false(messageOf(failure).includes('anna'));
});

test('bug: a program that prints nonsense in the place of pocketsphinx was speech without words', async (t) => {
  const { launcher } = await launcherFor(t);
  const model = await temporaryFolder(t);
  const recognizer = await openPocketsphinx(launcher, {
    executable: fake('prints-nonsense'),
    model,
    digestOf: fileDigestOf,
  });
  await t.throwsAsync(recognizer.recognize(second, signal), {
    message: 'invalid_output: there is a text without the times of its words',
  });
});

const models = process.env.MEDIA_STUDY_MODELS;
const withModels = models === undefined ? test.skip : test;

withModels('with MEDIA_STUDY_MODELS: a speech with pauses is one sentence, word for word', async (t) => {
  const folder = models ?? '';
  const clip = ['-i', path.join(folder, 'clips/jfk.flac'), '-ac', '1', '-ar', '16000', '-bitexact'];
  const file = await madeMedia({ words: clip, extension: 'wav' });
  const recognizer = await openWhisperCli(bench.launcher, {
    executable: path.join(folder, 'bin/whisper-cli'),
    model: path.join(folder, 'ggml/ggml-base-q5_1.bin'),
    digestOf: fileDigestOf,
  });
  const joined = await recognizeFile(t, bench, file, { recognizer });
  const text = passedOf(joined).join(' ');
  t.true(joined.regions.length > 1);
  t.deepEqual(
    text.match(/[a-z]+/gi)?.map((word) => word.toLowerCase()),
    'and so my fellow americans ask not what your country can do for you ask what you can do for your country'.split(
      ' ',
    ),
  );
  t.is(text.match(/[.!?]/g)?.length, 1, text);
  const starts = joined.speech.map(({ startMs }) => startMs);
  t.true(starts.includes(joined.lines[0]?.startMs ?? -1));
});

test('an abort ends the program and leaves nothing behind', async (t) => {
  const { open, launcher } = await whisperCli(t, 'hangs.bin');
  const recognizer = await open();
  const stop = new AbortController();
  const recognizing = recognizer.recognize(second, stop.signal);
  while (launcher.running === 0) await new Promise((resolve) => setImmediate(resolve));
  stop.abort();
  await t.throwsAsync(recognizing, { message: /^aborted: / });
  t.is(launcher.running, 0);
});

/** The sound begins a second behind the picture, and has a tone one second later. */
const lateSound: MediaRecipe = {
  words: [
    ...drawn('testsrc=s=160x90:r=25:d=6'),
    ...drawn('aevalsrc=0.3*sin(2*PI*440*t)*between(t\\,1\\,2):s=48000:d=4'),
    ...['-filter_complex', '[1]asetpts=PTS+1/TB[late]', '-map', '0', '-map', '[late]'],
    ...['-pix_fmt', 'yuv420p', ...quickH264, '-c:a', 'mp2'],
  ],
  extension: 'ts',
};

const lateInMatroska: MediaRecipe = {
  words: ['-i', 'late.ts', '-map', '0', '-c', 'copy'],
  extension: 'mkv',
  inputs: { 'late.ts': lateSound },
};

/** The loud samples of the first four seconds of a file, each with its place in the sound. */
async function loudSamples(media: MediaRecipe): Promise<readonly number[]> {
  const sound = await regionSound(bench, {
    path: await madeMedia(media),
    audioTrackIndex: 1,
    region: { startMs: 0, endMs: 4000 },
    signal: new AbortController().signal,
  });
  const samples = new Int16Array(sound.buffer, sound.byteOffset, sound.length / 2);
  return [...samples.keys()].filter((at) => Math.abs(samples[at] ?? 0) > 2000);
}

/** From when to when a file is loud, in tenths of a second. */
async function loudIn(media: MediaRecipe): Promise<readonly number[]> {
  const loud = await loudSamples(media);
  return [loud[0], loud.at(-1)].map((at) => Math.round((at ?? Number.NaN) / 1600));
}

test('the sound of a region of a transport stream counts from the first picture', async (t) => {
  t.deepEqual(await loudIn(lateInMatroska), [20, 30]);
  t.deepEqual(await loudIn(lateSound), [20, 30]);
});

test('bug: a region in front of the first picture had no sound for the recognizer', async (t) => {
  const film = [...drawn('testsrc=s=160x90:r=25:d=2'), ...drawn('sine=d=8:r=48000')];
  const late = ['-filter_complex', '[0]setpts=PTS+7/TB[late]', '-map', '[late]', '-map', '1'];
  const coded = ['-pix_fmt', 'yuv420p', ...quickH264, '-c:a', 'aac'];
  for (const extension of ['mkv', 'mp4', 'ts']) {
    const path = await madeMedia({ words: [...film, ...late, ...coded], extension });
    const region = { startMs: 4000, endMs: 5000 };
    const { signal } = new AbortController();
    const sound = await regionSound(bench, { path, audioTrackIndex: 1, region, signal });
    const samples = new Int16Array(sound.buffer, sound.byteOffset, sound.length / 2);
    t.is(samples.length, 16_000, extension);
    t.true(samples.filter((sample) => Math.abs(sample) > 1000).length > 8000, extension);
  }
});

test('bug: the first sound of a Matroska file with a picture was not recognized', async (t) => {
  const picture = drawn('testsrc=s=160x90:r=25:d=2');
  const click = drawn('aevalsrc=0.6*sin(2*PI*1000*t)*between(t\\,0\\,0.01):s=48000:d=2');
  const coded = ['-pix_fmt', 'yuv420p', ...quickH264];
  for (const codec of ['aac', 'libopus', 'libmp3lame']) {
    // Each codec begins a little late; the tone of 10 ms is there from its first wave to its last.
    const words = [...picture, ...click, ...coded, '-c:a', codec];
    const loud = await loudSamples({ words, extension: 'mkv' });
    const [first = Number.NaN, last = Number.NaN] = [loud[0], loud.at(-1)];
    t.true(first < 400 && last - first > 140 && last - first < 170, `${codec} ${first} ${last}`);
  }
});

const withPocketsphinx = hasPocketsphinx ? test : test.skip;

withPocketsphinx(
  'of silence, noise, tones, music and applause no line passes, whatever a recogniser writes',
  async (t) => {
    await inventNothing(t, 2);
  },
);

/** Four seconds of sound. */
const fourSeconds = { samples: Buffer.alloc(128_000), language: 'en' };
const said = { text: 'Take the bus.', avg_logprob: -0.2 };

const impossibleTimes: readonly (readonly [string, readonly object[], RegExp])[] = [
  [
    'nanoseconds',
    [{ ...said, start: 200_000_000, end: 3_800_000_000 }],
    /segment 1 begins at 200000000 s of 4\.0 s of sound, as if the server counted in nanoseconds; correct the server, or use another$/,
  ],
  [
    'nanoseconds from 0 on',
    [
      { ...said, start: 0, end: 2_000_000_000 },
      { ...said, start: 2_000_000_000, end: 4_000_000_000 },
    ],
    /segment 1 ends at 2000000000 s of 4\.0 s of sound, as if the server counted in nanoseconds/,
  ],
  ['milliseconds', [{ ...said, start: 0, end: 3_800 }], /segment 1 ends at 3800 s .* in milliseconds/],
  ['hundredths', [{ ...said, start: 20, end: 380 }], /segment 1 ends at 380 s .* in hundredths/],
  ['times of a whole film', [{ ...said, start: 3_600, end: 3_602 }], /segment 1 begins at 3600 s of 4\.0 s of sound/],
  ['a time before the sound', [{ ...said, start: -0.5, end: 1 }], /segment 1 begins at -0\.5 s of 4\.0 s of sound;/],
  ['an end before its start', [{ ...said, start: 2, end: 1.9 }], /segment 1 begins at 2 s and ends at 1\.9 s/],
  [
    'segments that go back',
    [
      { ...said, start: 2, end: 3 },
      { ...said, start: 1, end: 2 },
    ],
    /segment 2 begins at 1 s, and segment 1 before it at 2 s/,
  ],
];

for (const [what, segments, message] of impossibleTimes) {
  test(`bug: ${what} of a transcription server stretched a line over its region`, async (t) => {
    const { recognizer } = await opened(t, transcribes({ segments, text: 'Take the bus.' }));
    const error = await t.throwsAsync(recognizer.recognize(fourSeconds, signal), { message });
    t.regex(String(error?.message), /^invalid_output: times of the answer cannot be: /);
  });
}

test('ends in the window of the engine, starts in its padding, and a step back are recorded as found', async (t) => {
  const segments = [
    { ...said, start: -0.02, end: 2 },
    { ...said, start: 2.5, end: 2.48 },
    { ...said, start: 2.48, end: 30 },
    { ...said, start: 4.1, end: 34 },
  ];
  const { recognizer } = await opened(t, transcribes({ segments }));
  const { lines } = await recognizer.recognize(fourSeconds, signal);
  t.deepEqual(
    lines.map(({ startMs, endMs }) => [startMs, endMs]),
    [
      [-20, 2000],
      [2500, 2480],
      [2480, 30_000],
      [4100, 34_000],
    ],
  );
});

test('words that lie elsewhere than their segments, or cannot be, count as absent', async (t) => {
  const wordsOf = (start: number, end: number) => [
    { word: 'Take', start, end },
    { word: 'the', start: end, end },
  ];
  const segment = { ...said, start: 1, end: 3 };
  const absent: readonly object[] = [
    { segments: [{ ...segment, words: wordsOf(1000, 2000) }] },
    { segments: [segment], words: wordsOf(1_000_000_000, 2_000_000_000) },
    { segments: [{ ...segment, words: wordsOf(0.2, 0.9) }] },
    { segments: [{ ...segment, words: wordsOf(2, 3.5) }] },
    { segments: [{ ...segment, words: [...wordsOf(2, 2.5), { word: 'bus.', start: 1.2, end: 1.5 }] }] },
  ];
  const { server, recognizer } = await opened(t, transcribes({}));
  for (const answer of absent) {
    server.behave(transcribes(answer));
    const { lines } = await recognizer.recognize(fourSeconds, signal);
    t.like(lines[0], { startMs: 1000, endMs: 3000 }, JSON.stringify(answer));
    t.deepEqual(lines[0]?.words, [], JSON.stringify(answer));
  }
  server.behave(transcribes({ segments: [{ ...segment, words: wordsOf(0.9, 3.1) }] }));
  t.is((await recognizer.recognize(fourSeconds, signal)).lines[0]?.words.length, 2);
  // Without segments they are the only times.
  const text = 'Take the bus to the river bridge';
  server.behave(transcribes({ text, segments: [], words: wordsOf(0.2, 0.5) }));
  t.like((await recognizer.recognize(fourSeconds, signal)).lines[0], { startMs: null, endMs: null, words: [] });
  server.behave(transcribes({ text: 'Take the', words: wordsOf(200, 500) }));
  await t.throwsAsync(recognizer.recognize(fourSeconds, signal), { message: /: word 1 begins at 200 s .* hundredths/ });
});

test('bug: an answer with more words than its time can have ran a host out of memory', async (t) => {
  const line = (at: number) => ({ text: `${at} `.repeat(1_000).slice(0, 4000), start: 0, end: 4 });
  const words = Array.from({ length: 30_000 }, () => ({ word: 'a' }));
  const answers: readonly object[] = [
    { segments: Array.from({ length: 250 }, (_, at) => line(at)) },
    { segments: [{ ...said, words }] },
    { segments: [{ ...said, words: words.slice(0, 200).map(() => ({ word: 'a'.repeat(4000) })) }] },
  ];
  const { server, recognizer } = await opened(t, transcribes({}));
  for (const answer of answers) {
    server.behave(transcribes(answer));
    await t.throwsAsync(recognizer.recognize(fourSeconds, signal), {
      message: /^invalid_output: the answer has \d+ (characters|words|characters of words) for 4\.0 s of sound/,
    });
  }
  // This fits into one line, as a loop of a recognizer does, and the gates withhold it.
  server.behave(transcribes({ text: 'a '.repeat(400_000) }));
  t.is((await recognizer.recognize(sound, signal)).lines.length, 1);
});
