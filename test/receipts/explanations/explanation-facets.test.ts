import test from 'ava';
import {
  type ExplanationOutput,
  explanationOutput,
  facetKinds,
} from '../../../contract/explanations/language-explanation-facet.ts';
import { ExplanationFailure } from '../../../contract/explanations/language-explanation-failure.ts';
import {
  askableKinds,
  explanationResultOf,
  facetsOf,
  outputOfFacets,
} from '../../../receipts/explanations/explanation-facets.ts';
import { inputOver, lineAt } from '../../executors/explanations/explanation-questions.ts';

const input = inputOver();
const untranslated = inputOver(lineAt(1, '안녕하세요 여러분', null));

const full: ExplanationOutput = explanationOutput.parse({
  facets: {
    meaning: { content: { sceneMeaning: '\n A greeting.\t' }, reason: null },
    word: { content: { form: '안녕하다', sense: 'to be well', role: 'predicate' }, reason: 'generator_abstained' },
    phrase: { content: { form: '안녕하세요', function: 'greets\nseveral' }, reason: null },
    grammar: {
      content: { construction: '-세요', explanation: 'Polite.', segments: [{ form: ' 안녕하 ', role: 'stem' }] },
      reason: null,
    },
    translation_choice: { content: { sourceChoice: 'a', targetChoice: 'b', rationale: 'c' }, reason: null },
  },
});

test('facets come once each, in the order of the request, without the white space around their texts', (t) => {
  const kinds = [...facetKinds].reverse();
  const facets = facetsOf(input, kinds, full);
  t.deepEqual(
    facets.map(({ kind }) => kind),
    kinds,
  );
  t.true(facets.every(({ grounding }) => grounding === 'caption_context_inference'));
  t.deepEqual(facets.at(-1)?.content, { sceneMeaning: 'A greeting.' });
  t.deepEqual(facets[1]?.content, {
    construction: '-세요',
    explanation: 'Polite.',
    segments: [{ form: '안녕하', role: 'stem' }],
  });
  t.is(explanationResultOf(facets).status, 'completed');
  t.deepEqual(facetsOf(input, kinds, outputOfFacets(facets)), facets);
});

test('what was not given is missing, with the reason that was given or because the generator abstained', (t) => {
  const output = explanationOutput.parse({
    facets: {
      meaning: { content: null, reason: 'insufficient_caption_context' },
      word: { content: null, reason: 'facet_not_applicable' },
      phrase: { content: null, reason: null },
      grammar: { content: { construction: ' ', explanation: 'x', segments: [{ form: 'x', role: 'y' }] }, reason: null },
    },
  });
  const facets = facetsOf(input, facetKinds, output);
  t.deepEqual(
    facets.map(({ availability, reasonCode, content, grounding }) => [availability, reasonCode, content, grounding]),
    [
      ['withheld', 'insufficient_caption_context', null, 'none'],
      ['unavailable', 'facet_not_applicable', null, 'none'],
      ['withheld', 'generator_abstained', null, 'none'],
      ['withheld', 'generator_abstained', null, 'none'],
      ['withheld', 'generator_abstained', null, 'none'],
    ],
  );
  t.deepEqual(facetsOf(input, facetKinds, outputOfFacets(facets)), facets);
});

test('a choice of words needs a translation, whatever a generator says of it', (t) => {
  t.deepEqual(askableKinds(input, facetKinds), [...facetKinds]);
  t.deepEqual(askableKinds(untranslated, facetKinds), facetKinds.slice(0, -1));
  const [facet] = facetsOf(untranslated, ['translation_choice'], full);
  t.like(facet, { availability: 'unavailable', reasonCode: 'target_unavailable', content: null });
});

test('what the facets come to is told by their availability', (t) => {
  const statusOf = (...reasons: (string | null)[]) => {
    const facets = reasons.map((reason, at) => [
      facetKinds[at],
      reason === null ? full.facets[facetKinds[at] ?? 'meaning'] : { content: null, reason },
    ]);
    const output = explanationOutput.parse({ facets: Object.fromEntries(facets) });
    return explanationResultOf(facetsOf(input, facetKinds.slice(0, reasons.length), output));
  };
  t.is(statusOf(null, null).status, 'completed');
  t.is(statusOf(null, 'generator_abstained').status, 'partial');
  t.is(statusOf('generator_abstained', 'insufficient_caption_context').status, 'withheld');
  t.is(statusOf('generator_abstained', 'facet_not_applicable').status, 'unavailable');
  t.is(statusOf('facet_not_applicable').status, 'unavailable');
  t.deepEqual(statusOf(null, 'generator_abstained', 'facet_not_applicable', null), {
    status: 'partial',
    requestedFacetCount: 4,
    availableFacetCount: 2,
    withheldFacetCount: 1,
    unavailableFacetCount: 1,
  });
});

const told: readonly [string, string, string][] = [
  ['is longer than 8,192 bytes', '가'.repeat(2731), 'too_large'],
  ['has a control character', 'a\u0007b', 'invalid_output'],
  ['has half of a surrogate pair', 'a\ud800b', 'invalid_output'],
];

for (const [what, text, code] of told) {
  test(`a text that ${what} fails the attempt, with its place and without its words`, (t) => {
    const output = explanationOutput.parse({ facets: { meaning: { content: { sceneMeaning: text }, reason: null } } });
    const error = t.throws(() => facetsOf(input, ['meaning'], output), { instanceOf: ExplanationFailure });
    t.is(error.reason.code, code as typeof error.reason.code);
    t.true(error.message.startsWith(`${code}: meaning.sceneMeaning `), error.message);
  });
}

test('a text at the limit and text with line breaks are stored as they are', (t) => {
  const longest = '가'.repeat(2730);
  const output = explanationOutput.parse({
    facets: {
      meaning: { content: { sceneMeaning: longest }, reason: null },
      phrase: { content: { form: 'a\r\nb\tc', function: '😀' }, reason: null },
    },
  });
  const [meaning, phrase] = facetsOf(input, ['meaning', 'phrase'], output);
  t.deepEqual(meaning?.content, { sceneMeaning: longest });
  t.deepEqual(phrase?.content, { form: 'a\r\nb\tc', function: '😀' });
});
