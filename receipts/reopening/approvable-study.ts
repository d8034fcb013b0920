import type { Reviewer } from '../../contract/review/publish-review.ts';
import { captionRules } from '../captions/caption-rules.ts';
import type { CaptionedStudy } from '../captions/captioned-study.ts';
import { reviewReceipt } from '../review/publish-review-decision.ts';
import type { VerifiedRuntime } from './reopen-runtime.ts';

// No person approves anything: the approval below is derived to say what captions would be, and never written down.
const nobody: Reviewer = { id: 'reviewer:none', label: 'Nobody reviews an evaluation' };

/** The study as it would stand after an approval; null where it may not be put before a reviewer. */
export function approvable({ execution }: VerifiedRuntime): CaptionedStudy | null {
  const conclusion = execution?.study.conclusion ?? null;
  if (execution === null || conclusion === null || conclusion.admission.outcome !== 'queued') return null;
  const { run } = execution.opened;
  const { runtimeId } = run.record;
  const receipt = reviewReceipt.of(run, {
    intake: conclusion.admission.intake,
    reviewer: nobody,
    decision: {
      outcome: 'approve_for_caption_production',
      reasonCodes: ['reviewer_attested_caption_production_may_proceed'],
      note: null,
    },
  });
  return {
    run,
    findings: execution.study.findings,
    conclusion,
    approval: reviewReceipt.referenceOf(runtimeId, receipt),
    rules: captionRules,
  };
}
