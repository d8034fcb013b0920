import { inspect } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { ExplanationFailure } from '../../../contract/explanations/explanation.ts';
import { openHostedExplainer } from '../../../features/explanations/engine/hosted-explainer.ts';
import {
  answers,
  answersText,
  type Behavior,
  completionOf,
  refuses,
} from '../../../fixtures/hosted-model/stub-provider.ts';
import { SimulatedClock } from '../../actors/supervision/simulated-clock.ts';
import { ModelInMemory } from '../../host/model-in-memory.ts';
import { inputOver } from '../../receipts/explanations/explanation-questions.ts';

const key = 'sk-Secret-of.the_Test:42';
const base64 = (text: string) => Buffer.from(text).toString('base64');

async function failureOf(t: ExecutionContext, behavior: Behavior): Promise<ExplanationFailure> {
  const stub = new ModelInMemory();
  stub.behavior = behavior;
  const provider = { baseUrl: stub.baseUrl, apiKey: key, isLocal: true };
  const explainer = await openHostedExplainer({ provider, model: 'model', clock: new SimulatedClock(0) });
  const asked = explainer.explain({ input: inputOver(), kinds: ['meaning'] }, new AbortController().signal);
  return (
    (await t.throwsAsync(asked, { instanceOf: ExplanationFailure })) ??
    t.fail() ??
    new ExplanationFailure('refused', '')
  );
}

const explains = (sceneMeaning: string, fields: object = {}) =>
  JSON.stringify({ facets: { meaning: { content: { sceneMeaning, ...fields }, reason: null } } });

const echoes: Readonly<Record<string, Behavior>> = {
  'its explanation': answersText(explains(`The key is ${key}.`)),
  'its explanation, in base64': answersText(explains(base64(`key=${key}`))),
  'a field that nobody asked for': answersText(explains('A greeting.', { [key]: 1 })),
  'what is no JSON': answersText(`I may not say ${key}`),
  'the id of its answer': answers(completionOf(explains('A greeting.'), { id: key })),
};

for (const [place, behavior] of Object.entries(echoes)) {
  test(`an answer with the key in ${place} is refused in words without it`, async (t) => {
    const { reason } = await failureOf(t, behavior);
    t.is(reason.code, 'key_in_answer');
    t.false(reason.message.includes(key));
  });
}

test('an error about a refusal that repeats the key does not hold it, however deep one looks', async (t) => {
  const failure = await failureOf(t, refuses(401));
  t.is(failure.reason.code, 'http_401');
  t.false(inspect(failure, { depth: Number.POSITIVE_INFINITY, showHidden: true }).includes(key));
});
