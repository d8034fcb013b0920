import test from 'ava';
import { type CaptionRow, qualityControlRow } from '../../../contract/captions/caption-answers.ts';
import type { CaptionExecutorIdentity } from '../../../contract/captions/caption-executor.ts';
import type { CaptionLine } from '../../../contract/captions/caption-line.ts';
import { qualityControlReceipt } from '../../../contract/captions/caption-quality-control.ts';
import {
  candidateOf,
  qualityControl,
  qualityControlRowOf,
  recordQualityControl,
} from '../../../receipts/captions/caption-quality-control.ts';
import { structuralDecisionOf } from '../../../receipts/captions/caption-structure.ts';
import { contentIdOf, hashOf } from '../../../receipts/core/canonical-json.ts';
import { only, range, run, runId } from '../evidence/spoken-study.ts';
import { faultPlace } from '../reopening/fault-place.ts';
import { mutationsOf } from '../reopening/mutations.ts';
import { captionsOf, executor, input, jobId, lineOf, threeLines } from './checkable-captions.ts';

const hex = (digit: string): string => digit.repeat(64);
const decisionOf = (lines: readonly CaptionLine[]) => structuralDecisionOf(captionsOf(lines));

/** What is decided on three lines of which the middle one was changed. */
const middle = (change: (line: CaptionLine) => CaptionLine) =>
  decisionOf(threeLines.map((line, index) => (index === 1 ? change(line) : line)));

const study = (line: CaptionLine, changed: Partial<CaptionLine['lineage']['study']>): CaptionLine => ({
  ...line,
  lineage: { ...line.lineage, study: { ...line.lineage.study, ...changed } },
});

const lineage = (line: CaptionLine, changed: Partial<CaptionLine['lineage']>): CaptionLine => ({
  ...line,
  lineage: { ...line.lineage, ...changed },
});

test('captions of which every line is complete are accepted', (t) => {
  t.deepEqual(decisionOf(threeLines), {
    outcome: 'accepted',
    reasonCodes: ['current_run_candidate_structurally_complete'],
    lines: threeLines.map(({ id }) => ({
      lineId: id,
      outcome: 'accepted',
      reasonCode: 'line_structurally_complete',
    })),
  });
});

test('captions without a line are withheld', (t) => {
  t.deepEqual(decisionOf([]), { outcome: 'withheld', reasonCodes: ['candidate_has_no_lines'], lines: [] });
});

const demo: CaptionExecutorIdentity = {
  ...executor,
  id: 'studio.recorded-caption-fixture-adapter',
  classification: 'recorded_real_pipeline_fixture',
  executionScope: 'test_demo_only',
};

test('captions that only serve a demonstration are withheld before anything else is looked at', (t) => {
  const words = { startMs: 1000, endMs: 2000, source: 'a', target: 'b' };
  t.deepEqual(structuralDecisionOf(captionsOf([lineOf(words, 0, demo)], demo)), {
    outcome: 'withheld',
    reasonCodes: ['recorded_fixture_test_demo_only'],
    lines: [{ lineId: 'line-1', outcome: 'withheld', reasonCode: 'test_demo_only' }],
  });
  t.deepEqual(structuralDecisionOf(captionsOf([], demo)).reasonCodes, ['recorded_fixture_test_demo_only']);
});

const [citation] = threeLines[1]?.lineage.study.semanticCitations ?? [];
const [report] = threeLines[1]?.lineage.study.childReports ?? [];
if (citation === undefined || report === undefined) throw new RangeError('the line cites nothing');

const observed = (startMs: number, endMs: number) => [
  { ...citation, observations: [{ observationId: `observation:${hex('c')}`, startMs, endMs }] },
];

