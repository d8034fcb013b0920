import type { DoneActorEvent } from 'xstate';
import { failureMessage, messageOf } from '../contract/base/errors.ts';
import type { EventType } from '../contract/journal.ts';
import type { EventDraft, Write } from '../storage/ledger/ledger.ts';

/**
 * The addition of a transition to the commit of its own snapshot. Machines emit it. The supervisor writes it in the same batch as
 * the snapshot, so that neither can exist without the other.
 */
export interface CommitEmission {
  readonly type: 'commit';
  readonly events: readonly EventDraft[];
  readonly writes: readonly Write[];
}

/** The result of an effect for the transition that ends it. */
export interface EffectOutcome {
  readonly events: readonly EventDraft[];
  readonly writes: readonly Write[];
}

export const emissionOf = (outcome: EffectOutcome): CommitEmission => ({
  type: 'commit',
  events: outcome.events,
  writes: outcome.writes,
});

/** Commits what an effect hands over with the transition that ends it. */
export const commitOutcome = {
  type: 'commit',
  params: ({ event }: { event: DoneActorEvent<EffectOutcome> }) => event.output,
} as const;

/** The transition to a state that commits what an effect hands over; `journal` is what that adds to the journal. */
export const committedTo = <const Target extends string>(target: Target, journal: readonly EventType[]) =>
  ({ target, actions: commitOutcome, meta: { journal } }) as const;

/** The logic of an effect that was not provided. */
export const notProvided = (name: string) => async (): Promise<never> => {
  throw new Error(`the actor '${name}' was not provided`);
};

/** The error of an effect, in the form of a failure's message. */
export const thrownMessage = (error: unknown): string => failureMessage(messageOf(error));
