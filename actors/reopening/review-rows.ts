import type { StateValue } from 'xstate';
import { z } from 'zod';
import type { ActorPhase } from '../../contract/lifecycles/actors.ts';
import { type PublishReviewEvent, type PublishReviewState, reviewStep } from '../../machines/publish-review.ts';
import { indexKey } from '../../storage/ledger/keys.ts';
import type { Ledger, Write } from '../../storage/ledger/ledger.ts';
import {
  byEvent,
  firstEvent,
  transitionSeqOf,
  transitionsOf,
  transitionWrites,
} from '../supervision/transition-rows.ts';

/** The list of reviews, by the intakes that they are of. */
export const reviewScope = 'publish-review' as const;

/** The runtime of a review. The journal and its newest transition have the state of the review. */
export const reviewRow = z.strictObject({ runtimeId: z.string() });

export const reviewKey = (intakeId: string): string => `review/${intakeId}`;

/** The phase of a review: it is being written, waits for its reviewer, or is over. An approval can still be withdrawn. */
export function reviewPhaseOf(state: StateValue): ActorPhase {
  if (state === 'deciding' || state === 'revoking') return 'live';
  return state === 'queued' || state === 'approved' ? 'waiting' : 'ended';
}

interface Review {
  readonly runtimeId: string;
  readonly intakeId: string;
}

const listed = ({ runtimeId, intakeId }: Review, startedAt: number): Write[] => [
  { put: 'record', key: reviewKey(intakeId), value: { runtimeId } satisfies z.infer<typeof reviewRow> },
  { put: 'index', key: indexKey(reviewScope, startedAt, intakeId), value: true },
];

/** The writes that the commit adds when it queues a study for its review; `at` is epoch ms. */
export const queuedWrites = (review: Review, at: number): Write[] => [
  ...listed(review, at),
  ...transitionWrites(review.intakeId, 1, 'queued', byEvent(firstEvent, []), at),
];

/**
 * The writes of a commit that takes a review along `way`. A review that an earlier version queued enters the list now; the time
 * of its queueing is unknown there.
 */
export async function movedWrites(
  ledger: Ledger,
  review: Review,
  from: PublishReviewState,
  way: readonly PublishReviewEvent['type'][],
  at: number,
): Promise<Write[]> {
  const { intakeId } = review;
  const prefix = transitionsOf(intakeId);
  const keys = (await ledger.list('transition', prefix)).map(({ key }) => key);
  const last = keys.length === 0 ? 0 : transitionSeqOf(keys.at(-1) ?? '');
  const writes = ledger.get('record', reviewKey(intakeId)) === undefined ? listed(review, 0) : [];
  let state = from;
  for (const [index, event] of way.entries()) {
    const step = reviewStep(state, event);
    if (step === null) break;
    state = step.state;
    writes.push(...transitionWrites(intakeId, last + index + 1, state, byEvent(event, step.taken), at));
  }
  return writes;
}
