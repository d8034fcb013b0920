import type { Failure } from '../../contract/base/errors.ts';
import type { StoredObject } from '../../contract/base/stored-object.ts';
import type { PublishReviewIntakeReceipt } from '../../contract/review.ts';
import type { PinnedEvidence } from '../../contract/sources/source-session.ts';
import type {
  StudyEvidence,
  StudyReadinessReceipt,
  StudyRecord,
  StudyReference,
} from '../../contract/study/study-record.ts';
import type { ExecutorSpanReceipt } from '../../contract/study/task.ts';
import { contentIdOfJson, hashOf } from '../../formats/canonical-json.ts';
import type { EventDraft } from '../../storage/ledger/ledger.ts';
import { countText, demandDerived, type EvidenceLink } from '../evidence-chain.ts';
import { draftEvent } from '../journal.ts';
import type { StoredReceipt } from '../stored-records.ts';
import { type AdmissionReference, admitStudy, intakeReceipt, readinessReceipt } from '../study/admission.ts';
import { concludeStudy, type StudyFindings, storedStudyRecord, studyRecordOf } from '../study/record.ts';
import { causeOf, type FoldContext, type StepResult, type StudyRun } from '../study-run.ts';
import type { VerifiedAssessment, VerifiedDecision } from './assess.ts';
import type { VerifiedEvidence, VerifiedOperation } from './detect.ts';
import type { VerifiedRead } from './read.ts';
import type { VerifiedRecognition } from './recognize.ts';
import type { VerifiedScreenText } from './screen.ts';

interface ExecutorSpan {
  readonly startedAt: string;
  readonly finishedAt: string;
  readonly resumes: number;
  /** Operations whose results were committed, in journal order. */
  readonly operationIds: readonly string[];
}

type ExecutorOutcome =
  | { readonly outcome: 'completed'; readonly output: NonNullable<ExecutorSpanReceipt['output']> }
  | { readonly outcome: 'failed' | 'interrupted'; readonly reason: Failure };

interface IdentifiedSpan {
  readonly receipt: ExecutorSpanReceipt;
  /** `C(receipt)`: what a study's `executorReceiptContentId` names. */
  readonly receiptContentId: string;
}

/** The receipt of one execution; `receiptId` covers everything but itself and `schema`. */
export function executorSpanOf({ record, ids }: StudyRun, span: ExecutorSpan, ending: ExecutorOutcome): IdentifiedSpan {
  const body = {
    runId: record.runtimeId,
    taskId: ids.taskId,
    agentId: ids.agentId,
    launchClaimId: ids.claimId,
    executionId: ids.executionId,
    executor: { id: 'studio.local-media-study', version: '1', kind: 'deterministic_local' as const },
    startedAt: span.startedAt,
    finishedAt: span.finishedAt,
    resumes: span.resumes,
    operationIds: [...span.operationIds],
    output: ending.outcome === 'completed' ? ending.output : null,
    outcome: ending.outcome,
    reason: ending.outcome === 'completed' ? null : ending.reason,
  };
  const receipt: ExecutorSpanReceipt = {
    schema: 'studio.executor-span.receipt.v1',
    receiptId: `span:${hashOf(body)}`,
    ...body,
  };
  return { receipt, receiptContentId: contentIdOfJson(receipt) };
}

interface FinishedExecution extends IdentifiedSpan {
  readonly event: EventDraft;
}

/** The end of an execution that delivered a study record; readiness and intake follow it. */
export function executionFinished(
  run: StudyRun,
  span: ExecutorSpan,
  output: NonNullable<ExecutorSpanReceipt['output']>,
): FinishedExecution {
  const identified = executorSpanOf(run, span, { outcome: 'completed', output });
  return { ...identified, event: draftEvent('executor.finished', { receipt: identified.receipt }, causeOf(run)) };
}

/** The last event of a run that came to its end. */
export const taskCompleted = (run: StudyRun): EventDraft =>
  draftEvent(
    'task.transitioned',
    { taskId: run.ids.taskId, agentId: run.ids.agentId, status: 'completed', reason: null },
    causeOf(run),
  );

interface StoppedStudy {
  readonly lifecycle: 'failed' | 'interrupted';
  readonly reason: Failure;
  readonly span: ExecutorSpan;
}

/**
 * The closing events of a run that ends without its study, after the failure of the operation that was open, if one was.
 * An opened run only: before `executor.started` there is nothing to close.
 */
export function stopStudy(run: StudyRun, stopped: StoppedStudy): readonly EventDraft[] {
  const { lifecycle, reason, span } = stopped;
  const { taskId, agentId, executionId } = run.ids;
  const cause = causeOf(run);
  const { receipt } = executorSpanOf(run, span, { outcome: lifecycle, reason });
  const interrupted = { reason, taskIds: [taskId], executionIds: [executionId] };
  return [
    ...(lifecycle === 'interrupted' ? [draftEvent('runtime.interrupted', interrupted, cause)] : []),
    draftEvent('executor.finished', { receipt }, cause),
    draftEvent('task.transitioned', { taskId, agentId, status: lifecycle, reason }, cause),
  ];
}

