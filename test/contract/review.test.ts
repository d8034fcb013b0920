import test from 'ava';
import { attestations, reviewDecisionRequest, reviewRevocationRequest } from '../../contract/review.ts';

const hex = '0'.repeat(64);
const reference = { artifactId: `artifact:${hex}`, receiptContentId: `sha256:${hex}` };

test('bug: reasons of a review were refused in an order that no client can know', (t) => {
  const intake = {
    ...reference,
    intakeId: `publish-review-intake:${hex}`,
    receiptId: `publish-review-intake-receipt:${hex}`,
  };
  const request = (reasonCodes: readonly string[]) => ({
    intake,
    reviewer: { id: 'reviewer', attestation: attestations.decision },
    decision: { outcome: 'reject_with_reasons', reasonCodes, note: null },
  });
  const given = ['other_review_concern', 'evidence_requires_additional_review', 'source_scope_not_approved'];
  const { decision } = reviewDecisionRequest.parse(request(given));
  t.deepEqual(decision.reasonCodes as readonly string[], [
    'evidence_requires_additional_review',
    'source_scope_not_approved',
    'other_review_concern',
  ]);
  for (const refused of [[], ['other_review_concern', 'other_review_concern'], ['of no list']]) {
    t.false(reviewDecisionRequest.safeParse(request(refused)).success);
  }
});

test('reasons of a revocation are taken in any order, and stored in one', (t) => {
  const { revocation } = reviewRevocationRequest.parse({
    approval: {
      ...reference,
      reviewId: `publish-review:${hex}`,
      receiptId: `publish-review-decision-receipt:${hex}`,
    },
    reviewer: { id: 'reviewer', attestation: attestations.revocation },
    revocation: { reasonCodes: ['rights_or_policy_concern', 'new_review_required'], note: null },
  });
  t.deepEqual(revocation.reasonCodes, ['new_review_required', 'rights_or_policy_concern']);
});
