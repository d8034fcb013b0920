import { z } from 'zod';
import { count, languageTag, positive } from '../base/grammar.ts';
import { unkeptLook } from '../evidence/evidence.ts';

/** The side of a line of captions: the spoken language, or that of the captions. */
const side = z.enum(['source', 'target']);

const remarkOf = <const Code extends string, Params extends z.ZodRawShape>(code: Code, params: Params) =>
  z.strictObject({ code: z.literal(code), params: z.strictObject(params) });

/** The two sides do not belong together: too few cues agree, so no line has both texts. */
export const sidesDisagree = remarkOf('sides_disagree', { agreeMilli: count, leastMilli: positive });

/** The remarks on a plan, which a person has to see before the approval. */
export const planRemarks = [
  /** Cues that were shown into the next one, and end with it now. */
  remarkOf('cues_trimmed', { side, cues: positive }),
  /** Cues of one moment that are one line now, with a dash for each speaker. */
  remarkOf('cues_joined', { side, cues: positive }),
  /** Signs, notes and songs over dialogue: they are in no line. */
  remarkOf('texts_apart', { side, texts: positive }),
  /** Captions that roll: each row is written once. */
  remarkOf('captions_rolled', { side }),
  /** Cues whose track states no duration. */
  remarkOf('ends_assumed', { side, cues: positive }),
  /** Cues state something that no caption has. */
  remarkOf('looks_not_kept', { side, look: unkeptLook, cues: positive }),
  /** The cues of a side come later than the sound, or than the other side, by so many ms. Negative: earlier. */
  remarkOf('side_shifted', { side, against: z.enum(['sound', 'other_side']), offsetMs: z.int() }),
  /** They run at another rate: their time times `numerator` by `denominator`, plus the offset, is that of the film. */
  remarkOf('side_drifts', {
    side,
    against: z.enum(['sound', 'other_side']),
    numerator: positive,
    denominator: positive,
    offsetMs: z.int(),
  }),
  /** They fit only in so many parts, each at a place of its own: they belong to another cut of the film. */
  remarkOf('side_in_parts', { side, against: z.enum(['sound', 'other_side']), parts: positive }),
  /** It is unknown if they are in time. */
  remarkOf('timing_unknown', {
    side,
    against: z.enum(['sound', 'other_side']),
    reason: z.enum(['no_speech', 'too_few_cues', 'no_better_than_chance', 'part_does_not_fit', 'pieces_unproven']),
  }),
  sidesDisagree,
  /** A track in the language of another region was taken, and is named by what it is. */
  remarkOf('other_region_taken', { side, asked: languageTag, found: languageTag }),
  /** A track in another script is not taken, unless the request has its own tag. */
  remarkOf('other_script_refused', { side, asked: languageTag, found: languageTag }),
  /** A stretch of speech is in another language than the one that it was recognized in: its lines are left out. */
  remarkOf('spoken_in_other_language', { startMs: count, endMs: count, language: languageTag }),
  /** Speech without a line. */
  remarkOf('passages_without_line', { passages: positive }),
  /** Lines that the program leaves out, and their reasons. */
  remarkOf('lines_left_out', { lines: positive }),
  /** Lines where the detector found no speech. */
  remarkOf('lines_without_speech', { lines: positive }),
  /** Speech without a line is unknown: the study did not measure speech. */
  remarkOf('speech_not_measured', {}),
] as const;

/** One remark of a plan. */
export const planRemark = z.discriminatedUnion('code', planRemarks);

export type PlanRemark = z.infer<typeof planRemark>;
