import { z } from 'zod';
import { count, identity, positive } from '../base/grammar.ts';
import { recordPart } from '../base/record-part.ts';
import { studyReference } from '../study/study-readiness.ts';
import { captionJobId, captionLimits, sharedCitation, sharingQueue } from './caption-line.ts';

/** The most that a host can be told to allow: a study of four hours, and lines that clients can still be shown at once. */
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

/** A line of long captions; the recognised lines that it was cut from where it comes from a transcript. */
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

/** Reads that lines of long captions cite, in the order in which the lines count them; as they are stored where one record has no room for all. */
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
