import type { PublishReviewIntakeReceipt } from '../../contract/review/publish-review-intake.ts';
import type { PinnedEvidence } from '../../contract/sources/source-session.ts';
import type { StudyReadinessReceipt, StudyReference } from '../../contract/study/study-readiness.ts';
import type { StudyEvidence, StudyRecord } from '../../contract/study/study-record.ts';
import type { ExecutorSpanReceipt } from '../../contract/study/task.ts';
import { counted } from '../core/checked-link.ts';
import { checkObject, demandDerived } from '../core/evidence-chain-error.ts';
import { readReceipt, type StoredReceipt } from '../core/stored-receipt.ts';
import { intakeShape, readinessShape, studyRecordShape } from '../evidence/reopen-evidence.ts';
import type { VerifiedAssessment, VerifiedDecision } from '../evidence/replay-judgement.ts';
import type { ReplayContext, VerifiedOperation } from '../evidence/replay-media.ts';
import type { VerifiedRead } from '../evidence/replay-reads.ts';
import type { ExecutorSpan } from './executor-span.ts';
import { auditIntake } from './publish-review-intake.ts';
import { type AdmissionReference, admitStudy } from './study-admission.ts';
import { executionFinished, taskCompleted } from './study-closing.ts';
import { auditReadiness } from './study-readiness.ts';
import { recordOfAudited, recordResult, studySubjectOf } from './study-record.ts';

/** Evidence that came with the source, as the run recorded it. */
export interface RunPinnedEvidence {
  readonly kind: PinnedEvidence['kind'];
  readonly artifactId: string;
  readonly contentId: string;
}

/** Everything that a run came to before it was concluded. */
export interface VerifiedFindings {
  readonly pinned: readonly RunPinnedEvidence[];
  readonly operations: readonly VerifiedOperation[];
  readonly reads: readonly VerifiedRead[];
  readonly assessments: readonly VerifiedAssessment[];
  readonly decision: VerifiedDecision | null;
}

/** The end of a run that delivered a study. */
export interface VerifiedConclusion {
  readonly record: StoredReceipt<StudyRecord>;
  readonly study: StudyReference;
  readonly span: ExecutorSpanReceipt;
  readonly readiness: StoredReceipt<StudyReadinessReceipt>;
  readonly intake: StoredReceipt<PublishReviewIntakeReceipt>;
  /** Under which names readiness and intake are found by later stages. */
  readonly admission: AdmissionReference;
}

/** Every kind of evidence of a study with its state: what it detected, then what came with the source. */
export function studyEvidenceOf({ operations, pinned }: VerifiedFindings): StudyEvidence[] {
  const detected = operations.flatMap(({ evidence }) =>
    evidence.map(
      ({ delivered, artifact }): StudyEvidence =>
        artifact === null ? { ...delivered, tool: null } : { ...delivered, tool: artifact.tool },
    ),
  );
  return [
    ...detected,
    ...pinned.map((each): StudyEvidence => ({ ...each, state: 'available', reasonCode: null, tool: null })),
  ];
}

const bodiesOf = <Body>(receipts: readonly StoredReceipt<Body>[]): Body[] => receipts.map(({ body }) => body);

/** The operations that a run completed, in the order of its journal. */
export const operationIdsOf = ({ operations, reads, assessments, decision }: VerifiedFindings): string[] => [
  ...operations.map(({ receipt }) => receipt.operationId),
  ...[...bodiesOf(reads), ...bodiesOf(assessments)].map(({ operationId }) => operationId),
  ...(decision === null ? [] : [decision.body.operationId]),
];

/**
 * Takes the end of a study from the journal: its record, the end of the execution, readiness, intake and the completed
 * task, each reopened and derived again. Throws `EvidenceChainError`.
 */
export async function replayConclusion(
  { run, journal, content, report }: ReplayContext,
  verified: VerifiedFindings,
  startedAt: string,
): Promise<VerifiedConclusion> {
  const { runtimeId } = run.record;
  const findings = {
    evidence: studyEvidenceOf(verified),
    reads: bodiesOf(verified.reads),
    assessments: bodiesOf(verified.assessments),
    decision: verified.decision?.body ?? null,
  };
  const recorded = journal.expect('artifact.recorded').data.artifact.content.contentId;
  const record = await readReceipt(studyRecordShape, content, recorded);
  const derived = recordOfAudited(studySubjectOf(run.record), findings);
  checkObject(recorded, () => demandDerived('study_record', record.body, derived, 'studyId'));
  const concluded = recordResult(run, record.body);
  journal.take(concluded.events);
  const { studyId, coverage } = record.body;
  report({
    link: 'study_record',
    subject: studyId,
    contentId: recorded,
    detail: `coverage in ${counted(coverage.length, 'part')}`,
  });

  const { receipt: span } = journal.expect('executor.finished').data;
  const { finishedAt, resumes } = span;
  const execution: ExecutorSpan = { startedAt, finishedAt, resumes, operationIds: operationIdsOf(verified) };
  const finished = executionFinished(run, execution, concluded.refs);
  demandDerived('execution', span, finished.receipt);
  journal.take([finished.event]);
  report({
    link: 'execution',
    subject: span.receiptId,
    contentId: null,
    detail: counted(span.operationIds.length, 'operation'),
  });

  const study: StudyReference = {
    ...concluded.refs,
    executorReceiptId: span.receiptId,
    executorReceiptContentId: finished.receiptContentId,
  };
  const ready = journal.expect('artifact.recorded').data.artifact.content.contentId;
  const readiness = await readReceipt(readinessShape, content, ready);
  checkObject(ready, () => auditReadiness(readiness.body, runtimeId, study, findings.decision));
  const entered = journal.expect('artifact.recorded', 2).data.artifact.content.contentId;
  const intake = await readReceipt(intakeShape, content, entered);
  checkObject(entered, () => auditIntake(intake.body, runtimeId, readiness.body));
  const { events, refs: admission } = admitStudy(run, study, findings.decision);
  journal.take([...events, taskCompleted(run)]);
  const { readinessId, outcome } = readiness.body;
  report({ link: 'readiness', subject: readinessId, contentId: ready, detail: outcome });
  const { intakeId, result } = intake.body;
  report({ link: 'intake', subject: intakeId, contentId: entered, detail: result.outcome });
  return { record, study, span, readiness, intake, admission };
}
