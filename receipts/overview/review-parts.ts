import type { OverviewPart } from '../../contract/overview/runtime-overview.ts';
import type { VerifiedTail } from '../reopening/fold-tail.ts';
import type { OverviewedRuntime } from './overviewed-runtime.ts';
import { reasonsText } from './reason-words.ts';

/** A part that nothing is stored of. */
export const bare = (path: string, state: OverviewPart['state'], text: string): OverviewPart => ({
  state,
  text,
  reasonCodes: [],
  receiptIds: [],
  path,
});

/** A part that comes after the end of a study, and never after its failure. */
export const pending = ({ hasEnded }: OverviewedRuntime, path: string, what: string): OverviewPart =>
  hasEnded
    ? bare(path, 'never', `${what}: the study ended before`)
    : bare(path, 'not_yet', `${what}: the study goes on`);

/** Whether the claims may be put before a reviewer. */
export function decisionPart(overviewed: OverviewedRuntime): OverviewPart {
  const { study, base } = overviewed;
  const path = `${base}/decision-receipts`;
  const decision = study?.findings.decision?.body ?? null;
  if (decision !== null) {
    const { outcome, reasonCodes } = decision.decision;
    const isWithheld = outcome === 'withheld';
    return {
      state: isWithheld ? 'withheld' : 'done',
      text: isWithheld ? `withheld: ${reasonsText(reasonCodes)}` : 'all claims are supported',
      reasonCodes,
      receiptIds: [decision.receiptId],
      path,
    };
  }
  if (study?.conclusion) return bare(path, 'never', 'nothing was claimed, so nothing was decided');
  return pending(overviewed, path, 'no decision');
}

function reviewedPart(path: string, { review, revoking }: VerifiedTail): OverviewPart | null {
  if (review === null) return null;
  const { receiptId, decision, reviewer } = review.receipt.body;
  const part = { reasonCodes: [...decision.reasonCodes], receiptIds: [receiptId], path };
  if (decision.outcome === 'reject_with_reasons') {
    return { ...part, state: 'withheld', text: `rejected by ${reviewer.label}: ${reasonsText(decision.reasonCodes)}` };
  }
  if (review.revocation !== null) {
    const { receiptId: revocationId, revocation } = review.revocation.body;
    return {
      ...part,
      state: 'withdrawn',
      text: `the approval was withdrawn: ${reasonsText(revocation.reasonCodes)}`,
      reasonCodes: [...revocation.reasonCodes],
      receiptIds: [receiptId, revocationId],
    };
  }
  if (revoking !== null) return { ...part, state: 'under_way', text: 'the approval is being withdrawn' };
  return { ...part, state: 'done', text: `approved for captions by ${reviewer.label}` };
}

/** What a person said of the study. */
export function reviewPart(overviewed: OverviewedRuntime): OverviewPart {
  const { study, base } = overviewed;
  const path = `${base}/publish-review-decisions`;
  const conclusion = study?.conclusion ?? null;
  if (study === null || conclusion === null) return pending(overviewed, path, 'no review');
  const { receiptId, result } = conclusion.intake.body;
  if (result.outcome === 'rejected') {
    const text = `not put before a reviewer: ${reasonsText(result.reasonCodes)}`;
    return { state: 'withheld', text, reasonCodes: [...result.reasonCodes], receiptIds: [receiptId], path };
  }
  const reviewed = reviewedPart(path, study.tail);
  if (reviewed !== null) return reviewed;
  const queued = { reasonCodes: [], receiptIds: [receiptId], path };
  return study.tail.deciding === null
    ? { ...queued, state: 'waiting', text: 'waiting for your review' }
    : { ...queued, state: 'under_way', text: 'the review is being written down' };
}
