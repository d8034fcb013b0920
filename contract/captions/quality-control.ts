import { z } from 'zod';
import { artifactId, recordPart } from '../base/artifact.ts';
import { contentId, count, identity, identityOf, languageTag, positive } from '../base/grammar.ts';
import { approvalReference } from '../review.ts';
import { runtimeListFields } from '../study/status.ts';
import { readinessReference, studyReference } from '../study/study-record.ts';
import { captionExecutor, captionJobId, captionLimits, captionSide } from './caption-line.ts';
import { captionInput, captionReceipt } from './caption-production.ts';

/** Largest stored receipt of a quality control, in bytes. */
export const maximumQualityControlReceiptBytes = 128 * 1024;

/** The most decisions in one record of a check of long captions. */
export const maximumPartDecisions = 256;

/** The captions that are to be checked. */
export const qualityControlCandidate = z.strictObject({
  jobId: captionJobId,
  captionArtifactId: artifactId,
  captionContentId: contentId,
  captionReceiptId: captionReceipt.shape.receiptId,
  captionReceiptContentId: contentId,
});

/** The body of a request for a quality control. */
export const qualityControlRequest = z.strictObject({ candidate: qualityControlCandidate });

export const qualityControlPolicy = 'structural_current_run_gate_without_semantic_quality_score';

/** The reason why a candidate is accepted or withheld; the first that applies is the only one. */
export const qualityControlReason = z.enum([
  'recorded_fixture_test_demo_only',
  'candidate_has_no_lines',
  'candidate_has_unavailable_or_withheld_lines',
  'current_run_candidate_structurally_complete',
  'current_run_candidate_accepted_in_part',
]);

/** The verdict of a check on one line. */
export const lineReason = z.enum(['line_structurally_complete', 'line_unavailable_or_withheld', 'test_demo_only']);

const lineDecision = z.strictObject({
  lineId: identityOf(200),
  outcome: z.enum(['accepted', 'withheld']),
  reasonCode: lineReason,
});

/** Reasons of captions that are handed out: whole, or without the lines that did not pass. */
const acceptingReasons: readonly string[] = [
  'current_run_candidate_structurally_complete',
  'current_run_candidate_accepted_in_part',
];

const verdict = {
  outcome: z.enum(['accepted', 'withheld']),
  reasonCodes: z.tuple([qualityControlReason]),
};

const isReasonOfOutcome = ({ outcome, reasonCodes }: { outcome: string; reasonCodes: [string] }): boolean =>
  (outcome === 'accepted') === acceptingReasons.includes(reasonCodes[0]);

const reasonOfOutcome = { message: 'the reason is that of the outcome', path: ['reasonCodes'] };

export const qualityControlDecision = z
  .strictObject({ ...verdict, lines: z.array(lineDecision).max(captionLimits.maxLines) })
  .refine(isReasonOfOutcome, reasonOfOutcome);

/** The verdicts on consecutive lines of long captions, in their stored form. */
export const qualityControlPart = z.strictObject({
  schema: z.literal('studio.caption-quality-control.part.v1'),
  qcId: z.string().regex(/^caption-quality-control:[a-f0-9]{64}$/),
  runId: identity,
  captionArtifactId: artifactId,
  /** Counted from 0. */
  index: count,
  lines: z.array(lineDecision).min(1).max(maximumPartDecisions),
});

/** An independent look at the structure of captions. `receiptId` is derived from everything but it and `schema`. */
export const qualityControlReceipt = z.strictObject({
  schema: z.literal('studio.caption-quality-control.receipt.v1'),
  receiptId: z.string().regex(/^caption-quality-control-receipt:[a-f0-9]{64}$/),
  qcId: z.string().regex(/^caption-quality-control:[a-f0-9]{64}$/),
  input: qualityControlCandidate,
  lineage: z.strictObject({
    candidateInput: captionInput,
    executor: captionExecutor,
    study: studyReference,
    readiness: readinessReference,
    approval: approvalReference,
  }),
  producer: z.strictObject({
    id: z.literal('studio.host-caption-quality-control'),
    version: z.literal('1'),
    independence: z.literal('separate_from_caption_executor'),
    policy: z.literal(qualityControlPolicy),
  }),
  decision: qualityControlDecision,
});

/** The same of long captions: what was decided on their lines is in parts. */
export const longQualityControlReceipt = qualityControlReceipt.extend({
  schema: z.literal('studio.caption-quality-control.receipt.v2'),
  decision: z
    .strictObject({ ...verdict, acceptedCount: count, withheldCount: count, parts: z.array(recordPart).min(1) })
    .refine(isReasonOfOutcome, reasonOfOutcome),
});

