import { z } from 'zod';
import { contentId, count, identity, positive, range } from '../base/grammar.ts';
import { toolIdentity } from '../base/tool.ts';
import { detectedKind, parameters } from '../evidence/evidence.ts';
import { labelledFaultKinds } from './evaluation-pack.ts';

/** Widths of the stretch around each labelled boundary of speech that is not scored, in ms, half of it on either side. */
export const speechCollarsMs = [0, 500] as const;

/** How many frames a found cut may lie beside a labelled one. */
export const cutTolerancesFrames = [0, 1, 2] as const;

/** A share in millionths, rounded to the nearest; null where there is nothing to divide by. */
const micro = count.nullable();

/** All durations in ms. `detectionErrorRateMicro` may exceed a million, since it is divided by labelled speech alone. */
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

export const cutScore = z.strictObject({
  toleranceFrames: count,
  labelled: count,
  found: count,
  matched: count,
  precisionMicro: micro,
  recallMicro: micro,
  f1Micro: micro,
});

/**
 * `matched` cues have the labelled text; `exact` ones also start and end where the label says, and precision, recall and F1
 * are those of the exact ones. Errors are of the matched: sums and the largest in ms, the mean in microseconds.
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

/** Accuracy is that of the answers; who abstains is counted apart, as is text that was labelled but never read. */
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

const retrieval = {
  labelled: count,
  found: count,
  matched: count,
  precisionMicro: micro,
  recallMicro: micro,
  f1Micro: micro,
};

/** `matched` transitions overlap a labelled one, `bounded` ones begin and end within four frames of it. */
export const transitionScore = z.strictObject({ ...retrieval, bounded: count, boundedMicro: micro });

/** Faults of one kind that overlap a labelled one of that kind. */
export const faultScore = z.strictObject({ kind: z.enum(labelledFaultKinds), ...retrieval });

/** Shots of which at least one picture was kept, and how many pictures there are in all. */
export const keyframeScore = z.strictObject({ shots: count, covered: count, kept: count, coveredMicro: micro });

/**
 * The lines that passed the gates against what is said. Errors are the fewest insertions, deletions and replacements that
 * make one of the other, of words and of characters. Words are invented in lines that no labelled line overlaps; `inventedMs` of
 * the `unspokenMs` without speech are covered by lines that passed.
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

/** What a model may do wrong with lines that it translates. */
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
  /** Where the same wrong answer comes again for a line that is asked alone. */
  caught: count,
  /** Where a line that is asked alone has the right answer. */
  caughtTogether: count,
  /** Where the wrong answer comes in every question that has the lines whose translations it has, as lines or around them. */
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
 * Pairs that captions of two tracks show. Words are those of both sides of the labelled lines that both tracks have; kept ones stand in
 * a right line, whose sides are of the same labelled lines.
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

/** Errors of edges in ms, as found minus labelled; null where nothing was found. A size is one without its sign. */
const edgeErrors = z.strictObject({
  errorsMs: z.array(z.int()),
  medianMs: z.int().nullable(),
  medianSizeMs: count.nullable(),
  ninetiethSizeMs: count.nullable(),
});

/** An utterance as long as this is a phrase, a shorter one a word. */
export const phraseMs = 1000;

/** How much of a labelled utterance and of a window of speech together both must have. */
export const utteranceOverlap = 0.7;

/**
 * Utterances that were found with `utteranceOverlap` (intersection by union), and the begins and ends of all that a window of speech
 * overlaps, in ascending order; `foundMs` of the `unspokenMs` without any utterance were found as speech.
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

/** What was measured; null where no item has such labels. */
export const evaluationScores = z.strictObject({
  speech: z.array(speechScore).length(speechCollarsMs.length).nullable(),
  cuts: z.array(cutScore).length(cutTolerancesFrames.length).nullable(),
  subtitles: subtitleScore.nullable(),
  trackLanguages: languageScore.nullable(),
  cueLanguages: languageScore.nullable(),
  captionGate: captionGateScore.nullable(),
  // Absent where no item has such labels: receipts of packs of 0.2.0 stay what they were.
  transitions: transitionScore.optional(),
  soundFaults: z.array(faultScore).length(labelledFaultKinds.length).optional(),
  keyframes: keyframeScore.optional(),
  transcript: transcriptScore.optional(),
  translations: translationGateScore.optional(),
  pairing: pairingScore.optional(),
  screenTexts: screenTextScore.optional(),
  /** Once for each condition, in the order of their names. */
  utterances: z.array(utteranceScore).optional(),
});

/**
 * What a study of every item of a pack found, held against the labels. There is no time in it and no id of a run: equal
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
