import { ServiceError } from '../../contract/base/errors.ts';
import {
  attestations,
  type IntakeReference,
  type PublishReviewDecisions,
  type PublishReviewIntakes,
  type ReviewDecisionRequest,
  type Reviewer,
  type ReviewRevocationRequest,
} from '../../contract/review.ts';
import { canonicalJson } from '../../formats/canonical-json.ts';
import { messageOf } from '../../machines/emission.ts';
import type { VerifiedRuntime } from '../../receipts/fold.ts';
import { currentApprovalOf, publishedReviewsOf, reviewQueueOf } from '../../receipts/published/review.ts';
import { runtimeListOf } from '../../receipts/published/runtime.ts';
import type { EventDraft } from '../../storage/ledger/ledger.ts';
import type { HostBasis } from '../host-basis.ts';
import { movedWrites } from '../reopening/review-rows.ts';
import { refusalOf } from '../supervision/refused-write.ts';
import {
  cutCommandOf,
  decisionCommand,
  isPossible,
  type ReviewCommand,
  type ReviewStep,
  reviewOf,
  revocationCommand,
} from './review-command.ts';

export interface PublishReviewsOptions
  extends Pick<HostBasis, 'ledger' | 'objectStore' | 'runtimes' | 'mutex' | 'clock'> {
  readonly reviewer: Reviewer;
  /** Stops what is being made under the approval of a runtime; resolves when nothing is. */
  readonly stopWork: (runtimeId: string) => Promise<void>;
  /** Called after each commit that added to a runtime's journal. */
  readonly committed: (runtimeId: string) => void;
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
    const { intakes, ...list } = reviewQueueOf(await this.#options.runtimes.read(runtimeId));
    return {
      schema: 'studio.local-runtime-publish-review-intakes.v1',
      ...list,
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
      ...runtimeListOf(runtime),
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
    const { runtimes, mutex } = this.#options;
    return mutex.take(runtimeId, async () => {
      const runtime = await runtimes.read(runtimeId);
      this.#demandReviewer(reviewer.id);
      const queued = reviewQueueOf(runtime).intakes.find((known) => isSame(referenceOf(known), intake));
      if (queued?.outcome !== 'queued' || runtime.execution === null) {
        throw illegal('the intake is not one of this runtime that is queued');
      }
      const asked = { intake, reviewer: this.#options.reviewer, decision };
      const command = decisionCommand(runtime.execution.opened.run, asked);
      if (!isPossible(runtime, command)) throw illegal('the intake has been decided already');
      await this.#write(runtime, command, [command.started]);
      return this.reviews(runtimeId);
    });
  }

  /** Withdraws an approval. Throws `reviewer_identity_mismatch` and `illegal_review_transition`. */
  async revoke(
    runtimeId: string,
    { approval, reviewer, revocation }: ReviewRevocationRequest,
  ): Promise<PublishReviewDecisions> {
    const { runtimes, mutex, stopWork } = this.#options;
    return mutex.take(runtimeId, async () => {
      const runtime = await runtimes.read(runtimeId);
      const standing = currentApprovalOf(runtime);
      this.#demandReviewer(reviewer.id);
      if (runtime.execution === null || standing === null || !isSame(standing, approval)) {
        throw illegal('the approval is not one of this runtime');
      }
      const asked = { approval, reviewer: this.#options.reviewer, revocation };
      const command = revocationCommand(runtime.execution.opened.run, asked);
      if (!isPossible(runtime, command))
        throw illegal('the approval is revoked already, or the review was a rejection');
      await stopWork(runtimeId);
      await this.#write(runtime, command, [command.started]);
      return this.reviews(runtimeId);
    });
  }

  /** Brings to its end what the journal of a runtime says was begun, and was cut by the end of its host. */
  async finish(runtimeId: string): Promise<void> {
    const { runtimes, mutex } = this.#options;
    await mutex.take(runtimeId, async () => {
      const runtime = await runtimes.read(runtimeId);
      const command = cutCommandOf(runtime);
      if (command !== null) await this.#write(runtime, command, []);
    });
  }

  /**
   * Stores the receipt, then journals it in one commit with what comes before it. A receipt that cannot be stored is journalled
   * as the failure of what was asked for, which may be asked for again; throws `insufficient_storage` or `storage_unavailable` where
   * the system refused it, else `internal_failure`.
   */
  async #write(runtime: VerifiedRuntime, command: ReviewCommand, before: readonly EventDraft[]): Promise<void> {
    const { ledger, objectStore, clock, committed } = this.#options;
    const { runtimeId, recorded, failed } = command;
    const [start, end] = command.way;
    const append = async (events: readonly EventDraft[], last: ReviewStep): Promise<void> => {
      const { state, intakeId } = reviewOf(runtime);
      const way = before.length === 0 ? [last] : [start, last];
      const rows = await movedWrites(ledger, { runtimeId, intakeId }, state, way, clock.now());
      await ledger.commit([{ append: runtimeId, events: [...before, ...events] }, ...rows]);
      committed(runtimeId);
    };
    try {
      await objectStore.putAll(recorded.objects);
    } catch (error) {
      await append([failed(messageOf(error))], command.failure);
      throw refusalOf(error) ?? new ServiceError('internal_failure', 'the review could not be written down');
    }
    await append(recorded.events, end);
  }

  #demandReviewer(id: string): void {
    if (id === this.#options.reviewer.id) return;
    throw new ServiceError('reviewer_identity_mismatch', 'this host has another reviewer');
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
