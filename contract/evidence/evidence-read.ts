import { z } from 'zod';
import { contentId, count, identity, languageTag, positive } from '../base/grammar.ts';
import { artifactId, operationId } from '../base/operation.ts';
import { speechFact } from './evidence.ts';
import { screenTextFact } from './screen-text.ts';
import { transcriptLineFact } from './transcript.ts';

/** What one read may return. */
export const readLimits = { maxItems: 64, maxBytes: 32768 } as const;

/** Largest stored read receipt, in bytes. */
export const maximumReadReceiptBytes = 128 * 1024;

export const readableKind = z.enum(['speech_activity', 'language_ranges', 'transcript', 'screen_text']);
export type ReadableKind = z.infer<typeof readableKind>;

const share = z.number().min(0).max(1);

const confidence = { probability: share.nullable(), margin: share.nullable() };

const abstention = z.enum([
  'insufficient_samples',
  'below_probability',
  'below_margin',
  'below_probability_and_margin',
]);

/** What an identifier said of one stretch of speech: a language, or that it would not say. */
export const languageDecision = z.discriminatedUnion('status', [
  z.strictObject({ status: z.literal('classified'), code: languageTag, ...confidence, reason: z.null() }),
  z.strictObject({
    status: z.enum(['unknown', 'withheld']),
    code: languageTag.nullable(),
    ...confidence,
    reason: abstention,
  }),
]);

/** Samples count at 16 kHz from the start of the source; startMs = floor(sample/16), endMs = ceil(sample/16). */
export const languageRangeFact = z.strictObject({
  kind: z.literal('language_range'),
  speechWindowIndex: count,
  chunkIndex: count,
  startSample: count,
  endSample: positive,
  startMs: count,
  endMs: positive,
  decision: languageDecision,
});

/** A line of a transcript that passed every gate: recognised, not said. Samples count as above. */
export const recognisedLineFact = z.strictObject({
  kind: z.literal('recognised_line'),
  index: count,
  startSample: count,
  endSample: positive,
  startMs: count,
  endMs: positive,
  text: transcriptLineFact.shape.text,
});

/** A text on the screen that passed every gate: recognised, not shown as said. Samples count as above. */
export const recognisedTextFact = z.strictObject({
  kind: z.literal('recognised_text'),
  index: count,
  startSample: count,
  endSample: positive,
  startMs: count,
  endMs: positive,
  text: screenTextFact.shape.text,
});

export const evidenceFact = z.union([speechFact, languageRangeFact, recognisedLineFact, recognisedTextFact]);

export const readAuthorization = z.strictObject({
  grantId: identity,
  taskId: identity,
  agentId: identity,
  sourceArtifactId: artifactId,
  startMs: count,
  endMs: positive,
  maxBytes: positive.max(readLimits.maxBytes),
  maxItems: positive.max(readLimits.maxItems),
});

/**
 * The facts of one evidence artifact that lie in one window `[startMs, endMs)`, cut to it. `availableItems` counts all
 * that lie there; what did not fit was dropped from the end. `receiptId` is derived from everything but it and `schema`.
 */
export const evidenceReadReceipt = z.strictObject({
  schema: z.literal('studio.evidence-read.receipt.v2'),
  receiptId: z.string().regex(/^evidence-read:[a-f0-9]{64}$/),
  operationId,
  capability: z.literal('evidence.read'),
  authorization: readAuthorization,
  input: z.strictObject({
    artifactId,
    contentId,
    bytes: positive,
    evidenceKind: readableKind,
    receiptSchema: z.enum(['studio.detected-evidence.v1', 'studio.language-ranges.v1', 'studio.further-evidence.v1']),
  }),
  producer: z.strictObject({
    id: z.literal('studio.bounded-evidence-read'),
    version: z.literal('2'),
    rangePolicy: z.literal('intersect_and_clip_to_authorized_window'),
  }),
  facts: z.array(evidenceFact).max(readLimits.maxItems),
  result: z.strictObject({
    availableItems: count,
    returnedItems: count.max(readLimits.maxItems),
    returnedFactBytes: positive.max(readLimits.maxBytes),
    truncated: z.boolean(),
  }),
  lineage: z.strictObject({
    preflightId: z.string().min(1),
    preflightContentId: contentId,
    sourceArtifactIds: z.tuple([artifactId]),
  }),
});

export type LanguageRangeFact = z.infer<typeof languageRangeFact>;
export type EvidenceFact = z.infer<typeof evidenceFact>;
export type EvidenceReadReceipt = z.infer<typeof evidenceReadReceipt>;
