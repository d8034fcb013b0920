import { z } from 'zod';
import { contentId, count, identity, languageTag, positive, range } from '../base/grammar.ts';
import { ownedIngestFields } from '../ingest/owned-ingest.ts';

/** Largest manifest, in bytes; the labels of an hour of dense speech and subtitles take well below one. */
export const maximumPackBytes = 16 * 1024 * 1024;

/** Below the folder of the pack: segments with forward slashes, none of them empty, `.` or `..`. */
const packPath = z
  .string()
  .max(1024)
  .regex(/^(?!.*(^|\/)\.{0,2}(\/|$))[^\\\0]+$/, 'must be a plain relative path');

type Span = { readonly startMs: number; readonly endMs: number };

const areDisjoint = (spans: readonly Span[]): boolean =>
  spans.every(({ startMs }, index) => startMs >= (spans[index - 1]?.endMs ?? 0));

const areInOrder = (spans: readonly Span[]): boolean =>
  spans.every(({ startMs }, index) => startMs >= (spans[index - 1]?.startMs ?? 0));

const areAscending = (times: readonly number[]): boolean =>
  times.every((time, index) => time > (times[index - 1] ?? Number.NEGATIVE_INFINITY));

const isUnique = (names: readonly unknown[]): boolean => new Set(names).size === names.length;

/** The faults of sound that are labelled; the highest peak, which every sound has, is none. */
export const labelledFaultKinds = ['clipping', 'silent_channel', 'phase_inversion', 'dropout'] as const;

/** The language of a text; `zxx` for text that is in none, which an identifier should abstain from; null where no label says. */
const languageLabel = languageTag.nullable();

export const labelledCue = z
  .strictObject({ startMs: count, endMs: positive, text: z.string().min(1), language: languageLabel })
  .refine(({ startMs, endMs }) => startMs < endMs, { message: 'startMs must be below endMs', path: ['endMs'] });

/** One text track by its index in the container. Cues say what is in it after markup was taken off. */
export const labelledTrack = z.strictObject({
  trackIndex: count,
  language: languageLabel,
  cues: z.array(labelledCue).max(5000).refine(areInOrder, 'must be in the order of their starts'),
});

const frameRate = z.strictObject({ numerator: positive.max(1_000_000), denominator: positive.max(1_000_000) });

/** The first frame of each new shot, and the frames per second with which distances are counted. */
export const labelledCuts = z.strictObject({
  frameRate,
  atMs: z.array(count).refine(areAscending, 'must ascend'),
});

/** Stretches in which one shot goes over into the next, in order; `frameRate` as for cuts. */
export const labelledTransitions = z.strictObject({
  frameRate,
  spans: z.array(range).refine(areInOrder, 'must be in the order of their starts'),
});

/** A fault of the sound and where it is. */
export const labelledFault = z
  .strictObject({ kind: z.enum(labelledFaultKinds), startMs: count, endMs: positive })
  .refine(({ startMs, endMs }) => startMs < endMs, { message: 'startMs must be below endMs', path: ['endMs'] });

/** What is said, in lines by time, in one language; no lines where no speech is. The study declares this language. */
export const labelledTranscript = z.strictObject({
  language: languageTag,
  lines: z
    .array(
      z
        .strictObject({ startMs: count, endMs: positive, text: z.string().min(1) })
        .refine(({ startMs, endMs }) => startMs < endMs, { message: 'startMs must be below endMs', path: ['endMs'] }),
    )
    .max(5000)
    .refine(areDisjoint, 'must be in order and apart'),
});

/**
 * Lines and their right translations, on which the gates of translated captions are tried. Nothing of this is looked for in the
 * media. `foreign` is the line in a third language, `renamed` its translation with another name in it; null where there is none.
 */
export const labelledTranslations = z.strictObject({
  sourceLanguage: languageTag,
  targetLanguage: languageTag,
  lines: z
    .array(
      z.strictObject({
        source: z.string().min(1).max(1000),
        translation: z.string().min(1).max(1000),
        foreign: z.string().min(1).max(1000).nullable(),
        renamed: z.string().min(1).max(1000).nullable(),
      }),
    )
    .min(1)
    .max(200),
});

/**
 * What two text tracks of the media say, line by line in order: they may split it differently, and one of them may lack a line, which
 * is null there. The study declares the source language.
 */
