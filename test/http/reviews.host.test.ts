import test, { type ExecutionContext } from 'ava';
import {
  attestations,
  type IntakeReference,
  type PublishReview,
  publishReviewDecisions,
  publishReviewIntakes,
  type ReviewDecision,
  type RevocationDecision,
} from '../../contract/review.ts';
import { hashOf } from '../../formats/canonical-json.ts';
import { TestHost } from '../host/test-host.ts';
import { runtimeOf } from './host/study-steps.ts';

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

/** A person's decision on a finished study, over the wire. */

const path = (runtimeId: string, list: string) => `/v1/runtimes/${runtimeId}/publish-review-${list}`;

/** A study that waits for its review. */
async function queued(t: ExecutionContext, host: TestHost) {
  const runtimeId = host.known.studies.oneSecond;
  const answer = await host.get(path(runtimeId, 'intakes'));
  const [intake] = host.granted(t, answer, 200, publishReviewIntakes).intakes;
  if (intake === undefined) throw new Error('no intake');
  const { intakeId, artifactId, receiptId, receiptContentId } = intake;
  const reference: IntakeReference = { intakeId, artifactId, receiptId, receiptContentId };
  return { runtimeId, intake, reference };
}

async function reviewsOf(t: ExecutionContext, host: TestHost, runtimeId: string): Promise<readonly PublishReview[]> {
  return host.granted(t, await host.get(path(runtimeId, 'decisions')), 200, publishReviewDecisions).reviews;
}

test('a queued study is approved once, and its approval revoked once', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const { runtimeId, intake, reference } = await queued(t, host);
  t.is(intake.outcome, 'queued');
  t.is(intake.intakeId, `publish-review-intake:${hashOf({ runId: runtimeId, readiness: intake.readiness })}`);
  t.deepEqual(await reviewsOf(t, host, runtimeId), []);
  const head = (await runtimeOf(t, host, runtimeId)).journalHead;

  const decided = await host.post(path(runtimeId, 'decisions'), decisionBody(reference, approve));
  const [review] = host.granted(t, decided, 201, publishReviewDecisions).reviews;
  if (review === undefined) throw new Error('no review');
  t.is(review.state, 'approved_for_caption_production');
  t.is(review.reviewId, `publish-review:${hashOf({ runId: runtimeId, intake: reference })}`);
  t.is((await runtimeOf(t, host, runtimeId)).journalHead, head + 3);
  for (const again of [approve, reject]) {
    const answer = await host.post(path(runtimeId, 'decisions'), decisionBody(reference, again));
    host.refused(t, answer, 'illegal_review_transition');
  }

  const approval = approvalOf(review);
  const revoked = await host.post(path(runtimeId, 'revocations'), revocationBody(approval));
  const [after] = host.granted(t, revoked, 201, publishReviewDecisions).reviews;
  t.is(after?.state, 'approval_revoked');
  t.deepEqual(after?.revocation?.reasonCodes, withdraw.reasonCodes);
  t.is((await runtimeOf(t, host, runtimeId)).journalHead, head + 6);
  const answer = await host.post(path(runtimeId, 'revocations'), revocationBody(approval));
  host.refused(t, answer, 'illegal_review_transition');
  t.deepEqual(await reviewsOf(t, host, runtimeId), after === undefined ? [] : [after]);
});

test('of equal decisions at once one is written down', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const { runtimeId, reference } = await queued(t, host);
  const answers = await Promise.all(
    [reject, reject, approve].map((decision) =>
      host.post(path(runtimeId, 'decisions'), decisionBody(reference, decision)),
    ),
  );
  t.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409]);
  t.is((await reviewsOf(t, host, runtimeId)).length, 1);
});

test('a rejection is final for its intake, and no approval to revoke', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const { runtimeId, reference } = await queued(t, host);
  const decided = await host.post(path(runtimeId, 'decisions'), decisionBody(reference, reject));
  const [review] = host.granted(t, decided, 201, publishReviewDecisions).reviews;
  if (review === undefined) throw new Error('no review');
  t.is(review.state, 'rejected');
  t.is(review.note, reject.note);
  const revoked = await host.post(path(runtimeId, 'revocations'), revocationBody(approvalOf(review)));
  host.refused(t, revoked, 'illegal_review_transition');
});

test('a review is refused by shape, runtime, reviewer and state, in this order', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const { runtimeId, reference } = await queued(t, host);
  const decisions = path(runtimeId, 'decisions');
  const malformed = [
    {},
    decisionBody(reference, { ...approve, reasonCodes: reject.reasonCodes }),
    decisionBody(reference, { ...reject, reasonCodes: [...reject.reasonCodes, ...reject.reasonCodes] }),
    decisionBody(reference, { ...reject, reasonCodes: [] }),
    decisionBody(reference, { ...approve, note: ' not trimmed' }),
    decisionBody(reference, { ...approve, note: 'x'.repeat(281) }),
    ...['a\ud800b', 'a\u0085b', 'a\u2029b', 'a\u202eb'].map((note) => decisionBody(reference, { ...approve, note })),
    decisionBody(reference, approve, reviewer, attestations.revocation),
    { ...decisionBody(reference, approve), more: true },
  ];
  for (const body of malformed) host.refused(t, await host.post(decisions, body), 'invalid_review_request');
  const unknown = path(`runtime:${'0'.repeat(8)}-0000-4000-8000-${'0'.repeat(12)}`, 'decisions');
  host.refused(t, await host.post(unknown, {}), 'invalid_review_request');
  host.refused(t, await host.post(unknown, decisionBody(reference, approve, 'someone')), 'unknown_runtime');
  const other = { ...reference, intakeId: `publish-review-intake:${'0'.repeat(64)}` };
  const mismatch = await host.post(decisions, decisionBody(other, approve, 'someone'));
  host.refused(t, mismatch, 'reviewer_identity_mismatch');
  host.refused(t, await host.post(decisions, decisionBody(other, approve)), 'illegal_review_transition');
  t.deepEqual(await reviewsOf(t, host, runtimeId), []);
});

test('a review outlives the host that wrote it down', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const { runtimeId, reference } = await queued(t, host);
  const decided = await host.post(path(runtimeId, 'decisions'), decisionBody(reference, approve));
  const [review] = host.granted(t, decided, 201, publishReviewDecisions).reviews;
  if (review === undefined) throw new Error('no review');
  await host.die();
  t.deepEqual(await reviewsOf(t, host, runtimeId), [review]);
  const revoked = await host.post(path(runtimeId, 'revocations'), revocationBody(approvalOf(review)));
  t.is(host.granted(t, revoked, 201, publishReviewDecisions).reviews[0]?.state, 'approval_revoked');
});
