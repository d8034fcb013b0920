import { z } from 'zod';
import { artifactId } from '../base/artifact.ts';
import { eventType } from '../base/event-envelope.ts';
import { contentId, count, identity, languageTag, positive, range } from '../base/grammar.ts';
import { cause } from '../causes/causes.ts';
import { planRemark } from '../causes/plan-remarks.ts';
import { gateReasons, recognisedText } from '../evidence/evidence.ts';
import { approvalReference } from '../review.ts';
import { derivedTrack } from '../sources/subtitle-track.ts';
import { runtimeListFields } from '../study/status.ts';
import { captionExecutor, captionReason, captionWords } from './caption-line.ts';
import { captionMethod, requestedMethod } from './caption-method.ts';

/** The time of a cue times `numerator` by `denominator`, plus `offsetMs`, is that of the reference. */
const placed = { numerator: positive, denominator: positive, offsetMs: z.int() };

/** The figures of an alignment: integers in hundredths of a nat. A score below its bound proves nothing. */
const figures = { score: z.int(), bound: z.int(), chance: z.int() };

/** Why nothing is claimed of cues. */
export const alignmentUnknown = z.enum([
  'no_speech',
  'too_few_cues',
  'no_better_than_chance',
  'part_does_not_fit',
  'pieces_unproven',
]);

/** Cues in order of time, counted from 0: `from` included and `to` not. */
const cuesOf = { from: count, to: positive };

/** The verdict for a stretch of cues. One of `other_cut` lies elsewhere than the stretch before or after it. */
export const alignedStretch = z.discriminatedUnion('verdict', [
  z.strictObject({
    verdict: z.enum(['in_sync', 'shifted', 'drifts', 'other_cut']),
    ...cuesOf,
    ...placed,
    ...figures,
  }),
  z.strictObject({
    verdict: z.literal('unknown'),
    ...cuesOf,
    reason: alignmentUnknown,
    figures: z.strictObject(figures).nullable(),
  }),
]);

/** Absent if one verdict holds for all cues. Some are unknown then; of more than a tenth, the answer is `unknown`. */
const told = { stretches: z.array(alignedStretch).min(2).optional() };

/**
 * How the cues of a side lie against a reference: the detected speech, or the cues of the other side. `in_sync` and `shifted` have
 * the rate 1. `unknown` is an answer: nothing is claimed then.
 */
export const alignment = z.discriminatedUnion('verdict', [
  z.strictObject({ verdict: z.enum(['in_sync', 'shifted', 'drifts']), ...placed, ...figures, ...told }),
  z.strictObject({
    verdict: z.literal('other_cut'),
    /** Stretches of cues, each with its own place. */
    pieces: z.array(z.strictObject({ ...cuesOf, ...placed, ...figures })).min(2),
    ...told,
  }),
  z.strictObject({
    verdict: z.literal('unknown'),
    reason: alignmentUnknown,
    /** Null if there was nothing to count. */
    figures: z.strictObject(figures).nullable(),
    ...told,
  }),
]);

/** The flags of a track that decide if it is the dialogue. Null for a study that did not record them. */
export const trackFlag = z.enum(['default', 'forced', 'comment', 'hearing_impaired', 'original', 'dub', 'captions']);

/** A text track or an attached file that a side of captions may be made of. */
const candidate = z.strictObject({
  /** Its stream index; attached files have those behind the streams of the media. */
  trackIndex: count,
  origin: z.enum(['track', 'file']),
  /** As the container, or the person who attached the file, states it. */
  tag: z.string().nullable(),
  /** The tag, or the identified language; null if neither is known. */
  language: z.string().nullable(),
  title: z.string().nullable(),
  flags: z.array(trackFlag).nullable(),
  cues: count,
  /** For a file that the program made of another text: how, and of which. Absent for others. */
  derived: derivedTrack.omit({ recordContentId: true }).optional(),
});

/** Why a track was taken. The first that holds. */
export const trackReason = z.enum([
  'chosen_by_person',
  'attached_by_person',
  'only_track',
  'exact_tag',
  'default_track',
  'plain_track',
  'most_cues',
  'first_track',
]);

/** Why another track was not. */
export const otherTrackReason = z.enum([
  'another_was_chosen',
  'another_was_attached',
  'moved_one_taken',
  'other_language',
  'other_script',
  'other_region',
  'language_contradicted',
  'commentary',
  'forced_signs',
  'hearing_impaired',
  'not_default',
  'fewer_cues',
  'later_track',
]);

/** The choice among the tracks of one side. */
export const trackChoice = z.strictObject({
  asked: languageTag,
  chosen: candidate.extend({ reason: trackReason }).nullable(),
  others: z.array(candidate.extend({ reason: otherTrackReason })),
});

/** The origin of the lines of a side, and how they lie against the sound. */
const planSide = z.strictObject({
  origin: z.enum(['track', 'file', 'recognizer', 'translator', 'test_seam', 'none']),
  /** The recognizer, or the model that translates. */
  engine: z.string().nullable(),
  /** Null for lines that come from no track: of a recognizer, and of the test seam. */
  choice: trackChoice.nullable(),
  /** Null if nothing is compared: recognized speech has its times from the sound. */
  withSound: alignment.nullable(),
});

/** Lists in a plan have at most so many entries; `counts` has how many there are. */
export const longestPlanList = 512;

/** Why a line is left out: a side without a text, its study, or a gate that its transcript did not pass. */
export const leftOutReason = z.enum([...new Set([...captionReason.options, ...gateReasons])]);

/** The most doubtful words that a plan names in one line. */
export const longestDoubtfulWords = 16;

const span = { startMs: count, endMs: count };

