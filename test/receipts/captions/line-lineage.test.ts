import test from 'ava';
import type { Range } from '../../../contract/base/grammar.ts';
import { type Coverage, coverageReasons } from '../../../contract/study/study-record.ts';
import { captionExecutors } from '../../../receipts/captions/caption-executors.ts';
import { captionRules, everyCaptionRules } from '../../../receipts/captions/caption-rules.ts';
import type { CaptionedStudy } from '../../../receipts/captions/captioned-study.ts';
import { coveredLine } from '../../../receipts/captions/line-lineage.ts';
import { canonicalJson } from '../../../receipts/core/canonical-json.ts';
import { clipRange } from '../evidence/stored-detections.ts';
import { type StudyShape, storedStudy } from '../evidence/stored-study.ts';
import { captionedStudy } from './captioned-studies.ts';

const jobId = `caption-production:${'1'.repeat(64)}`;

const firstRules = everyCaptionRules.at(-1) ?? captionRules;

const studyOf = (shape: StudyShape) => captionedStudy(storedStudy(shape));
const lineOver = (study: CaptionedStudy, startMs: number, endMs: number) =>
  coveredLine(study, jobId, captionExecutors.embedded_subtitle_tracks.identify(study), { startMs, endMs });

const spoken = await studyOf({ version: 1, windows: 4 });

test('a supported line cites the read of all its time, the claims over it and the assessment behind them', (t) => {
  const { lineage, gap } = lineOver(spoken, 1200, 1800);
  const { findings, conclusion, run, approval } = spoken;
  const [read] = findings.reads;
  const [assessment] = findings.assessments;
  const { decision } = findings;
  if (read === undefined || assessment === undefined || decision === null) throw new Error('nothing was found');
  t.is(gap, null);
  t.is(lineage.derivation, 'current_run_source_execution');
  t.deepEqual(lineage.source, {
    artifactId: run.record.sourceArtifactId,
    contentId: run.record.sourceSession.source.contentId,
    window: { startMs: 1200, endMs: 1800 },
  });
  const { semanticCitations, childReports, claimIds, coverage, ...study } = lineage.study;
  t.deepEqual(study, conclusion.study);
  t.like(coverage, { state: 'supported', reasonCode: null });
  t.deepEqual(lineage.readiness, conclusion.admission.readiness);
  t.deepEqual(lineage.approval, approval);
  t.like(lineage.captionExecutor, { jobId, executionScope: 'current_run', cognitionClaim: 'none' });
  t.is(semanticCitations.length, 1);
  t.like(semanticCitations[0], {
    operationId: read.body.operationId,
    artifactId: read.body.input.artifactId,
    contentId: read.body.input.contentId,
    receiptId: read.body.receiptId,
    receiptContentId: read.contentId,
  });
  t.is(childReports.length, 1);
  t.like(childReports[0], {
    reportId: assessment.body.operationId,
    contentId: assessment.contentId,
    childTaskId: run.ids.taskId,
    childAgentId: run.ids.agentId,
    dispositionId: decision.body.operationId,
    dispositionReceiptContentId: decision.contentId,
    admissionId: conclusion.admission.readiness.readinessId,
    admissionReceiptContentId: conclusion.readiness.contentId,
    readOperationId: read.body.operationId,
    readReceiptId: read.body.receiptId,
  });
  const [silence] = assessment.body.claims.filter(({ value }) => value === 'non_speech');
  t.deepEqual(claimIds, [`${assessment.body.operationId}:claim:${silence?.claimIndex}`]);
});

const observed = (study: CaptionedStudy, startMs: number, endMs: number): Range[] =>
  lineOver(study, startMs, endMs).lineage.study.semanticCitations.flatMap(({ observations }) =>
    observations.map((each) => ({ startMs: each.startMs, endMs: each.endMs })),
  );

test('a line that spans several windows of one read is covered by them together', (t) => {
  for (const [startMs, endMs] of [
    [0, 4000],
    [999, 1001],
    [500, 3500],
    [0, 1],
  ] as const) {
    t.deepEqual(observed(spoken, startMs, endMs), [clipRange], `${startMs}-${endMs}`);
  }
  t.is(lineOver(spoken, 500, 1500).lineage.study.claimIds.length, 2);
  t.is(lineOver(spoken, 0, 1000).lineage.study.claimIds.length, 1);
});

test('every read that returned all of the line is cited, one after the other', async (t) => {
  const both = await studyOf({ version: 3, windows: 4 });
  const { lineage } = lineOver(both, 1100, 1900);
  const { semanticCitations, childReports } = lineage.study;
  t.is(semanticCitations.length, 2);
  t.deepEqual(
    semanticCitations.map(({ receiptId }) => receiptId),
    childReports.map(({ readReceiptId }) => readReceiptId),
  );
  t.is(new Set(semanticCitations.map(({ artifactId }) => artifactId)).size, 2);
  t.is(lineOver(both, 500, 900).lineage.study.semanticCitations.length, 1);
});

