import test, { type ExecutionContext } from 'ava';
import { type FacetKind, facetKinds } from '../../../contract/explanations/executor.ts';
import { ExplanationFailure, explanationLimits } from '../../../contract/explanations/explanation.ts';
import type { HostedProvider } from '../../../executors/model-server/hosted-provider.ts';
import { openHostedExplainer } from '../../../features/explanations/engine/hosted-explainer.ts';
import {
  answers,
  answersText,
  type Behavior,
  closesEarly,
  completionOf,
  dribbles,
  floods,
  hangs,
  redirects,
  refuses,
  StubProvider,
} from '../../../fixtures/hosted-model/stub-provider.ts';
import { SimulatedClock } from '../../actors/supervision/simulated-clock.ts';
import { inputOver } from '../../receipts/explanations/explanation-questions.ts';

const key = 'sk-secret-of-the-test';

// Variables that the client library would read from its environment.
process.env.OPENAI_CUSTOM_HEADERS = 'Authorization: Bearer another\nX-More: more';

process.env.OPENAI_ORG_ID = 'org-of-the-environment';

process.env.OPENAI_PROJECT_ID = 'project-of-the-environment';

process.env.OPENAI_ADMIN_KEY = 'sk-admin';

process.env.OPENAI_LOG = 'debug';

const never = new AbortController().signal;

async function opened(t: ExecutionContext, behavior?: Behavior, changes: Partial<HostedProvider> = {}) {
  const stub = await StubProvider.start();
  t.teardown(() => stub.close());
  if (behavior !== undefined) stub.behavior = behavior;
  const clock = new SimulatedClock(0);
  const provider = { baseUrl: stub.baseUrl, apiKey: key, isLocal: true, ...changes };
  const explainer = await openHostedExplainer({ provider, model: 'org/model:1b', clock });
  const ask = (kinds: readonly FacetKind[] = facetKinds, signal = never) =>
    explainer.explain({ input: inputOver(), kinds }, signal);
  return { stub, clock, explainer, ask };
}

async function causeOf(t: ExecutionContext, asked: Promise<unknown>): Promise<string> {
  const error = await t.throwsAsync(asked, { instanceOf: ExplanationFailure });
  const { code, message } = error.reason;
  t.true(message.startsWith(`${code}: `) && message.length <= 256, message);
  t.false(message.includes(key));
  return code;
}

test('a model gets the selected words once, and nothing else', async (t) => {
  const { stub, ask, clock } = await opened(t);
  const { output, execution } = await ask(['meaning', 'grammar']);
  t.deepEqual(Object.keys(output.facets), ['meaning', 'grammar']);
  t.deepEqual(execution, { providerResponseId: 'chatcmpl-1', inputTokens: 321, outputTokens: 45 });
  t.is(clock.pending, 0);
  const [asked] = stub.asked;
  if (asked === undefined) throw new Error('nobody was asked');
  const { path, headers, body } = asked;
  t.is(path, '/v1/chat/completions');
  const own = ['accept', 'authorization', 'content-type', 'user-agent'];
  // Headers that the platform's fetch needs for the connection, or adds to every request.
  const platform = ['host', 'connection', 'content-length', 'accept-language', 'sec-fetch-mode', 'accept-encoding'];
  t.deepEqual(
    Object.keys(headers)
      .filter((name) => !platform.includes(name))
      .sort(),
    own,
  );
  t.is(headers.authorization, `Bearer ${key}`);
  t.is(headers['user-agent'], 'local-media-study-service');
  t.like(body, { model: 'org/model:1b', max_completion_tokens: 4000, max_tokens: 4000 });
  t.true(body.response_format.json_schema.strict);
  t.deepEqual(JSON.parse(body.messages[1]?.content ?? ''), {
    explainIn: 'en',
    facets: ['meaning', 'grammar'],
    selection: { line: 1, side: 'source', before: '', text: '안녕하세요', after: ' 여러분' },
    lines: [
      ['문이 열린다', 'The door opens'],
      ['안녕하세요 여러분', 'Hello everybody'],
      ['반갑습니다', 'Nice to meet you'],
    ].map(([source, target], line) => ({
      line,
      source: { language: 'ko', text: source },
      target: { language: 'en', text: target },
    })),
  });
});

test('elsewhere only the newer token limit is sent, and without a key no authorization', async (t) => {
  const { stub, ask, explainer } = await opened(t, undefined, { isLocal: false, apiKey: null });
  await ask();
  t.is(stub.asked[0]?.headers.authorization, undefined);
  t.is(stub.asked[0]?.body.max_tokens, undefined);
  t.deepEqual(explainer.configuration.tokenLimitFields, ['max_completion_tokens']);
  t.false(JSON.stringify([explainer.prompt, explainer.configuration]).includes(key));
});

const facet = (content: unknown, reason: unknown = null) =>
  JSON.stringify({ facets: { meaning: { content, reason } } });

const meaning = { sceneMeaning: 'A greeting.' };
const { maxOutputBytes, maxWallMs, maxProviderResponseBytes } = explanationLimits;

const choice = (others: object) =>
  completionOf('', { choices: [{ finish_reason: 'stop', message: { content: facet(meaning) }, ...others }] });

