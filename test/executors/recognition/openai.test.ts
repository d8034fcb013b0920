import test, { type ExecutionContext } from 'ava';
import {
  openOpenaiRecognizer,
  type ResponseFormat,
  TRANSCRIPTION_LIMITS,
} from '../../../executors/recognition/openai.ts';
import {
  stubTranscriber,
  type TranscriberBehaviour,
  transcribes,
} from '../../../fixtures/hosted-model/stub-transcriber.ts';
import { SimulatedClock } from '../../actors/supervision/simulated-clock.ts';

const sound = { samples: Buffer.alloc(3_200, 1), language: 'en' };
const { signal } = new AbortController();
const apiKey = 'sk-test-0123456789';

async function opened(
  t: ExecutionContext,
  behaviour: TranscriberBehaviour,
  responseFormat: ResponseFormat = 'verbose_json',
) {
  const server = await stubTranscriber(behaviour);
  t.teardown(server.close);
  const clock = new SimulatedClock(0);
  const provider = { baseUrl: server.baseUrl, apiKey, isLocal: true };
  return { server, clock, recognizer: openOpenaiRecognizer({ provider, model: 'small', responseFormat, clock }) };
}

const none = { confidence: null, averageLogProbability: null, compressionRatio: null, noSpeechProbability: null };

test('a region is asked by itself, at temperature 0, without a prompt, as a WAVE file', async (t) => {
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
    language: ['en'],
  });
  t.is(asked?.file.length, 3_244);
  t.is(asked?.file.toString('latin1', 0, 4), 'RIFF');
  t.false(JSON.stringify([recognizer.tools, recognizer.parameters]).includes(apiKey));
});

test('what a server leaves out is recorded as absent', async (t) => {
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

test('a model that knows no times is asked for its text and the log-probabilities of its tokens', async (t) => {
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
  const refuses: TranscriberBehaviour = (response) => response.writeHead(400).end('{}');
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

const failing: readonly (readonly [string, TranscriberBehaviour, RegExp])[] = [
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

for (const [what, behaviour, message] of failing) {
  test(`${what} instead of an answer has its reason, and never the key`, async (t) => {
    const { recognizer } = await opened(t, behaviour);
    const error = await t.throwsAsync(recognizer.recognize(sound, signal), { message });
    t.false(String(error?.message).includes(apiKey));
  });
}

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
