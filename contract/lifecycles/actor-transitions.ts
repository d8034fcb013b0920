import { z } from 'zod';
import { count, identity, positive, timestamp } from '../base/grammar.ts';
import { longestPage, usualPage } from '../base/newest-first.ts';
import { actorKind, listedActor } from './actors.ts';
import { activeStates, chartStateValue } from './state-value.ts';

/** What a reader may ask of the transitions of an actor. */
export const transitionsQuery = {
  after: count.default(0).describe('the cursor: the `seq` of the last transition that the reader has'),
  limit: positive.max(longestPage).default(usualPage).describe('the most transitions on the page'),
};

/** Why an actor is in a state: an event led there, or it was started again there after it failed, or after its host ended. */
export const transitionCause = z.enum(['event', 'restarted', 'resumed']);

/**
 * A state that an actor came to. `event` is the type of the event as the chart has it, null for a start in the state that the
 * actor was in already. `commit` is the number of the commit that holds it: what happened in one commit happened together.
 */
export const actorTransition = z.strictObject({
  seq: positive,
  cause: transitionCause,
  event: z.string().min(1).nullable(),
  value: chartStateValue,
  states: activeStates,
  at: timestamp,
  commit: count,
});

/**
 * The answer to `GET /v1/actors/:actorId/transitions`, the oldest first. `isComplete` says that nothing before the first one is
 * missing. `recordedFrom` is the time of the oldest that is kept, null where none is: an earlier version of the host kept
 * none, and of each actor only the newest 256 are kept.
 */
export const actorTransitions = z.strictObject({
  schema: z.literal('studio.actor-transitions.v1'),
  actorId: identity,
  kind: actorKind,
  isComplete: z.boolean(),
  recordedFrom: timestamp.nullable(),
  transitions: z.array(actorTransition),
  nextCursor: count,
  reachedHead: z.boolean(),
});

/**
 * A transition as a stream has it. `from` is where the actor was before: null at its beginning, and where that is no longer
 * kept. An actor numbers its transitions from 1; what was sent before bears the same `actorId` and `seq` again.
 */
export const streamedTransition = z.strictObject({
  schema: z.literal('studio.actor-transition.v1'),
  actorId: identity,
  kind: actorKind,
  chartId: listedActor.shape.chartId,
  runtimeId: listedActor.shape.runtimeId,
  from: z.strictObject({ value: chartStateValue, states: activeStates }).nullable(),
  ...actorTransition.shape,
});

/** Says of a stream of all actors that every transition up to `commit` was sent, or is of before its beginning. */
export const actorsFollowed = z.strictObject({ schema: z.literal('studio.actors-followed.v1'), commit: count });

export type StreamedTransition = z.infer<typeof streamedTransition>;
export type ActorsFollowed = z.infer<typeof actorsFollowed>;
export type ActorTransition = z.infer<typeof actorTransition>;
export type ActorTransitions = z.infer<typeof actorTransitions>;
