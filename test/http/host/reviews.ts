import test, { type ExecutionContext } from 'ava';
import {
  attestations,
  type IntakeReference,
  type ReviewDecision,
  type RevocationDecision,
} from '../../../contract/review/publish-review.ts';
import {
  type PublishReview,
  publishReviewDecisions,
  publishReviewIntakes,
} from '../../../contract/review/publish-review-answers.ts';
import { hashOf } from '../../../receipts/core/canonical-json.ts';
import type { HostContract } from './contract.ts';
import { followed, runtimeOf, sampleRow, startStudy, studyRequest } from './study-steps.ts';

const reviewer = 'reviewer:local-operator';

const approve: ReviewDecision = {
  outcome: 'approve_for_caption_production',
  reasonCodes: ['reviewer_attested_caption_production_may_proceed'],
  note: null,
};
const reject: ReviewDecision = {
  outcome: 'reject_with_reasons',
  reasonCodes: ['evidence_requires_additional_review', 'other_review_concern'],
  note: 'the last second is unclear',
};
const withdraw: RevocationDecision = { reasonCodes: ['approval_entered_in_error', 'source_scope_changed'], note: null };

const decisionBody = (
  intake: unknown,
  decision: unknown,
  id = reviewer,
  attestation: string = attestations.decision,
) => ({
  intake,
  reviewer: { id, attestation },
  decision,
});

const revocationBody = (approval: unknown, id = reviewer) => ({
  approval,
  reviewer: { id, attestation: attestations.revocation },
  revocation: withdraw,
});

const approvalOf = ({ reviewId, artifactId, receiptId, receiptContentId }: PublishReview) => ({
  reviewId,
  artifactId,
  receiptId,
  receiptContentId,
});

