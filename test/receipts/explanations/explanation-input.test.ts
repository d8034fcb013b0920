import test from 'ava';
import { type ExplanationRequest, explanationRequest } from '../../../contract/explanations/language-explanation.ts';
import {
  captionTextBytesOf,
  type ExplainableCaption,
  explanationInputOf,
  selectionObstacleOf,
} from '../../../receipts/explanations/explanation-input.ts';
import {
  explanationGrantOf,
  explanationJobIdOf,
  fingerprintOf,
} from '../../../receipts/explanations/explanation-job.ts';
import { captionJob } from '../captions/captioned-studies.ts';
import { run } from '../evidence/spoken-study.ts';
import { twoTracks } from '../evidence/stored-tracks.ts';
import { explainableOf, explanationJob, requestOf } from './explained-captions.ts';

const captioning = await captionJob({ version: 1, windows: 4, tracks: twoTracks });
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

test('a request is the same for the same words, executor and rights, and each attempt has names of its own', (t) => {
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
