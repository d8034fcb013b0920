import { ServiceError } from '../../contract/base/service-error.ts';
import {
  attestations,
  type IntakeReference,
  type ReviewDecisionRequest,
  type Reviewer,
  type ReviewRevocationRequest,
} from '../../contract/review/publish-review.ts';
import type { PublishReviewDecisions, PublishReviewIntakes } from '../../contract/review/publish-review-answers.ts';
import type { PublishReviewInput } from '../../machines/publish-review.ts';
import { canonicalJson } from '../../receipts/core/canonical-json.ts';
import { publishedReviewsOf, standingReviewOf } from '../../receipts/reopening/published-reviews.ts';
import { reviewQueueOf } from '../../receipts/reopening/review-queue.ts';
import { reviewIdOf } from '../../receipts/review/publish-review-decision.ts';
import type { KeyedMutex } from '../../storage/keyed-mutex.ts';
import type { VerifiedRuntimes } from '../reopening/verified-runtimes.ts';
import type { ActorDefinition } from '../supervision/actor-definition.ts';
import { settledActor } from '../supervision/settled-actor.ts';
import { readStored } from '../supervision/stored-read.ts';
import type { Supervisor } from '../supervision/supervisor.ts';

export interface PublishReviewsOptions {
  readonly definition: ActorDefinition;
  readonly supervisor: Supervisor;
  readonly runtimes: VerifiedRuntimes;
  readonly reviewer: Reviewer;
  /** A withdrawal, and whatever begins under an approval, take turns by the runtime's id. */
  readonly mutex: KeyedMutex;
  /** Stops what is being made under the approval of a runtime; resolves when nothing is. */
  readonly stopWork: (runtimeId: string) => Promise<void>;
}

/**
 * The service behind review intakes, decisions and revocations. Every answer rests on a runtime that was reopened as a
 * whole; all throw `unknown_runtime` and `stored_content_inconsistent`. Nothing that was decided is ever deleted.
 */
export class PublishReviews {
  readonly #options: PublishReviewsOptions;

  constructor(options: PublishReviewsOptions) {
    this.#options = options;
  }

  async intakes(runtimeId: string): Promise<PublishReviewIntakes> {
    const { commandId, journalHead, intakes } = reviewQueueOf(await this.#options.runtimes.read(runtimeId));
    return {
      schema: 'studio.local-runtime-publish-review-intakes.v1',
      commandId,
      runtimeId,
      journalHead,
      intakes: intakes.map((intake) => ({
        ...intake,
        integrity: 'stored_intake_and_verified_study_readiness',
        producer: 'host_publish_review_intake_v1',
      })),
    };
  }

  async reviews(runtimeId: string): Promise<PublishReviewDecisions> {
    const runtime = await this.#options.runtimes.read(runtimeId);
    return {
      schema: 'studio.local-runtime-publish-review-decisions.v1',
      commandId: runtime.accepted.record.commandId,
      runtimeId,
      journalHead: runtime.journalHead,
      reviewer: {
        ...this.#options.reviewer,
        decisionAttestation: attestations.decision,
        revocationAttestation: attestations.revocation,
      },
      reviews: publishedReviewsOf(runtime),
    };
  }

  /** Writes a decision down. Throws `reviewer_identity_mismatch` and `illegal_review_transition`. */
  async decide(
    runtimeId: string,
    { intake, reviewer, decision }: ReviewDecisionRequest,
  ): Promise<PublishReviewDecisions> {
    const { intakes } = reviewQueueOf(await this.#options.runtimes.read(runtimeId));
    this.#demandReviewer(reviewer.id);
    const { supervisor, definition } = this.#options;
    const queued = intakes.find((known) => isSame(referenceOf(known), intake));
    if (queued?.outcome !== 'queued') throw illegal('the intake is not one of this runtime that is queued');
    const reviewId = reviewIdOf(runtimeId, intake);
    const status = this.#status(reviewId);
    // A decision that could not be written down was none: it may be made again.
    if (supervisor.isLive(reviewId) || (status !== undefined && status !== 'unrecorded')) {
      throw illegal('the intake has been decided already');
    }
    const input: PublishReviewInput = { runtimeId, reviewId, intake, reviewer: this.#options.reviewer, decision };
    await supervisor.spawn(definition, reviewId, input, []);
    await this.#settled(reviewId, 'approved', 'rejected');
    return this.reviews(runtimeId);
  }

  /** Withdraws an approval. Throws `reviewer_identity_mismatch` and `illegal_review_transition`. */
  async revoke(
    runtimeId: string,
    { approval, reviewer, revocation }: ReviewRevocationRequest,
  ): Promise<PublishReviewDecisions> {
    const { runtimes, supervisor, mutex, stopWork } = this.#options;
    await mutex.take(runtimeId, async () => {
      const standing = standingReviewOf(await runtimes.read(runtimeId));
      this.#demandReviewer(reviewer.id);
      if (standing === null || !isSame(standing, approval)) throw illegal('the approval is not one of this runtime');
      await stopWork(runtimeId);
      const event = { type: 'review.revoke', reviewer: this.#options.reviewer, revocation };
      if (!(await supervisor.send(approval.reviewId, event))) {
        throw illegal('the approval is revoked already, or the review was a rejection');
      }
    });
    await this.#settled(approval.reviewId, 'revoked');
    return this.reviews(runtimeId);
  }

  #status(reviewId: string): string | undefined {
    return readStored(() => this.#options.supervisor.read(reviewId))?.status;
  }

  #demandReviewer(id: string): void {
    if (id === this.#options.reviewer.id) return;
    throw new ServiceError('reviewer_identity_mismatch', 'this host has another reviewer');
  }

  /** Waits until what was asked for is written down, or could not be. */
  async #settled(reviewId: string, ...wanted: readonly string[]): Promise<void> {
    const state = await settledActor(this.#options.supervisor, reviewId, ['deciding', 'revoking']);
    if (!wanted.includes(state)) throw new ServiceError('internal_failure', 'the review could not be written down');
  }
}

const referenceOf = ({ intakeId, artifactId, receiptId, receiptContentId }: IntakeReference): IntakeReference => ({
  intakeId,
  artifactId,
  receiptId,
  receiptContentId,
});

const isSame = (one: object, other: object): boolean => canonicalJson(one) === canonicalJson(other);

const illegal = (message: string) => new ServiceError('illegal_review_transition', message);
