import test, { type ExecutionContext } from 'ava';
import { messageOf } from '../../../../contract/base/errors.ts';
import { engineFailureOf } from '../../../../contract/causes/stored-failures.ts';
import { openServedRecognizer } from '../../../../features/recognition/engine/openai.ts';
import {
  type AsrForm,
  asrWebservice,
  openaiSpeech,
  type ProgramBehavior,
  programServer,
  whisperServer,
} from '../../../../fixtures/hosted-model/speech-programs.ts';
import { SimulatedClock } from '../../../actors/supervision/simulated-clock.ts';

const { signal } = new AbortController();
const samples = Buffer.alloc(2 * 16_000 * 4, 1);
const sound = (language: string | null) => ({ samples, language });
const words = 'The train to the city leaves at half past nine in the morning.'.split(' ');

async function opened(t: ExecutionContext, behavior: ProgramBehavior, path = '/v1', model = 'small') {
  const server = await programServer(behavior);
  t.teardown(server.close);
  const provider = { baseUrl: `${server.origin}${path}`, apiKey: 'sk-test-0123456789', isLocal: true };
  const clock = new SimulatedClock(0);
  const recognizer = await openServedRecognizer({ provider, model, responseFormat: 'verbose_json', clock });
  return { server, recognizer };
}

for (const [path, base] of [
  ['/inference', ''],
  ['/inference', '/v1'],
  ['/v1/audio/transcriptions', '/v1'],
  ['/v1/audio/transcriptions', ''],
] as const) {
  test(`whisper-server at ${path} is found from the address ${base || 'without a path'}, and asked with its own fields`, async (t) => {
    const { server, recognizer } = await opened(t, whisperServer(path), base);
    const { lines } = await recognizer.recognize(sound('en'), signal);
    t.deepEqual(
      lines[0]?.words.map(({ text }) => text),
      words,
    );
    const [asked] = server.work();
    t.is(asked?.path, path);
    t.deepEqual(asked?.fields, {
      response_format: ['verbose_json'],
      temperature: ['0'],
      temperature_inc: ['0'],
      max_context: ['0'],
      beam_size: ['5'],
      max_len: ['10000'],
      split_on_word: ['true'],
      language: ['en'],
      no_language_probabilities: ['true'],
    });
    t.like(recognizer.parameters, { interface: 'whisper-server', temperatureIncrement: 0, words: 'joined' });
    t.true(server.asked.filter(({ method }) => method !== 'POST').every(({ key }) => key === undefined));
  });
}

test('bug: whisper-server recognized English in a film without a declared language', async (t) => {
  const { server, recognizer } = await opened(t, whisperServer('/inference', 'spanish'), '');
  t.is((await recognizer.recognize(sound(null), signal)).language, 'spanish');
  t.deepEqual(server.work()[0]?.fields.language, ['auto']);
});

test('bug: Bokmål, Filipino and Javanese failed with servers of the Whisper family', async (t) => {
  for (const behavior of [whisperServer(), openaiSpeech({ models: [{ id: 'small' }] }), asrWebservice()]) {
    const { server, recognizer } = await opened(t, behavior, '');
    for (const language of ['nb', 'fil', 'jv', 'yue', 'arz'])
      await recognizer.recognize(sound(language), signal).catch(() => undefined);
    t.deepEqual(
      server.work().map(({ fields, query }) => fields.language?.[0] ?? query.get('language')),
      ['no', 'tl', 'jw', 'yue', 'ar'],
    );
  }
});

test('a language that whisper-server does not have is the cause of its refusal', async (t) => {
  const { recognizer } = await opened(t, whisperServer(), '');
  const error = await t.throwsAsync(recognizer.recognize(sound('ga'), signal));
  t.is(engineFailureOf(messageOf(error), 'openai')?.code, 'engine_language_unknown');
});