/** A line that is left out. Its text is null if it could not be read; a long one ends with `…`. */
const leftOut = z.strictObject({
  ...span,
  lineId: identity,
  text: captionWords.nullable(),
  reasonCode: leftOutReason,
});
/** A line with a word that its recognizer doubts; `lowestMilli` is the confidence of the most doubtful one, in thousandths. */
const doubtfulLine = z.strictObject({
  ...span,
  lineId: identity,
  text: captionWords,
  lowestMilli: count,
  words: z.array(recognisedText).min(1).max(longestDoubtfulWords),
});
const shownText = z.strictObject({ ...span, text: captionWords });

/**
 * The captions that a study will give, before a person approves them. It follows from the evidence and from `asked` alone, and
 * is derived again when it is verified. Captions can be made by it if it has no obstacle.
 */
export const captionPlan = z.strictObject({
  schema: z.literal('studio.caption-plan.v1'),
  runId: identity,
  /** The request: null where it left a choice to the program. All keys are in the digest. */
  asked: z.strictObject({
    from: languageTag.nullable(),
    to: languageTag.nullable(),
    method: requestedMethod.nullable(),
    tracks: z.array(count),
  }),
  /** Null on a host whose own executor has no name as a method. */
  method: captionMethod.nullable(),
  executor: captionExecutor,
  /** The versions of the rules, and the thresholds of gaps. */
  rules: z.strictObject({
    captions: positive,
    alignment: positive,
    trackChoice: positive,
    gaps: z.strictObject({
      version: positive,
      joinedMs: positive,
      leastMs: positive,
      coveredMilli: positive,
      marginMs: positive,
    }),
  }),
  sides: z.strictObject({ source: planSide, target: planSide }),
  compared: z.enum(['with_sound', 'with_other_side', 'both', 'none']),
  /** How the two sides lie against each other; null for a single side. */
  withOtherSide: alignment.nullable(),
  /** The share of the cues of the smaller side that agree with the other, and the least that is accepted, in thousandths. */
  agreement: z.strictObject({ agreeMilli: count, leastMilli: positive }).nullable(),
  /** The lines that will be written, by their digest. */
  lines: z.strictObject({ count, contentId }),
  /** The lines that a model will translate; null if it translates none. */
  translation: z.strictObject({ lines: positive, model: z.string(), gates: positive }).nullable(),
  counts: z.strictObject({ gaps: count, leftOut: count, apart: count, withoutSpeech: count }),
  /** Passages with speech and no line. */
  gaps: z.array(range).max(longestPlanList),
  /** Lines that the program leaves out. */
  leftOut: z.array(leftOut).max(longestPlanList),
  /** Texts that are shown over dialogue, and are in no line. */
  apart: z.array(shownText.extend({ side: z.enum(['source', 'target']) })).max(longestPlanList),
  /** Lines where the detector found no speech. */
  withoutSpeech: z.array(z.strictObject({ ...span, lineId: identity })).max(longestPlanList),
  /**
   * The lines to read first: those with the most doubtful words, the most doubtful one first. `lines` is how many there are below the
   * threshold. Absent if the recognizer doubts no word, and for lines that were not recognized.
   */
  doubtful: z.strictObject({ belowMilli: positive, lines: positive, first: z.array(doubtfulLine).min(1) }).optional(),
  remarks: z.array(planRemark),
  /** Why no captions can be made by it; such a plan cannot be approved. */
  obstacles: z.array(cause),
});

/** The answer to `GET …/caption-plan`. `digest` is what an approval names as its `plan`. */
export const captionPlanAnswer = z.strictObject({
  schema: z.literal('studio.local-runtime-caption-plan.v1'),
  ...runtimeListFields,
  digest: contentId,
  plan: captionPlan,
});

/** Largest stored receipt of a plan, in bytes: its lists and the texts in them are bounded. */
export const maximumPlanBytes = 1024 * 1024;

const planId = z.string().regex(/^publish-review-plan:[a-f0-9]{64}$/);

/** The plan of an approval, as its reviewer read it. `receiptId` is derived from everything but it and `schema`. */
export const captionPlanReceipt = z.strictObject({
  schema: z.literal('studio.publish-review-plan.receipt.v1'),
  receiptId: z.string().regex(/^publish-review-plan-receipt:[a-f0-9]{64}$/),
  planId,
  input: z.strictObject({
    approval: approvalReference,
    /** The digest that the request named: that of `plan`. */
    planContentId: contentId,
  }),
  producer: z.strictObject({
    id: z.literal('studio.host-caption-plan'),
    version: z.literal('1'),
    policy: z.literal('plan_derived_again_and_equal_to_the_one_that_the_reviewer_named'),
  }),
  plan: captionPlan,
});

/** The journal event of a plan beside the decision that approved it. */
export const captionPlanEvents = [
  eventType(
    'publish.review.plan_recorded',
    'publish_review_host',
    z.strictObject({
      planId,
      outputArtifactId: artifactId,
      receiptContentId: contentId,
      receipt: captionPlanReceipt,
    }),
  ),
] as const;

export type CaptionPlanReceipt = z.infer<typeof captionPlanReceipt>;
export type Alignment = z.infer<typeof alignment>;
export type AlignedStretch = z.infer<typeof alignedStretch>;
export type TrackFlag = z.infer<typeof trackFlag>;
export type TrackChoice = z.infer<typeof trackChoice>;
export type CaptionPlan = z.infer<typeof captionPlan>;
export type CaptionPlanAnswer = z.infer<typeof captionPlanAnswer>;
/** The choices of a request for a plan. */
export type AskedPlan = CaptionPlan['asked'];
