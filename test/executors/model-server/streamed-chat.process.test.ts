import test, { type ExecutionContext } from 'ava';
import { progressLimits, translationLimits } from '../../../contract/captions/caption-translation.ts';
import { ModelFailure } from '../../../executors/model-server/hosted-provider.ts';
import { jsonTextIn, ModelNotReady, openStreamedChat } from '../../../executors/model-server/streamed-chat.ts';
import {
  type ChatServerShape,
  chatServerShapes,
  refusesFields,
  streamsAs,
} from '../../../fixtures/hosted-model/chat-server-shapes.ts';
import {
  answersText,
  type Behavior,
  hangs,
  refuses,
  StubProvider,
} from '../../../fixtures/hosted-model/stub-provider.ts';
import { SimulatedClock } from '../../actors/supervision/simulated-clock.ts';

const schema = { type: 'object', properties: { lines: { type: 'object' } } };
const question = { system: 'Translate.', user: '{"lines":{"1":"Yes."}}', schemaName: 'said', schema };
const useful = '{"lines":{"1":{"source":"Yes.","translation":"Ja."}}}';
const limits = { ...translationLimits };
const never = new AbortController().signal;

async function chatWith(t: ExecutionContext, behavior: Behavior, isLocal = true) {
  const provider = await StubProvider.start();
  t.teardown(() => provider.close());
  provider.behavior = behavior;
  const clock = new SimulatedClock(0);
  const chat = await openStreamedChat({
    provider: { baseUrl: provider.baseUrl, apiKey: null, isLocal },
    model: 'stub',
    clock,
    limits,
    temperature: 0,
    patienceMs: 60_000,
    trial: { question: { ...question, user: '{"trial":true}' }, isUseful: (text) => text.startsWith('{"lines"') },
  });
  return { provider, clock, ask: (signal: AbortSignal = never) => chat.ask(question, signal) };
}

const isTrial = (body: { readonly messages: readonly { readonly content: string }[] }): boolean =>
  body.messages[1]?.content === '{"trial":true}';

for (const [name, shape] of Object.entries<ChatServerShape>(chatServerShapes)) {
  test(`the stream of ${name} becomes one answer with its tokens`, async (t) => {
    const { ask, provider } = await chatWith(t, streamsAs(shape, useful));
    const answer = await ask();
    t.is(answer.text, useful);
    t.deepEqual(answer.sent, { responseFormat: 'json_schema', leftOut: [] });
    t.deepEqual([answer.inputTokens, answer.outputTokens], [321, 45]);
    t.is(provider.asked.length, 2);
  });
}

test('a local server is asked to stream, not to think, and to count tokens', async (t) => {
  const { ask, provider } = await chatWith(t, answersText(useful));
  await ask();
  t.like(provider.asked[1]?.body, {
    stream: true,
    stream_options: { include_usage: true },
    reasoning_effort: 'none',
    chat_template_kwargs: { enable_thinking: false },
    temperature: 0,
    max_tokens: 2000,
  });
  t.true(isTrial(provider.asked[0]?.body ?? { messages: [] }));
});

test('fields that a server refuses are left out from then on, with as few questions as its words allow', async (t) => {
  for (const [fields, requests] of [
    [['reasoning_effort'], 2],
    [['reasoning_effort', 'chat_template_kwargs'], 3],
    [['stream_options'], 2],
    [['temperature'], 2],
    [['stream'], 2],
  ] as const) {
    const { ask, provider } = await chatWith(t, refusesFields(fields, streamsAs(chatServerShapes.vLLM, useful)));
    t.deepEqual([...((await ask()).sent?.leftOut ?? [])].sort(), [...fields].sort());
    t.is(provider.asked.length, requests + 1, fields.join());
    await ask();
    t.is(provider.asked.length, requests + 2);
  }
});

test('a server that refuses without words gets a request of the oldest fields', async (t) => {
  const { ask } = await chatWith(t, (response, asked) => {
    const { body } = asked as { readonly body: object };
    const isOld = ['reasoning_effort', 'chat_template_kwargs', 'stream_options'].every((field) => !(field in body));
    (isOld ? answersText(useful) : refuses(400))(response, asked);
  });
  t.is((await ask()).text, useful);
});

test('a server without strict schemas is asked for an object with the schema in the prompt, and then for text', async (t) => {
  for (const [taken, stated] of [
    [['json_object_schema'], 'json_object'],
    [['json_object'], 'json_object'],
    [[], 'text'],
  ] as const) {
    const { ask, provider } = await chatWith(t, (response, asked) => {
      const { response_format: format } = asked.body as {
        readonly response_format?: { type: string; schema?: object };
      };
      const form = format?.schema === undefined ? format?.type : 'json_object_schema';
      const isTaken = form === undefined || taken.some((each) => each === form);
      (isTaken ? answersText(useful) : refusesFields(['response_format'], answersText(useful)))(response, asked);
    });
    const { sent } = await ask();
    t.is(sent?.responseFormat, stated);
    t.true(provider.asked.at(-1)?.body.messages[0]?.content.includes(JSON.stringify(schema)));
  }
});

test('bug: a server that takes a schema and ignores it gave no answer of use', async (t) => {
  const { ask, provider } = await chatWith(t, (response, asked) => {
    const { response_format: format } = asked.body as object as { readonly response_format?: { schema?: object } };
    answersText(format?.schema === undefined ? 'Good morning is Guten Morgen!' : useful)(response, asked);
  });
  t.is((await ask()).sent?.responseFormat, 'json_object');
  t.is(provider.asked.length, 3);
});

