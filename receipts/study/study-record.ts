import type { EvidenceDecisionReceipt } from '../../contract/evidence/evidence-decision.ts';
import {
  maximumStudyRecordBytes,
  type StudyEvidence,
  type StudyRecord,
  studyRecord,
} from '../../contract/study/study-record.ts';
import { contentIdOf, hashOf } from '../core/canonical-json.ts';
import { artifactRecorded } from '../core/event-draft.ts';
import { RunRecord } from '../core/record.ts';
import { causeOf, type StudyRun } from '../core/study-run.ts';
import type { StepResult } from '../core/study-step.ts';
import { assessmentReceipt } from '../evidence/evidence-assessment.ts';
import { decisionReceipt } from '../evidence/evidence-decision.ts';
import { type AssessedEvidence, coverageOf } from './study-coverage.ts';

/** Everything that a study found and made of it, as stored; `decision` is null exactly when there is no assessment. */
export interface StudyFindings extends AssessedEvidence {
  /** Detected kinds in journal order, then what came with the source. */
  readonly evidence: readonly StudyEvidence[];
  readonly decision: EvidenceDecisionReceipt | null;
}

/** How later records name a study record. */
export interface StudyRecordReference {
  readonly studyId: string;
  readonly artifactId: string;
  readonly contentId: string;
}

/** The record of a study: follows from its run and its findings. */
export function studyRecordOf(run: StudyRun, findings: StudyFindings): StudyRecord {
  const { runtimeId: runId, sourceArtifactId, analysisRequest } = run.record;
  const { requestId: analysisRequestId, range } = analysisRequest;
  const { evidence, reads, assessments, decision } = findings;
  const body = {
    runId,
    sourceArtifactId,
    analysisRequestId,
    range,
    evidence: [...evidence],
    reads: reads.map((read) => ({
      operationId: read.operationId,
      receiptId: read.receiptId,
      receiptContentId: contentIdOf(read),
      evidenceArtifactId: read.input.artifactId,
      evidenceKind: read.input.evidenceKind,
      startMs: read.authorization.startMs,
      endMs: read.authorization.endMs,
      returnedItems: read.result.returnedItems,
      truncated: read.result.truncated,
    })),
    assessments: assessments.map((receipt) => ({
      ...assessmentReceipt.referenceOf(runId, receipt),
      claimCount: receipt.result.claimCount,
    })),
    decision: decision === null ? null : { ...decisionReceipt.referenceOf(runId, decision), ...decision.decision },
    coverage: coverageOf(runId, range, findings),
  };
  return { schema: 'studio.study-record.artifact.v1', studyId: `study:${hashOf(body)}`, ...body };
}

const sourcesOf = ({ sourceArtifactId, evidence, assessments, decision }: StudyRecord): string[] => [
  sourceArtifactId,
  ...evidence.flatMap(({ artifactId }) => (artifactId === null ? [] : [artifactId])),
  ...assessments.map(({ artifactId }) => artifactId),
  ...(decision === null ? [] : [decision.artifactId]),
];

export const storedStudyRecord = new RunRecord<StudyRecord>({
  link: 'study_record',
  schema: studyRecord,
  maximumBytes: maximumStudyRecordBytes,
  kind: 'study-record',
  origin: ({ studyId }) => ({ kind: 'study_record', studyId }),
  sources: sourcesOf,
  producer: 'task',
  ownId: 'studyId',
});

/** Writes down what a run came to, the last thing that its execution does. */
export function concludeStudy(run: StudyRun, findings: StudyFindings): StepResult<StudyRecordReference> {
  const record = studyRecordOf(run, findings);
  const { object, artifact } = storedStudyRecord.outputOf(run, record);
  return {
    objects: [object],
    events: [artifactRecorded(artifact, causeOf(run))],
    refs: { studyId: record.studyId, artifactId: artifact.id, contentId: object.contentId },
  };
}
