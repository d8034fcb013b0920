import { z } from 'zod';
import { artifact, artifactId, capability, operationId } from '../base/artifact.ts';
import { failure } from '../base/errors.ts';
import { eventType } from '../base/event-envelope.ts';
import { contentId, count, identity, languageTag, positive, range, timestamp } from '../base/grammar.ts';
import { incompleteMedia } from '../sources/media-probe.ts';
import { subtitleFormat } from '../sources/subtitle-track.ts';

/** Leave to carry out up to `maxOperations` operations of one capability within one range of one source. */
export const grant = z.strictObject({
  grantId: identity,
  capability,
  sourceArtifactId: artifactId,
  range,
  maxOperations: positive,
});

/** The one root task of a run. Its budget is wall time while the host is up; no model is ever called. */
export const task = z.strictObject({
  id: identity,
  parentTaskId: z.null(),
  workload: z.literal('media_study'),
  jobContext: z.strictObject({ commandId: identity, analysisRequestId: identity, planId: identity }),
  scope: z.strictObject({ sourceArtifactId: artifactId, range }),
  inputs: z.array(z.strictObject({ artifactId, contentId })).min(1),
  outputs: z.array(z.enum(['study-record', 'study-readiness-receipt', 'publish-review-intake-receipt'])),
  budget: z.strictObject({ maxWallMs: positive, maxModelTokens: z.literal(0) }),
  grants: z.array(grant).min(1),
  status: z.literal('scheduled'),
});

/** The right to start the one execution of a task, taken once. */
export const launchClaim = z.strictObject({
  id: identity,
  requestId: identity,
  taskId: identity,
  agentId: identity,
  executorKind: z.literal('deterministic_local'),
  claimedAt: timestamp,
  executionId: identity,
});

/** The agent that carries a task out; `grants` are the ids of the grants of its task. */
export const agent = z.strictObject({
  id: identity,
  taskId: identity,
  parentTaskId: z.null(),
  parentAgentId: z.null(),
  kind: z.literal('root'),
  label: z.string().min(1).max(80),
  grants: z.array(identity).min(1),
  status: z.literal('registered'),
});

/** A step of a task's life; a reason comes exactly with the two bad endings. */
export const taskTransition = z
  .strictObject({
    taskId: identity,
    agentId: identity,
    status: z.enum(['working', 'completed', 'failed', 'interrupted']),
    reason: failure.nullable(),
  })
  .refine(({ status, reason }) => (status === 'failed' || status === 'interrupted') === (reason !== null), {
    message: 'a reason must be present exactly with failed and interrupted',
    path: ['reason'],
  });

/** One execution from its start to its end; `receiptId` is derived from everything but it and `schema`. */
export const executorSpanReceipt = z
  .strictObject({
    schema: z.literal('studio.executor-span.receipt.v1'),
    receiptId: z.string().regex(/^span:[a-f0-9]{64}$/),
    runId: identity,
    taskId: identity,
    agentId: identity,
    launchClaimId: identity,
    executionId: identity,
    executor: z.strictObject({ id: identity, version: z.string().min(1), kind: z.literal('deterministic_local') }),
    startedAt: timestamp,
    finishedAt: timestamp,
    /** How often a restarted host took the execution up again. */
    resumes: count,
    operationIds: z.array(operationId),
    output: z.strictObject({ studyId: z.string().regex(/^study:[a-f0-9]{64}$/), artifactId, contentId }).nullable(),
    outcome: z.enum(['completed', 'failed', 'interrupted']),
    reason: failure.nullable(),
  })
  .refine(({ outcome, output }) => (outcome === 'completed') === (output !== null), {
    message: 'an output must be present exactly with completed',
    path: ['output'],
  })
  .refine(({ outcome, reason }) => (outcome === 'completed') === (reason === null), {
    message: 'a reason must be present with every outcome but completed',
    path: ['reason'],
  });

export type Grant = z.infer<typeof grant>;
export type Task = z.infer<typeof task>;
export type LaunchClaim = z.infer<typeof launchClaim>;
export type Agent = z.infer<typeof agent>;
export type ExecutorSpanReceipt = z.infer<typeof executorSpanReceipt>;

const overMedia = { sourceContentId: contentId, range, incompleteMedia: incompleteMedia.optional() };

/** The tracks of a source by their index in the container; attached pictures do not count as video. */
export const detectionTracks = z.strictObject({
  audioTrackIndex: count.nullable(),
  videoTrackIndex: count.nullable(),
  /** The rule that chose the audio track, and the other tracks; null if there is no other. */
  audioChoice: z.strictObject({ rule: z.string(), others: z.string() }).nullable(),
});

/** A text track; one that was attached is read from a file of its own, in UTF-8. */
export const textTrack = z.strictObject({
  index: count,
  codec: z.string(),
  language: languageTag.nullable(),
  attached: z.strictObject({ contentId, format: subtitleFormat }).optional(),
});

/** The video track whose pictures may hold closed captions. */
const pictureTrack = z.strictObject({ index: count, codec: z.string() });

/**
 * The input of a pass over media, without the bytes: with the same bytes and tools it finds the same. It names neither file nor
 * person.
 */
export const mediaTask = z.discriminatedUnion('capability', [
  z.strictObject({ capability: z.literal('media.detect'), ...overMedia, tracks: detectionTracks }),
  z.strictObject({
    capability: z.literal('media.subtitles'),
    ...overMedia,
    tracks: z.array(textTrack),
    picture: pictureTrack.nullable(),
  }),
]);

export type MediaTask = z.infer<typeof mediaTask>;

/** The journal events of a run's artifacts, its task, its agent and its execution. */
export const taskEvents = [
  eventType('artifact.recorded', 'artifact_store', z.strictObject({ artifact })),
  eventType('task.created', 'scheduler', z.strictObject({ task })),
  eventType('task.launch_claimed', 'launcher', z.strictObject({ claim: launchClaim })),
  eventType('agent.registered', 'registry', z.strictObject({ agent })),
  eventType('task.transitioned', 'scheduler', taskTransition),
  eventType(
    'executor.started',
    'launcher',
    z.strictObject({
      executionId: identity,
      taskId: identity,
      agentId: identity,
      launchClaimId: identity,
      startedAt: timestamp,
    }),
  ),
  eventType('executor.finished', 'launcher', z.strictObject({ receipt: executorSpanReceipt })),
  eventType(
    'runtime.interrupted',
    'recovery_host',
    z.strictObject({ reason: failure, taskIds: z.array(identity), executionIds: z.array(identity) }),
  ),
] as const;
