import type { EventType } from '../contract/journal-event.ts';
import type { VerifiedConclusion } from './replay-conclusion.ts';
import type { ReplayContext } from './replay-media.ts';
import { ReviewReplay, type VerifiedReview } from './replay-reviews.ts';

/** What came of a study after it was concluded. */
export interface VerifiedTail {
  readonly review: VerifiedReview | null;
}

type Steps = Readonly<Partial<Record<EventType, () => void | Promise<void>>>>;

/**
 * Takes everything that people and later stages did with a finished study from the journal, one entry at a time: artifacts
 * belong to the event after them. Throws `EvidenceChainError` at the first event that could not come there.
 */
export async function replayTail(context: ReplayContext, conclusion: VerifiedConclusion): Promise<VerifiedTail> {
  const { journal } = context;
  const reviews = new ReviewReplay(context, conclusion);
  const steps: Steps = {
    'publish.review.decision_started': () => reviews.started(),
    'publish.review.decision_completed': () => reviews.completed(),
    'publish.review.decision_failed': () => reviews.failed(),
    'publish.review.revocation_started': () => reviews.revocationStarted(),
    'publish.review.revocation_completed': () => reviews.revocationCompleted(),
    'publish.review.revocation_failed': () => reviews.revocationFailed(),
  };
  while (journal.typeAt() !== null) {
    const artifacts = journal.count('artifact.recorded');
    const type = journal.typeAt(artifacts);
    const step = type === null ? undefined : steps[type];
    if (step === undefined) throw journal.fault(type === null ? 'missing' : 'type', artifacts);
    await step();
  }
  return { review: reviews.review };
}
