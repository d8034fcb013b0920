import { z } from 'zod';
import { artifactId } from '../base/artifact.ts';
import { count, identity, languageTag, positive, timestamp } from '../base/grammar.ts';
import { captionMethodRows, recognitionWish } from '../captions/caption-method.ts';
import { warningCause } from '../causes/causes.ts';
import { recognizerEngines } from '../recognition.ts';
import { screenTextEngine } from '../screentext.ts';
import { sourceSession } from '../sources/source-session.ts';
import { forecast, forecastFreeze } from './forecast.ts';
import { analysisRequest, workPlan } from './plan.ts';

export const commandId = z.string().regex(/^runtime-start:[a-f0-9]{64}$/);

/** Shaped like a version 4 UUID although it is derived from the command. */
export const runtimeId = z.string().regex(/^runtime:[a-f0-9]{8}-[a-f0-9]{4}-4[a-f0-9]{3}-8[a-f0-9]{3}-[a-f0-9]{12}$/);

export const journalId = z.string().regex(/^journal:runtime:[a-f0-9-]{36}$/);

/**
 * The durable promise to run a study, stored as an indented file whose hash is the receipt's content id. Everything in it but
 * `startedAt`, `clientRequestId` and `recognition` follows from the source and the request. These two are present only if the request
 * had them.
 */
export const runtimeStart = z.strictObject({
  schema: z.literal('studio.runtime-start.v1'),
  producer: z.strictObject({ id: z.literal('studio.local-runtime-start'), version: z.literal('1') }),
  commandId,
  runtimeId,
  journalId,
  clientRequestId: identity.optional(),
  recognition: recognitionWish.nullable().optional(),
  sourceSession,
  sourceArtifactId: artifactId,
  analysisRequest,
  workPlan,
  forecast,
  frozenForecast: forecastFreeze,
  startedAt: timestamp,
});

export type RuntimeStart = z.infer<typeof runtimeStart>;

/** The answer to a plan: the ids that a start of the same request would have, and its forecast. Nothing is stored. */
export const runtimePlan = z.strictObject({
  schema: z.literal('studio.local-runtime-plan.v1'),
  commandId,
  runtimeId,
  sourceSessionId: identity,
  sourceRevisionId: identity,
  analysisRequestId: identity,
  forecast,
  acceptance: z.strictObject({ status: z.literal('not_started'), frozenForecastId: z.null() }),
});

export type RuntimePlan = z.infer<typeof runtimePlan>;

/** Why no captions can be made of a study, whatever a reviewer approves. */
export const captionObstacle = z.enum([
  'source_language_not_declared',
  'range_too_long',
  'no_caption_executor',
  'no_text_tracks',
  'no_text_track_in_language',
  'no_recognizer',
  'no_audio_track',
  'no_translator',
]);

/** One clause for people, without capital or full stop; and the same as data. */
const said = { text: z.string().min(1), cause: warningCause };

/** Something that a person would rather know before a study than after it. A study with warnings can be started all the same. */
export const planWarning = z.discriminatedUnion('code', [
  z.strictObject({ code: z.literal('no_audio_track'), ...said }),
  z.strictObject({ code: z.literal('no_video_track'), ...said }),
  /** `basis` is the origin of the other languages: a detector, in evidence that came with the source, or the container. */
  z.strictObject({
    code: z.literal('declared_language_differs'),
    ...said,
    declared: z.array(languageTag).min(1),
    found: z.array(languageTag).min(1),
    basis: z.enum(['detected', 'container']),
  }),
  /** Only for a request with the output depth `captions`. */
  z.strictObject({ code: z.literal('captions_not_possible'), ...said, reason: captionObstacle }),
  z.strictObject({ code: z.literal('codec_may_not_play'), ...said, codecs: z.array(z.string().min(1)) }),
  z.strictObject({ code: z.literal('media_incomplete'), ...said }),
  /**
   * Only on a host that recognizes speech, once it has. It names the recognizer and the median time for a second of speech in its
   * last `studies`, in ms. It also has the time for the range if all of it is speech.
   */
  z.strictObject({
    code: z.literal('speech_will_be_recognised'),
    ...said,
    engine: z.enum(recognizerEngines),
    msPerSecond: count,
    atMostMs: count,
    studies: positive,
  }),
  /** Only on a host that reads text on the screen: by what, in which of the engine's languages, and in how many pictures at least. */
  z.strictObject({
    code: z.literal('screen_text_will_be_read'),
    ...said,
    engine: screenTextEngine,
    languages: z.array(z.string().min(1)).min(1),
    pictures: count,
  }),
]);

/** The answer to `POST /v1/runtime-plan-warnings`: what is known before the study that a plan has no field for. */
export const planWarnings = z.strictObject({
  schema: z.literal('studio.runtime-plan-warnings.v1'),
  runtimeId,
  warnings: z.array(planWarning),
  /** The ways to captions of the range, by what its tracks state and what the settings of the host name and permit. */
  captionMethods: captionMethodRows,
});

export type CaptionObstacle = z.infer<typeof captionObstacle>;
export type PlanWarning = z.infer<typeof planWarning>;
export type PlanWarningList = z.infer<typeof planWarnings>;
