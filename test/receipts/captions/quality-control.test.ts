import test from 'ava';
import { type CaptionRow, qualityControlRow } from '../../../contract/captions/caption-answers.ts';
import type { CaptionExecutorIdentity, CaptionLine } from '../../../contract/captions/caption-line.ts';
import {
  captionQualityReport,
  captionQualityReports,
  qualityControlReceipt,
} from '../../../contract/captions/quality-control.ts';
import type { ReviewDecision } from '../../../contract/review.ts';
import { canonicalJson, contentIdOfJson, hashOf } from '../../../formats/canonical-json.ts';
import { resultOfSteps } from '../../../formats/steps.ts';
import { type CaptionJob, captionsOf } from '../../../receipts/captions/artifact.ts';
import {
  candidateOf,
  captionQualityReportsOf,
  qualityControl,
  qualityControlRowOf,
  type ReportedCaptions,
  recordQualityControl,
} from '../../../receipts/captions/quality-control.ts';
import { approvedStudyOf, publishedCaptionReportsOf } from '../../../receipts/published/captions.ts';
import type { AdmissionReference } from '../../../receipts/stages/admit.ts';
import { captionStarted } from '../../../receipts/stages/captions.ts';
import { recordReview, reviewStarted } from '../../../receipts/stages/review.ts';
import { captionProfilesOf, cueMeasuresOf } from '../../../rules/caption-guidelines.ts';
import { structuralDecisionOf } from '../../../rules/caption-quality.ts';
import type { EventDraft } from '../../../storage/ledger/ledger.ts';
import { fieldOf, fieldsOf } from '../../fields.ts';
import { contentOf, storedEvents, storedRuntimeOf, writtenEvents } from '../core/stored-content-in-memory.ts';
import { only, range, run, runId } from '../evidence/spoken-study.ts';
import { storedStudy } from '../evidence/stored-study.ts';
import { faultPlace } from '../reopening/fault-place.ts';
import { unseenChangesOf } from '../reopening/mutations.ts';
import { reopened } from '../reopening/reopened.ts';
import { checkableCaptions, executor, input, jobId, lineOf, threeLines, type Words } from './checkable-captions.ts';
import { recordCaptions } from './recorded-captions.ts';

const hex = (digit: string): string => digit.repeat(64);
const decisionOf = (lines: readonly CaptionLine[]) => structuralDecisionOf(checkableCaptions(lines));

/** The decision on three lines of which the middle one was changed. */
const middle = (change: (line: CaptionLine) => CaptionLine) =>
  decisionOf(threeLines.map((line, index) => (index === 1 ? change(line) : line)));

const withStudy = (line: CaptionLine, changed: Partial<CaptionLine['lineage']['study']>): CaptionLine => ({
  ...line,
  lineage: { ...line.lineage, study: { ...line.lineage.study, ...changed } },
});

const withLineage = (line: CaptionLine, changed: Partial<CaptionLine['lineage']>): CaptionLine => ({
  ...line,
  lineage: { ...line.lineage, ...changed },
});

