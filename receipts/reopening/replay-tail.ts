import type { EventType } from '../../contract/journal/journal-event.ts';
import type { ApprovalReference } from '../../contract/review/publish-review.ts';
import { captionRules } from '../captions/caption-rules.ts';
import { CaptionReplay, type VerifiedCaptions } from '../captions/replay-captions.ts';
import type { ReplayContext } from '../evidence/replay-media.ts';
import { ExplanationReplay, type VerifiedExplanation } from '../explanations/replay-explanations.ts';
import type { ReviewedIntake } from '../review/publish-review-decision.ts';
import type { RevokedApproval } from '../review/publish-review-revocation.ts';
import { ReviewReplay, type VerifiedReview } from '../review/replay-reviews.ts';
import type { VerifiedConclusion, VerifiedFindings } from '../study/replay-conclusion.ts';

/** What came of a study after it was concluded. */
export interface VerifiedTail {
  readonly review: VerifiedReview | null;
  /** The decision that is being written down. */
  readonly deciding: ReviewedIntake | null;
  /** The withdrawal that is being written down. */
  readonly revoking: RevokedApproval | null;
  /** The approval under which something may begin: null from the first word of its withdrawal on. */
  readonly authority: ApprovalReference | null;
  readonly captions: VerifiedCaptions;
  /** Attempts at explanations of the captions, in the order in which they began. */
  readonly explanations: readonly VerifiedExplanation[];
}

export const emptyTail: VerifiedTail = {
  review: null,
  deciding: null,
  revoking: null,
  authority: null,
  captions: { attempts: 0, isOpen: false, rules: captionRules, caption: null },
  explanations: [],
};

type Steps = Readonly<Partial<Record<EventType, () => void | Promise<void>>>>;

/**
 * Takes everything that people and later stages did with a finished study from the journal, one entry at a time: artifacts
 * belong to the event after them. Throws `EvidenceChainError` at the first event that could not come there.
 */
export async function replayTail(
  context: ReplayContext,
  findings: VerifiedFindings,
  conclusion: VerifiedConclusion,
): Promise<VerifiedTail> {
  const { journal } = context;
  const reviews = new ReviewReplay(context, conclusion);
  const captions = new CaptionReplay(context, findings, conclusion);
  const explanations = new ExplanationReplay(context);
  const steps: Steps = {
    'publish.review.decision_started': () => reviews.started(),
    'publish.review.decision_completed': () => reviews.completed(),
    'publish.review.decision_failed': () => reviews.failed(),
    'publish.review.revocation_started': () => {
      // An approval is withdrawn when nothing is being made under it any more.
      if (captions.state.isOpen || explanations.isOpen) throw journal.fault('type');
      reviews.revocationStarted();
    },
    'publish.review.revocation_completed': () => reviews.revocationCompleted(),
    'publish.review.revocation_failed': () => reviews.revocationFailed(),
    'caption.production_started': () => captions.started(reviews.authority),
    'caption.production_completed': () => captions.completed(),
    'caption.production_failed': () => captions.failed(),
    'caption.quality_control_decided': () => captions.checked(),
    'language.explanation_started': () =>
      explanations.started(reviews.authority === null ? null : captions.state.caption),
    'language.explanation_completed': () => explanations.completed(),
    'language.explanation_failed': () => explanations.failed(),
  };
  while (journal.typeAt() !== null) {
    const artifacts = journal.count('artifact.recorded');
    const type = journal.typeAt(artifacts);
    const step = type === null ? undefined : steps[type];
    if (step === undefined) throw journal.fault(type === null ? 'missing' : 'type', artifacts);
    await step();
  }
  const { review, deciding, revoking, authority } = reviews;
  return { review, deciding, revoking, authority, captions: captions.state, explanations: explanations.attempts };
}
