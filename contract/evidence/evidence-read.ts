import { z } from 'zod';
import { artifactId, operationId } from '../base/artifact.ts';
import { contentId, count, identity, languageTag, positive, type Range } from '../base/grammar.ts';
import { screenTextFact, speechFact, transcriptLineFact } from './evidence.ts';

/** The limits of one read. */
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

/** The verdict of an identifier on one stretch of speech: a language, or that it could not decide. */
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

/** A line of a transcript that passed every gate: recognized, not necessarily spoken. Samples count as above. */
export const recognisedLineFact = z.strictObject({
  kind: z.literal('recognised_line'),
  index: count,
  startSample: count,
  endSample: positive,
  startMs: count,
  endMs: positive,
  text: transcriptLineFact.shape.text,
});

/** A text on the screen that passed every gate: recognized, not necessarily shown. Samples count as above. */
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

/** Ranges above `aboveMs` are decoded in windows of `windowMs`, which is whole seconds. */
export const longRanges = { aboveMs: 600_000, windowMs: 300_000 } as const;

/** How many reads and assessments a study may make; its one decision takes in all assessments. */
export interface ReadingAllowance {
  readonly maxReads: number;
  readonly maxAuditedAssessments: number;
}

/** The allowance of a study whose range is decoded at once, and of each window of a longer one. */
export const usualReading = { maxReads: 16, maxAuditedAssessments: 4 } as const satisfies ReadingAllowance;

/** The windows of four hours: a study that is longer has no more than these. */
const mostWindows = 48;

const usualTimes = (windows: number): ReadingAllowance => ({
  maxReads: windows * usualReading.maxReads,
  maxAuditedAssessments: windows * usualReading.maxAuditedAssessments,
});

/** The most that any study has. */
export const longestReading: ReadingAllowance = usualTimes(mostWindows);

/** The allowance of a study of a range: for each window of a long one as much as a short one has. */
export function readingAllowanceOf({ startMs, endMs }: Range): ReadingAllowance {
  const lengthMs = endMs - startMs;
  if (lengthMs <= longRanges.aboveMs) return usualReading;
  return usualTimes(Math.min(Math.ceil(lengthMs / longRanges.windowMs), mostWindows));
}
