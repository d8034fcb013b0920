import { z } from 'zod';
import { artifactId, operationId, operationRequest, toolIdentity } from '../base/artifact.ts';
import { failure } from '../base/errors.ts';
import { eventType } from '../base/event-envelope.ts';
import { contentId, count, identity, positive, range, sha256Hex } from '../base/grammar.ts';
import { studyStages } from '../study/stages.ts';
import { derivedAudio, detectedKind, furtherResult, parameters, unavailableReason } from './evidence.ts';

export const mediaCapability = z.enum([studyStages.detect.grant.capability, studyStages.subtitles.grant.capability]);
export type MediaCapability = z.infer<typeof mediaCapability>;

export const mediaLimits = z.strictObject({ maxWallMs: positive });

/**
 * The request for one pass over the media. `operationKey` identifies the work, for any caller: equal keys mean equal results, so
 * a completed one is taken over.
 */
export const mediaOperationRequest = operationRequest.extend({
  sourceArtifactId: artifactId,
  sourceContentId: contentId,
  range,
  operationKey: sha256Hex,
  tools: z.array(toolIdentity),
  parameters,
  limits: mediaLimits,
});

/** One kind of evidence that the pass delivered to this run, or the reason why there is none, and in which track. */
export const mediaEvidence = z.discriminatedUnion('state', [
  z.strictObject({ kind: detectedKind, state: z.literal('available'), reasonCode: z.null(), artifactId, contentId }),
  z.strictObject({
    kind: detectedKind,
    state: z.literal('unavailable'),
    reasonCode: unavailableReason,
    trackIndex: count.optional(),
    artifactId: z.null(),
    contentId: z.null(),
  }),
]);

/** The stored result of a completed pass under its operation key, for every run with the same request. */
export const mediaOperationResult = z.strictObject({
  evidence: z
    .array(
      z.discriminatedUnion('state', [
        z.strictObject({ kind: detectedKind, state: z.literal('available'), contentId, bytes: positive }),
        z.strictObject({
          kind: detectedKind,
          state: z.literal('unavailable'),
          reasonCode: unavailableReason,
          trackIndex: count.optional(),
        }),
      ]),
    )
    .min(1),
  derivedAudio: derivedAudio.nullable(),
  /** The further measurements beside the evidence; absent if there are none, and in results of 0.2.0 and before. */
  further: z.array(furtherResult).min(1).optional(),
});

/** The result of one pass over the media; `receiptId` is derived from everything but it and `schema`. */
export const mediaOperationReceipt = z.strictObject({
  schema: z.literal('studio.media-operation.receipt.v1'),
  receiptId: z.string().regex(/^media-operation:[a-f0-9]{64}$/),
  operationId,
  operationKey: sha256Hex,
  capability: mediaCapability,
  authorization: z.strictObject({ grantId: identity, taskId: identity, agentId: identity }),
  input: z.strictObject({ artifactId, contentId, range }),
  tools: z.array(toolIdentity),
  parameters,
  derivedAudio: derivedAudio.nullable(),
  evidence: z.array(mediaEvidence).min(1),
  /** True if an earlier completed operation with the same key was taken over. */
  reused: z.boolean(),
});

export type MediaLimits = z.infer<typeof mediaLimits>;
export type MediaOperationRequest = z.infer<typeof mediaOperationRequest>;
export type MediaOperationResult = z.infer<typeof mediaOperationResult>;
export type MediaEvidence = z.infer<typeof mediaEvidence>;
export type MediaOperationReceipt = z.infer<typeof mediaOperationReceipt>;

/** The journal events of the passes over the media. */
export const mediaEvents = [
  eventType(
    'media.operation_started',
    'media_host',
    z.strictObject({ capability: mediaCapability, request: mediaOperationRequest, grantId: identity }),
  ),
  eventType(
    'media.operation_completed',
    'media_host',
    z.strictObject({ operationId, outputArtifactIds: z.array(artifactId), receipt: mediaOperationReceipt }),
  ),
  eventType('media.operation_failed', 'media_host', z.strictObject({ operationId, reason: failure })),
] as const;
