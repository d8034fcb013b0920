import { z } from 'zod';
import { count, identity, positive, timestamp } from '../base/grammar.ts';
import { listQuery, longestPage, newestFirstFields, usualPage } from '../base/newest-first.ts';
import { runtimeId } from '../study/start.ts';

/**
 * The state of a chart, in the form of XState. It is the name of a state, or of each active state with the active states inside
 * it.
 */
export type ChartStateValue = string | { readonly [state: string]: ChartStateValue };

/**
 * The state of a chart: the name of a state, or an object from the names of active states to their own states. A parallel state
 * has a key for each of its regions.
 */
export const chartStateValue: z.ZodType<ChartStateValue> = z.lazy(() =>
  z.union([z.string(), z.record(z.string(), chartStateValue)]),
);

/** The ids of active states that have none inside them, as the chart has them, such as `runtime.running.detect`. */
export const activeStates = z.array(z.string().min(1));

/** The kinds of actors, each with a chart of the same id. A review is listed by the id of the intake that it is of. */
export const actorKinds = [
  'owned-ingest',
  'videohost-ingest',
  'runtime',
  'publish-review',
  'caption-production',
  'language-explanation',
] as const;
export const actorKind = z.enum(actorKinds);

/** `live` is at work now; `waiting` needs a worker, a client, a person or its turn; `ended` moves no more. */
export const actorPhase = z.enum(['live', 'waiting', 'ended']);

/** The query of the list of actors. */
export const actorsQuery = {
  ...listQuery,
  kind: actorKind.optional().describe('only actors of this kind'),
  state: z
    .string()
    .min(1)
    .optional()
    .describe('only actors in this state of their chart, or in one inside it, such as `running`'),
};

/**
 * One actor, as its last commit left it. `runtimeId` names the study that it is part of; ingests have none. `startedAt` is null
 * if an earlier version did not keep it. `resumes` and `restarts` count the new starts of the work: after the end of a host, and
 * after a failure of the actor.
 */
export const listedActor = z.strictObject({
  actorId: identity,
  kind: actorKind,
  chartId: z.string().min(1),
  chartVersion: z.string().min(1),
  runtimeId: runtimeId.nullable(),
  value: chartStateValue,
  states: activeStates,
  phase: actorPhase,
  startedAt: timestamp.nullable(),
  updatedAt: timestamp,
  restarts: count,
  resumes: count,
});

/** The answer to `GET /v1/actors`. */
export const actorList = z.strictObject({
  schema: z.literal('studio.actors.v1'),
  actors: z.array(listedActor),
  ...newestFirstFields,
});

export type ActorKind = z.infer<typeof actorKind>;
export type ActorPhase = z.infer<typeof actorPhase>;
export type ListedActor = z.infer<typeof listedActor>;
export type ActorList = z.infer<typeof actorList>;

/** The answer to `GET /v1/actors/:actorId`: the actor as the list has it. */
export const readActor = z.strictObject({ schema: z.literal('studio.actor.v1'), ...listedActor.shape });

export type ReadActor = z.infer<typeof readActor>;

/** The query of the transitions of an actor. */
export const transitionsQuery = {
  after: count.default(0).describe('the cursor: the `seq` of the last transition that the reader has'),
  limit: positive.max(longestPage).default(usualPage).describe('the most transitions on the page'),
};

/** Why an actor is in a state: an event led there, or it was started again there after it failed, or after its host ended. */
export const transitionCause = z.enum(['event', 'restarted', 'resumed']);

/**
 * A state that an actor reached. `event` is the type of the event as the chart has it, null for a start in the state that the
 * actor was in already. `commit` is the number of the commit that holds it: transitions of one commit happened together. `taken`
 * has the ids of the transitions of the chart that the event took, in their order. `journal` has the entries of the runtime's
 * journal that the commit wrote, null for none. Rows of versions before 0.4.0 have neither field.
 */
export const actorTransition = z.strictObject({
  seq: positive,
  cause: transitionCause,
  event: z.string().min(1).nullable(),
  value: chartStateValue,
  states: activeStates,
  at: timestamp,
  commit: count,
  taken: z.array(z.string().min(1)).optional(),
  journal: z.strictObject({ fromSeq: positive, toSeq: positive }).nullable().optional(),
});

/**
 * The answer to `GET /v1/actors/:actorId/transitions`, the oldest first. `isComplete` means that nothing before the first one is
 * missing. `recordedFrom` is the time of the oldest that is kept, null if there is none. An earlier version of the host kept
 * none, and only the newest 256 of each actor are kept.
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

/** Marks in a stream of all actors that it has sent every transition up to `commit`, except those of before its beginning. */
export const actorsFollowed = z.strictObject({ schema: z.literal('studio.actors-followed.v1'), commit: count });

export type StreamedTransition = z.infer<typeof streamedTransition>;
export type ActorsFollowed = z.infer<typeof actorsFollowed>;
export type ActorTransition = z.infer<typeof actorTransition>;
export type ActorTransitions = z.infer<typeof actorTransitions>;