export const labelledPairing = z.strictObject({
  sourceLanguage: languageTag,
  targetLanguage: languageTag,
  lines: z
    .array(
      z
        .strictObject({ source: z.string().min(1).nullable(), target: z.string().min(1).nullable() })
        .refine(({ source, target }) => source !== null || target !== null, 'one side at least must have a text'),
    )
    .min(1)
    .max(500),
});

/** The lines of text that stand on the screen, in order; several may stand there at once. */
export const labelledScreenTexts = z
  .array(
    z
      .strictObject({ startMs: count, endMs: positive, text: z.string().min(1) })
      .refine(({ startMs, endMs }) => startMs < endMs, { message: 'startMs must be below endMs', path: ['endMs'] }),
  )
  .max(5000)
  .refine(areInOrder, 'must be in the order of their starts');

/**
 * What people say, each time without a pause, under one condition of hearing, and where every other sound is no speech. Beside
 * `speech` this asks for each utterance whether it was found, and how well its edges were.
 */
export const labelledUtterances = z.strictObject({
  condition: z.string().regex(/^[a-z0-9_]{1,40}$/),
  spans: z.array(range).max(5000).refine(areDisjoint, 'must be in order and apart'),
});

/**
 * What is really in the range of an item, on the time line of its source. Null says that it has no label, an empty list that there
 * is none.
 */
export const packLabels = z.strictObject({
  speech: z.array(range).refine(areDisjoint, 'must be in order and apart').nullable(),
  cuts: labelledCuts.nullable(),
  subtitles: z
    .array(labelledTrack)
    .refine((tracks) => isUnique(tracks.map(({ trackIndex }) => trackIndex)), 'tracks repeat')
    .nullable(),
  /** The text tracks of these two languages make complete captions of the range, on which the check of captions is tried. */
  captions: z.strictObject({ sourceLanguage: languageTag, targetLanguage: languageTag }).nullable(),
  // Labels that packs of 0.2.0 do not have: absent and null mean the same, and a pack without them keeps its content id.
  transitions: labelledTransitions.nullable().optional(),
  soundFaults: z.array(labelledFault).refine(areInOrder, 'must be in the order of their starts').nullable().optional(),
  /** The shots of the range, of each of which a picture is to be kept. */
  keyframes: z
    .strictObject({ shots: z.array(range).refine(areDisjoint, 'must be in order and apart') })
    .nullable()
    .optional(),
  transcript: labelledTranscript.nullable().optional(),
  translations: labelledTranslations.nullable().optional(),
  pairing: labelledPairing.nullable().optional(),
  /** No texts where none stands on the screen. */
  screenTexts: labelledScreenTexts.nullable().optional(),
  utterances: labelledUtterances.nullable().optional(),
});

export const packItem = z.strictObject({
  itemId: identity,
  media: z.strictObject({ path: packPath, contentId, bytes: positive }),
  range,
  labels: packLabels,
});

/**
 * The manifest of a labelled pack. It names every file of the pack by its digest, so that its own content id is that of all
 * of them. The maker of a pack attests that its media may be processed.
 */
export const evaluationPack = z.strictObject({
  schema: z.literal('studio.evaluation-pack.v1'),
  name: ownedIngestFields.label,
  rightsHolder: ownedIngestFields.rightsHolder,
  ownershipAttested: z.literal(true),
  items: z
    .array(packItem)
    .min(1)
    .refine((items) => isUnique(items.map(({ itemId }) => itemId)), 'items repeat'),
});

export type LabelledTrack = z.infer<typeof labelledTrack>;
export type LabelledTransitions = z.infer<typeof labelledTransitions>;
export type LabelledFault = z.infer<typeof labelledFault>;
export type LabelledTranscript = z.infer<typeof labelledTranscript>;
export type LabelledTranslations = z.infer<typeof labelledTranslations>;
export type LabelledPairing = z.infer<typeof labelledPairing>;
export type LabelledScreenTexts = z.infer<typeof labelledScreenTexts>;
export type LabelledUtterances = z.infer<typeof labelledUtterances>;
export type LabelledCuts = z.infer<typeof labelledCuts>;
export type PackItem = z.infer<typeof packItem>;
export type EvaluationPack = z.infer<typeof evaluationPack>;