const defects: Readonly<Record<string, (line: CaptionLine) => CaptionLine>> = {
  'no source text': (line) => ({
    ...line,
    source: { language: 'ko', state: 'unavailable', text: null, reasonCode: 'recognizer_empty' },
  }),
  'no target text': (line) => ({
    ...line,
    target: { language: 'en', state: 'withheld', text: null, reasonCode: 'translator_unavailable' },
  }),
  'a source text in another language': (line) => ({ ...line, source: { ...line.source, language: 'ja' } }),
  'a target text in another language': (line) => ({ ...line, target: { ...line.target, language: 'fr' } }),
  'a stretch of the study that is unknown': (line) =>
    study(line, {
      coverage: { ...line.lineage.study.coverage, state: 'unknown', reasonCode: 'study_coverage_unknown' },
    }),
  'no claim': (line) => study(line, { claimIds: [] }),
  'no citation': (line) => study(line, { semanticCitations: [] }),
  'no report': (line) => study(line, { childReports: [] }),
  'a report of another read only': (line) =>
    study(line, { childReports: [{ ...report, readReceiptId: `evidence-read:${hex('0')}` }] }),
  'an observation that begins too late': (line) => study(line, { semanticCitations: observed(3001, 6000) }),
  'an observation that ends too early': (line) => study(line, { semanticCitations: observed(3000, 5999) }),
  'another study': (line) => study(line, { studyId: `study:${hex('0')}` }),
  'another readiness': (line) =>
    lineage(line, { readiness: { ...line.lineage.readiness, receiptContentId: `sha256:${hex('0')}` } }),
  'another approval': (line) =>
    lineage(line, { approval: { ...line.lineage.approval, reviewId: `publish-review:${hex('0')}` } }),
  'another source': (line) => lineage(line, { source: { ...line.lineage.source, contentId: `sha256:${hex('0')}` } }),
  'another job': (line) =>
    lineage(line, {
      captionExecutor: { ...line.lineage.captionExecutor, jobId: `caption-production:${hex('0')}` },
    }),
  'another executor': (line) =>
    lineage(line, { captionExecutor: { ...line.lineage.captionExecutor, id: 'studio.other' } }),
  'a window of the source that does not hold it': (line) =>
    lineage(line, { source: { ...line.lineage.source, window: { startMs: 3001, endMs: 6000 } } }),
  'a window of the source outside the range': (line) =>
    lineage(line, { source: { ...line.lineage.source, window: { startMs: 0, endMs: range.endMs } } }),
  'no length': (line) => ({ ...line, endMs: line.startMs }),
  'a start before the end of the line before': (line) => ({
    ...lineage(line, { source: { ...line.lineage.source, window: range } }),
    startMs: 2999,
  }),
  'the name of the line before': (line) => ({ ...line, id: 'line-1' }),
};

for (const [defect, change] of Object.entries(defects)) {
  test(`a line with ${defect} is withheld, and the captions with it`, (t) => {
    const { outcome, reasonCodes, lines } = middle(change);
    t.is(outcome, 'withheld');
    t.deepEqual(reasonCodes, ['candidate_has_unavailable_or_withheld_lines']);
    t.deepEqual(
      lines.map(({ reasonCode }) => reasonCode),
      ['line_structurally_complete', 'line_unavailable_or_withheld', 'line_structurally_complete'],
    );
  });
}

test('a line that ends after the range is withheld', (t) => {
  const words = { startMs: range.endMs - 500, endMs: range.endMs + 1, source: 'a', target: 'b' };
  t.is(decisionOf([lineOf(words, 0)]).lines[0]?.outcome, 'withheld');
});

test('lines that swapped their places are withheld where time runs backwards', (t) => {
  const { lines } = decisionOf([threeLines[1], threeLines[0], threeLines[2]].flatMap((line) => line ?? []));
  t.deepEqual(
    lines.map(({ outcome }) => outcome),
    ['accepted', 'withheld', 'accepted'],
  );
});

test('a second reading that covers the line is enough', (t) => {
  const { outcome } = middle((line) =>
    study(line, { semanticCitations: [...observed(3001, 6000), ...observed(3000, 6000)] }),
  );
  t.is(outcome, 'accepted');
});

/** The line's own citation and one of another read, each over its part of the line. */
const parts = (
  first: readonly [number, number],
  second: readonly [number, number],
  other: Partial<typeof citation> = {},
) => [
  ...observed(...first),
  ...observed(...second).map((each) => ({ ...each, receiptId: `evidence-read:${hex('0')}`, ...other })),
];
const reports = [report, { ...report, readReceiptId: `evidence-read:${hex('0')}` }];

test('reads of one evidence that adjoin cover a line together', (t) => {
  for (const semanticCitations of [
    parts([2000, 4000], [4000, 7000]),
    parts([4000, 7000], [2000, 4000]),
    parts([2000, 5000], [4000, 7000]),
  ]) {
    t.is(middle((line) => study(line, { semanticCitations, childReports: reports })).outcome, 'accepted');
  }
});

test('reads that leave a gap, are of different evidence or stand in no report do not cover a line together', (t) => {
  const apart = parts([2000, 4000], [4001, 7000]);
  const different = parts([2000, 4000], [4000, 7000], { artifactId: `artifact:${hex('0')}` });
  for (const semanticCitations of [apart, different]) {
    t.is(middle((line) => study(line, { semanticCitations, childReports: reports })).outcome, 'withheld');
  }
  const unreported = parts([2000, 4000], [4000, 7000]);
  for (const childReports of [reports.slice(0, 1), reports.slice(1)]) {
    t.is(middle((line) => study(line, { semanticCitations: unreported, childReports })).outcome, 'withheld');
  }
});