test('a question for the language costs whisper-server its probabilities only if it is another one', async (t) => {
  const english = await opened(t, whisperServer(), '');
  t.deepEqual(await english.recognizer.heardLanguage?.(sound('en'), signal), {
    language: 'en',
    probability: null,
    asked: null,
  });
  t.is(english.server.work().length, 1);
  const spanish = await opened(t, whisperServer('/inference', 'spanish'), '');
  t.deepEqual(await spanish.recognizer.heardLanguage?.(sound('en'), signal), {
    language: 'es',
    probability: 0.95,
    asked: 0.04,
  });
  t.deepEqual(
    spanish.server.work().map(({ fields }) => [fields.detect_language?.[0], fields.no_language_probabilities?.[0]]),
    [
      ['true', 'true'],
      ['true', 'false'],
    ],
  );
  const asr = await opened(t, asrWebservice(), '');
  t.is((await asr.recognizer.heardLanguage?.(sound('en'), signal))?.language, 'en');
  t.is(asr.server.work()[0]?.path, '/detect-language');
  const openai = await opened(t, openaiSpeech({ models: [{ id: 'small' }] }));
  t.is(openai.recognizer.heardLanguage, undefined, 'the question would be a transcription more');
});

for (const form of ['objects', 'lists', 'older lists'] satisfies AsrForm[]) {
  test(`whisper-asr-webservice is asked at its own path, and its segments are read as ${form}`, async (t) => {
    const { server, recognizer } = await opened(t, asrWebservice(form), form === 'objects' ? '/v1' : '');
    const region = await recognizer.recognize(sound('en'), signal);
    t.is(region.language, 'en');
    t.deepEqual(
      region.lines[0]?.words.map(({ text, confidence }) => [text, confidence]),
      words.map((word) => [word, 0.9]),
    );
    t.like(region.lines[0], { startMs: 0, endMs: 4000 });
    t.like(region.lines[0]?.measures, {
      averageLogProbability: -0.2,
      compressionRatio: 1.1,
      noSpeechProbability: 0.01,
    });
    const [asked] = server.work();
    t.is(asked?.path, '/asr');
    t.is(String(asked?.query), 'encode=true&task=transcribe&output=json&word_timestamps=true&language=en');
    t.is(recognizer.parameters.interface, 'asr');
  });
}

test('a model that refuses the verbose format is asked without times from then on', async (t) => {
  const refusesVerbose = () => ({ status: 400, body: "response_format 'verbose_json' is not compatible" });
  const { server, recognizer } = await opened(t, openaiSpeech({ models: [{ id: 'small' }], refusesVerbose }));
  for (let region = 0; region < 3; region += 1) t.is((await recognizer.recognize(sound('en'), signal)).lines.length, 1);
  t.deepEqual(
    server.work().map(({ fields }) => fields.response_format?.[0]),
    ['verbose_json', 'json', 'json', 'json'],
  );
  t.is(recognizer.parameters.whereRefused, 'json');
});

test('a server error counts as a refusal of the format with the second one in a row, and never after an answer with times', async (t) => {
  const body = 'Internal Server Error';
  const parakeet = await opened(
    t,
    openaiSpeech({ models: [{ id: 'small' }], refusesVerbose: () => ({ status: 500, body }) }),
  );
  await t.throwsAsync(parakeet.recognizer.recognize(sound('en'), signal), { message: /^http_500/ });
  t.is((await parakeet.recognizer.recognize(sound('en'), signal)).lines.length, 1);
  let requests = 0;
  const flaky = await opened(
    t,
    openaiSpeech({
      models: [{ id: 'small' }],
      refusesVerbose: () => {
        requests += 1;
        return requests === 1 ? null : { status: 500, body };
      },
    }),
  );
  await flaky.recognizer.recognize(sound('en'), signal);
  for (let attempt = 0; attempt < 3; attempt += 1)
    await t.throwsAsync(flaky.recognizer.recognize(sound('en'), signal), { message: /^http_500/ });
  t.true(flaky.server.work().every(({ fields }) => fields.response_format?.[0] === 'verbose_json'));
});

test('a server that does not answer counts as one of OpenAI until the next opening', async (t) => {
  const provider = { baseUrl: 'http://127.0.0.1:9/v1', apiKey: null, isLocal: true };
  const clock = new SimulatedClock(0);
  const recognizer = await openServedRecognizer({ provider, model: 'small', responseFormat: 'verbose_json', clock });
  t.false(await recognizer.isCurrent?.());
  t.is(recognizer.parameters.interface, undefined);
});