test('a refusal behind the trial is one of the question, and changes nothing', async (t) => {
  let isRefused = true;
  const { ask } = await chatWith(t, (response, asked) => {
    (isTrial(asked.body) || !isRefused ? answersText(useful) : refuses(400))(response, asked);
  });
  t.is((await t.throwsAsync(ask(), { instanceOf: ModelFailure })).code, 'http_400');
  isRefused = false;
  t.deepEqual((await ask()).sent?.leftOut, []);
});

test('a key that the server refuses says so, with 401 and with 403', async (t) => {
  for (const [status, words] of [
    [401, /^http_401: the provider refused the request; its key is missing or wrong$/],
    [403, /^http_403: the provider refused the request; its key is missing, wrong or not allowed to do this$/],
  ] as const) {
    const { ask, provider } = await chatWith(t, (response) => response.writeHead(status).end());
    t.regex((await t.throwsAsync(ask(), { instanceOf: ModelFailure })).message, words);
    t.is(provider.asked.length, 1);
  }
});

test('bug: a model of two tokens a second could never finish a question of eight lines', async (t) => {
  const { ask, provider, clock } = await chatWith(t, (response, asked) =>
    isTrial(asked.body) ? answersText(useful)(response, asked) : response.writeHead(200, eventStream).flushHeaders(),
  );
  const asked = ask();
  await provider.until(({ asked: { length } }) => length === 2);
  const pieces = useful.match(/.{1,3}/g) ?? [];
  const stream = (data: string) =>
    new Promise<void>((sent) => provider.answer(1, (response) => response.write(data, () => sent())));
  for (const content of pieces) {
    await stream(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`);
    await heard();
    // Each token comes just before its limit, and all of them take far longer than any one may.
    clock.advance(progressLimits.maxTokenGapMs - 1);
  }
  await stream('data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n');
  provider.answer(1, (response) => response.end());
  t.is((await asked).text, useful);
});

const eventStream = { 'Content-Type': 'text/event-stream' };

/** Lets what was sent over a socket of this process reach its reader. */
const heard = () => new Promise((resolve) => setTimeout(resolve, 20));

test('an answer without a token in time is late, and its request ends', async (t) => {
  const { ask, provider, clock } = await chatWith(t, (response, asked) =>
    (isTrial(asked.body) ? answersText(useful) : hangs)(response, asked),
  );
  const asked = ask();
  await provider.until(({ asked: { length } }) => length === 2);
  clock.advance(progressLimits.maxFirstTokenMs);
  const failure = await t.throwsAsync(asked, { instanceOf: ModelFailure });
  t.is(failure.message, 'timeout: no answer within 180000 ms');
  await provider.until(({ abandoned }) => abandoned === 1);
});

test('signs of life without a token do not count', async (t) => {
  const { ask, provider, clock } = await chatWith(t, (response, asked) => {
    if (isTrial(asked.body)) return answersText(useful)(response, asked);
    response.writeHead(200, eventStream);
    response.write(': ping\n\ndata: {"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}\n\n');
  });
  const asked = ask();
  await provider.until(({ asked: { length } }) => length === 2);
  await heard();
  clock.advance(progressLimits.maxFirstTokenMs);
  t.is((await t.throwsAsync(asked, { instanceOf: ModelFailure })).code, 'timeout');
});

test('a model has ten minutes to load, and is then not ready', async (t) => {
  const { ask, provider, clock } = await chatWith(t, hangs);
  const asked = ask();
  await provider.until(({ asked: { length } }) => length === 1);
  clock.advance(progressLimits.maxLoadMs - 1);
  t.is(provider.abandoned, 0);
  clock.advance(1);
  const failure = await t.throwsAsync(asked, { instanceOf: ModelNotReady });
  t.is(failure.message, 'timeout: the model was not ready within 600000 ms');
});

test('an error in the middle of a stream, or its early end, is a failure with the words of the server', async (t) => {
  const streaming =
    (data: string): Behavior =>
    (response, asked) => {
      if (isTrial(asked.body)) return answersText(useful)(response, asked);
      response.writeHead(200, eventStream).end(`data: {"choices":[{"index":0,"delta":{"content":"{"}}]}\n\n${data}`);
    };
  const messageOf = async (behavior: Behavior) =>
    (await t.throwsAsync((await chatWith(t, behavior)).ask(), { instanceOf: ModelFailure })).message;
  t.is(
    await messageOf(streaming('data: {"error":{"message":"slot unavailable","code":500}}\n\n')),
    'invalid_output: engine_error: the answer is an error (it said “slot unavailable”)',
  );
  t.is(await messageOf(streaming('')), 'unreachable: the stream of the answer broke off');
});

test('a stream without an end, and an endless answer, are cut', async (t) => {
  const { ask } = await chatWith(t, (response, asked) => {
    if (isTrial(asked.body)) return answersText(useful)(response, asked);
    response.writeHead(200, eventStream);
    const more = (): void => {
      const content = 'x'.repeat(8192);
      if (!response.destroyed)
        response.write(`data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`, more);
    };
    more();
  });
  t.is((await t.throwsAsync(ask(), { instanceOf: ModelFailure })).code, 'too_large');
});

test('JSON is read behind thoughts, within a fence and between words', (t) => {
  for (const text of [
    useful,
    `<think>First {this}.</think>\n\n${useful}`,
    `so {"a":1} is it</think>${useful}`,
    `\`\`\`json\n${useful}\n\`\`\``,
    `<think></think>\nHere you are:\n\`\`\`\n${useful}\n\`\`\`\nAnything else?`,
    `Sure! ${useful} Done.`,
  ])
    t.is(jsonTextIn(text), useful, text);
  t.is(jsonTextIn(' Good morning '), 'Good morning');
});