/** Under which names the end of a study is found again. */
interface ConclusionReference {
  readonly study: StudyReference;
  readonly span: ExecutorSpanReceipt;
  readonly admission: AdmissionReference;
}

/**
 * The end of a run that delivers a study: its record, the end of the execution, readiness, the entry into the review queue or
 * its rejection, and the completed task.
 */
export function endStudy(run: StudyRun, findings: StudyFindings, span: ExecutorSpan): StepResult<ConclusionReference> {
  const concluded = concludeStudy(run, findings);
  const finished = executionFinished(run, span, concluded.refs);
  const study: StudyReference = {
    ...concluded.refs,
    executorReceiptId: finished.receipt.receiptId,
    executorReceiptContentId: finished.receiptContentId,
  };
  const admitted = admitStudy(run, study, findings.decision);
  const objects: readonly StoredObject[] = [...concluded.objects, ...admitted.objects];
  return {
    objects,
    events: [...concluded.events, finished.event, ...admitted.events, taskCompleted(run)],
    refs: { study, span: finished.receipt, admission: admitted.refs },
  };
}

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
  /** Null where no speech was to be recognised, or was not yet. */
  readonly recognition: VerifiedRecognition | null;
  /** Null where the screen was not to be read, or was not yet. */
  readonly screenText: VerifiedScreenText | null;
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

/** All evidence that a study detected itself, in the order of its journal. */
export const detectedEvidenceOf = ({
  operations,
  recognition,
}: Pick<VerifiedFindings, 'operations' | 'recognition'>): VerifiedEvidence[] => [
  ...operations.flatMap(({ evidence }) => evidence),
  ...(recognition === null
    ? []
    : [{ delivered: recognition.delivered, artifact: recognition.found } as VerifiedEvidence]),
];

/** Every kind of evidence of a study with its state: what it detected, then what came with the source. */
function studyEvidenceOf(findings: VerifiedFindings): StudyEvidence[] {
  const { pinned } = findings;
  const detected = detectedEvidenceOf(findings).map(
    ({ delivered, artifact }): StudyEvidence =>
      artifact === null ? { ...delivered, tool: null } : { ...delivered, tool: artifact.tool },
  );
  return [
    ...detected,
    ...pinned.map((each): StudyEvidence => ({ ...each, state: 'available', reasonCode: null, tool: null })),
  ];
}

const bodiesOf = <Body>(receipts: readonly StoredReceipt<Body>[]): Body[] => receipts.map(({ body }) => body);

/** What a run came to, as its record is made of it. */
export const studyFindingsOf = (verified: VerifiedFindings): StudyFindings => ({
  evidence: studyEvidenceOf(verified),
  reads: bodiesOf(verified.reads),
  assessments: bodiesOf(verified.assessments),
  decision: verified.decision?.body ?? null,
});

/**
 * Takes the end of a study: its record, the end of the execution, readiness, intake and the completed task, each reopened and
 * derived again. Throws `EvidenceChainError`.
 */
export async function foldConclusion(
  { run, journal, content, report }: FoldContext,
  verified: VerifiedFindings,
  { startedAt, operationIds }: Pick<ExecutorSpan, 'startedAt' | 'operationIds'>,
): Promise<VerifiedConclusion> {
  const recordedAt = (offset: number): string =>
    journal.expect('artifact.recorded', offset).data.artifact.content.contentId;
  const findings = studyFindingsOf(verified);
  const { receipt: span } = journal.expect('executor.finished', 1).data;
  const { finishedAt, resumes } = span;
  const ended = endStudy(run, findings, { startedAt, finishedAt, resumes, operationIds });
  const { study, admission } = ended.refs;
  const record = await storedStudyRecord.reopen(content, recordedAt(0), () => studyRecordOf(run, findings));
  demandDerived('execution', span, ended.refs.span);
  const readiness = await readinessReceipt.reopen(content, recordedAt(2), () =>
    readinessReceipt.of(run, { study, decision: findings.decision }),
  );
  const intake = await intakeReceipt.reopen(content, recordedAt(4), () => intakeReceipt.of(run, readiness.body));
  journal.take(ended.events);
  const parts = countText(record.body.coverage.length, 'part');
  const checked = (link: EvidenceLink, subject: string, contentId: string | null, detail: string) =>
    report({ link, subject, contentId, detail });
  checked('study_record', record.body.studyId, record.contentId, `coverage in ${parts}`);
  checked('execution', span.receiptId, null, countText(span.operationIds.length, 'operation'));
  checked('readiness', readiness.body.readinessId, readiness.contentId, readiness.body.outcome);
  checked('intake', intake.body.intakeId, intake.contentId, intake.body.result.outcome);
  return { record, study, span, readiness, intake, admission };
}