const html: Behavior = (response) => {
  response.writeHead(200, { 'Content-Type': 'text/html' });
  response.end('<p>not here</p>');
};

const notJson: Behavior = (response) => {
  response.writeHead(200, { 'Content-Type': 'application/json' });
  response.end('{"id": "chatcmpl');
};

const nothing: Behavior = (response) => {
  response.writeHead(204);
  response.end();
};

const failures: readonly [string, Behavior, string][] = [
  ['answers with 401', refuses(401), 'http_401'],
  ['answers with 429', refuses(429), 'http_429'],
  ['answers with 500', refuses(500), 'http_500'],
  ['answers with 503', refuses(503), 'http_503'],
  ['closes early', closesEarly, 'unreachable'],
  ['answers without end', floods, 'too_large'],
  ['sends its callers elsewhere', redirects('http://127.0.0.1:9/'), 'redirected'],
  ['answers with a page', html, 'invalid_output'],
  ['answers with broken JSON', notJson, 'invalid_output'],
  ['answers with nothing', nothing, 'invalid_output'],
  ['answers with another object', answers({ error: 'no' }), 'invalid_output'],
  ['has no choice', answers(completionOf('', { choices: [] })), 'invalid_output'],
  ['says garbage', answersText('I would be happy to explain!'), 'invalid_output'],
  ['says nothing', answersText(null), 'invalid_output'],
  ['leaves a text out', answersText(facet({})), 'invalid_output'],
  ['adds a field', answersText(facet({ ...meaning, more: 1 })), 'invalid_output'],
  ['has a reason of its own', answersText(facet(null, 'tired')), 'invalid_output'],
  [
    'explains more than was asked',
    answersText(JSON.stringify({ facets: { word: { content: null, reason: null } } })),
    'invalid_output',
  ],
  ['says too much', answersText(facet({ sceneMeaning: 'x'.repeat(maxOutputBytes) })), 'too_large'],
  ['stops at its token limit', answers(choice({ finish_reason: 'length' })), 'too_large'],
  [
    'counts more tokens than it may',
    answers({ ...choice({}), usage: { prompt_tokens: 1, completion_tokens: 4001 } }),
    'too_large',
  ],
  ['filters its answer', answers(choice({ finish_reason: 'content_filter' })), 'refused'],
  ['declines', answers(choice({ message: { content: null, refusal: 'I cannot help.' } })), 'refused'],
];

for (const [what, behavior, cause] of failures) {
  test(`a provider that ${what} gets one request and ends as ${cause}`, async (t) => {
    const { stub, ask, clock } = await opened(t, behavior);
    t.is(await causeOf(t, ask(['meaning'])), cause);
    t.is(stub.asked.length, 1);
    t.is(clock.pending, 0);
  });
}

test('an answer without end is given up at the limit, and its connection closed', async (t) => {
  const { stub, ask } = await opened(t, floods);
  t.is(await causeOf(t, ask(['meaning'])), 'too_large');
  await stub.until(({ abandoned }) => abandoned === 1);
  t.true(maxProviderResponseBytes < 1_000_000);
});

for (const [what, behavior] of [
  ['never answers', hangs],
  ['never ends its answer', dribbles],
] as const) {
  test(`a provider that ${what} is given up when the wall is reached`, async (t) => {
    const { stub, ask, clock } = await opened(t, behavior);
    const asked = ask(['meaning']);
    await stub.until((each) => each.asked.length === 1);
    clock.advance(maxWallMs - 1);
    t.is(stub.abandoned, 0);
    clock.advance(1);
    t.is(await causeOf(t, asked), 'timeout');
    await stub.until(({ abandoned }) => abandoned === 1);
    t.is(stub.asked.length, 1);
  });

  test(`a provider that ${what} is left at once if the question is canceled`, async (t) => {
    const { stub, ask, clock } = await opened(t, behavior);
    const given = new AbortController();
    const asked = ask(['meaning'], given.signal);
    await stub.until((each) => each.asked.length === 1);
    given.abort(new Error('no longer wanted'));
    await t.throwsAsync(asked, { message: 'no longer wanted' });
    await stub.until(({ abandoned }) => abandoned === 1);
    t.is(clock.pending, 0);
  });
}

test('a question that was given up before is not asked', async (t) => {
  const { stub, ask } = await opened(t);
  await t.throwsAsync(ask(['meaning'], AbortSignal.abort(new Error('no longer wanted'))), {
    message: 'no longer wanted',
  });
  t.is(stub.asked.length, 0);
});

test('a provider that is not there is unreachable', async (t) => {
  const { stub, ask } = await opened(t);
  await stub.close();
  t.is(await causeOf(t, ask(['meaning'])), 'unreachable');
});

test("a provider's account of its own work is kept if possible", async (t) => {
  const { ask } = await opened(
    t,
    answers(completionOf(facet(meaning), { id: 'not an id', usage: { prompt_tokens: -1, completion_tokens: 'many' } })),
  );
  const { execution } = await ask(['meaning']);
  t.deepEqual(execution, { providerResponseId: null, inputTokens: null, outputTokens: null });
});
