import { inspect } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { ExplanationFailure } from '../../contract/explanations/explanation.ts';
import { openHostedExplainer } from '../../executors/explanations/hosted-explainer.ts';
import { keyEcho } from '../../executors/model-server/hosted-provider.ts';
import {
  answers,
  answersText,
  type Behavior,
  completionOf,
  refuses,
} from '../../fixtures/hosted-model/stub-provider.ts';
import { SimulatedClock } from '../actors/supervision/simulated-clock.ts';
import { inputOver } from '../executors/explanations/explanation-questions.ts';
import { ModelInMemory } from '../host/model-in-memory.ts';

const key = 'sk-Secret-of.the_Test:42';
const hexOf = (text: string) => Buffer.from(text).toString('hex');
const base64 = (text: string) => Buffer.from(text).toString('base64');
const every = (text: string, written: (code: number) => string) =>
  [...text].map((character) => written(character.codePointAt(0) ?? 0)).join('');
const padded = (hex: string, digits: number) => hex.padStart(digits, '0');

const forms: Readonly<Record<string, string>> = {
  'as it is': `use ${key} now`,
  'in capitals': key.toUpperCase(),
  'spaced out': [...key].join(' '),
  'parted by characters without width': [...key].join('\u200b'),
  'in base64': base64(key),
  'in base64, one byte in': base64(`"${key}"`),
  'in base64, two bytes in': base64(`: ${key}, and more`),
  'in base64 for URLs': Buffer.from(`??${key}`).toString('base64url'),
  'in hex': hexOf(key),
  'in hex with capitals': hexOf(key).toUpperCase(),
  'percent-encoded': every(key, (code) => `%${padded(code.toString(16), 2)}`),
  'partly percent-encoded': encodeURIComponent(key),
  'in escapes of JSON': every(key, (code) => `\\u${padded(code.toString(16), 4)}`),
  'in escapes of JSON within JSON': JSON.stringify(every(key, (code) => `\\u${padded(code.toString(16), 4)}`)),
  'in references of HTML': every(key, (code) => (code % 2 === 0 ? `&#${code};` : `&#x${code.toString(16)};`)),
  'percent-encoded base64': encodeURIComponent(base64(key)),
};

for (const [form, text] of Object.entries(forms)) {
  test(`a key is found in a text ${form}`, (t) => {
    t.true(keyEcho(key)(text));
    t.false(keyEcho('sk-Another-Secret/43')(text));
  });
}

test('a key is found only where it really is, and not as a word within other words', (t) => {
  for (const text of [
    '',
    key.slice(0, -1),
    'sk-',
    '100% \\ud83d %F0 &#99999999; \\u12',
    'A greeting between strangers.',
  ]) {
    t.false(keyEcho(key)(text), text);
  }
  const word = keyEcho('none');
  for (const text of ['nonetheless', 'anonener', base64('none')]) t.false(word(text), text);
  for (const text of ['none', '(none)', 'n\\u006fne']) t.true(word(text), text);
  t.true(keyEcho('a.*b')('say a.*b'));
  t.false(keyEcho('a.*b')('say a-b'));
});

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
