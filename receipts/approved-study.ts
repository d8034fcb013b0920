import type { ApprovalReference } from '../contract/publish-review.ts';
import type { CaptionedStudy } from './captioned-study.ts';
import { firstDifference } from './first-difference.ts';
import { standingReviewOf } from './published-reviews.ts';
import type { VerifiedRuntime } from './reopen-runtime.ts';

/** The study that an approval stands for; null when the approval is not this runtime's, or does not stand any more. */
export function approvedStudyOf(runtime: VerifiedRuntime, approval: ApprovalReference): CaptionedStudy | null {
  const { execution } = runtime;
  const conclusion = execution?.study.conclusion ?? null;
  const review = execution?.study.tail.review ?? null;
  const standing = standingReviewOf(runtime);
  if (execution === null || conclusion === null || review === null || standing === null) return null;
  const isApproval = review.receipt.body.decision.outcome === 'approve_for_caption_production';
  if (!isApproval || review.revocation !== null || firstDifference(standing, approval) !== null) return null;
  return { run: execution.opened.run, findings: execution.study.findings, conclusion, approval };
}
