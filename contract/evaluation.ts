import { z } from 'zod';
import { toolIdentity } from './base/artifact.ts';
import { contentId, count, identity, languageTag, positive, range } from './base/grammar.ts';
import { detectedKind, parameters } from './evidence/evidence.ts';
import { ownedIngestFields } from './ingest.ts';

/** Why a pack cannot be evaluated. */
export type EvaluationFaultCode =
  /** The manifest, or media that it names, does not exist or is not a regular file. */
  | 'pack_file_missing'
  /** A path leads out of the pack's folder, or over a link. */
  | 'pack_file_outside'
  /** Media does not have the bytes that the manifest names. */
  | 'pack_file_mismatch'
  /** The manifest is too large, or is not in the form of its schema. */
  | 'pack_malformed'
  /** The manifest has a schema that this version does not know. */
  | 'pack_schema_unknown'
  /** An item has no labels at all. */
  | 'labels_empty'
  /** A label lies outside its item's range, a range outside its media, or a label is of a track that the media does not have. */
  | 'labels_outside_media'
  /** A transcript is labeled, and the call named no recognizer. */
  | 'recognizer_missing'
  /** Text on the screen is labeled, and no reader was named. */
  | 'screen_text_reader_missing'
  /** Media of the pack was refused by the ingest. */
  | 'media_refused'
  /** A study ended without a result. */
  | 'study_failed'
  /** There is nothing to compare with yet. */
  | 'baseline_missing'
  /** The baseline is not a receipt of this version, or its id does not follow from its content. */
  | 'baseline_malformed'
  /** The baseline was measured on another pack, or on this one before it was changed. */
  | 'baseline_of_other_pack'
  /** A person stopped the evaluation. */
  | 'evaluation_stopped';

/** A pack or its baseline cannot be evaluated. `place` names the file, the item or the field. */
export class EvaluationFault extends Error {
  readonly code: EvaluationFaultCode;
  readonly place: string;
  constructor(code: EvaluationFaultCode, place: string, cause?: unknown) {
    super(`${code}: ${place}`, cause === undefined ? undefined : { cause });
    this.name = 'EvaluationFault';
    this.code = code;
    this.place = place;
  }
}

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

/** The labeled faults of sound. The highest peak, which every sound has, is not among them. */
export const labeledFaultKinds = ['clipping', 'silent_channel', 'phase_inversion', 'dropout'] as const;

/** The language of a text; `zxx` for text that is in none, which an identifier should abstain from; null where no label says. */
const languageLabel = languageTag.nullable();

export const labeledCue = z
  .strictObject({ startMs: count, endMs: positive, text: z.string().min(1), language: languageLabel })
  .refine(({ startMs, endMs }) => startMs < endMs, { message: 'startMs must be below endMs', path: ['endMs'] });

/** One text track by its index in the container. Cues have their text without markup. */
export const labeledTrack = z.strictObject({
  trackIndex: count,
  language: languageLabel,
  cues: z.array(labeledCue).max(5000).refine(areInOrder, 'must be in the order of their starts'),
});

const frameRate = z.strictObject({ numerator: positive.max(1_000_000), denominator: positive.max(1_000_000) });

/** The first frame of each new shot, and the frames per second with which distances are counted. */
export const labeledCuts = z.strictObject({
  frameRate,
  atMs: z.array(count).refine(areAscending, 'must ascend'),
});

/** Stretches in which one shot changes into the next, in order; `frameRate` as for cuts. */
export const labeledTransitions = z.strictObject({
  frameRate,
  spans: z.array(range).refine(areInOrder, 'must be in the order of their starts'),
});

/** A fault of the sound and its place. */
export const labeledFault = z
  .strictObject({ kind: z.enum(labeledFaultKinds), startMs: count, endMs: positive })
  .refine(({ startMs, endMs }) => startMs < endMs, { message: 'startMs must be below endMs', path: ['endMs'] });

