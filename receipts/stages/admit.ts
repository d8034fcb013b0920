import type { Failure } from '../../contract/base/errors.ts';
import type { DecisionReason, EvidenceDecisionReceipt } from '../../contract/evidence/assessment.ts';
import {
  type IntakeReference,
  type PublishReviewIntakeReceipt,
  publishReviewIntakeReceipt,
} from '../../contract/review.ts';
import type { PinnedEvidence } from '../../contract/sources/source-session.ts';
import {
  type GapReason,
  gapReasons,
  maximumReviewReceiptBytes,
  type ReadinessReference,
  type StudyEvidence,
  type StudyReadinessReceipt,
  type StudyRecord,
  type StudyReference,
  studyReadinessReceipt,
  studyRecord,
} from '../../contract/study/study-record.ts';
import type { ExecutorSpanReceipt } from '../../contract/study/task.ts';
import { contentIdOfJson, hashOf } from '../../formats/canonical-json.ts';
import { countText } from '../../formats/readable-numbers.ts';
import type { EventDraft } from '../../storage/ledger/ledger.ts';
import { operationFailed } from '../evidence/media-operation.ts';
import { demandDerived, type EvidenceLink } from '../evidence-chain.ts';
import { artifactRecorded, draftEvent } from '../journal.ts';
import { RunReceipt } from '../record.ts';
import type { StoredReceipt } from '../stored-records.ts';
import type { StudyProgress } from '../study/progress.ts';
import { concludeStudy, type StudyFindings, storedStudyRecord, studyRecordOf } from '../study/record.ts';
import { causeOf, type FoldContext, type StepResult, type StudyRun } from '../study-run.ts';
import { checkAssessed, type VerifiedAssessment } from './assess.ts';
import { decisionReceipt, type VerifiedDecision } from './decide.ts';
import { isMeasured, type VerifiedEvidence, type VerifiedOperation } from './detect.ts';
import { checkReads, type ReadFindings, type VerifiedRead } from './read.ts';
import type { VerifiedRecognition } from './recognize.ts';
import type { RunSoFar, RunStage } from './stage.ts';

/** The meaning of a decision's reason for a reviewer; a study without a decision is not supported at its root. */
const gapReasonOf: Readonly<Record<DecisionReason, GapReason | null>> = {
  audited_claim_truncated: 'hidden_gap',
  audited_claim_withheld: 'non_supported_root_coverage',
  audited_claim_unknown: 'non_supported_root_coverage',
  all_audited_claims_supported: null,
};

function gapsOf(receipt: EvidenceDecisionReceipt | null): GapReason[] {
  if (receipt === null) return ['non_supported_root_coverage'];
  const found = new Set(receipt.decision.reasonCodes.map((code) => gapReasonOf[code]));
  return gapReasons.filter((reason) => found.has(reason));
}

/** The basis of a readiness. */
interface DecidedStudy {
  readonly study: StudyReference;
  readonly decision: EvidenceDecisionReceipt | null;
}

/** The readiness of a study for a reviewer. Follows from the study and its decision alone. */
export const readinessReceipt = new RunReceipt<StudyReadinessReceipt, 'readinessId', DecidedStudy>({
  link: 'readiness',
  schema: studyReadinessReceipt,
  maximumBytes: maximumReviewReceiptBytes,
  name: 'studio.study-readiness.receipt.v1',
  idPrefix: 'study-readiness-receipt',
  kind: 'study-readiness-receipt',
  about: 'readinessId',
  origin: ({ readinessId }) => ({ kind: 'study_readiness', readinessId }),
  sources: ({ study, decision }) => [study.artifactId, ...(decision === null ? [] : [decision.artifactId])],
  producer: 'host',
  derive: ({ record: { runtimeId: runId } }, { study, decision }) => {
    const reasonCodes = gapsOf(decision);
    return {
      readinessId: `study-readiness:${hashOf({ runId, study })}`,
      study,
      decision: decision === null ? null : decisionReceipt.referenceOf(runId, decision),
      producer: { id: 'studio.deterministic-study-readiness-gate', version: '1' },
      outcome: reasonCodes.length === 0 ? 'ready' : 'not_ready',
      reasonCodes,
    };
  },
});

