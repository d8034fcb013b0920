import { z } from 'zod';
import { failure } from './base/errors.ts';
import { contentId, count, identity, languageTag, positive, range, timestamp } from './base/grammar.ts';
import { captionPlan } from './captions/caption-plan.ts';
import { evidenceCause, partCause, studyCause } from './causes/causes.ts';
import { claimState } from './evidence/assessment.ts';
import { fieldOrder, furtherKind } from './evidence/evidence.ts';
import { sourceKind } from './sources/source-session.ts';
import { outputDepth, requestedSourceLanguage } from './study/plan.ts';
import { studySteps } from './study/stages.ts';
import { lifecycle, runtimeListFields } from './study/status.ts';
import { evidenceKind } from './study/study-record.ts';

/** The most places that a finding names one by one: all of them are in the evidence. */
export const maximumPlaces = 100;

const text = z.string().min(1);
const path = z.string().startsWith('/v1/');

/** The state of a runtime as a whole; `text` of the situation has the same in words. */
export const situationCode = z.enum([
  'waiting_for_a_worker',
  'opening',
  'studying',
  'failed',
  'interrupted',
  'withheld_from_review',
  'waiting_for_review',
  'recording_review',
  'rejected',
  'approved',
  'withdrawing_approval',
  'approval_withdrawn',
  'producing_captions',
  'captions_failed',
  'waiting_for_check',
  'captions_withheld',
  'captions_accepted',
]);

/**
 * The state of a part of a runtime. `not_yet`: it is still to come. `never`: it cannot come any more, or does not apply.
 * `withheld`: it was decided against, for the reason codes beside it. A runtime that the host does not have has none of these: it
 * is `unknown_runtime`.
 */
export const partState = z.enum([
  'not_yet',
  'never',
  'waiting',
  'under_way',
  'withheld',
  'failed',
  'done',
  'withdrawn',
]);

/** One part of a runtime: its state, the ids of the receipts that prove it, and the path that reads it as a whole. */
export const overviewPart = z.strictObject({
  state: partState,
  text,
  /** Why it is not done, as data; beside a part that is done, what a person has to know of it. */
  causes: z.array(partCause),
  reasonCodes: z.array(z.string().min(1)),
  receiptIds: z.array(z.string().min(1)),
  path,
});

/** A stretch of time or, without length, a moment. */
const place = z.strictObject({ startMs: count, endMs: count, text });

/** A number with its unit; null where it could not be measured. */
const measure = z.strictObject({
  name: z.enum(['count', 'total', 'share', 'integrated_loudness', 'loudness_range', 'true_peak']),
  value: z.number().nullable(),
  unit: z.enum(['', 's', '%', 'LUFS', 'LU', 'dBTP']),
});

/** The findings of one kind. `unavailable` has a reason; `never` means that the run stopped before it. */
export const overviewFinding = z.strictObject({
  /** `screen_text` only of a study that was accepted by a host that reads the screen; the kinds of a pass only where it measured them. */
  kind: z.union([evidenceKind, furtherKind]),
  /** The measured thing, in words. */
  title: text,
  state: z.enum(['available', 'unavailable', 'not_yet', 'never']),
  reasonCode: z.string().nullable(),
  /** The cause behind `reasonCode`, and more exactly if an engine failed; null without one. */
  cause: evidenceCause.nullable(),
  trackIndex: count.nullable(),
  text,
  /** The text without the first places, which some texts name. */
  brief: text,
  /** The languages that were found, and how long each lasts in all, if that is known. Empty for kinds without a language. */
  languages: z.array(z.strictObject({ language: z.string().min(1), totalMs: positive.nullable() })),
  /** Of the fields of the pictures: each order that was found. */
  fieldOrders: z.array(fieldOrder),
  measures: z.array(measure),
  places: z.array(place).max(maximumPlaces),
  /** How many places there are in all. */
  placeCount: count,
  artifactId: z.string().nullable(),
  contentId: contentId.nullable(),
});

/** All claims of one kind, value and state, as one sentence over the facts that they cite. */
export const overviewClaim = z.strictObject({
  kind: z.enum(['speech_activity', 'language_identity', 'transcript', 'screen_text']),
  value: z.string().nullable(),
  states: z.array(claimState).min(1),
  text,
  windows: positive,
  totalMs: positive,
  range,
  receiptIds: z.array(z.string().min(1)).min(1),
});

const actionName = z.enum([
  'follow',
  'study_again',
  'approve',
  'reject',
  'revoke',
  'produce_captions',
  'check_captions',
  'read_captions',
  'explain',
]);

/** A value of a template that only the caller has: where it goes (RFC 6901, JSON Pointer) and what it is. */
const blank = z.strictObject({ at: z.string().startsWith('/'), with: text });

/** Something that may be done next, as a request to send. What is null in the body and named in `fill` is the caller's. */
export const overviewAction = z.strictObject({
  action: actionName,
  text,
  method: z.enum(['GET', 'POST']),
  path,
  body: z.record(z.string(), z.unknown()).nullable(),
  fill: z.array(blank),
});

/** The answer to `GET …/overview`. */
export const runtimeOverview = z.strictObject({
  schema: z.literal('studio.local-runtime-overview.v1'),
  ...runtimeListFields,
  lifecycle,
  situation: z.strictObject({ code: situationCode, text }),
  source: z.strictObject({
    sourceSessionId: identity,
    sourceRevisionId: identity,
    sourceKind,
    label: z.string(),
    durationMs: positive,
    contentId,
    path,
    ingest: z.strictObject({
      receiptId: identity,
      receiptContentId: contentId,
      /** The name of the file, or the address of the video. */
      origin: text,
      rights: z.strictObject({ basis: text, assertedAt: timestamp, scope: text }),
    }),
  }),
  study: z.strictObject({
    text,
    path,
    range,
    sourceLanguage: requestedSourceLanguage,
    targetLanguage: languageTag,
    outputDepth,
    acceptedAt: timestamp,
    /** The last step that is on disk; null before the first. */
    step: z.enum(studySteps).nullable(),
    /** Why it ended without its findings; null unless it did. */
    reason: failure.nullable(),
    /** The cause behind `reason`. */
    cause: studyCause.nullable(),
    /** How often a host took it up again. */
    resumes: count,
    /** The rest of the time that it may use while a host is up; null once it has ended. */
    deadlineLeftMs: count.nullable(),
  }),
  findings: z.array(overviewFinding),
  claims: z.array(overviewClaim),
  decision: overviewPart,
  /** `plan` is that of a valid approval, null for one without; absent without a valid approval. */
  review: overviewPart.extend({
    plan: z.strictObject({ digest: contentId, compared: captionPlan.shape.compared }).nullable().optional(),
  }),
  /** `methodsPath` reads the ways to captions of a study that has none. */
  captions: overviewPart.extend({ methodsPath: path.optional() }),
  check: overviewPart,
  explanations: overviewPart,
  /** Everything that is kept back, with the reason: evidence, claims, captions, lines. */
  withheld: z.array(
    z.strictObject({ what: text, reasonCode: z.string().min(1), text, cause: evidenceCause.nullable() }),
  ),
  actions: z.array(overviewAction),
});

export type SituationCode = z.infer<typeof situationCode>;
export type OverviewPart = z.infer<typeof overviewPart>;
export type Finding = z.infer<typeof overviewFinding>;
export type FindingPlace = z.infer<typeof place>;
export type FindingMeasure = z.infer<typeof measure>;
export type OverviewClaim = z.infer<typeof overviewClaim>;
export type OverviewAction = z.infer<typeof overviewAction>;
export type RuntimeOverview = z.infer<typeof runtimeOverview>;