/** The spoken words, in lines by time, in one language; no lines if there is no speech. The study declares this language. */
export const labeledTranscript = z.strictObject({
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
 * Lines and their right translations, which test the gates of translated captions. None of this is searched for in the media.
 * `foreign` is the line in a third language, `renamed` its translation with another name in it; null if there is none.
 */
export const labeledTranslations = z.strictObject({
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
 * The texts of two text tracks of the media, line by line in order. They may split the text differently, and one of them may lack
 * a line, which is null there. The study declares the source language.
 */
export const labeledPairing = z.strictObject({
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

/** The lines of text on the screen, in order; several may be visible at once. */
export const labeledScreenTexts = z
  .array(
    z
      .strictObject({ startMs: count, endMs: positive, text: z.string().min(1) })
      .refine(({ startMs, endMs }) => startMs < endMs, { message: 'startMs must be below endMs', path: ['endMs'] }),
  )
  .max(5000)
  .refine(areInOrder, 'must be in the order of their starts');

/**
 * Utterances, each without a pause, under one acoustic condition, with no speech in any other sound. Beside `speech` this
 * measures for each utterance whether it was found, and how well its edges were.
 */
export const labeledUtterances = z.strictObject({
  condition: z.string().regex(/^[a-z0-9_]{1,40}$/),
  spans: z.array(range).max(5000).refine(areDisjoint, 'must be in order and apart'),
});

/**
 * The true content of the range of an item, on the time line of its source. Null means that it has no label, an empty list that
 * there is none.
 */
export const packLabels = z.strictObject({
  speech: z.array(range).refine(areDisjoint, 'must be in order and apart').nullable(),
  cuts: labeledCuts.nullable(),
  subtitles: z
    .array(labeledTrack)
    .refine((tracks) => isUnique(tracks.map(({ trackIndex }) => trackIndex)), 'tracks repeat')
    .nullable(),
  /** The text tracks of these two languages make complete captions of the range, on which the check of captions is tried. */
  captions: z.strictObject({ sourceLanguage: languageTag, targetLanguage: languageTag }).nullable(),
  // Labels that packs of 0.2.0 do not have: absent and null mean the same, and a pack without them keeps its content id.
  transitions: labeledTransitions.nullable().optional(),
  soundFaults: z.array(labeledFault).refine(areInOrder, 'must be in the order of their starts').nullable().optional(),
  /** The shots of the range, of each of which a picture is to be kept. */
  keyframes: z
    .strictObject({ shots: z.array(range).refine(areDisjoint, 'must be in order and apart') })
    .nullable()
    .optional(),
  transcript: labeledTranscript.nullable().optional(),
  translations: labeledTranslations.nullable().optional(),
  pairing: labeledPairing.nullable().optional(),
  /** An empty list if there are none on the screen. */
  screenTexts: labeledScreenTexts.nullable().optional(),
  utterances: labeledUtterances.nullable().optional(),
});

export const packItem = z.strictObject({
  itemId: identity,
  media: z.strictObject({ path: packPath, contentId, bytes: positive }),
  range,
  labels: packLabels,
});

/**
 * The manifest of a labeled pack. It names every file of the pack by its digest, so that its own content id is that of all
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

export type LabeledTrack = z.infer<typeof labeledTrack>;
export type LabeledTransitions = z.infer<typeof labeledTransitions>;
export type LabeledFault = z.infer<typeof labeledFault>;
export type LabeledTranscript = z.infer<typeof labeledTranscript>;
export type LabeledTranslations = z.infer<typeof labeledTranslations>;
export type LabeledPairing = z.infer<typeof labeledPairing>;
export type LabeledScreenTexts = z.infer<typeof labeledScreenTexts>;
export type LabeledUtterances = z.infer<typeof labeledUtterances>;
export type LabeledCuts = z.infer<typeof labeledCuts>;
export type PackItem = z.infer<typeof packItem>;
export type EvaluationPack = z.infer<typeof evaluationPack>;

/** Widths of the stretch around each labeled boundary of speech that is not scored, in ms, half of it on either side. */
export const speechCollarsMs = [0, 500] as const;

/** How many frames a found cut may lie beside a labeled one. */
export const cutTolerancesFrames = [0, 1, 2] as const;

/** A share in millionths, rounded to the nearest; null if there is nothing to divide by. */
const micro = count.nullable();

/** All durations in ms. `detectionErrorRateMicro` may exceed a million, since it is divided by labeled speech alone. */
export const speechScore = z.strictObject({
  collarMs: count,
  scoredMs: count,
  labelledMs: count,
  foundMs: count,
  hitMs: count,
  missedMs: count,
  falseAlarmMs: count,
  precisionMicro: micro,
  recallMicro: micro,
  f1Micro: micro,
  detectionErrorRateMicro: micro,
});

const retrieval = {
  labelled: count,
  found: count,
  matched: count,
  precisionMicro: micro,
  recallMicro: micro,
  f1Micro: micro,
};

export const cutScore = z.strictObject({ toleranceFrames: count, ...retrieval });

/**
 * `matched` cues have the labeled text; `exact` ones also start and end as labeled, and precision, recall and F1 are those of
 * the exact ones. Errors are of the matched: sums and the largest in ms, the mean in microseconds.
 */
export const subtitleScore = z.strictObject({
  labelled: count,
  found: count,
  matched: count,
  exact: count,
  startErrorMs: count,
  endErrorMs: count,
  largestErrorMs: count,
  meanErrorUs: micro,
  precisionMicro: micro,
  recallMicro: micro,
  f1Micro: micro,
});

/** Accuracy is that of the answers; who abstains is counted apart, as is text that was labeled but never read. */
export const languageScore = z.strictObject({
  labelled: count,
  correct: count,
  wrong: count,
  abstained: count,
  unread: count,
  accuracyMicro: micro,
  abstentionMicro: micro,
});

/** Complete captions that the structural check accepted, and single defects, planted in them, for which it withheld them. */
export const captionGateScore = z.strictObject({
  candidates: count,
  accepted: count,
  planted: count,
  caught: count,
  acceptedMicro: micro,
  caughtMicro: micro,
});

/** `matched` transitions overlap a labeled one, `bounded` ones begin and end within four frames of it. */
export const transitionScore = z.strictObject({ ...retrieval, bounded: count, boundedMicro: micro });

/** Faults of one kind that overlap a labeled one of that kind. */
export const faultScore = z.strictObject({ kind: z.enum(labeledFaultKinds), ...retrieval });

/** Shots of which at least one picture was kept, and how many pictures there are in all. */
export const keyframeScore = z.strictObject({ shots: count, covered: count, kept: count, coveredMicro: micro });

/**
 * The lines that passed the gates against the spoken words. Errors are the fewest insertions, deletions and replacements that
 * make one of the other, of words and of characters. Words are invented in lines that no labeled line overlaps. Of the
 * `unspokenMs` without speech, lines that passed cover `inventedMs`.
 */
export const transcriptScore = z.strictObject({
  labelledWords: count,
  foundWords: count,
  wordErrors: count,
  labelledCharacters: count,
  characterErrors: count,
  withheldLines: count,
  inventedWords: count,
  inventedMs: count,
  unspokenMs: count,
  wordErrorMicro: micro,
  characterErrorMicro: micro,
  inventionMicro: micro,
});

/** The possible mistakes of a model with lines that it translates. */
export const translationDefects = [
  'shifted',
  'merged',
  'dropped',
  'emptied',
  'swapped',
  'swapped_alike',
  'repeated',
  'other_language',
  'echoed',
  'number_changed',
  'name_changed',
  'shortened',
] as const;

/** Wrong answers of one kind, and those of them that are in no captions. */
export const translationDefectScore = z.strictObject({
  defect: z.enum(translationDefects),
  planted: count,
  /** Caught if the same wrong answer comes again for a line that is sent alone. */
  caught: count,
  /** Caught if a line that is sent alone has the right answer. */
  caughtTogether: count,
  /** Caught if the wrong answer comes in every question that has the lines whose translations it has, as lines or around them. */
  caughtSeen: count,
  caughtMicro: micro,
  caughtTogetherMicro: micro,
  caughtSeenMicro: micro,
});

/** Right answers that the gates of translations withheld, and wrong ones that they caught, once for each kind. */
export const translationGateScore = z.strictObject({
  lines: count,
  withheld: count,
  withheldMicro: micro,
  defects: z.array(translationDefectScore).length(translationDefects.length),
});

/**
 * Pairs in captions of two tracks. Words are those of both sides of the labeled lines that both tracks have. Kept ones are in a
 * right line, whose sides are of the same labeled lines.
 */
export const pairingScore = z.strictObject({
  files: count,
  captioned: count,
  words: count,
  keptWords: count,
  lines: count,
  rightLines: count,
  captionedMicro: micro,
  keptMicro: micro,
  rightMicro: micro,
});

/** Texts on the screen that were read: `wrong` and `invented` are of those that passed the gates. */
export const screenTextScore = z.strictObject({
  labelled: count,
  found: count,
  passed: count,
  wrong: count,
  invented: count,
  withheld: count,
  foundMicro: micro,
  wrongMicro: micro,
  inventedMicro: micro,
});

/** Errors of edges in ms, as found minus labeled; null if none was found. A size is one without its sign. */
const edgeErrors = z.strictObject({
  errorsMs: z.array(z.int()),
  medianMs: z.int().nullable(),
  medianSizeMs: count.nullable(),
  ninetiethSizeMs: count.nullable(),
});

/** An utterance as long as this is a phrase, a shorter one a word. */
export const phraseMs = 1000;

/** How much of a labeled utterance and of a window of speech together both must have. */
export const utteranceOverlap = 0.7;

/**
 * Utterances that were found with `utteranceOverlap` (intersection by union), and the begins and ends of all that a window of
 * speech overlaps, in ascending order. Of the `unspokenMs` without any utterance, `foundMs` were found as speech.
 */
export const utteranceScore = z.strictObject({
  condition: z.string().min(1),
  words: count,
  wordsFound: count,
  phrases: count,
  phrasesFound: count,
  onset: edgeErrors,
  offset: edgeErrors,
  unspokenMs: count,
  foundMs: count,
  wordsFoundMicro: micro,
  phrasesFoundMicro: micro,
  foundMicro: micro,
});

/** The scores; null if no item has such labels. */
export const evaluationScores = z.strictObject({
  speech: z.array(speechScore).length(speechCollarsMs.length).nullable(),
  cuts: z.array(cutScore).length(cutTolerancesFrames.length).nullable(),
  subtitles: subtitleScore.nullable(),
  trackLanguages: languageScore.nullable(),
  cueLanguages: languageScore.nullable(),
  captionGate: captionGateScore.nullable(),
  // Absent where no item has such labels: receipts of packs of 0.2.0 stay what they were.
  transitions: transitionScore.optional(),
  soundFaults: z.array(faultScore).length(labeledFaultKinds.length).optional(),
  keyframes: keyframeScore.optional(),
  transcript: transcriptScore.optional(),
  translations: translationGateScore.optional(),
  pairing: pairingScore.optional(),
  screenTexts: screenTextScore.optional(),
  /** Once for each condition, in the order of their names. */
  utterances: z.array(utteranceScore).optional(),
});

/**
 * The findings of a study of every item of a pack, compared with the labels. There is no time in it and no id of a run: equal
 * packs, tools, parameters and findings make the same receipt. `receiptId` is derived from everything but it and `schema`.
 */
export const evaluationReceipt = z.strictObject({
  schema: z.literal('studio.evaluation.receipt.v1'),
  receiptId: z.string().regex(/^evaluation:[a-f0-9]{64}$/),
  producer: z.strictObject({
    id: z.literal('studio.pack-evaluation'),
    version: z.literal('1'),
    policy: z.literal('counts_pooled_over_items'),
  }),
  pack: z.strictObject({ contentId, itemCount: positive }),
  tools: z.array(toolIdentity),
  detectors: z.array(z.strictObject({ kind: detectedKind, tool: toolIdentity.shape.name, parameters })),
  items: z
    .array(z.strictObject({ itemId: identity, sourceContentId: contentId, range, scores: evaluationScores }))
    .min(1),
  totals: evaluationScores,
});

export type SpeechScore = z.infer<typeof speechScore>;
export type CutScore = z.infer<typeof cutScore>;
export type SubtitleScore = z.infer<typeof subtitleScore>;
export type LanguageScore = z.infer<typeof languageScore>;
export type CaptionGateScore = z.infer<typeof captionGateScore>;
export type TransitionScore = z.infer<typeof transitionScore>;
export type FaultScore = z.infer<typeof faultScore>;
export type KeyframeScore = z.infer<typeof keyframeScore>;
export type TranscriptScore = z.infer<typeof transcriptScore>;
export type TranslationGateScore = z.infer<typeof translationGateScore>;
export type PairingScore = z.infer<typeof pairingScore>;
export type ScreenTextScore = z.infer<typeof screenTextScore>;
export type UtteranceScore = z.infer<typeof utteranceScore>;
export type EvaluationScores = z.infer<typeof evaluationScores>;
export type EvaluationReceipt = z.infer<typeof evaluationReceipt>;
