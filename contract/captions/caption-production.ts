import { z } from 'zod';
import { artifactId, recordPart } from '../base/artifact.ts';
import { contentId, count, identity, identityOf, languageTag, positive, range } from '../base/grammar.ts';
import { approvalReference } from '../review.ts';
import { readinessReference, studyReference } from '../study/study-record.ts';
import {
  captionExecutor,
  captionJobId,
  captionLimits,
  captionLine,
  captionReason,
  recognisedQueue,
  sharedCitation,
  sharedLineage,
  sharingQueue,
} from './caption-line.ts';
import { requestedMethod } from './caption-method.ts';
import {
  longTranslationSummary,
  progressLimits,
  translationLimits,
  translationNonClaims,
  translationSummary,
  wholeTranslationLimits,
} from './caption-translation.ts';

/**
 * The highest limits that a host accepts: a study of four hours, and the number of lines that a client can still show at once.
 */
export const longestCaptions = { maxDurationMs: 14_400_000, maxLines: 8192 } as const;

/** How long studies and their captions may be where a host allows more than `captionLimits`. */
export const captionAllowance = z.strictObject({
  maxDurationMs: positive.max(longestCaptions.maxDurationMs),
  maxLines: positive.max(longestCaptions.maxLines),
});

/**
 * The limits of a production that a host allows to be long: those of `captionLimits` for every `maxChunkLines` lines that it may
 * have. Its lines are stored in chunks, each within `maxArtifactBytes`.
 */
export const longCaptionLimitsRecord = captionAllowance.extend({
  maxSourceBytes: positive,
  maxTargetBytes: positive,
  maxArtifactBytes: z.literal(captionLimits.maxArtifactBytes),
  maxChunkLines: z.literal(captionLimits.maxLines),
  maxWallMs: positive,
});

/** A line of long captions, with the recognized lines that it was cut from if it comes from a transcript. */
export const chunkedLine = sharingQueue.extend({ transcriptLines: z.array(count).min(1).optional() });

/** Lines of long captions that follow each other, as they are stored; what all lines share is in the record that names the chunks. */
export const captionChunk = z.strictObject({
  schema: z.literal('studio.caption-production.chunk.v1'),
  jobId: captionJobId,
  runId: identity,
  study: studyReference,
  /** Counted from 0. */
  index: count,
  lines: z.array(chunkedLine).min(1).max(captionLimits.maxLines),
});

/**
 * The reads that lines of long captions cite, in the order in which the lines count them. This is the stored form if one record
 * has no room for all.
 */
export const captionCitations = z.strictObject({
  schema: z.literal('studio.caption-production.citations.v1'),
  jobId: captionJobId,
  runId: identity,
  study: studyReference,
  /** Counted from 0. */
  index: count,
  citations: z.array(sharedCitation).min(1),
});

/** The chunks of long captions in order; `count` is that of their lines. */
export const captionChunks = z.array(recordPart).min(1).max(longestCaptions.maxLines);

export type CaptionAllowance = z.infer<typeof captionAllowance>;
export type ChunkedLine = z.infer<typeof chunkedLine>;
export type CaptionChunk = z.infer<typeof captionChunk>;
export type CaptionCitations = z.infer<typeof captionCitations>;

/** A production that fails leaves its approval unused: it may be tried this often, counted from 0. */
export const maximumCaptionAttempts = 3;

/** The first word of the message of an attempt that failed. */
export const captionCauses = [
  'timeout',
  'too_large',
  'invalid_output',
  'revoked',
  'interrupted',
  'translator',
  'damaged',
  'internal',
] as const;

/** A request for captions as the journal has it. The executor beside it names the way. */
export const begunProduction = z.strictObject({ approval: approvalReference });

/**
 * The body of a request for captions. `method` selects the way to make them; a person has to permit it first. Without it the caption
 * executor of the host makes them.
 */
export const captionProductionRequest = begunProduction.extend({ method: requestedMethod.optional() });

/** The input of captions. */
export const captionInput = z.strictObject({
  sourceArtifactId: artifactId,
  sourceContentId: contentId,
  analysisRequestId: identity,
  range,
  sourceLanguage: languageTag,
  targetLanguage: languageTag,
  study: studyReference,
  readiness: readinessReference,
});

/**
 * The result of a production. The sides count by their own state, `withheldCount` and `unavailableCount` by the target's. Without
 * any source text it is `unavailable`; with every target `completed`; with none, all withheld, `withheld`; else `partial`.
 */
