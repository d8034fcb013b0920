import type { ApprovalReference } from '../../contract/review/publish-review.ts';
import type { CaptionedStudy } from '../captions/captioned-study.ts';
import { rulesOf } from '../captions/fold-captions.ts';
import { firstDifference } from '../core/first-difference.ts';
import type { VerifiedRuntime } from './reopen-runtime.ts';

/**
 * The study that an approval stands for; null when the approval is not this runtime's, or is withdrawn or about to be: what
 * began after the first word of a withdrawal could not be reopened.
 */
export function approvedStudyOf({ execution }: VerifiedRuntime, approval: ApprovalReference): CaptionedStudy | null {
  const conclusion = execution?.study.conclusion ?? null;
  const authority = execution?.study.tail.authority ?? null;
  if (execution === null || conclusion === null || authority === null) return null;
  if (firstDifference(authority, approval) !== null) return null;
  const { findings, tail } = execution.study;
  return { run: execution.opened.run, findings, conclusion, approval, rules: rulesOf(tail.captions) };
}
