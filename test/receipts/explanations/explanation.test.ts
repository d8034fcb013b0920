import test from 'ava';
import {
  type ExplanationOutput,
  explanationOutput,
  facetKinds,
  maximumFacetTextBytes,
  type StoredFacet,
} from '../../../contract/explanations/executor.ts';
import {
  ExplanationFailure,
  type ExplanationRequest,
  explanationArtifact,
  explanationReceipt,
  explanationRequest,
} from '../../../contract/explanations/explanation.ts';
import { contentIdOfJson, hashOf } from '../../../formats/canonical-json.ts';
import {
  askableKinds,
  type ExplanationJob,
  explanationGrantOf,
  explanationJobIdOf,
  explanationOf,
  explanationResultOf,
  facetsOf,
  fingerprintOf,
  outputOfFacets,
  recordExplanation,
} from '../../../receipts/explanations/explanation.ts';
import {
  captionTextBytesOf,
  type ExplainableCaption,
  explanationInputOf,
  selectionObstacleOf,
} from '../../../receipts/stages/explanation.ts';
import { fieldOf, fieldsOf } from '../../fields.ts';
import { captionJob } from '../captions/captioned-studies.ts';
import { run } from '../evidence/spoken-study.ts';
import { twoTracks } from '../evidence/stored-tracks.ts';
import { execution, explainableOf, explanationJob, output, requestOf } from './explained-captions.ts';
import { inputOver, lineAt } from './explanation-questions.ts';

const captioning = await captionJob({ version: 1, windows: 4, tracks: twoTracks });
const job = explanationJob(captioning);
const runId = job.run.record.runtimeId;

const written = (asked: ExplanationJob, facets: readonly StoredFacet[]) =>
  recordExplanation(asked.run, explanationOf(asked, facets), execution);

test('an explanation and its receipt have derivable names', (t) => {
  const { objects, refs, events } = written(job, facetsOf(job.input, ['meaning', 'word'], output));
  const [artifact, receipt] = objects.map(({ bytes }) => JSON.parse(Buffer.from(bytes).toString('utf8')));
  t.deepEqual(explanationArtifact.parse(artifact), artifact);
  t.deepEqual(explanationReceipt.parse(receipt), receipt);
  const { schema, receiptId, ...body } = receipt;
  t.is(receiptId, `language-explanation-receipt:${hashOf(body)}`);
  const named = (kind: string, contentId: string) =>
    `artifact:${hashOf({ runId, jobId: artifact.jobId, kind, contentId })}`;
  t.deepEqual(refs, {
    jobId: artifact.jobId,
    artifactId: named('language-explanation-output', contentIdOfJson(artifact)),
    contentId: contentIdOfJson(artifact),
    receiptArtifactId: named('language-explanation-receipt', contentIdOfJson(receipt)),
    receiptId,
    receiptContentId: contentIdOfJson(receipt),
  });
  t.like(artifact, {
    semanticReview: { state: 'not_reviewed', reviewId: null },
    rights: { publication: 'private', exportEligibility: 'unavailable' },
    result: { status: 'partial', requestedFacetCount: 2, availableFacetCount: 1, unavailableFacetCount: 1 },
  });
  t.is(receipt.result.bytes, objects[0]?.bytes.length);
  t.deepEqual(fieldOf(events, 'type'), ['artifact.recorded', 'artifact.recorded', 'language.explanation_completed']);
});

test('the same explanation gives the same bytes', (t) => {
  const facets = facetsOf(job.input, ['meaning', 'word'], output);
  const [one, other] = [written(job, facets), written(job, facets)];
  t.deepEqual(one, other);
});

test('an explanation whose record would be too large is refused', (t) => {
  const text = 'x'.repeat(maximumFacetTextBytes);
  const segments = Array.from({ length: 16 }, () => ({ form: text, role: text }));
  const all = explanationJob(captioning, { facetKinds: [...facetKinds] });
  const facets: StoredFacet[] = facetsOf(all.input, ['grammar'], {
    facets: { grammar: { content: { construction: text, explanation: text, segments }, reason: null } },
  });
  const error = t.throws(() => written(all, facets), { instanceOf: ExplanationFailure });
  t.regex(error.message, /^too_large: the record would have \d+ bytes$/);
});

