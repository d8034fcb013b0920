import type { ReviewDecision, RevocationDecision } from '../../../contract/review.ts';
import { draftEvent } from '../../../receipts/journal.ts';
import type { AdmissionReference } from '../../../receipts/stages/admit.ts';
import {
  recordReview,
  recordRevocation,
  reviewIdOf,
  reviewStarted,
  revocationIdOf,
  revocationStarted,
} from '../../../receipts/stages/review.ts';
import { causeOf } from '../../../receipts/study-run.ts';
import type { StoredStudy } from '../evidence/stored-study.ts';

const reviewer = { id: 'reviewer:one', label: 'One' };
export const approval: ReviewDecision = {
  outcome: 'approve_for_caption_production',
  reasonCodes: ['reviewer_attested_caption_production_may_proceed'],
  note: null,
};
export const rejection: ReviewDecision = {
  outcome: 'reject_with_reasons',
  reasonCodes: ['other_review_concern'],
  note: 'later',
};
export const withdrawal: RevocationDecision = { reasonCodes: ['new_review_required'], note: null };
const reason = { code: 'review_not_recorded', message: 'no space' };

const intakeOf = ({ steps }: StoredStudy) => (steps.admit as { admission: AdmissionReference }).admission.intake;

/** The steps that a review of a study takes, each with the events and objects that it leaves. */
export function reviewOf(study: StoredStudy, decision: ReviewDecision) {
  const { run } = study;
  const asked = { intake: intakeOf(study), reviewer, decision };
  const recorded = recordReview(run, asked);
  const revoking = { approval: recorded.refs, reviewer, revocation: withdrawal };
  const revoked = recordRevocation(run, revoking);
  const reviewId = reviewIdOf(run.record.runtimeId, asked.intake);
  const revocationId = revocationIdOf(run.record.runtimeId, recorded.refs);
  return {
    approval: recorded.refs,
    started: [reviewStarted(run, asked)],
    failed: [draftEvent('publish.review.decision_failed', { reviewId, reason }, causeOf(run))],
    recorded: recorded.events,
    revocationStarted: [revocationStarted(run, revoking)],
    revocationFailed: [draftEvent('publish.review.revocation_failed', { revocationId, reason }, causeOf(run))],
    revoked: revoked.events,
    objects: [...recorded.objects, ...revoked.objects],
  };
}
