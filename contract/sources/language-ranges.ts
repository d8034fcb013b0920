import { z } from 'zod';
import { contentId, count, languageTag, positive } from '../base/grammar.ts';
import { parameters } from '../evidence/evidence.ts';
import { evidenceRun } from './sealed-file.ts';

const isDistinct = (codes: readonly string[]): boolean => new Set(codes).size === codes.length;

const share = z.number().min(0).max(1);

const confidence = {
  token_id: count.nullable(),
  probability: share.nullable(),
  /** How far the best language was ahead of the next. */
  margin: share.nullable(),
};

const decision = z.discriminatedUnion('status', [
  z.strictObject({ status: z.literal('classified'), code: languageTag, ...confidence, reason: z.null() }),
  z.strictObject({
    status: z.enum(['unknown', 'withheld']),
    code: languageTag.nullable(),
    ...confidence,
    reason: z.enum(['insufficient_samples', 'below_probability', 'below_margin', 'below_probability_and_margin']),
  }),
]);

const languageRange = z
  .strictObject({
    /** The window of the speech-activity record in which the range lies. */
    speech_window_index: count,
    /** Counts the ranges of one window from 0. */
    chunk_index: count,
    start_sample: count,
    end_sample: positive,
    scores: z
      .array(z.strictObject({ code: languageTag, probability: share }))
      .refine((scores) => isDistinct(scores.map(({ code }) => code)), 'one score a language'),
    decision,
  })
  .refine((found) => found.start_sample < found.end_sample, 'a range must not be empty');

/** Which language is spoken where, over the speech windows of one speech-activity record. */
export const languageRanges = z.strictObject({
  schema: z.literal('studio.language-ranges.v1'),
  producer: z.string().min(1),
  run: evidenceRun,
  input: z.strictObject({
    source_content_id: contentId,
    speech_activity_content_id: contentId,
    audio_content_id: contentId,
  }),
  configuration: parameters,
  /** The languages among which it decided. */
  languages: z.array(languageTag).min(1).refine(isDistinct, 'each language once'),
  ranges: z.array(languageRange),
});

export type LanguageRange = z.infer<typeof languageRange>;
export type LanguageRanges = z.infer<typeof languageRanges>;