const caption = explainableOf(captioning);
const [line] = caption.artifact.lines;
if (line === undefined) throw new Error('there are lines');

/** The same captions with other texts on their source side, as many lines as texts. */
const saying = (...texts: (string | null)[]): ExplainableCaption => ({
  ...caption,
  artifact: {
    ...caption.artifact,
    lines: texts.map((text, index) => ({
      ...line,
      id: `line-${index}`,
      source:
        text === null
          ? { language: 'ko', state: 'withheld', text, reasonCode: 'translator_unavailable' }
          : { language: 'ko', state: 'available', text, reasonCode: null },
    })),
  },
});

const spanOf = (text: string, start: number, end: number): ExplanationRequest['selection'] => ({
  side: 'source',
  unit: 'unicode_code_point',
  start,
  end,
  text,
});

test('a selection counts code points, whatever a character takes in UTF-16', (t) => {
  const { artifact } = saying('a😀b👩‍👩‍👧 e\u0301', '안녕');
  const obstacle = (text: string, start: number, end: number, lineId = 'line-0') =>
    selectionObstacleOf(artifact, { lineId, selection: spanOf(text, start, end) });
  t.is(obstacle('😀', 1, 2), null);
  t.is(obstacle('b', 2, 3), null);
  t.is(obstacle('👩‍👩‍👧', 3, 8), null);
  t.is(obstacle('e\u0301', 9, 11), null);
  t.is(obstacle('안녕', 0, 2, 'line-1'), null);
  // The same word to a reader, but not the words that are stored.
  t.regex(obstacle('\u00e9', 9, 10) ?? '', /other words/);
  t.regex(obstacle('b', 3, 4) ?? '', /other words/);
  t.regex(obstacle('안녕', 0, 2) ?? '', /other words/);
  t.regex(obstacle('x', 40, 41) ?? '', /other words/);
  t.regex(obstacle('x', 0, 1, 'line-2') ?? '', /no such line/);
  const silent = selectionObstacleOf(saying(null).artifact, { lineId: 'line-0', selection: spanOf('x', 0, 1) });
  t.regex(silent ?? '', /source side of the line has no text/);
});

test('a request spans as many code points as its text has, from 1 to 256', (t) => {
  const request = requestOf(caption);
  const fits = (selection: object) => explanationRequest.safeParse({ ...request, selection }).success;
  t.true(fits(spanOf('😀', 1, 2)));
  t.false(fits(spanOf('😀', 1, 3)));
  t.true(fits(spanOf('가'.repeat(256), 10, 266)));
  t.false(fits(spanOf('가'.repeat(257), 10, 267)));
  t.false(fits(spanOf('', 1, 1)));
  t.false(fits(spanOf('ab', 2, 0)));
});

test('up to two lines on each side go along with the selected one', (t) => {
  const seven = saying('0', '1', '2', '3', '4', '5', '6');
  const contextOf = (at: number) => {
    const asked = { lineId: `line-${at}`, selection: spanOf(`${at}`, 0, 1) };
    const { line: selected, contextLines } = explanationInputOf(run, seven, asked);
    t.is(selected.id, `line-${at}`);
    return contextLines.map(({ source }) => source.text).join('');
  };
  t.deepEqual([0, 1, 2, 3, 5, 6].map(contextOf), ['012', '0123', '01234', '12345', '3456', '456']);
  const alone = { lineId: 'line-0', selection: spanOf('a', 0, 1) };
  t.is(explanationInputOf(run, saying('a'), alone).contextLines.length, 1);
  t.throws(() => explanationInputOf(run, saying('a'), { ...alone, lineId: 'other' }), { instanceOf: RangeError });
});

