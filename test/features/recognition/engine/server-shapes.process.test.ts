import test, { type ExecutionContext } from 'ava';
import { failureMessage, messageOf } from '../../../../contract/base/errors.ts';
import { type EngineFailureCode, maximumSaid } from '../../../../contract/causes/engine-failures.ts';
import { engineFailureOf } from '../../../../contract/causes/stored-failures.ts';
import { openOpenaiRecognizer } from '../../../../features/recognition/engine/openai.ts';
import { type ServerShape, serverShapes } from '../../../../fixtures/hosted-model/server-shapes.ts';
import { stubTranscriber, type TranscriberBehavior } from '../../../../fixtures/hosted-model/stub-transcriber.ts';
import { SimulatedClock } from '../../../actors/supervision/simulated-clock.ts';

const apiKey = 'sk-test-0123456789';
const sound = { samples: Buffer.alloc(160_000, 1), language: 'en' };
const { signal } = new AbortController();

async function recognizerOf(t: ExecutionContext, behavior: TranscriberBehavior, format: 'verbose_json' | 'json') {
  const server = await stubTranscriber(behavior);
  t.teardown(server.close);
  const provider = { baseUrl: server.baseUrl, apiKey, isLocal: true };
  return openOpenaiRecognizer({ provider, model: 'small', responseFormat: format, clock: new SimulatedClock(0) });
}

/** The cause of a refused region, as a reader of the journal has it. */
async function failureOf(t: ExecutionContext, behavior: TranscriberBehavior) {
  const recognizer = await recognizerOf(t, behavior, 'verbose_json');
  const error = await t.throwsAsync(recognizer.recognize(sound, signal));
  const message = failureMessage(messageOf(error));
  t.false(message.includes(apiKey));
  return { message, cause: engineFailureOf(message, 'openai') };
}

const lines: Readonly<Partial<Record<ServerShape, number>>> = {
  openai: 2,
  groq: 2,
  speaches: 2,
  vllm: 2,
  localai: 2,
  openedai: 2,
  ollama: 1,
  sona: 2,
  nullwords: 1,
  silent: 0,
  // Asked again, without times.
  gpt4o: 1,
};

for (const [shape, count] of Object.entries(lines) as [ServerShape, number][]) {
  test(`the answers of ${shape} give ${count} lines`, async (t) => {
    const recognizer = await recognizerOf(t, serverShapes[shape], 'verbose_json');
    t.is((await recognizer.recognize(sound, signal)).lines.length, count);
  });
}

for (const shape of ['gpt4o', 'parakeet'] as const) {
  test(`${shape} gives one line in the format without times`, async (t) => {
    const recognizer = await recognizerOf(t, serverShapes[shape], 'json');
    t.is((await recognizer.recognize(sound, signal)).lines.length, 1);
  });
}

/** The cause of each shape, the first word of its message, and what the server said. */
const failures: Readonly<Partial<Record<ServerShape, readonly [EngineFailureCode, string, string?]>>> = {
  parakeet: ['engine_error', 'http_500', 'Internal Server Error'],
  plain: ['engine_answered_text', 'invalid_output'],
  page: ['engine_answered_page', 'invalid_output'],
  sse: ['engine_answered_events', 'invalid_output'],
  otherJson: ['engine_answered_other_json', 'invalid_output'],
  asr: ['engine_path_missing', 'http_404', 'Not Found'],
  nomodel: [
    'engine_model_missing',
    'http_404',
    "Model 'whisper-1' is not installed locally. You can download the model using `POST /v1/models`",
  ],
  nokey: ['engine_key_refused', 'http_401', 'You did not provide an API key'],
  forbidden: ['engine_forbidden', 'http_403', 'Not authenticated'],
  unprocessable: ['engine_request_refused', 'http_422', 'body.audio: Field required'],
  nolanguage: ['engine_language_unknown', 'http_400', "Unsupported language: 'en'"],
  error200: ['engine_error', 'invalid_output', 'rpc error: could not load model'],
  error500: ['engine_error', 'http_500', 'could not load model - all backends returned error'],
  busy: ['engine_busy', 'http_503', 'Loading model'],
  redirects: ['engine_redirected', 'redirected'],
  breaks: ['engine_unreachable', 'unreachable'],
};

for (const [shape, expected] of Object.entries(failures) as [ServerShape, readonly [string, string, string?]][]) {
  test(`${shape} fails with a cause of its own, by the first word that clients know`, async (t) => {
    const { message, cause } = await failureOf(t, serverShapes[shape]);
    t.deepEqual([cause?.code, message.split(':')[0], cause?.params.said], [...expected, undefined].slice(0, 3));
    const status = /^http_(\d{3})$/.exec(expected[1])?.[1];
    t.is(cause?.params.status, status === undefined ? undefined : Number(status));
  });
}

test('every shape gives lines or has a cause', (t) => {
  t.deepEqual(Object.keys({ ...lines, ...failures }).sort(), Object.keys(serverShapes).sort());
});

const refusing =
  (words: string, status = 500): TranscriberBehavior =>
  (response) =>
    response.writeHead(status, { 'content-type': 'text/plain' }).end(words);

test('the words of a server are one line that steers no terminal, and are cut', async (t) => {
  const { cause } = await failureOf(t, refusing(`out of\u001b[31m memory\r\n“really”; ${'x'.repeat(500)}`));
  const said = cause?.params.said ?? '';
  t.true(said.startsWith("out of [31m memory 'really', xxx"), said);
  t.is(said.length, maximumSaid);
});

test('words with the key of the server, or with a part of it, are not kept', async (t) => {
  for (const words of [
    `bad key ${apiKey}`,
    'Incorrect API key provided: sk-test-****6789',
    Buffer.from(apiKey).toString('base64'),
  ]) {
    for (const status of [401, 403, 500]) {
      const { cause, message } = await failureOf(t, refusing(words, status));
      t.is(cause?.params.said, undefined, message);
    }
  }
});

test('a page for browsers that a proxy answers is not quoted', async (t) => {
  const { cause } = await failureOf(t, refusing('<html><body>502 Bad Gateway</body></html>', 502));
  t.deepEqual(cause, { code: 'engine_error', params: { engine: 'openai', status: 502 } });
});

test('a refusal whose words never end is a refusal all the same', async (t) => {
  const endless: TranscriberBehavior = (response) => {
    response.writeHead(500, { 'content-type': 'text/plain' });
    response.write('x'.repeat(40_000));
  };
  const { cause } = await failureOf(t, endless);
  t.like(cause, { code: 'engine_error', params: { status: 500 } });
});
