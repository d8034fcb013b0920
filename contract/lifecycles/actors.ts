import { z } from 'zod';
import { count, identity, timestamp } from '../base/grammar.ts';
import { listQuery, newestFirstFields } from '../base/newest-first.ts';
import { runtimeId } from '../study/runtime-start.ts';
import { activeStates, chartStateValue } from './state-value.ts';

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

/** What a reader may ask of the list of actors. */
export const actorsQuery = {
  ...listQuery,
  kind: actorKind.optional().describe('only actors of this kind'),
  state: z
    .string()
    .min(1)
    .optional()
    .describe('only actors that stand in this state of their chart, or in one inside it, such as `running`'),
};

/**
 * One actor, as its last commit left it. `runtimeId` names the study that it is part of; ingests have none. `startedAt` is null
 * where an earlier version did not keep it, and `resumes` and `restarts` say how often the work began again: after the end of
 * a host, and after a failure of the actor.
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
