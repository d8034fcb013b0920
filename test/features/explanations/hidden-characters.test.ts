import test from 'ava';
import { chatAnswerOf } from '../../../executors/model-server/hosted-chat.ts';
import { explainedBy } from '../../../features/explanations/engine/hosted-explainer.ts';

const limits = { maxCompletionTokens: 100, maxOutputBytes: 65_536 };

const answerOf = (content: unknown) =>
  chatAnswerOf(
    { id: 'chatcmpl-1', choices: [{ finish_reason: 'stop', message: { content: JSON.stringify(content) } }] },
    limits,
    () => false,
  );

const facet = (sceneMeaning: string) => ({ facets: { meaning: { content: { sceneMeaning }, reason: null } } });

test('bug: control characters and changes of direction of a model came back in its explanations', (t) => {
  const said = 'two\nlines,\ta tab \u202eturned\u202c \u2067isolated\u2069 \u001b[2J cleared\u2028and parted \u009b31m';
  const { output } = explainedBy(answerOf(facet(said)), ['meaning']);
  t.is(output.facets.meaning?.content?.sceneMeaning, 'two\nlines,\ta tab turned isolated  [2J cleared and parted  31m');
});

test('an explanation keeps the letters and the marks of direction of every script', (t) => {
  const said = 'שלום\u200f! 안녕 👩‍👩‍👧\r\ne\u0301';
  const { output } = explainedBy(answerOf(facet(said)), ['meaning']);
  t.is(output.facets.meaning?.content?.sceneMeaning, said);
});