/** One intake for each readiness receipt of a run. */
export const intakeIdOf = (runId: string, readiness: ReadinessReference): string =>
  `publish-review-intake:${hashOf({ runId, readiness })}`;

/** Queues a study that is ready, rejects one that is not, for the reasons of its readiness. */
export const intakeReceipt = new RunReceipt<PublishReviewIntakeReceipt, 'intakeId', StudyReadinessReceipt>({
  link: 'intake',
  schema: publishReviewIntakeReceipt,
  maximumBytes: maximumReviewReceiptBytes,
  name: 'studio.publish-review-intake.receipt.v1',
  idPrefix: 'publish-review-intake-receipt',
  kind: 'publish-review-intake-receipt',
  about: 'intakeId',
  origin: ({ intakeId }) => ({ kind: 'publish_review_intake', intakeId }),
  sources: ({ input }) => [input.readiness.artifactId],
  producer: 'host',
  derive: ({ record: { runtimeId } }, receipt) => {
    const readiness = readinessReceipt.referenceOf(runtimeId, receipt);
    return {
      intakeId: intakeIdOf(runtimeId, readiness),
      input: {
        readiness,
        verification: {
          integrity: 'stored_study_readiness_and_recursive_inputs_verified',
          producer: 'deterministic_study_readiness_gate_v1',
        },
      },
      producer: {
        id: 'studio.host-publish-review-intake',
        version: '1',
        policy: 'queue_exact_verified_study_readiness_only',
      },
      result: {
        outcome: receipt.outcome === 'ready' ? 'queued' : 'rejected',
        reasonCodes: receipt.reasonCodes,
      },
    };
  },
});

/** Under which names a study's admission is found again. */
export interface AdmissionReference {
  readonly readiness: ReadinessReference;
  readonly intake: IntakeReference;
  readonly outcome: PublishReviewIntakeReceipt['result']['outcome'];
}

/**
 * Decides if a finished study is ready and enters it into the review queue, or rejects it. Comes after the end of the execution,
 * which `study` names. The host does this, outside the task of the run.
 */
export function admitStudy(
  run: StudyRun,
  study: StudyReference,
  decision: EvidenceDecisionReceipt | null,
): StepResult<AdmissionReference> {
  const cause = causeOf(run);
  const ready = readinessReceipt.of(run, { study, decision });
  const { object, artifact } = readinessReceipt.outputOf(run, ready);
  const readiness = readinessReceipt.referenceOf(run.record.runtimeId, ready, object.contentId);
  const receipt = intakeReceipt.of(run, ready);
  const entered = intakeReceipt.write('publish.review.intake_completed', run, receipt);
  const { intakeId, result } = receipt;
  return {
    objects: [object, ...entered.objects],
    events: [
      artifactRecorded(artifact, cause),
      draftEvent('publish.review.intake_started', { intakeId, readiness }, cause),
      ...entered.events,
    ],
    refs: { readiness, intake: entered.refs, outcome: result.outcome },
  };
}

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
function executorSpanOf({ record, ids }: StudyRun, span: ExecutorSpan, ending: ExecutorOutcome): IdentifiedSpan {
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
 * The end of a run that delivers a study. It has its record, the end of the execution, readiness, the entry into the review queue
 * or its rejection, and the completed task.
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
  const objects = [...concluded.objects, ...admitted.objects];
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

/** The input of the record of a study. */
export interface ConcludableFindings {
  readonly pinned: readonly RunPinnedEvidence[];
  readonly operations: readonly VerifiedOperation[];
  /** Null if no speech was to be recognized, or was not yet. */
  readonly recognition: VerifiedRecognition | null;
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
}: Pick<ConcludableFindings, 'operations' | 'recognition'>): VerifiedEvidence[] => [
  ...operations.flatMap(({ evidence }) => evidence),
  ...(recognition === null
    ? []
    : [{ delivered: recognition.delivered, artifact: recognition.found } as VerifiedEvidence]),
];

