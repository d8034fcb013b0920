import test, { type ExecutionContext } from 'ava';
import { explanationLimits } from '../../../contract/explanations/explanation.ts';
import { openHostedChat } from '../../../executors/model-server/hosted-chat.ts';
import { isAbsent, ModelFailure, usualPatienceMs } from '../../../executors/model-server/hosted-provider.ts';
import { answersText, type Behavior, StubProvider } from '../../../fixtures/hosted-model/stub-provider.ts';
import { quick } from './quick-clock.ts';

const question = { system: 'Say yes.', user: '{}', schemaName: 'said', schema: {} };

const refusesFor =
  (status: number, retryAfter?: string): Behavior =>
  (response) => {
    response.writeHead(status, retryAfter === undefined ? {} : { 'Retry-After': retryAfter });
    response.end('{}');
  };

/** A chat with a server that behaves so, one behavior after the other; the last one stays. */
async function chatWith(
  t: ExecutionContext,
  behaviors: readonly Behavior[],
  patienceMs?: number,
  { quotesRefusals = false, apiKey = null as string | null } = {},
) {
  const provider = await StubProvider.start();
  t.teardown(() => provider.close());
  let next = 0;
  provider.behavior = (response, asked) => {
    behaviors[Math.min(next, behaviors.length - 1)]?.(response, asked);
    next += 1;
  };
  const { waits, clock } = quick(explanationLimits.maxWallMs);
  const chat = await openHostedChat({
    provider: { baseUrl: provider.baseUrl, apiKey, isLocal: true },
    model: 'stub',
    clock,
    limits: explanationLimits,
    quotesRefusals,
    ...(patienceMs === undefined ? {} : { patienceMs }),
  });
  return { provider, waits, ask: (signal = new AbortController().signal) => chat.ask(question, signal) };
}

test('bug: a server that was busy or still loaded its model ended the work that needed it', async (t) => {
  const behaviors = [refusesFor(429, '7'), refusesFor(503), refusesFor(429, 'soon'), answersText('yes')];
  const { ask, provider, waits } = await chatWith(t, behaviors, usualPatienceMs);
  t.is((await ask()).text, 'yes');
  t.is(provider.asked.length, 4);
  t.deepEqual(waits, [7000, 2000, 4000]);
});

test('a server that wants more time than is left fails at once, and one that names no time after a minute', async (t) => {
  for (const [retryAfter, expected] of [
    ['61', []],
    ['40', [40_000]],
    [undefined, [1000, 2000, 4000, 8000, 8000, 8000, 8000, 8000, 8000]],
  ] as const) {
    const { ask, provider, waits } = await chatWith(t, [refusesFor(429, retryAfter)], usualPatienceMs);
    const failure = await t.throwsAsync(ask(), { instanceOf: ModelFailure });
    t.is(failure.code, 'http_429');
    t.deepEqual(waits, expected);
    t.is(provider.asked.length, expected.length + 1);
  }
});

test('no other refusal is waited for, and without patience none is', async (t) => {
  for (const status of [400, 401, 404, 500, 502]) {
    const { ask, provider } = await chatWith(t, [refusesFor(status, '1')], usualPatienceMs);
    t.is((await t.throwsAsync(ask(), { instanceOf: ModelFailure })).code, `http_${status}`);
    t.is(provider.asked.length, 1);
  }
  const { ask, provider, waits } = await chatWith(t, [refusesFor(429, '0')]);
  await t.throwsAsync(ask(), { instanceOf: ModelFailure });
  t.deepEqual([provider.asked.length, waits.length], [1, 0]);
});

test('a refusal of the key or of the name of the model says so', async (t) => {
  for (const [status, words] of [
    [401, /key is missing or wrong$/],
    [404, /no model of this name, or no chat completions at this address$/],
    [500, /refused the request$/],
  ] as const) {
    const { ask } = await chatWith(t, [refusesFor(status)]);
    t.regex((await t.throwsAsync(ask(), { instanceOf: ModelFailure })).message, words);
  }
});

const saying =
  (status: number, message: string): Behavior =>
  (response) => {
    response.writeHead(status, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ error: { message, type: 'invalid_request_error' } }));
  };

test('the words of a server about a refusal are quoted if they are wanted, and never with the key', async (t) => {
  const noModel = saying(404, 'model "llama" not found, try pulling it first');
  const messageOf = async (behavior: Behavior, options: { quotesRefusals?: boolean; apiKey?: string }) => {
    const { ask } = await chatWith(t, [behavior], undefined, options);
    return (await t.throwsAsync(ask(), { instanceOf: ModelFailure })).message;
  };
  t.is(
    await messageOf(noModel, { quotesRefusals: true }),
    'http_404: engine_model_missing: the provider refused the request (it said “model "llama" not found, try pulling it first”)',
  );
  t.notRegex(await messageOf(noModel, {}), /llama/);
  t.is(
    await messageOf(saying(200, 'could not load model'), { quotesRefusals: true }),
    'invalid_output: engine_error: the answer is an error (it said “could not load model”)',
  );
  for (const [body, code] of [
    ['Bonjour', 'engine_answered_text'],
    ['data: {}\n\ndata: [DONE]\n\n', 'engine_answered_events'],
    ['<!doctype html>', 'engine_answered_page'],
  ] as const) {
    const plain: Behavior = (response) => response.writeHead(200, { 'Content-Type': 'text/plain' }).end(body);
    const expected = `invalid_output: ${code}: the answer is not a chat completion`;
    t.is(await messageOf(plain, { quotesRefusals: true }), expected);
    t.is(await messageOf(plain, {}), 'invalid_output: the answer is not a chat completion');
  }
  const apiKey = 'sk-test-0123456789';
  t.is(
    await messageOf(saying(400, `no: ${apiKey}`), { quotesRefusals: true, apiKey }),
    'http_400: the provider refused the request',
  );
});

test('a server is absent only if nothing answers at its address', async (t) => {
  const provider = await StubProvider.start();
  const { baseUrl } = provider;
  t.false(await isAbsent({ baseUrl }));
  await provider.close();
  t.true(await isAbsent({ baseUrl }));
});

test('a wait ends with its signal', async (t) => {
  const stop = new AbortController();
  const { ask } = await chatWith(
    t,
    [
      (response, asked) => {
        stop.abort(new Error('revoked'));
        refusesFor(429, '1')(response, asked);
      },
    ],
    usualPatienceMs,
  );
  await t.throwsAsync(ask(stop.signal), { message: 'revoked' });
});
