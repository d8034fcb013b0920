import { z } from 'zod';
import { contentId, count, positive, timestamp } from '../base/grammar.ts';
import { alignmentUnknown } from '../captions/caption-plan.ts';
import { reviewerLabel } from '../review.ts';
import { runtimeId } from '../study/start.ts';
import { subtitleFormat } from './subtitle-track.ts';

/** The statement under which a person has the program attach subtitles that it made of others, word for word. */
export const derivedStatement =
  'I attest that I am the named reviewer and had these subtitles made of the named ones, as it is stated here.';

/** The most stretches that a record names. */
export const mostStretches = 4096;

/** The first and the last one, counted from 1 in order of time, or of a script. */
const numbered = z.strictObject({ from: positive, to: positive });
const span = { startMs: count, endMs: count };

/**
 * A stretch of cues with its verdict; its span is that of the cues as they were. The times of a moved one are multiplied by the
 * rate and get the offset. One that is in sync, and one of which nothing is known, keeps its times.
 */
export const resyncedStretch = z.discriminatedUnion('verdict', [
  z.strictObject({
    verdict: z.enum(['in_sync', 'shifted', 'drifts', 'other_cut']),
    cues: numbered,
    ...span,
    numerator: positive,
    denominator: positive,
    offsetMs: z.int(),
    score: z.int(),
    bound: z.int(),
    chance: z.int(),
  }),
  z.strictObject({ verdict: z.literal('unknown'), cues: numbered, ...span, reason: alignmentUnknown }),
]);

/**
 * Why text of a script has no time. `no_better_than_chance` is about all of it: the sentences are not in the order in which they
 * were heard. `nothing_heard`: no words were recognized where it would be. `other_words`: others were. `other_place`: it was heard
 * where the order of the script does not have it.
 */
export const scriptUnheard = z.enum(['no_better_than_chance', 'nothing_heard', 'other_words', 'other_place']);
export type ScriptUnheard = z.infer<typeof scriptUnheard>;

/** Lines of a script file: where they are said, or why they have no time and are withheld. */
export const scriptStretch = z.discriminatedUnion('state', [
  z.strictObject({ state: z.literal('placed'), lines: numbered, ...span }),
  z.strictObject({ state: z.literal('withheld'), lines: numbered, reason: scriptUnheard }),
]);
export type ScriptStretch = z.infer<typeof scriptStretch>;

/** How subtitles were made of others: their times were moved, or a script got times. */
const madeSubtitles = z.discriminatedUnion('origin', [
  z.strictObject({
    origin: z.literal('resynced'),
    /** The version of the alignment that found the stretches. */
    rules: z.strictObject({ alignment: positive }),
    stretches: z.array(resyncedStretch).min(1).max(mostStretches),
  }),
  z.strictObject({
    origin: z.literal('aligned'),
    /** The version of the rule that found the words of the script. */
    rules: z.strictObject({ script: positive }),
    /** The recognized speech whose words have the times. */
    transcriptContentId: contentId,
    stretches: z.array(scriptStretch).min(1).max(mostStretches),
  }),
]);

/** The file that derived subtitles were made of. It is kept with the source, so that they can be derived again. */
const parentFile = z.strictObject({
  contentId,
  bytes: positive,
  label: z.string().min(1).max(160),
  format: z.enum([...subtitleFormat.options, 'script']),
  /** By its name in the Encoding Standard, in lower case. */
  encoding: z.string().min(1).max(40),
  /** The text track that it is, of the media or attached; null for a file that is not a track of the source. */
  trackIndex: count.nullable(),
});

/** What was done to make an attached track of other text, of which study the speech is, and who attested it. */
export const derivedSubtitles = z.strictObject({
  schema: z.literal('studio.derived-subtitles.v1'),
  runtimeId,
  parent: parentFile,
  made: madeSubtitles,
  result: z.strictObject({ contentId, bytes: positive, format: subtitleFormat, encoding: z.string().min(1).max(40) }),
  attestation: z.strictObject({
    attestedBy: reviewerLabel,
    attestedAt: timestamp,
    statement: z.literal(derivedStatement),
  }),
});

export type DerivedSubtitles = z.infer<typeof derivedSubtitles>;
export type MadeSubtitles = z.infer<typeof madeSubtitles>;
export type ResyncedStretch = z.infer<typeof resyncedStretch>;