/** Every kind of evidence of a study with its state: what it detected, then what came with the source. */
function studyEvidenceOf(findings: ConcludableFindings): StudyEvidence[] {
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

/** The results of a run, as the input of its record. */
export const studyFindingsOf = (verified: ConcludableFindings): StudyFindings => ({
  evidence: studyEvidenceOf(verified),
  reads: bodiesOf(verified.reads),
  assessments: bodiesOf(verified.assessments),
  decision: verified.decision?.body ?? null,
});

/**
 * Takes the end of a study: its record, the end of the execution, readiness, intake and the completed task, each reopened and
 * derived again. Throws `EvidenceChainError`.
 */
async function foldConclusion(
  { run, journal, content, report }: FoldContext,
  verified: ConcludableFindings,
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

/** The end of a run that came to no study. */
export interface VerifiedStop {
  readonly lifecycle: 'failed' | 'interrupted';
  readonly reason: Failure;
  readonly span: ExecutorSpanReceipt;
}

/**
 * Takes the closing events of a run that ended without its study; the open pass need not have a closing event of its own. Throws
 * `EvidenceChainError`.
 */
function foldStop({ run, journal, startedAt }: EndedRun, { openPass, operationIds }: StudyProgress): VerifiedStop {
  const failed = journal.typeAt() === 'media.operation_failed' ? 1 : 0;
  const offset = journal.typeAt(failed) === 'runtime.interrupted' ? failed + 1 : failed;
  const { receipt: span } = journal.expect('executor.finished', offset).data;
  const { outcome, reason, finishedAt, resumes } = span;
  if (outcome === 'completed' || reason === null) throw journal.fault('data.receipt.outcome', offset);
  const execution = { startedAt, finishedAt, resumes, operationIds };
  demandDerived('execution', span, executorSpanOf(run, execution, { outcome, reason }).receipt);
  if (failed > 0) {
    if (openPass === null) throw journal.fault('type');
    journal.take([operationFailed(run, openPass, reason)]);
  }
  journal.take(stopStudy(run, { lifecycle: outcome, reason, span: execution }));
  return { lifecycle: outcome, reason, span };
}

/** A run whose end is taken from its journal. */
type EndedRun = FoldContext & { readonly startedAt: string };

/** How a run ended: with its study, or without. */
interface Ending {
  readonly conclusion?: VerifiedConclusion;
  readonly stop?: VerifiedStop;
}

const stopped = (context: EndedRun, { progress }: RunSoFar<unknown>): Ending => ({ stop: foldStop(context, progress) });

/**
 * The end of a run: with its record and the entry into the review queue, or without, for the reason of its execution. A step is written
 * in one commit: it is there as a whole or not at all, and the run ends only between two steps.
 */
export const admitStage: RunStage<ConcludableFindings & ReadFindings, object, Ending> = {
  name: 'admit',
  nothing: {},
  records: { 'study-record': studyRecord, readiness: studyReadinessReceipt, intake: publishReviewIntakeReceipt },
  derived: null,
  progress: { 'executor.finished': (progress) => ({ ...progress, done: 'end' }) },
  folds: {
    'media.operation_failed': stopped,
    'runtime.interrupted': stopped,
    'executor.finished': async (context, study) => {
      const { journal, startedAt } = context;
      const { findings, progress } = study;
      // A study that came to its end has its record before this event.
      if (journal.typeAt() === 'executor.finished') return stopped(context, study);
      if (!isMeasured(study)) throw journal.fault('type', 1);
      checkReads(context, findings);
      checkAssessed(findings.assessments, findings.reads);
      if (findings.assessments.length > 0 && findings.decision === null) throw journal.fault('type');
      return { conclusion: await foldConclusion(context, findings, { ...progress, startedAt }) };
    },
  },
};