test('a reading of ruby is not read a second time', (t) => {
  const speedOf = (text: string) =>
    cueMeasuresOf({ lineId: 'line-1', startMs: 0, endMs: 1000, text }, null, {
      countsNarrowHalf: false,
      shotTimesMs: [],
    }).readingSpeedMilliCps;
  t.is(speedOf('創業(そうぎょう)は1998年です。'), speedOf('創業は1998年です。'));
  t.is(speedOf('地図（ちず）'), 2000);
  t.is(speedOf('ああ(ちず)'), 6000);
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
  t.deepEqual(structuralDecisionOf(checkableCaptions([lineOf(words, 0, demo)], demo)), {
    outcome: 'withheld',
    reasonCodes: ['recorded_fixture_test_demo_only'],
    lines: [{ lineId: 'line-1', outcome: 'withheld', reasonCode: 'test_demo_only' }],
  });
  t.deepEqual(structuralDecisionOf(checkableCaptions([], demo)).reasonCodes, ['recorded_fixture_test_demo_only']);
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
    withStudy(line, {
      coverage: { ...line.lineage.study.coverage, state: 'unknown', reasonCode: 'study_coverage_unknown' },
    }),
  'no claim': (line) => withStudy(line, { claimIds: [] }),
  'no citation': (line) => withStudy(line, { semanticCitations: [] }),
  'no report': (line) => withStudy(line, { childReports: [] }),
  'a report of another read only': (line) =>
    withStudy(line, { childReports: [{ ...report, readReceiptId: `evidence-read:${hex('0')}` }] }),
  'an observation that begins too late': (line) => withStudy(line, { semanticCitations: observed(3001, 6000) }),
  'an observation that ends too early': (line) => withStudy(line, { semanticCitations: observed(3000, 5999) }),
  'another study': (line) => withStudy(line, { studyId: `study:${hex('0')}` }),
  'another readiness': (line) =>
    withLineage(line, { readiness: { ...line.lineage.readiness, receiptContentId: `sha256:${hex('0')}` } }),
  'another approval': (line) =>
    withLineage(line, { approval: { ...line.lineage.approval, reviewId: `publish-review:${hex('0')}` } }),
  'another source': (line) =>
    withLineage(line, { source: { ...line.lineage.source, contentId: `sha256:${hex('0')}` } }),
  'another job': (line) =>
    withLineage(line, {
      captionExecutor: { ...line.lineage.captionExecutor, jobId: `caption-production:${hex('0')}` },
    }),
  'another executor': (line) =>
    withLineage(line, { captionExecutor: { ...line.lineage.captionExecutor, id: 'studio.other' } }),
  'a window of the source that does not hold it': (line) =>
    withLineage(line, { source: { ...line.lineage.source, window: { startMs: 3001, endMs: 6000 } } }),
  'a window of the source outside the range': (line) =>
    withLineage(line, { source: { ...line.lineage.source, window: { startMs: 0, endMs: range.endMs } } }),
  'no length': (line) => ({ ...line, endMs: line.startMs }),
  'a start before the end of the line before': (line) => ({
    ...withLineage(line, { source: { ...line.lineage.source, window: range } }),
    startMs: 2999,
  }),
  'the name of the line before': (line) => ({ ...line, id: 'line-1' }),
};

for (const [defect, change] of Object.entries(defects)) {
  test(`a line with ${defect} withholds the captions`, (t) => {
    const { outcome, reasonCodes, lines } = middle(change);
    t.is(outcome, 'withheld');
    t.deepEqual(reasonCodes, ['candidate_has_unavailable_or_withheld_lines']);
    t.deepEqual(fieldOf(lines, 'reasonCode'), [
      'line_structurally_complete',
      'line_unavailable_or_withheld',
      'line_structurally_complete',
    ]);
  });
}

test('a line that ends after the range is withheld', (t) => {
  const words = { startMs: range.endMs - 500, endMs: range.endMs + 1, source: 'a', target: 'b' };
  t.is(decisionOf([lineOf(words, 0)]).lines[0]?.outcome, 'withheld');
});

test('lines that swapped their places are withheld if time runs backwards', (t) => {
  const { lines } = decisionOf([threeLines[1], threeLines[0], threeLines[2]].flatMap((line) => line ?? []));
  t.deepEqual(fieldOf(lines, 'outcome'), ['accepted', 'withheld', 'accepted']);
});

test('a second reading that covers the line is enough', (t) => {
  const { outcome } = middle((line) =>
    withStudy(line, { semanticCitations: [...observed(3001, 6000), ...observed(3000, 6000)] }),
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
    t.is(middle((line) => withStudy(line, { semanticCitations, childReports: reports })).outcome, 'accepted');
  }
});

test('reads with a gap, of different evidence or in no report do not cover a line together', (t) => {
  const apart = parts([2000, 4000], [4001, 7000]);
  const different = parts([2000, 4000], [4000, 7000], { artifactId: `artifact:${hex('0')}` });
  for (const semanticCitations of [apart, different]) {
    t.is(middle((line) => withStudy(line, { semanticCitations, childReports: reports })).outcome, 'withheld');
  }
  const unreported = parts([2000, 4000], [4000, 7000]);
  for (const childReports of [reports.slice(0, 1), reports.slice(1)]) {
    t.is(middle((line) => withStudy(line, { semanticCitations: unreported, childReports })).outcome, 'withheld');
  }
});

test('the receipt names the candidate and all that it rests on, and is always the same', (t) => {
  const captions = checkableCaptions(threeLines);
  const receipt = qualityControlReceipt.parse(qualityControl.of(run, captions));
  const { schema: _, receiptId, ...body } = receipt;
  t.is(receiptId, `caption-quality-control-receipt:${hashOf(body)}`);
  const { reference } = captions;
  const candidate = {
    jobId,
    captionArtifactId: reference.artifactId,
    captionContentId: contentIdOfJson(captions.artifact),
    captionReceiptId: captions.receipt.receiptId,
    captionReceiptContentId: contentIdOfJson(captions.receipt),
  };
  t.deepEqual(receipt.input, candidate);
  t.deepEqual(candidateOf(reference), candidate);
  t.is(receipt.qcId, `caption-quality-control:${hashOf({ runId, candidate })}`);
  t.deepEqual(receipt.lineage.candidateInput, input);
  t.deepEqual(receipt.lineage.executor, executor);
  t.deepEqual(receipt.lineage.approval, captions.receipt.authority.approval);
  t.deepEqual(qualityControl.of(run, checkableCaptions(threeLines)), receipt);
});

test('a check is journaled after its artifact, which rests on the captions and their receipt', (t) => {
  const captions = checkableCaptions(threeLines);
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
  const captions = checkableCaptions(threeLines);
  const receipt = qualityControl.of(run, captions);
  const placeOf = (found: typeof receipt) =>
    faultPlace(() => qualityControl.audit(found, qualityControl.of(run, captions)));
  t.is(placeOf(receipt), null);
  t.deepEqual(unseenChangesOf(receipt, 'receiptId', qualityControlReceipt, placeOf), []);
});

test('an acceptance that the policy would not give is named', (t) => {
  const incomplete = checkableCaptions(threeLines.map((line) => withStudy(line, { claimIds: [] })));
  const receipt = qualityControl.of(run, incomplete);
  const { decision } = qualityControl.of(run, checkableCaptions(threeLines));
  const place = faultPlace(() => qualityControl.audit({ ...receipt, decision }, qualityControl.of(run, incomplete)));
  t.is(place, 'quality_control: decision.lines[0].outcome');
});

test('a row of the answer lists the accepted lines and the others', (t) => {
  const captions = checkableCaptions(
    threeLines.map((line, index) => (index === 1 ? withStudy(line, { claimIds: [] }) : line)),
  );
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

const reported = (words: readonly Words[], known: Partial<ReportedCaptions> = {}): ReportedCaptions => {
  const { artifact, reference } = checkableCaptions(words.map((each, index) => lineOf(each, index)));
  return { artifact, contentId: reference.contentId, shotTimesMs: null, frameRate: null, ...known };
};

const reportOf = (captions: ReportedCaptions, side: 'source' | 'target', id: 'netflix' | 'ted') => {
  const found = resultOfSteps(captionQualityReportsOf(captions)).find(
    (each) => each.side === side && each.profile.id === id,
  );
  if (found === undefined) throw new RangeError('no such report');
  return captionQualityReport.parse(found);
};

/** Findings on target cues of these words, by their codes. */
const findingsOn = (words: readonly Words[], id: 'netflix' | 'ted' = 'netflix', known?: Partial<ReportedCaptions>) =>
  reportOf(reported(words, known), 'target', id).findings.map(({ lineId, code, measured, limit }) => [
    lineId,
    code,
    measured,
    limit,
  ]);

const cue = (startMs: number, endMs: number, target: string | null, source: string | null = '네'): Words => ({
  startMs,
  endMs,
  source,
  target,
});

const letters = (count: number): string => 'a'.repeat(count);

const options = { countsNarrowHalf: false, shotTimesMs: [] };
const measured = (text: string, countsNarrowHalf = false) =>
  cueMeasuresOf({ lineId: 'line-1', startMs: 0, endMs: 1000, text }, null, { ...options, countsNarrowHalf });

test('both sides are held against both guidelines', (t) => {
  const reports = resultOfSteps(captionQualityReportsOf(reported([cue(1000, 3000, 'Good morning')])));
  t.deepEqual(
    reports.map(({ side, language, profile }) => [side, language, profile.id]),
    [
      ['source', 'ko', 'netflix'],
      ['source', 'ko', 'ted'],
      ['target', 'en', 'netflix'],
      ['target', 'en', 'ted'],
    ],
  );
  for (const report of reports) t.deepEqual(captionQualityReport.parse(report), report);
});

const netflixFigures: Readonly<Record<string, readonly [cps: number, line: number, minimumMs: number]>> = {
  en: [20, 42, 833],
  'en-GB': [20, 42, 833],
  eng: [20, 42, 833],
  de: [17, 42, 833],
  ko: [12, 16, 833],
  kor: [12, 16, 833],
  ja: [4, 13, 500],
  zh: [9, 16, 833],
  'zh-Hant-TW': [9, 16, 833],
  und: [17, 42, 833],
  'en-a': [17, 42, 833],
};

for (const [language, [cps, characters, minimumMs]] of Object.entries(netflixFigures)) {
  test(`Netflix asks for ${cps} characters a second and ${characters} a line of '${language}'`, (t) => {
    const [netflix] = captionProfilesOf(language);
    t.is(netflix?.id, 'netflix');
    t.deepEqual(
      [netflix?.readingSpeedCps, netflix?.lineCharacters, netflix?.minimumDurationMs, netflix?.maximumDurationMs],
      [cps, characters, minimumMs, 7000],
    );
    t.deepEqual([netflix?.lines, netflix?.minimumGapFrames], [2, 2]);
  });
}

test('the two ways to write Chinese have guides of their own', (t) => {
  const sources = ['zh', 'zh-TW'].map((language) => captionProfilesOf(language)[0]?.source ?? '');
  t.regex(sources[0] ?? '', /Chinese-Simplified/);
  t.regex(sources[1] ?? '', /Chinese-Traditional/);
});

test('TED counts characters of Latin script only, and says so', (t) => {
  const { limits, openLimits } = reportOf(reported([cue(1000, 2000, letters(5))]), 'target', 'ted');
  t.deepEqual(limits, {
    readingSpeedMilliCps: 21_000,
    lineMilliCharacters: 42_000,
    lines: 2,
    minimumDurationMs: 1000,
    maximumDurationMs: 7000,
    minimumGapMs: null,
  });
  t.deepEqual(openLimits, [{ limit: 'minimumGapMs', reasonCode: 'not_in_guideline' }]);
  const korean = reportOf(reported([cue(1000, 2000, 'a', '가'.repeat(80))]), 'source', 'ted');
  t.deepEqual([korean.limits.readingSpeedMilliCps, korean.limits.lineMilliCharacters], [null, null]);
  t.deepEqual(fieldsOf(korean.openLimits, 'limit', 'reasonCode'), [
    ['readingSpeedMilliCps', 'guideline_for_latin_script'],
    ['lineMilliCharacters', 'guideline_for_latin_script'],
    ['minimumGapMs', 'not_in_guideline'],
  ]);
  t.deepEqual(korean.findings, []);
});

test('captions within all limits have no finding', (t) => {
  t.deepEqual(findingsOn([cue(1000, 1833, 'Good morning'), cue(1916, 8916, letters(42))]), []);
});

test('each limit is found exactly at its value', (t) => {
  const alone = (endMs: number, target: string) => findingsOn([cue(0, endMs, target)]).map(([, ...rest]) => rest);
  t.deepEqual(alone(1000, letters(20)), []);
  t.deepEqual(alone(1000, letters(21)), [['reading_speed_too_high', 21_000, 20_000]]);
  t.deepEqual(alone(999, letters(20)), [['reading_speed_too_high', 20_021, 20_000]]);
  t.deepEqual(alone(5000, letters(42)), []);
  t.deepEqual(alone(5000, letters(43)), [['line_too_long', 43_000, 42_000]]);
  t.deepEqual(alone(2000, 'a\nb'), []);
  t.deepEqual(alone(2000, 'a\nb\nc'), [['too_many_lines', 3, 2]]);
  t.deepEqual(alone(833, 'a'), []);
  t.deepEqual(alone(832, 'a'), [['duration_too_short', 832, 833]]);
  t.deepEqual(alone(7000, 'a'), []);
  t.deepEqual(alone(7001, 'a'), [['duration_too_long', 7001, 7000]]);
});

test('TED has its own limits', (t) => {
  t.deepEqual(findingsOn([cue(0, 1000, letters(21))], 'ted'), []);
  t.deepEqual(findingsOn([cue(0, 1000, letters(22))], 'ted'), [['line-1', 'reading_speed_too_high', 22_000, 21_000]]);
  t.deepEqual(findingsOn([cue(0, 999, 'a'), cue(999, 2000, 'b')], 'ted'), [
    ['line-1', 'duration_too_short', 999, 1000],
  ]);
});

test('a gap is two frames of the media, or of 24 a second if its rate is unknown', (t) => {
  const after = (gapMs: number) => [cue(0, 1000, 'a'), cue(1000 + gapMs, 3000, 'b')];
  t.deepEqual(findingsOn(after(83)), []);
  t.deepEqual(findingsOn(after(82)), [['line-2', 'gap_too_short', 82, 83]]);
  t.deepEqual(findingsOn(after(0)), [['line-2', 'gap_too_short', 0, 83]]);
  const media = { frameRate: { numerator: 30_000, denominator: 1001 } };
  t.deepEqual(findingsOn(after(66), 'netflix', media), []);
  t.deepEqual(findingsOn(after(65), 'netflix', media), [['line-2', 'gap_too_short', 65, 66]]);
  t.deepEqual(reportOf(reported(after(0)), 'target', 'netflix').frameRate, {
    numerator: 24,
    denominator: 1,
    origin: 'assumed',
  });
  t.is(reportOf(reported(after(0), media), 'target', 'netflix').frameRate.origin, 'media');
});

test('overlapping cues and cues that are too close are different findings', (t) => {
  t.deepEqual(findingsOn([cue(0, 2000, 'a'), cue(1500, 3000, 'b')]), [['line-2', 'overlap', 500, 0]]);
  t.deepEqual(findingsOn([cue(0, 2000, 'a'), cue(1500, 3000, 'b')], 'ted'), [['line-2', 'overlap', 500, 0]]);
});

test('a line without a text on a side is not shown there, and the gap reaches over it', (t) => {
  const { cues } = reportOf(
    reported([cue(0, 1000, 'a'), cue(1000, 2000, null), cue(2000, 3000, 'c')]),
    'target',
    'netflix',
  );
  t.deepEqual(fieldsOf(cues, 'lineId', 'gapBeforeMs'), [
    ['line-1', null],
    ['line-3', 1000],
  ]);
});

test('what a reader sees as one character is one', (t) => {
  t.is(measured('e\u0301').characters, 1);
  t.is(measured('👩‍👩‍👧 🇰🇷').characters, 3);
  t.is(measured('각\u1112\u1161\u11ab').characters, 2);
  t.is(measured('one\r\n\r\ntwo').characters, 6);
  t.is(measured('one\r\n\r\ntwo').lines, 2);
});

test('narrow characters count half if a guideline says so', (t) => {
  const lengthOf = (text: string) => measured(text, true).longestLineMilliCharacters;
  t.is(measured('안녕 ok!').longestLineMilliCharacters, 6000);
  t.is(lengthOf('안녕 ok!'), 4000);
  t.is(lengthOf('日本語、カナ。'), 7000);
  t.is(lengthOf('ｶﾅ'), 1000);
  t.is(lengthOf('ＡＢ　'), 3000);
  t.is(lengthOf('가\n나다라'), 3000);
  t.is(lengthOf('👩‍👩‍👧'), 1000);
});

test('a Korean line of sixteen syllables with spaces fits, one of seventeen does not', (t) => {
  const lineWith = (source: string) =>
    reportOf(reported([cue(0, 7000, 'a', source)]), 'source', 'netflix').findings.map(({ code }) => code);
  t.deepEqual(lineWith(`${'가'.repeat(7)} ${'나'.repeat(8)}!`), []);
  t.deepEqual(lineWith('가'.repeat(17)), ['line_too_long']);
});

test('distances go to the nearest hard cut, before or after', (t) => {
  const captions = reported([cue(1000, 2000, 'a'), cue(3000, 4000, 'b')], { shotTimesMs: [900, 2100, 3500] });
  const { cues, shotChanges } = reportOf(captions, 'target', 'netflix');
  t.deepEqual(fieldsOf(cues, 'startToShotMs', 'endToShotMs'), [
    [-100, 100],
    [500, -500],
  ]);
  t.deepEqual(shotChanges, { state: 'available', reasonCode: null, count: 3 });
});

test('of two cuts as near the earlier one counts', (t) => {
  const shotTimesMs = [900, 1100];
  const cueAt1000 = { lineId: 'line-1', startMs: 1000, endMs: 2000, text: 'a' };
  t.is(cueMeasuresOf(cueAt1000, null, { ...options, shotTimesMs }).startToShotMs, -100);
});

test('without evidence of cuts there is no distance, and the report says why', (t) => {
  const none = reportOf(reported([cue(0, 1000, 'a')]), 'target', 'netflix');
  t.deepEqual(none.shotChanges, { state: 'unavailable', reasonCode: 'no_shot_evidence', count: null });
  t.is(none.cues[0]?.startToShotMs, null);
  const uncut = reportOf(reported([cue(0, 1000, 'a')], { shotTimesMs: [] }), 'target', 'netflix');
  t.deepEqual(uncut.shotChanges, { state: 'available', reasonCode: null, count: 0 });
  t.is(uncut.cues[0]?.endToShotMs, null);
});

test('captions without a line are reported on without a cue', (t) => {
  const { cues, findings } = reportOf(reported([]), 'source', 'netflix');
  t.deepEqual([cues, findings], [[], []]);
});

test('a report is of whole numbers and the same at every read', (t) => {
  const { artifact, reference } = checkableCaptions(threeLines);
  const captions = { artifact, contentId: reference.contentId, shotTimesMs: [1234], frameRate: null };
  const first = canonicalJson(resultOfSteps(captionQualityReportsOf(captions)));
  t.is(canonicalJson(resultOfSteps(captionQualityReportsOf(captions))), first);
  t.notRegex(first, /\d\.\d/);
});

const uncutStudy = storedStudy({ version: 1, windows: 4 });
const approving: ReviewDecision = {
  outcome: 'approve_for_caption_production',
  reasonCodes: ['reviewer_attested_caption_production_may_proceed'],
  note: null,
};
const { intake } = (uncutStudy.steps.admit as { admission: AdmissionReference }).admission;
const asked = { intake, reviewer: { id: 'reviewer:one', label: 'One' }, decision: approving };
const review = recordReview(uncutStudy.run, asked);
const approved = [reviewStarted(uncutStudy.run, asked), ...review.events];
const files = new Map(uncutStudy.files);
for (const { contentId, bytes } of review.objects) files.set(contentId, bytes);

/** The runtime when its journal goes on with these events. */
async function runtimeAfter(tail: readonly EventDraft[]) {
  const drafts = [...uncutStudy.commits.flat(), ...approved, ...tail];
  const events = storedEvents(writtenEvents(uncutStudy.run.record.runtimeId, drafts));
  return (await reopened({ ...storedRuntimeOf(uncutStudy), events }, contentOf(files))).runtime;
}

test('captions of a study without evidence of cuts are measured without them', async (t) => {
  const runtime = await runtimeAfter([]);
  t.deepEqual(resultOfSteps(publishedCaptionReportsOf(runtime)).reports, []);
  const approvedStudy = approvedStudyOf(runtime, review.refs);
  if (approvedStudy === null) throw new Error('the approval does not stand');
  const job: CaptionJob = { study: approvedStudy, attempt: 0, classification: 'deterministic_current_run_test_seam' };
  const { objects, events, refs } = recordCaptions(job);
  for (const { contentId, bytes } of objects) files.set(contentId, bytes);
  const answer = resultOfSteps(publishedCaptionReportsOf(await runtimeAfter([captionStarted(job), ...events])));
  t.deepEqual(captionQualityReports.parse(answer), answer);
  t.is(answer.reports.length, 4);
  for (const { captionContentId, shotChanges, cues } of answer.reports) {
    t.is(captionContentId, refs.contentId);
    t.deepEqual(shotChanges, { state: 'unavailable', reasonCode: 'no_shot_evidence', count: null });
    t.is(cues.length, captionsOf(job).lines.filter(({ source }) => source.state === 'available').length);
    t.true(cues.length > 0);
    t.true(cues.every(({ startToShotMs, endToShotMs }) => startToShotMs === null && endToShotMs === null));
  }
});