export const captionResult = z.strictObject({
  status: z.enum(['completed', 'partial', 'withheld', 'unavailable']),
  lineCount: count.max(longestCaptions.maxLines),
  sourceAvailableCount: count,
  targetAvailableCount: count,
  withheldCount: count,
  unavailableCount: count,
});

const storedCaptions = {
  jobId: captionJobId,
  runId: identity,
  input: captionInput,
  executor: captionExecutor,
  result: captionResult,
};

const inOneRecord = [
  z.strictObject({
    schema: z.literal('studio.caption-production.artifact.v1'),
    ...storedCaptions,
    lines: z.array(captionLine).max(captionLimits.maxLines),
  }),
  z.strictObject({
    schema: z.literal('studio.caption-production.artifact.v5'),
    ...storedCaptions,
    sharedLineage,
    lines: z.array(sharingQueue).min(1).max(captionLimits.maxLines),
  }),
  z.strictObject({
    schema: z.literal('studio.caption-production.artifact.v6'),
    ...storedCaptions,
    transcript: z.strictObject({ artifactId, contentId }),
    sharedLineage,
    lines: z.array(recognisedQueue).min(1).max(captionLimits.maxLines),
  }),
] as const;

const inChunks = { ...storedCaptions, transcript: z.strictObject({ artifactId, contentId }).nullable(), sharedLineage };

/** Long captions as they are stored: everything but their lines, and the chunks that have these. */
export const chunkedCaptions = z.strictObject({
  schema: z.literal('studio.caption-production.chunked-artifact.v1'),
  ...inChunks,
  chunks: captionChunks,
});

/** The same for lines that cite more reads than this record has room for: further records have the reads. */
export const citingCaptions = z.strictObject({
  schema: z.literal('studio.caption-production.chunked-artifact.v2'),
  ...inChunks,
  sharedLineage: sharedLineage.extend({ study: studyReference }),
  citations: z.array(recordPart).min(1),
  chunks: captionChunks,
});

/** The record of long captions. */
export const longCaptionRecord = z.discriminatedUnion('schema', [chunkedCaptions, citingCaptions]);

/**
 * Captions: lines in order of time, disjoint and inside the range. `v1` has the whole lineage with every line. `v5` states once
 * what the lines have in common, for captions that would be too large otherwise. `v6` is the same for captions of a transcript,
 * and names the recognized lines that each line was cut from. `v7` are long captions with the lines of all chunks; no record of
 * that form is stored.
 */
export const captionArtifact = z.discriminatedUnion('schema', [
  ...inOneRecord,
  z.strictObject({
    schema: z.literal('studio.caption-production.artifact.v7'),
    ...inChunks,
    lines: z.array(chunkedLine).min(1).max(longestCaptions.maxLines),
  }),
]);

/** The record of captions, by which they are named. */
export const storedCaptionRecord = z.discriminatedUnion('schema', [...inOneRecord, chunkedCaptions, citingCaptions]);

/** The limits as receipts and events carry them. */
export const captionLimitsRecord = z.strictObject({
  maxDurationMs: z.literal(captionLimits.maxDurationMs),
  maxLines: z.literal(captionLimits.maxLines),
  maxSourceBytes: z.literal(captionLimits.maxSourceBytes),
  maxTargetBytes: z.literal(captionLimits.maxTargetBytes),
  maxArtifactBytes: z.literal(captionLimits.maxArtifactBytes),
  maxWallMs: z.literal(captionLimits.maxWallMs),
});

const side = z.strictObject({
  state: z.enum(['available', 'withheld', 'unavailable']),
  reasonCode: captionReason.nullable(),
});

/** How captions were made, and under whose approval. `receiptId` is derived from everything but it and `schema`. */
export const captionReceipt = z.strictObject({
  schema: z.literal('studio.caption-production.receipt.v1'),
  receiptId: z.string().regex(/^caption-production-receipt:[a-f0-9]{64}$/),
  jobId: captionJobId,
  authority: z.strictObject({
    approval: approvalReference,
    verification: z.strictObject({
      integrity: z.literal('stored_review_and_verified_queued_intake'),
      producer: z.literal('host_publish_review_v1'),
      outcome: z.literal('approve_for_caption_production'),
      readiness: readinessReference,
      study: studyReference,
      unrevokedAtStart: z.literal(true),
    }),
  }),
  input: captionInput,
  producer: z.strictObject({
    id: z.literal('studio.host-caption-production'),
    version: z.literal('1'),
    policy: z.literal('verified_unrevoked_approval_only'),
    executor: captionExecutor,
  }),
  limits: captionLimitsRecord,
  result: captionResult.extend({
    captionArtifactId: artifactId,
    captionContentId: contentId,
    captionBytes: positive.max(captionLimits.maxArtifactBytes),
    lines: z
      .array(z.strictObject({ lineId: identityOf(200), startMs: count, endMs: positive, source: side, target: side }))
      .max(captionLimits.maxLines),
  }),
});