export type QualityControlCandidate = z.infer<typeof qualityControlCandidate>;
export type QualityControlRequest = z.infer<typeof qualityControlRequest>;
export type QualityControlDecision = z.infer<typeof qualityControlDecision>;
export type QualityControlPart = z.infer<typeof qualityControlPart>;
export type PlainQualityControlReceipt = z.infer<typeof qualityControlReceipt>;
export type LongQualityControlReceipt = z.infer<typeof longQualityControlReceipt>;
export type QualityControlReceipt = PlainQualityControlReceipt | LongQualityControlReceipt;

const lineId = identityOf(200);
const integer = z.number().int().min(Number.MIN_SAFE_INTEGER).max(Number.MAX_SAFE_INTEGER);

/**
 * The limits of a guideline for cues; null if it sets none. Speeds are in thousandths of a character per second, lengths of lines
 * in thousandths of a character: some guidelines count narrow characters half.
 */
export const captionLimitsOfProfile = z.strictObject({
  readingSpeedMilliCps: positive.nullable(),
  lineMilliCharacters: positive.nullable(),
  lines: positive,
  minimumDurationMs: positive,
  maximumDurationMs: positive,
  minimumGapMs: positive.nullable(),
});

/** A limit that is null, and why: the guideline has none, or speaks of other scripts only. */
const openLimit = z.strictObject({
  limit: captionLimitsOfProfile.keyof(),
  reasonCode: z.enum(['not_in_guideline', 'guideline_for_latin_script']),
});

/**
 * A guideline for subtitles. `date` is that of its last change, or of the day on which it was read where it states no
 * change.
 */
export const captionProfile = z.strictObject({
  id: z.enum(['netflix', 'ted']),
  source: z.url({ protocol: /^https$/ }),
  date: z.iso.date(),
});

/** Frames per second as a fraction; `assumed` where the media's own rate is not known. */
export const captionFrameRate = z.strictObject({
  numerator: positive,
  denominator: positive,
  origin: z.enum(['media', 'assumed']),
});

/** The hard cuts that cues were held against: how many the study found, or why none can be named. */
const shotChanges = z.discriminatedUnion('state', [
  z.strictObject({ state: z.literal('available'), reasonCode: z.null(), count }),
  z.strictObject({ state: z.literal('unavailable'), reasonCode: z.literal('no_shot_evidence'), count: z.null() }),
]);

/**
 * One cue, measured. `characters` are grapheme clusters without line breaks. The gap is to the end of the cue before it,
 * negative where they overlap, null for the first. Distances to the nearest hard cut are negative where the cut comes
 * first, null where the study names none.
 */
export const cueMeasures = z.strictObject({
  lineId,
  startMs: count,
  endMs: positive,
  durationMs: positive,
  characters: count,
  readingSpeedMilliCps: count,
  lines: count,
  longestLineMilliCharacters: count,
  gapBeforeMs: integer.nullable(),
  startToShotMs: integer.nullable(),
  endToShotMs: integer.nullable(),
});

export const captionFindingCode = z.enum([
  'reading_speed_too_high',
  'line_too_long',
  'too_many_lines',
  'duration_too_short',
  'duration_too_long',
  'gap_too_short',
  'overlap',
]);

/** One side of captions held against one guideline. It passes no judgement: nothing is accepted or withheld by it. */
export const captionQualityReport = z.strictObject({
  jobId: captionJobId,
  captionContentId: contentId,
  side: captionSide,
  language: languageTag,
  profile: captionProfile,
  limits: captionLimitsOfProfile,
  openLimits: z.array(openLimit),
  frameRate: captionFrameRate,
  shotChanges,
  cues: z.array(cueMeasures),
  /** In order of cues; the figure that was found and the limit that it passes, in the limit's unit. */
  findings: z.array(z.strictObject({ lineId, code: captionFindingCode, measured: count, limit: count })),
});

/** The answer to `GET …/caption-quality-reports`: computed from stored captions at every read and never stored. */
export const captionQualityReports = z.strictObject({
  schema: z.literal('studio.local-runtime-caption-quality-reports.v1'),
  ...runtimeListFields,
  reports: z.array(captionQualityReport),
});

export type CaptionProfileLimits = z.infer<typeof captionLimitsOfProfile>;
export type CaptionFrameRate = z.infer<typeof captionFrameRate>;
export type CueMeasures = z.infer<typeof cueMeasures>;
export type CaptionFindingCode = z.infer<typeof captionFindingCode>;
export type CaptionQualityReport = z.infer<typeof captionQualityReport>;
export type CaptionQualityReports = z.infer<typeof captionQualityReports>;
