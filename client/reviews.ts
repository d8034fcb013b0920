import type {
  IntakeReference,
  PublishReviewDecisions,
  PublishReviewIntake,
  PublishReviewIntakes,
  ReviewDecision,
  RevocationDecision,
} from '../contract/review.ts';
import { NothingYet } from './host-error.ts';
import { encodedPath, type Given, type Transport } from './transport.ts';

/** A person's word for word agreement to the statement that `reviews` names; never filled in by a program on its own. */
export interface Attested {
  readonly reviewerId: string;
  readonly attestation: string;
}

const referenceOf = ({ intakeId, artifactId, receiptId, receiptContentId }: PublishReviewIntake): IntakeReference => ({
  intakeId,
  artifactId,
  receiptId,
  receiptContentId,
});

/** Reads the review of a study, and writes what a person decided. */
export class Reviews {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  intakes(runtimeId: string): Promise<PublishReviewIntakes> {
    return this.#transport.json(encodedPath`/v1/runtimes/${runtimeId}/publish-review-intakes`);
  }

  decisions(runtimeId: string): Promise<PublishReviewDecisions> {
    return this.#transport.json(encodedPath`/v1/runtimes/${runtimeId}/publish-review-decisions`);
  }

  /**
   * Approves or rejects the queued intake of a study. `plan` is the digest of the caption plan that the person read: captions follow it
   * then. Throws `NothingYet` for a study that is not in the queue, and `HostError` `caption_plan_mismatch` if the host gives another plan now.
   */
  async decide(
    runtimeId: string,
    decision: Given<ReviewDecision>,
    by: Attested,
    { plan }: { readonly plan?: string } = {},
  ): Promise<PublishReviewDecisions> {
    const [intake] = (await this.intakes(runtimeId)).intakes;
    if (intake === undefined) throw new NothingYet('the study is not in the review queue', 'wait for its end');
    const reviewer = { id: by.reviewerId, attestation: by.attestation };
    const json = { intake: referenceOf(intake), reviewer, decision, ...(plan !== undefined && { plan }) };
    return this.#transport.json(encodedPath`/v1/runtimes/${runtimeId}/publish-review-decisions`, {
      method: 'POST',
      json,
    });
  }

  /** Revokes the approval of a study. Throws `NothingYet` if none is valid. */
  async revoke(
    runtimeId: string,
    revocation: Given<RevocationDecision>,
    by: Attested,
  ): Promise<PublishReviewDecisions> {
    const approval = await this.approval(runtimeId);
    const json = { approval, reviewer: { id: by.reviewerId, attestation: by.attestation }, revocation };
    return this.#transport.json(encodedPath`/v1/runtimes/${runtimeId}/publish-review-revocations`, {
      method: 'POST',
      json,
    });
  }

  /** The valid approval. Throws `NothingYet` if there is none. */
  async approval(runtimeId: string) {
    const { reviews } = await this.decisions(runtimeId);
    const review = reviews.find(({ state }) => state === 'approved_for_caption_production');
    if (review === undefined) throw new NothingYet('no approval of this study is valid', 'a person has to approve it');
    const { reviewId, artifactId, receiptId, receiptContentId } = review;
    return { reviewId, artifactId, receiptId, receiptContentId };
  }
}
