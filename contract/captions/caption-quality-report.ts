import { z } from 'zod';
import { contentId, count, identityOf, languageTag, positive } from '../base/grammar.ts';
import { runtimeListFields } from '../study/runtime-list.ts';
import { captionJobId } from './caption-line.ts';
import { captionSide } from './caption-side.ts';

const lineId = identityOf(200);
const integer = z.number().int().min(Number.MIN_SAFE_INTEGER).max(Number.MAX_SAFE_INTEGER);

/**
 * What a guideline asks of cues; null where it asks nothing. Speeds are in thousandths of a character per second, lengths
 * of lines in thousandths of a character: some guidelines count narrow characters half.
 */
export const captionLimitsOfProfile = z.strictObject({
  readingSpeedMilliCps: positive.nullable(),
  lineMilliCharacters: positive.nullable(),
  lines: positive,
  minimumDurationMs: positive,
  maximumDurationMs: positive,
  minimumGapMs: positive.nullable(),
});

/** A limit that is null, and why: the guideline has none, or speaks of other scripts only. */
const openLimit = z.strictObject({
  limit: captionLimitsOfProfile.keyof(),
  reasonCode: z.enum(['not_in_guideline', 'guideline_for_latin_script']),
});

/**
 * A guideline for subtitles. `date` is that of its last change, or of the day on which it was read where it states no
 * change.
 */
export const captionProfile = z.strictObject({
  id: z.enum(['netflix', 'ted']),
  source: z.url({ protocol: /^https$/ }),
  date: z.iso.date(),
});

/** Frames per second as a fraction; `assumed` where the media's own rate is not known. */
export const captionFrameRate = z.strictObject({
  numerator: positive,
  denominator: positive,
  origin: z.enum(['media', 'assumed']),
});

/** The hard cuts that cues were held against: how many the study found, or why none can be named. */
const shotChanges = z.discriminatedUnion('state', [
  z.strictObject({ state: z.literal('available'), reasonCode: z.null(), count }),
  z.strictObject({ state: z.literal('unavailable'), reasonCode: z.literal('no_shot_evidence'), count: z.null() }),
]);

/**
 * One cue, measured. `characters` are grapheme clusters without line breaks. The gap is to the end of the cue before it,
 * negative where they overlap, null for the first. Distances to the nearest hard cut are negative where the cut comes
 * first, null where the study names none.
 */
export const cueMeasures = z.strictObject({
  lineId,
  startMs: count,
  endMs: positive,
  durationMs: positive,
  characters: count,
  readingSpeedMilliCps: count,
  lines: count,
  longestLineMilliCharacters: count,
  gapBeforeMs: integer.nullable(),
  startToShotMs: integer.nullable(),
  endToShotMs: integer.nullable(),
});

export const captionFindingCode = z.enum([
  'reading_speed_too_high',
  'line_too_long',
  'too_many_lines',
  'duration_too_short',
  'duration_too_long',
  'gap_too_short',
  'overlap',
]);

/** One side of captions held against one guideline. It passes no judgement: nothing is accepted or withheld by it. */
export const captionQualityReport = z.strictObject({
  jobId: captionJobId,
  captionContentId: contentId,
  side: captionSide,
  language: languageTag,
  profile: captionProfile,
  limits: captionLimitsOfProfile,
  openLimits: z.array(openLimit),
  frameRate: captionFrameRate,
  shotChanges,
  cues: z.array(cueMeasures),
  /** In order of cues; the figure that was found and the limit that it passes, in the limit's unit. */
  findings: z.array(z.strictObject({ lineId, code: captionFindingCode, measured: count, limit: count })),
});

/** The answer to `GET …/caption-quality-reports`: computed from stored captions at every read and never stored. */
export const captionQualityReports = z.strictObject({
  schema: z.literal('studio.local-runtime-caption-quality-reports.v1'),
  ...runtimeListFields,
  reports: z.array(captionQualityReport),
});

export type CaptionProfileLimits = z.infer<typeof captionLimitsOfProfile>;
export type CaptionFrameRate = z.infer<typeof captionFrameRate>;
export type CueMeasures = z.infer<typeof cueMeasures>;
export type CaptionFindingCode = z.infer<typeof captionFindingCode>;
export type CaptionQualityReport = z.infer<typeof captionQualityReport>;
export type CaptionQualityReports = z.infer<typeof captionQualityReports>;