test('a line across the seam of two reads is cited by both together', async (t) => {
  const many = await studyOf({ version: 1, windows: 128 });
  t.is(many.findings.reads.length, 2);
  const boundary = many.findings.reads[0]?.body.authorization.endMs ?? 0;
  for (const [startMs, endMs, reads] of [
    [boundary - 10, boundary, [0]],
    [boundary, boundary + 10, [1]],
    [boundary - 10, boundary + 10, [0, 1]],
    [0, 4000, [0, 1]],
  ] as const) {
    const { lineage, gap } = lineOver(many, startMs, endMs);
    const { claimIds, semanticCitations, childReports } = lineage.study;
    const cited = reads.map((at) => many.findings.reads[at]);
    t.is(gap, null);
    t.deepEqual(
      semanticCitations.map(({ receiptContentId }) => receiptContentId),
      cited.map((read) => read?.contentId),
    );
    t.deepEqual(
      childReports.map(({ readReceiptId }) => readReceiptId),
      cited.map((read) => read?.body.receiptId),
    );
    t.true(claimIds.length > 0);
    t.is(new Set(claimIds).size, claimIds.length);
  }
});

test('by the first rules a line across the seam of two reads cites nothing, although its time is supported', async (t) => {
  const many = { ...(await studyOf({ version: 1, windows: 128 })), rules: firstRules };
  const boundary = many.findings.reads[0]?.body.authorization.endMs ?? 0;
  t.is(lineOver(many, boundary - 10, boundary).gap, null);
  t.is(lineOver(many, boundary, boundary + 10).gap, null);
  const { lineage, gap } = lineOver(many, boundary - 10, boundary + 10);
  t.is(gap, 'study_citation_mismatch');
  t.is(lineage.study.coverage.state, 'supported');
  t.deepEqual([lineage.study.claimIds, lineage.study.semanticCitations, lineage.study.childReports], [[], [], []]);
});

const withCoverage = (study: CaptionedStudy, coverage: readonly Coverage[]): CaptionedStudy => {
  const { record } = study.conclusion;
  return {
    ...study,
    conclusion: { ...study.conclusion, record: { ...record, body: { ...record.body, coverage: [...coverage] } } },
  };
};

const part = (startMs: number, endMs: number, state: Coverage['state']): Coverage => ({
  coverageId: `coverage:${startMs.toString(16).padStart(64, '0')}`,
  ...{ startMs, endMs, state, reasonCode: coverageReasons[state] },
});

test('a line is worth what the worst stretch of its time is worth', (t) => {
  const gravest = ['withheld', 'unknown', 'truncated', 'unavailable', 'uncovered', 'supported'] as const;
  for (const [index, grave] of gravest.entries()) {
    for (const other of gravest.slice(index)) {
      for (const [first, second] of [
        [grave, other],
        [other, grave],
      ] as const) {
        const study = withCoverage(spoken, [part(0, 2000, first), part(2000, 4000, second)]);
        const { gap, lineage } = lineOver(study, 1500, 2500);
        t.is(gap, coverageReasons[grave], `${first} ${second}`);
        t.is(lineage.study.coverage.state, grave);
        t.is(lineage.study.coverage.coverageId, part(first === grave ? 0 : 2000, 4000, grave).coverageId);
        t.is(lineage.study.semanticCitations.length > 0, grave === 'supported');
        t.is(lineage.study.childReports.length > 0, grave === 'supported');
        t.is(lineage.study.claimIds.length > 0, grave === 'supported');
      }
    }
  }
});

test('a stretch that a line only touches says nothing of it', (t) => {
  const coverage = [part(0, 1000, 'withheld'), part(1000, 2000, 'supported'), part(2000, 4000, 'unknown')];
  const study = withCoverage(spoken, coverage);
  t.is(lineOver(study, 1000, 2000).gap, null);
  t.is(lineOver(study, 999, 2000).gap, 'study_coverage_withheld');
  t.is(lineOver(study, 1000, 2001).gap, 'study_coverage_unknown');
});

test('gaps that a study really leaves are those of its lines', async (t) => {
  const abstained = await studyOf({ version: 3, windows: 4 });
  t.is(lineOver(abstained, 2100, 2900).gap, 'study_coverage_unknown');
  const cut = await studyOf({ version: 1, windows: 2000 });
  t.is(lineOver(cut, 3900, 3990).gap, 'study_coverage_truncated');
  const silent = await studyOf({ version: 1, windows: null });
  t.is(lineOver(silent, 0, 500).gap, 'study_coverage_unavailable');
});

test('equal lines rest on equal lineages, and observations are named after what they observe', (t) => {
  t.is(canonicalJson(lineOver(spoken, 100, 200)), canonicalJson(lineOver(spoken, 100, 200)));
  const ids = [lineOver(spoken, 100, 200), lineOver(spoken, 300, 400)].map(
    ({ lineage }) => lineage.study.semanticCitations[0]?.observations[0]?.observationId,
  );
  t.is(ids[0], ids[1]);
  t.throws(() => lineOver(spoken, 4000, 5000), { instanceOf: RangeError });
});
