import { z } from 'zod';

/**
 * How a value is written. `spaced`: a code with spaces for its underscores. `number`: with separators. `hundredths`, `percent`: a
 * number of hundredths with one decimal, and one of thousandths as percent. `rounded`: without decimals. `clock`: milliseconds as
 * a time of the film. `length`: seconds as a length. `times`: how often. `sentence`: with a capital. `cause`, `reason`,
 * `language`: what such a code stands for. `languages`: each language with its length.
 */
export const valueForm = z.enum([
  'spaced',
  'number',
  'hundredths',
  'percent',
  'rounded',
  'clock',
  'length',
  'times',
  'sentence',
  'cause',
  'reason',
  'language',
  'languages',
]);
export type ValueForm = z.infer<typeof valueForm>;

/**
 * A part of a text about a fact or a finding: words, or a value with what is around it. `value` is the name of a field; a dot leads
 * into an object. `counted` is the noun behind a number: for one, and for several. A value that is null, absent or equal to `none`
 * is left out with its surroundings; `otherwise` is in its place.
 */
export const wordPart = z.union([
  z.string().min(1),
  z.strictObject({
    value: z.string().min(1),
    form: valueForm.optional(),
    counted: z.tuple([z.string(), z.string()]).optional(),
    before: z.string().optional(),
    after: z.string().optional(),
    none: z.union([z.string(), z.number()]).optional(),
    otherwise: z.string().optional(),
  }),
]);
export type WordPart = z.infer<typeof wordPart>;

/** The meaning of a drawn mark: the page has a color for each, in light and in dark. */
export const markTone = z.enum([
  'speech',
  'gap',
  'silence',
  'level',
  'cut',
  'change',
  'flash',
  'dark',
  'still',
  'seen',
  'damage',
  'text',
  'fault',
  'language',
  'other',
]);
export type MarkTone = z.infer<typeof markTone>;

/** A kind of evidence for people: what it is called, how its facts are worded and drawn, and its sentence in a summary. */
export const describedKind = z.strictObject({
  kind: z.string().min(1),
  title: z.string().min(1),
  /** The tracks that it is measured in; null if it came with the source. */
  track: z.enum(['audio', 'video', 'subtitle']).nullable(),
  /** The part of a summary that it belongs to. */
  about: z.enum(['words', 'pictures_and_sound']),
  /** The pictures or the sound that its facts name, drawn behind its marks. */
  backdrop: z.enum(['pictures', 'sound']).nullable(),
  /**
   * Its sentence in a summary, from its finding: the measures by their names, and `title`, `brief`, `language`, `languages` and
   * `fieldOrders`. There is none where the field `unless.value` is `unless.is`. Null for a kind that a summary leaves out.
   */
  summary: z
    .strictObject({
      words: z.array(wordPart).min(1),
      unless: z.strictObject({ value: z.string().min(1), is: z.string() }).optional(),
    })
    .nullable(),
  facts: z.array(z.strictObject({ kind: z.string().min(1), words: z.array(wordPart).min(1), tone: markTone })).min(1),
});
export type DescribedKind = z.infer<typeof describedKind>;

/** The answer to `GET /v1/evidence-kinds`: the kinds that this host has evidence of, in the order in which a page shows them. */
export const describedKinds = z.strictObject({
  schema: z.literal('studio.evidence-kinds.v1'),
  kinds: z.array(describedKind),
});
export type DescribedKinds = z.infer<typeof describedKinds>;
