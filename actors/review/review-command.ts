import { type PublishReviewEvent, type PublishReviewState, reviewAfter } from '../../machines/publish-review.ts';
import type { VerifiedRuntime } from '../../receipts/fold.ts';
import {
  type ReviewedIntake,
  type RevokedApproval,
  recordReview,
  recordRevocation,
  reviewFailed,
  reviewStarted,
  revocationFailed,
  revocationStarted,
} from '../../receipts/review.ts';
import type { StepResult, StudyRun } from '../../receipts/study-run.ts';
import type { EventDraft } from '../../storage/ledger/ledger.ts';

export type ReviewStep = PublishReviewEvent['type'];

/** What a reviewer asked for, as it becomes a part of the journal. */
export interface ReviewCommand {
  readonly runtimeId: string;
  /** Its way through the chart of reviews: its start and its end. */
  readonly way: readonly [ReviewStep, ReviewStep];
  /** The end of that way where the receipt cannot be stored. */
  readonly failure: ReviewStep;
  readonly started: EventDraft;
  /** The receipt, and the events that name it. */
  readonly recorded: StepResult<unknown>;
  /** What is journalled where the receipt cannot be stored. */
  readonly failed: (message: string) => EventDraft;
}

const isApproval = ({ decision }: Pick<ReviewedIntake, 'decision'>): boolean =>
  decision.outcome === 'approve_for_caption_production';

export function decisionCommand(run: StudyRun, asked: ReviewedIntake): ReviewCommand {
  return {
    runtimeId: run.record.runtimeId,
    way: ['decision.started', isApproval(asked) ? 'decision.approved' : 'decision.rejected'],
    failure: 'decision.failed',
    started: reviewStarted(run, asked),
    recorded: recordReview(run, asked),
    failed: (message) => reviewFailed(run, asked.intake, { code: 'review_not_recorded', message }),
  };
}

export function revocationCommand(run: StudyRun, asked: RevokedApproval): ReviewCommand {
  return {
    runtimeId: run.record.runtimeId,
    way: ['revocation.started', 'revocation.completed'],
    failure: 'revocation.failed',
    started: revocationStarted(run, asked),
    recorded: recordRevocation(run, asked),
    failed: (message) => revocationFailed(run, asked.approval, { code: 'revocation_not_recorded', message }),
  };
}

/** The command whose start is in the journal and whose end is not; null where there is none. */
export function cutCommandOf({ execution }: VerifiedRuntime): ReviewCommand | null {
  if (execution === null) return null;
  const { run } = execution.opened;
  const { deciding, revoking } = execution.study.tail;
  if (deciding !== null) return decisionCommand(run, deciding);
  return revoking === null ? null : revocationCommand(run, revoking);
}

/** Where the journal of a runtime says that its review stands; null where no study of it is queued for one. */
export function reviewStateOf({ execution }: VerifiedRuntime): PublishReviewState | null {
  const { conclusion, tail } = execution?.study ?? { conclusion: null, tail: null };
  if (conclusion?.intake.body.result.outcome !== 'queued' || tail === null) return null;
  if (tail.deciding !== null) return 'deciding';
  if (tail.revoking !== null) return 'revoking';
  if (tail.review === null) return 'queued';
  if (tail.review.revocation !== null) return 'revoked';
  return isApproval(tail.review.receipt.body) ? 'approved' : 'rejected';
}

/** The review of a runtime: the intake that it is of, and where it stands. Throws where no study is queued for one. */
export function reviewOf(runtime: VerifiedRuntime): { readonly intakeId: string; readonly state: PublishReviewState } {
  const state = reviewStateOf(runtime);
  const intakeId = runtime.execution?.study.conclusion?.intake.body.intakeId;
  if (state === null || intakeId === undefined) throw new Error('a review is of an intake');
  return { intakeId, state };
}

/** Whether the chart has a way for a command from where the review of a runtime stands. */
export function isPossible(runtime: VerifiedRuntime, { way }: ReviewCommand): boolean {
  const state = reviewStateOf(runtime);
  return state !== null && reviewAfter(state, way) !== null;
}