/** What a person decides on a finished study, over the wire. */
export function reviews(contract: HostContract): void {
  const path = (runtimeId: string, list: string) => `/v1/runtimes/${runtimeId}/publish-review-${list}`;

  async function studied(t: ExecutionContext, clientRequestId: string) {
    const request = studyRequest(await sampleRow(t, contract), { clientRequestId });
    const { runtimeId } = await startStudy(t, contract, request);
    await followed(t, contract, runtimeId);
    const answer = await contract.get(path(runtimeId, 'intakes'));
    const [intake] = contract.granted(t, answer, 200, publishReviewIntakes).intakes;
    if (intake === undefined) throw new Error('no intake');
    const { intakeId, artifactId, receiptId, receiptContentId } = intake;
    const reference: IntakeReference = { intakeId, artifactId, receiptId, receiptContentId };
    return { runtimeId, intake, reference };
  }

  async function reviewsOf(t: ExecutionContext, runtimeId: string): Promise<readonly PublishReview[]> {
    return contract.granted(t, await contract.get(path(runtimeId, 'decisions')), 200, publishReviewDecisions).reviews;
  }

  test.serial(contract.title('a queued study is approved once, and its approval revoked once'), async (t) => {
    const { runtimeId, intake, reference } = await studied(t, 'review-1');
    t.is(intake.outcome, 'queued');
    t.is(intake.intakeId, `publish-review-intake:${hashOf({ runId: runtimeId, readiness: intake.readiness })}`);
    t.deepEqual(await reviewsOf(t, runtimeId), []);
    const head = (await runtimeOf(t, contract, runtimeId)).journalHead;

    const decided = await contract.post(path(runtimeId, 'decisions'), decisionBody(reference, approve));
    const [review] = contract.granted(t, decided, 201, publishReviewDecisions).reviews;
    if (review === undefined) throw new Error('no review');
    t.is(review.state, 'approved_for_caption_production');
    t.is(review.reviewId, `publish-review:${hashOf({ runId: runtimeId, intake: reference })}`);
    t.is((await runtimeOf(t, contract, runtimeId)).journalHead, head + 3);
    for (const again of [approve, reject]) {
      const answer = await contract.post(path(runtimeId, 'decisions'), decisionBody(reference, again));
      contract.refused(t, answer, 'illegal_review_transition');
    }

    const approval = approvalOf(review);
    const revoked = await contract.post(path(runtimeId, 'revocations'), revocationBody(approval));
    const [after] = contract.granted(t, revoked, 201, publishReviewDecisions).reviews;
    t.is(after?.state, 'approval_revoked');
    t.deepEqual(after?.revocation?.reasonCodes, withdraw.reasonCodes);
    t.is((await runtimeOf(t, contract, runtimeId)).journalHead, head + 6);
    const answer = await contract.post(path(runtimeId, 'revocations'), revocationBody(approval));
    contract.refused(t, answer, 'illegal_review_transition');
    t.deepEqual(await reviewsOf(t, runtimeId), after === undefined ? [] : [after]);
  });

  test.serial(contract.title('of equal decisions at once one is written down'), async (t) => {
    const { runtimeId, reference } = await studied(t, 'review-2');
    const answers = await Promise.all(
      [reject, reject, approve].map((decision) =>
        contract.post(path(runtimeId, 'decisions'), decisionBody(reference, decision)),
      ),
    );
    t.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409]);
    t.is((await reviewsOf(t, runtimeId)).length, 1);
  });

  test.serial(contract.title('a rejection is final for its intake, and no approval to revoke'), async (t) => {
    const { runtimeId, reference } = await studied(t, 'review-3');
    const decided = await contract.post(path(runtimeId, 'decisions'), decisionBody(reference, reject));
    const [review] = contract.granted(t, decided, 201, publishReviewDecisions).reviews;
    if (review === undefined) throw new Error('no review');
    t.is(review.state, 'rejected');
    t.is(review.note, reject.note);
    const revoked = await contract.post(path(runtimeId, 'revocations'), revocationBody(approvalOf(review)));
    contract.refused(t, revoked, 'illegal_review_transition');
  });

  test.serial(contract.title('a review is refused by shape, runtime, reviewer and state, in this order'), async (t) => {
    const { runtimeId, reference } = await studied(t, 'review-4');
    const decisions = path(runtimeId, 'decisions');
    const malformed = [
      {},
      decisionBody(reference, { ...approve, reasonCodes: reject.reasonCodes }),
      decisionBody(reference, { ...reject, reasonCodes: [...reject.reasonCodes].reverse() }),
      decisionBody(reference, { ...reject, reasonCodes: [] }),
      decisionBody(reference, { ...approve, note: ' not trimmed' }),
      decisionBody(reference, { ...approve, note: 'x'.repeat(281) }),
      ...['a\ud800b', 'a\u0085b', 'a\u2029b', 'a\u202eb'].map((note) => decisionBody(reference, { ...approve, note })),
      decisionBody(reference, approve, reviewer, attestations.revocation),
      { ...decisionBody(reference, approve), more: true },
    ];
    for (const body of malformed) contract.refused(t, await contract.post(decisions, body), 'invalid_review_request');
    const unknown = path(`runtime:${'0'.repeat(8)}-0000-4000-8000-${'0'.repeat(12)}`, 'decisions');
    contract.refused(t, await contract.post(unknown, {}), 'invalid_review_request');
    contract.refused(t, await contract.post(unknown, decisionBody(reference, approve, 'someone')), 'unknown_runtime');
    const other = { ...reference, intakeId: `publish-review-intake:${'0'.repeat(64)}` };
    const mismatch = await contract.post(decisions, decisionBody(other, approve, 'someone'));
    contract.refused(t, mismatch, 'reviewer_identity_mismatch');
    contract.refused(t, await contract.post(decisions, decisionBody(other, approve)), 'illegal_review_transition');
    t.deepEqual(await reviewsOf(t, runtimeId), []);
  });

  test.serial(contract.title('a review outlives the host that wrote it down'), async (t) => {
    const { runtimeId, reference } = await studied(t, 'review-5');
    const decided = await contract.post(path(runtimeId, 'decisions'), decisionBody(reference, approve));
    const [review] = contract.granted(t, decided, 201, publishReviewDecisions).reviews;
    if (review === undefined) throw new Error('no review');
    await contract.kill();
    await contract.start();
    t.deepEqual(await reviewsOf(t, runtimeId), [review]);
    const revoked = await contract.post(path(runtimeId, 'revocations'), revocationBody(approvalOf(review)));
    t.is(contract.granted(t, revoked, 201, publishReviewDecisions).reviews[0]?.state, 'approval_revoked');
  });
}
