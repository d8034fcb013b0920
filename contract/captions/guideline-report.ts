import { z } from 'zod';
import { count, identityOf, languageTag, positive } from '../base/grammar.ts';
import { runtimeListFields } from '../study/status.ts';
import { captionSide, lineBreaks, shownSides } from './caption-line.ts';
import { captionFindingCode } from './quality-control.ts';

/**
 * A guideline for captions in one language. A figure that changes makes a new `version`. `date` is that of its last change, or
 * of the day on which it was read where it states no change.
 */
const guideline = z.strictObject({
  id: z.enum(['netflix', 'bbc', 'dcmp', 'ted']),
  version: positive,
  source: z.url({ protocol: /^https$/ }),
  date: z.iso.date(),
});

/** The limits of a guideline; null if it sets none. */
const guidelineLimits = z.strictObject({
  /** In thousandths of a character a second, or of a word a minute. */
  readingSpeed: z
    .strictObject({ unit: z.enum(['characters_per_second', 'words_per_minute']), milli: positive })
    .nullable(),
  /**
   * The longest row in thousandths of a character. `width`: the guideline limits a width, and these characters stand for it.
   * `narrow_half` counts half for a character that is not as wide as high, `without_marks` no mark above or below another.
   */
  row: z
    .strictObject({
      milliCharacters: positive,
      counting: z.enum(['characters', 'narrow_half', 'without_marks']),
      limits: z.enum(['characters', 'width']),
    })
    .nullable(),
  rows: positive,
  minimumDurationMs: positive.nullable(),
  maximumDurationMs: positive.nullable(),
  /** The least time between two cues; if `orNone`, a cue may also follow without any. */
  gap: z.strictObject({ ms: positive, orNone: z.boolean() }).nullable(),
});

/** A limit that is null, and why. `not_verified`: the guideline may set it, and it could not be read there. */
const openLimit = z.strictObject({
  limit: guidelineLimits.keyof(),
  reasonCode: z.enum(['not_in_guideline', 'guideline_for_latin_script', 'guideline_for_english', 'not_verified']),
});

/** A departure of a cue from a guideline: the figure that was found and the limit that it passes, in the limit's unit. */
const writtenFinding = z.strictObject({
  /** The number of the cue in the file, counted from 1. */
  number: positive,
  lineId: identityOf(200),
  startMs: count,
  endMs: positive,
  code: captionFindingCode,
  measured: count,
  limit: count,
});

/** One side of a file of captions held against one guideline. It accepts or withholds nothing. */
export const guidelineReport = z.strictObject({
  side: captionSide,
  language: languageTag,
  guideline,
  limits: guidelineLimits,
  openLimits: z.array(openLimit),
  /** In order of cues. */
  findings: z.array(writtenFinding),
});

/**
 * A file of captions that was measured, with the number of its cues. `lostStyles` are the numbers of those that a model translated from
 * a text in italics, bold or underline: the translation has no style.
 */
const measuredFile = z.strictObject({
  side: shownSides,
  lines: lineBreaks,
  cues: count,
  lostStyles: z.array(positive).optional(),
});

/** The answer to `GET …/caption-guidelines`: computed from the lines of a file at every read, and never stored. */
export const captionGuidelines = z.strictObject({
  schema: z.literal('studio.local-runtime-caption-guidelines.v1'),
  ...runtimeListFields,
  file: measuredFile,
  reports: z.array(guidelineReport),
});

/** The measures of the file that a draft of corrections would give. */
export const draftedFile = z.strictObject({ file: measuredFile, reports: z.array(guidelineReport) });

export type GuidelineReport = z.infer<typeof guidelineReport>;
export type WrittenFinding = z.infer<typeof writtenFinding>;
export type CaptionGuidelines = z.infer<typeof captionGuidelines>;
export type DraftedFile = z.infer<typeof draftedFile>;