/** The limits of a production that asks a model: each answer is limited by its progress. */
export const translatedLimits = {
  ...captionLimits,
  ...progressLimits,
  maxWallMs: translationLimits.maxWallMs,
} as const;

const progressLimitsRecord = {
  maxLoadMs: z.literal(progressLimits.maxLoadMs),
  maxFirstTokenMs: z.literal(progressLimits.maxFirstTokenMs),
  maxTokenGapMs: z.literal(progressLimits.maxTokenGapMs),
};

export const translatedLimitsRecord = captionLimitsRecord.extend({
  ...progressLimitsRecord,
  maxWallMs: z.literal(translatedLimits.maxWallMs),
});

/** The limits of such a production of before: it and each answer were timed as a whole. */
export const wholeTranslatedLimits = { ...captionLimits, maxWallMs: wholeTranslationLimits.maxWallMs } as const;

export const wholeTranslatedLimitsRecord = captionLimitsRecord.extend({
  maxWallMs: z.literal(wholeTranslatedLimits.maxWallMs),
});

/** The receipt of captions that a model may have translated: `translation` is null if no text needed it. */
export const wholeTranslatedCaptionReceipt = captionReceipt.extend({
  schema: z.literal('studio.caption-production.receipt.v2'),
  limits: wholeTranslatedLimitsRecord,
  translation: translationSummary.nullable(),
  nonClaims: z.tuple([z.literal(translationNonClaims[0])]),
});

/** The same of a production whose answers are limited by their progress. */
export const translatedCaptionReceipt = wholeTranslatedCaptionReceipt.extend({
  schema: z.literal('studio.caption-production.receipt.v4'),
  limits: translatedLimitsRecord,
});

/** The receipt of long captions. Each line has its own result; `translation` is null if there was none. */
export const longCaptionReceipt = captionReceipt.omit({ limits: true, result: true }).extend({
  schema: z.literal('studio.caption-production.receipt.v3'),
  limits: longCaptionLimitsRecord,
  result: captionReceipt.shape.result.omit({ lines: true }),
  translation: longTranslationSummary.nullable(),
  nonClaims: z.array(z.literal(translationNonClaims[0])).max(1),
});

export const longTranslatedLimitsRecord = longCaptionLimitsRecord.extend(progressLimitsRecord);

/** The receipt of long captions that a model may have translated, each answer limited by its progress. */
export const longTranslatedCaptionReceipt = longCaptionReceipt.extend({
  schema: z.literal('studio.caption-production.receipt.v5'),
  limits: longTranslatedLimitsRecord,
});

/** Captions as later stages and requests name them. */
export const captionReference = z.strictObject({
  jobId: captionJobId,
  artifactId,
  contentId,
  receiptArtifactId: artifactId,
  receiptId: captionReceipt.shape.receiptId,
  receiptContentId: contentId,
});

export type CaptionInput = z.infer<typeof captionInput>;
export type CaptionResult = z.infer<typeof captionResult>;
export type CaptionArtifact = z.infer<typeof captionArtifact>;
export type PlainCaptionReceipt = z.infer<typeof captionReceipt>;
export type TranslatedCaptionReceipt = z.infer<typeof translatedCaptionReceipt | typeof wholeTranslatedCaptionReceipt>;
export type LongCaptionReceipt = z.infer<typeof longCaptionReceipt | typeof longTranslatedCaptionReceipt>;
export type CaptionReceipt = PlainCaptionReceipt | TranslatedCaptionReceipt | LongCaptionReceipt;
export type LongCaptions = Extract<CaptionArtifact, { schema: 'studio.caption-production.artifact.v7' }>;
export type LongCaptionRecord = z.infer<typeof longCaptionRecord>;
export type StoredCaptionRecord = z.infer<typeof storedCaptionRecord>;
export type CaptionReference = z.infer<typeof captionReference>;
export type CaptionProductionRequest = z.infer<typeof captionProductionRequest>;
