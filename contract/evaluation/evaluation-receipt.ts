import { z } from 'zod';
import { contentId, count, identity, positive, range } from '../base/grammar.ts';
import { toolIdentity } from '../base/tool.ts';
import { detectedKind, parameters } from '../evidence/evidence.ts';

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

/** What was measured; null where no item has such labels. */
export const evaluationScores = z.strictObject({
  speech: z.array(speechScore).length(speechCollarsMs.length).nullable(),
  cuts: z.array(cutScore).length(cutTolerancesFrames.length).nullable(),
  subtitles: subtitleScore.nullable(),
  trackLanguages: languageScore.nullable(),
  cueLanguages: languageScore.nullable(),
  captionGate: captionGateScore.nullable(),
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
export type EvaluationScores = z.infer<typeof evaluationScores>;
export type EvaluationReceipt = z.infer<typeof evaluationReceipt>;
