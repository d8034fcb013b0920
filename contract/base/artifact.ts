import { z } from 'zod';
import { capabilities, optionalCapabilities } from '../study/stages.ts';
import { contentId, count, identity, positive, sha256Hex } from './grammar.ts';

export const contentDescriptor = z.strictObject({
  algorithm: z.literal('sha256'),
  digest: sha256Hex,
  contentId,
  bytes: count,
});

export const artifactTrack = z.strictObject({
  id: z.string().regex(/^stream:\d+$/),
  index: count,
  kind: z.enum(['video', 'audio', 'subtitle', 'other']),
  codec: z.string().min(1),
  durationMs: count.nullable(),
});

/** The origin of an artifact; the keys are those of its id formula. */
export const artifactOrigin = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('source_ingest'), adapterId: identity, sourceReceiptRef: z.string().min(1) }),
  z.strictObject({
    kind: z.literal('preflight_evidence'),
    evidenceKind: z.string().min(1),
    preflightContentId: contentId,
  }),
  z.strictObject({ kind: z.literal('operation_output'), operationId: z.string().min(1) }),
  z.strictObject({ kind: z.literal('study_record'), studyId: z.string().min(1) }),
  z.strictObject({ kind: z.literal('study_readiness'), readinessId: z.string().min(1) }),
  z.strictObject({ kind: z.literal('publish_review_intake'), intakeId: z.string().min(1) }),
  z.strictObject({ kind: z.literal('publish_review'), reviewId: z.string().min(1) }),
  z.strictObject({ kind: z.literal('publish_review_plan'), planId: z.string().min(1) }),
  z.strictObject({ kind: z.literal('publish_review_revocation'), revocationId: z.string().min(1) }),
  z.strictObject({ kind: z.literal('caption_production'), jobId: z.string().min(1) }),
  z.strictObject({ kind: z.literal('caption_quality_control'), qcId: z.string().min(1) }),
  z.strictObject({ kind: z.literal('caption_correction'), correctionId: z.string().min(1) }),
  z.strictObject({ kind: z.literal('caption_correction_check'), checkId: z.string().min(1) }),
  z.strictObject({ kind: z.literal('language_explanation'), jobId: z.string().min(1) }),
]);

export const artifact = z.strictObject({
  schema: z.literal('studio.runtime.artifact.v1'),
  id: z.string().regex(/^artifact:[a-f0-9]{64}$/),
  runId: identity,
  kind: z.string().min(1),
  mediaClass: z.enum(['raw', 'derived', 'non_media']),
  publication: z.enum(['private', 'public']),
  content: contentDescriptor,
  storageKey: z.string().regex(/^objects\/sha256\/[a-f0-9]{2}\/[a-f0-9]{64}$/),
  durationMs: positive.nullable(),
  tracks: z.array(artifactTrack),
  sourceArtifactIds: z.array(z.string()),
  producerTaskId: z.string().nullable(),
  producerAgentId: z.string().nullable(),
  origin: artifactOrigin,
});

export type Artifact = z.infer<typeof artifact>;
export type ArtifactOrigin = z.infer<typeof artifactOrigin>;
export type ArtifactTrack = z.infer<typeof artifactTrack>;

export const capability = z.enum([...capabilities, ...optionalCapabilities]);
export type Capability = z.infer<typeof capability>;

/** `operation:<name>:<64 hex>`; unique within a run. */
export const operationId = z.string().regex(/^operation:[a-z][a-z-]*:[a-f0-9]{64}$/);

export const artifactId = z.string().regex(/^artifact:[a-f0-9]{64}$/);

/** The operation of a task that is under way, and its agent. */
export const operationRequest = z.strictObject({
  operationId,
  taskId: identity,
  agentId: identity,
  executionId: identity,
});

/** One part of a list that is too long for one record: the artifact that holds it, its bytes, and the number of its items. */
export const recordPart = z.strictObject({ artifactId, contentId, bytes: positive, count: positive });

export type RecordPart = z.infer<typeof recordPart>;

/** The producer of a fact: `digest` is the SHA-256 of the executable or of the model weights. */
export const toolIdentity = z.strictObject({
  name: z.string().min(1).max(80),
  version: z.string().min(1).max(160),
  digest: contentId,
});

export type ToolIdentity = z.infer<typeof toolIdentity>;