test('the input names what its lines rest on, each thing once', (t) => {
  const { inputContextLineage, approval, caption: reference, study } = explanationJob(captioning, { line: 1 }).input;
  const studies = caption.artifact.lines.map(({ lineage }) => lineage.study);
  const citations = studies.flatMap(({ semanticCitations }) => semanticCitations);
  t.deepEqual(inputContextLineage.claimIds, [...new Set(studies.flatMap(({ claimIds }) => claimIds))]);
  t.deepEqual(inputContextLineage.semanticEvidenceReceiptIds, [
    ...new Set(citations.map(({ receiptId }) => receiptId)),
  ]);
  for (const ids of Object.values(inputContextLineage)) {
    t.true(ids.length > 0);
    t.is(new Set(ids).size, ids.length);
  }
  t.deepEqual(approval, captioning.study.approval);
  t.deepEqual(reference, caption.reference);
  t.deepEqual(Object.keys(study).sort(), ['artifactId', 'contentId', 'studyId']);
});

test('the text of both sides counts in bytes', (t) => {
  const asked = { lineId: 'line-0', selection: spanOf('안', 0, 1) };
  const target = Buffer.byteLength(line.target.text ?? '');
  t.is(captionTextBytesOf(explanationInputOf(run, saying('안녕', null, '😀'), asked)), 6 + 4 + 3 * target);
});

test('equal words, executor and rights make one request; each attempt has names of its own', (t) => {
  const job = explanationJob(captioning);
  t.is(fingerprintOf(job), fingerprintOf(explanationJob(captioning, { attempt: 2 })));
  const others = [
    explanationJob(captioning, { line: 1 }),
    explanationJob(captioning, { start: 1, end: 3 }),
    explanationJob(captioning, { facetKinds: ['word', 'meaning'] }),
    explanationJob(captioning, { executor: { model: 'other' } }),
    explanationJob(captioning, { side: 'target' }),
  ];
  t.is(new Set([job, ...others].map(fingerprintOf)).size, others.length + 1);
  const again = explanationJob(captioning, { attempt: 1 });
  t.not(explanationJobIdOf(job), explanationJobIdOf(again));
  const hex = (id: string) => id.slice(id.indexOf(':') + 1);
  t.is(hex(explanationGrantOf(again).grantId), hex(explanationJobIdOf(again)));
});

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

test('facets come once each, in the order of the request, with trimmed texts', (t) => {
  const kinds = [...facetKinds].reverse();
  const facets = facetsOf(input, kinds, full);
  t.deepEqual(fieldOf(facets, 'kind'), kinds);
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

test('what was not given is missing, for the stated reason or because the generator abstained', (t) => {
  const output = explanationOutput.parse({
    facets: {
      meaning: { content: null, reason: 'insufficient_caption_context' },
      word: { content: null, reason: 'facet_not_applicable' },
      phrase: { content: null, reason: null },
      grammar: { content: { construction: ' ', explanation: 'x', segments: [{ form: 'x', role: 'y' }] }, reason: null },
    },
  });
  const facets = facetsOf(input, facetKinds, output);
  t.deepEqual(fieldsOf(facets, 'availability', 'reasonCode', 'content', 'grounding'), [
    ['withheld', 'insufficient_caption_context', null, 'none'],
    ['unavailable', 'facet_not_applicable', null, 'none'],
    ['withheld', 'generator_abstained', null, 'none'],
    ['withheld', 'generator_abstained', null, 'none'],
    ['withheld', 'generator_abstained', null, 'none'],
  ]);
  t.deepEqual(facetsOf(input, facetKinds, outputOfFacets(facets)), facets);
});

test('a choice of words needs a translation, whatever a generator returns', (t) => {
  t.deepEqual(askableKinds(input, facetKinds), [...facetKinds]);
  t.deepEqual(askableKinds(untranslated, facetKinds), facetKinds.slice(0, -1));
  const [facet] = facetsOf(untranslated, ['translation_choice'], full);
  t.like(facet, { availability: 'unavailable', reasonCode: 'target_unavailable', content: null });
});

test('the availability of an explanation follows from its facets', (t) => {
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

const refusals: readonly [string, string, string][] = [
  ['is longer than 8,192 bytes', '가'.repeat(2731), 'too_large'],
  ['has a control character', 'a\u0007b', 'invalid_output'],
  ['has half of a surrogate pair', 'a\ud800b', 'invalid_output'],
];

for (const [what, text, code] of refusals) {
  test(`a text that ${what} fails the attempt at its place, without its words`, (t) => {
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
