import type { ApprovalReference, IntakeReference } from '../../contract/review/publish-review.ts';
import type {
  PublishReviewDecisionReceipt,
  PublishReviewRevocationReceipt,
} from '../../contract/review/publish-review-receipts.ts';
import { draftEvent } from '../core/event-draft.ts';
import { checkObject } from '../core/evidence-chain-error.ts';
import { readReceipt, type StoredReceipt } from '../core/stored-receipt.ts';
import { causeOf } from '../core/study-run.ts';
import type { ReplayContext } from '../evidence/replay-media.ts';
import type { VerifiedConclusion } from '../study/replay-conclusion.ts';
import {
  approvalReferenceOf,
  auditReview,
  type ReviewedIntake,
  recordReview,
  reviewIdOf,
  reviewStarted,
} from './publish-review-decision.ts';
import {
  auditRevocation,
  type RevokedApproval,
  recordRevocation,
  revocationIdOf,
  revocationStarted,
} from './publish-review-revocation.ts';
import { reviewShape, revocationShape } from './reopen-review.ts';

/** A person's decision on the intake of a run, and its withdrawal. */
export interface VerifiedReview {
  readonly receipt: StoredReceipt<PublishReviewDecisionReceipt>;
  readonly revocation: StoredReceipt<PublishReviewRevocationReceipt> | null;
}

/** The reviews of one intake, as far as the journal was read. */
export class ReviewReplay {
  readonly #context: ReplayContext;
  readonly #intake: IntakeReference;
  readonly #isQueued: boolean;
  #asked: ReviewedIntake | null = null;
  #revoking: RevokedApproval | null = null;
  #review: VerifiedReview | null = null;

  constructor(context: ReplayContext, { admission, intake }: VerifiedConclusion) {
    this.#context = context;
    this.#intake = admission.intake;
    this.#isQueued = intake.body.result.outcome === 'queued';
  }

  get review(): VerifiedReview | null {
    return this.#review;
  }

  /** The decision that is being written down. */
  get deciding(): ReviewedIntake | null {
    return this.#asked;
  }

  /** The withdrawal that is being written down. */
  get revoking(): RevokedApproval | null {
    return this.#revoking;
  }

  /** The approval under which something may begin now: one that stands and is not about to be withdrawn. */
  get authority(): ApprovalReference | null {
    return this.#revoking === null ? this.#approval() : null;
  }

  /** A decision is about to be written down: on the queued intake of this run, when none stands. */
  started(): void {
    const { journal, run } = this.#context;
    const { request, reviewerLabel } = journal.expect('publish.review.decision_started').data;
    if (!this.#isQueued || this.#review !== null || this.#asked !== null) throw journal.fault('type');
    const { reviewer, decision } = request;
    const asked = { intake: this.#intake, reviewer: { id: reviewer.id, label: reviewerLabel }, decision };
    journal.take([reviewStarted(run, asked)]);
    this.#asked = asked;
  }

  async completed(): Promise<void> {
    const { journal, run, content, report } = this.#context;
    const asked = this.#asked;
    if (asked === null) throw journal.fault('type', 1);
    const { receiptContentId } = journal.expect('publish.review.decision_completed', 1).data;
    const receipt = await readReceipt(reviewShape, content, receiptContentId);
    checkObject(receiptContentId, () => auditReview(receipt.body, run.record.runtimeId, asked.intake));
    journal.take(recordReview(run, asked).events);
    this.#asked = null;
    this.#review = { receipt, revocation: null };
    const { reviewId, decision } = receipt.body;
    report({ link: 'review', subject: reviewId, contentId: receiptContentId, detail: decision.outcome });
  }

  failed(): void {
    const { journal, run } = this.#context;
    const { reason } = journal.expect('publish.review.decision_failed').data;
    if (this.#asked === null) throw journal.fault('type');
    const reviewId = reviewIdOf(run.record.runtimeId, this.#intake);
    journal.take([draftEvent('publish.review.decision_failed', { reviewId, reason }, causeOf(run))]);
    this.#asked = null;
  }

  /** An approval is about to be withdrawn: the one that stands. */
  revocationStarted(): void {
    const { journal, run } = this.#context;
    const { request, reviewerLabel } = journal.expect('publish.review.revocation_started').data;
    const approval = this.#approval();
    if (approval === null || this.#revoking !== null) throw journal.fault('type');
    const { reviewer, revocation } = request;
    const revoking = { approval, reviewer: { id: reviewer.id, label: reviewerLabel }, revocation };
    journal.take([revocationStarted(run, revoking)]);
    this.#revoking = revoking;
  }

  async revocationCompleted(): Promise<void> {
    const { journal, run, content, report } = this.#context;
    const [revoking, review] = [this.#revoking, this.#review];
    if (revoking === null || review === null) throw journal.fault('type', 1);
    const { receiptContentId } = journal.expect('publish.review.revocation_completed', 1).data;
    const receipt = await readReceipt(revocationShape, content, receiptContentId);
    checkObject(receiptContentId, () => auditRevocation(receipt.body, run.record.runtimeId, revoking.approval));
    journal.take(recordRevocation(run, revoking).events);
    this.#revoking = null;
    this.#review = { ...review, revocation: receipt };
    const { revocationId, result } = receipt.body;
    report({ link: 'revocation', subject: revocationId, contentId: receiptContentId, detail: result.state });
  }

  revocationFailed(): void {
    const { journal, run } = this.#context;
    const { reason } = journal.expect('publish.review.revocation_failed').data;
    const revoking = this.#revoking;
    if (revoking === null) throw journal.fault('type');
    const revocationId = revocationIdOf(run.record.runtimeId, revoking.approval);
    journal.take([draftEvent('publish.review.revocation_failed', { revocationId, reason }, causeOf(run))]);
    this.#revoking = null;
  }

  #approval(): ApprovalReference | null {
    const review = this.#review;
    if (review === null || review.revocation !== null) return null;
    const { body } = review.receipt;
    if (body.decision.outcome !== 'approve_for_caption_production') return null;
    return approvalReferenceOf(this.#context.run.record.runtimeId, body);
  }
}