test('the receipt names the candidate and all that it rests on, and is the same whenever it is made', (t) => {
  const captions = captionsOf(threeLines);
  const receipt = qualityControlReceipt.parse(qualityControl.of(run, captions));
  const { schema: _, receiptId, ...body } = receipt;
  t.is(receiptId, `caption-quality-control-receipt:${hashOf(body)}`);
  const { reference } = captions;
  const candidate = {
    jobId,
    captionArtifactId: reference.artifactId,
    captionContentId: contentIdOf(captions.artifact),
    captionReceiptId: captions.receipt.receiptId,
    captionReceiptContentId: contentIdOf(captions.receipt),
  };
  t.deepEqual(receipt.input, candidate);
  t.deepEqual(candidateOf(reference), candidate);
  t.is(receipt.qcId, `caption-quality-control:${hashOf({ runId, candidate })}`);
  t.deepEqual(receipt.lineage.candidateInput, input);
  t.deepEqual(receipt.lineage.executor, executor);
  t.deepEqual(receipt.lineage.approval, captions.receipt.authority.approval);
  t.deepEqual(qualityControl.of(run, captionsOf(threeLines)), receipt);
});

test('a check is journalled after its artifact, which rests on the captions and their receipt', (t) => {
  const captions = captionsOf(threeLines);
  const { objects, events, refs } = recordQualityControl(run, captions);
  const recorded = only(events.slice(0, 1));
  const { artifact } = recorded.data as { artifact: { id: string; kind: string; sourceArtifactIds: string[] } };
  const { qcId, artifactId: outputArtifactId, receiptContentId } = refs;
  t.deepEqual(
    events.map(({ type, producer }) => [type, producer.kind]),
    [
      ['artifact.recorded', 'artifact_store'],
      ['caption.quality_control_decided', 'caption_quality_control_host'],
    ],
  );
  t.is(only(objects).contentId, receiptContentId);
  t.is(artifact.id, outputArtifactId);
  const kind = 'caption-quality-control-receipt';
  t.is(outputArtifactId, `artifact:${hashOf({ runId, qcId, kind, contentId: receiptContentId })}`);
  t.deepEqual(artifact.sourceArtifactIds, [captions.reference.artifactId, captions.reference.receiptArtifactId]);
  const receipt = qualityControl.of(run, captions);
  t.deepEqual(events[1]?.data, { qcId, outputArtifactId, receiptContentId, receipt });
});

test('every change of a receipt is caught, with a new id too', (t) => {
  const captions = captionsOf(threeLines);
  const receipt = qualityControl.of(run, captions);
  const placeOf = (found: typeof receipt) =>
    faultPlace(() => qualityControl.audit(found, qualityControl.of(run, captions)));
  t.is(placeOf(receipt), null);
  const missed: string[] = [];
  for (const { at, value } of mutationsOf(receipt)) {
    const shaped = qualityControlReceipt.safeParse(value);
    if (!shaped.success) continue;
    if (placeOf(shaped.data) === null) missed.push(at);
    const { schema, receiptId, ...body } = shaped.data;
    const resigned = { schema, receiptId: `caption-quality-control-receipt:${hashOf(body)}`, ...body };
    if (at !== '.receiptId' && placeOf(resigned) === null) missed.push(at);
  }
  t.deepEqual(missed, []);
});

test('an acceptance that the policy would not give is named', (t) => {
  const incomplete = captionsOf(threeLines.map((line) => study(line, { claimIds: [] })));
  const receipt = qualityControl.of(run, incomplete);
  const { decision } = qualityControl.of(run, captionsOf(threeLines));
  const place = faultPlace(() => qualityControl.audit({ ...receipt, decision }, qualityControl.of(run, incomplete)));
  t.is(place, 'quality_control: decision.lines[0].outcome');
});

test('a row of the answer says which lines were accepted and which were not', (t) => {
  const captions = captionsOf(threeLines.map((line, index) => (index === 1 ? study(line, { claimIds: [] }) : line)));
  const { reference, artifact, receipt } = captions;
  const candidate: CaptionRow = {
    jobId,
    captionArtifactId: reference.artifactId,
    captionContentId: reference.contentId,
    receiptArtifactId: reference.receiptArtifactId,
    receiptId: reference.receiptId,
    receiptContentId: reference.receiptContentId,
    approval: receipt.authority.approval,
    source: {
      artifactId: input.sourceArtifactId,
      contentId: input.sourceContentId,
      analysisRequestId: input.analysisRequestId,
      range: input.range,
    },
    study: input.study,
    readiness: input.readiness,
    reopened: {
      sourceArtifactIds: [input.sourceArtifactId],
      semanticEvidenceArtifactIds: [],
      reportArtifactIds: [],
      admissionIds: [],
      planningDecisionIds: [],
      executorIds: [],
    },
    authorityState: 'unrevoked',
    integrity: 'stored_caption_and_receipt_with_verified_study_readiness_approval',
    executor,
    result: artifact.result,
  };
  const body = qualityControl.of(run, captions);
  const row = qualityControlRowOf(runId, { body, decision: body.decision }, candidate);
  t.deepEqual(qualityControlRow.parse(row), row);
  t.deepEqual(row.acceptedLineIds, ['line-1', 'line-3']);
  t.deepEqual(row.withheldLineIds, ['line-2']);
  t.is(row.outcome, 'withheld');
});
