import type { EvidenceDecisionReceipt } from '../../contract/evidence/evidence-decision.ts';
import type { RuntimeStart } from '../../contract/study/runtime-start.ts';
import type { StudyEvidence, StudyRecord } from '../../contract/study/study-record.ts';
import { contentIdOf, hashOf } from '../core/canonical-json.ts';
import { artifactRecorded } from '../core/event-draft.ts';
import { demandDerived } from '../core/evidence-chain-error.ts';
import { outputOf, referenceOf } from '../core/receipt-output.ts';
import { causeOf, type StudyRun } from '../core/study-run.ts';
import type { StepResult } from '../core/study-step.ts';
import { auditAssessment } from '../evidence/evidence-assessment.ts';
import { type AssessedEvidence, auditDecision } from '../evidence/evidence-decision.ts';
import { coverageOf } from './study-coverage.ts';

/** Everything that a study found and made of it, as stored; `decision` is null exactly when there is no assessment. */
export interface StudyFindings extends AssessedEvidence {
  /** Detected kinds in journal order, then what came with the source. */
  readonly evidence: readonly StudyEvidence[];
  readonly decision: EvidenceDecisionReceipt | null;
}

/** Which study a record is of. */
export type StudySubject = Pick<StudyRecord, 'runId' | 'sourceArtifactId' | 'analysisRequestId' | 'range'>;

/** How later records name a study record. */
export interface StudyRecordReference {
  readonly studyId: string;
  readonly artifactId: string;
  readonly contentId: string;
}

const auditFindings = (runId: string, { reads, assessments, decision }: StudyFindings): void => {
  for (const assessment of assessments) auditAssessment(assessment, reads);
  if (decision !== null) auditDecision(decision, assessments, runId);
};

/**
 * The record of a study: follows from its subject and its findings. Throws `EvidenceChainError` when a finding does not
 * follow from those before it.
 */
export function studyRecordOf(subject: StudySubject, findings: StudyFindings): StudyRecord {
  auditFindings(subject.runId, findings);
  return recordOfAudited(subject, findings);
}

/** As `studyRecordOf`, over findings that were audited before. */
export function recordOfAudited(subject: StudySubject, findings: StudyFindings): StudyRecord {
  const { runId, sourceArtifactId, analysisRequestId, range } = subject;
  const { evidence, reads, assessments, decision } = findings;
  const body = {
    runId,
    sourceArtifactId,
    analysisRequestId,
    range,
    evidence: [...evidence],
    reads: reads.map(({ operationId, receiptId, input, authorization, result }, index) => ({
      operationId,
      receiptId,
      receiptContentId: contentIdOf(reads[index]),
      evidenceArtifactId: input.artifactId,
      evidenceKind: input.evidenceKind,
      startMs: authorization.startMs,
      endMs: authorization.endMs,
      returnedItems: result.returnedItems,
      truncated: result.truncated,
    })),
    assessments: assessments.map((receipt) => ({
      ...referenceOf(runId, receipt),
      claimCount: receipt.result.claimCount,
    })),
    decision: decision === null ? null : { ...referenceOf(runId, decision), ...decision.decision },
    coverage: coverageOf(runId, range, findings),
  };
  return { schema: 'studio.study-record.artifact.v1', studyId: `study:${hashOf(body)}`, ...body };
}

/** The subject of the study that a run-start record promised. */
export const studySubjectOf = ({ runtimeId, sourceArtifactId, analysisRequest }: RuntimeStart): StudySubject => ({
  runId: runtimeId,
  sourceArtifactId,
  analysisRequestId: analysisRequest.requestId,
  range: analysisRequest.range,
});

/** Derives a study record again. Throws `EvidenceChainError` at the first field that does not follow. */
export const auditStudyRecord = (record: StudyRecord, subject: StudySubject, findings: StudyFindings): void =>
  demandDerived('study_record', record, studyRecordOf(subject, findings), 'studyId');

const sourcesOf = ({ sourceArtifactId, evidence, assessments, decision }: StudyRecord): string[] => [
  sourceArtifactId,
  ...evidence.flatMap(({ artifactId }) => (artifactId === null ? [] : [artifactId])),
  ...assessments.map(({ artifactId }) => artifactId),
  ...(decision === null ? [] : [decision.artifactId]),
];

/** Writes down what a run came to, the last thing that its execution does. */
export const concludeStudy = (run: StudyRun, findings: StudyFindings): StepResult<StudyRecordReference> =>
  recordResult(run, studyRecordOf(studySubjectOf(run.record), findings));

/** What a study record leaves behind. */
export function recordResult(run: StudyRun, record: StudyRecord): StepResult<StudyRecordReference> {
  const { object, artifact } = outputOf(record, {
    runId: record.runId,
    kind: 'study-record',
    origin: { kind: 'study_record', studyId: record.studyId },
    sourceArtifactIds: sourcesOf(record),
    producer: run.ids,
  });
  return {
    objects: [object],
    events: [artifactRecorded(artifact, causeOf(run))],
    refs: { studyId: record.studyId, artifactId: artifact.id, contentId: object.contentId },
  };
}
