import { z } from 'zod';
import { artifactId, operationId, operationRequest, toolIdentity } from './base/artifact.ts';
import { failure } from './base/errors.ts';
import { eventType } from './base/event-envelope.ts';
import { contentId, count, givenLine, identity, range, sha256Hex } from './base/grammar.ts';
import {
  maximumScreenTextCharacters,
  parameters,
  screenBox,
  secondLook,
  unavailableReason,
} from './evidence/evidence.ts';
import { mediaLimits } from './evidence/media-operation.ts';
import { studyStages } from './study/stages.ts';

/** One line as an engine read it in one picture; its confidence in thousandths. Earlier versions looked once. */
export const readText = z.strictObject({
  text: givenLine(maximumScreenTextCharacters),
  box: screenBox,
  confidenceMilli: count.max(1000),
  secondLook: secondLook.optional(),
});

/**
 * The text in a picture that was shown at `atMs`; no picture up to the one at `untilMs` differs from it. `clearMilli` is the
 * share of the text that the engine is sure of, by letters. Text that it hardly sees counts there and is not among the texts. The
 * engine failed over an `unread` picture, so its text is unknown.
 */
export const readPicture = z.strictObject({
  atMs: count,
  untilMs: count,
  clearMilli: count.max(1000),
  texts: z.array(readText).max(1024),
  unread: z.literal(true).optional(),
});

/** The texts in one window of the range, kept under a key of its own so that no window is read twice. */
export const readPictures = z.array(readPicture).max(4096);

export type ReadText = z.infer<typeof readText>;
export type ReadPicture = z.infer<typeof readPicture>;

/** Largest stored receipt of a reading of the screen, in bytes. */
export const maximumScreenTextReceiptBytes = 64 * 1024;

/** The possible readers of text on the screen; the values of `--screen-text` beside `unavailable`. */
export const screenTextEngines = ['tesseract'] as const;
export const screenTextEngine = z.enum(screenTextEngines);
export type ScreenTextEngine = z.infer<typeof screenTextEngine>;

/** The reader, with its tools, language data and settings: all that the texts depend on beside the pictures. */
export const screenTextProducer = z.strictObject({
  id: z.literal('studio.screen-text'),
  /** The texts of version 1 are evidence that no claim rests on; since version 2 they are read and claimed. */
  version: z.enum(['1', '2']),
  engine: screenTextEngine,
  tools: z.array(toolIdentity).min(1),
  parameters,
});

/** The keyframes of the study, whose moments are read beside the sampled ones; empty if it has none. */
export const keyframeEvidence = z.array(z.strictObject({ artifactId, contentId })).max(1);

/** The request for one reading. `operationKey` identifies the work, for any caller. */
export const screenTextRequest = operationRequest.extend({
  sourceArtifactId: artifactId,
  keyframesFrom: keyframeEvidence,
  range,
  operationKey: sha256Hex,
});

const kind = z.literal('screen_text');

/** The texts that a reading delivered to this run, or the reason why there are none. */
export const deliveredScreenText = z.discriminatedUnion('state', [
  z.strictObject({ kind, state: z.literal('available'), reasonCode: z.null(), artifactId, contentId }),
  z.strictObject({
    kind,
    state: z.literal('unavailable'),
    reasonCode: unavailableReason,
    artifactId: z.null(),
    contentId: z.null(),
  }),
]);

/** The stored form of a completed reading under its operation key. `sourceContentId` lets a deletion of the source find it. */
export const keptScreenText = z.strictObject({
  sourceContentId: contentId,
  screenText: z.discriminatedUnion('state', [
    z.strictObject({ state: z.literal('available'), contentId, bytes: count }),
    z.strictObject({ state: z.literal('unavailable'), reasonCode: unavailableReason }),
  ]),
});

/** The result of one reading; `receiptId` is derived from everything but it and `schema`. */
export const screenTextReceipt = z.strictObject({
  schema: z.literal('studio.screen-text.receipt.v1'),
  receiptId: z.string().regex(/^screen-text:[a-f0-9]{64}$/),
  operationId,
  operationKey: sha256Hex,
  capability: z.literal(studyStages.readScreen.grant.capability),
  authorization: z.strictObject({ grantId: identity, taskId: identity, agentId: identity }),
  input: z.strictObject({ artifactId, contentId, range, keyframesFrom: keyframeEvidence }),
  producer: screenTextProducer,
  evidence: deliveredScreenText,
  /** Texts that passed every gate, and texts that a gate withheld. */
  result: z.strictObject({ passedTexts: count, withheldTexts: count }),
  /** True if an earlier completed operation with the same key was taken over. */
  reused: z.boolean(),
});

export type ScreenTextProducer = z.infer<typeof screenTextProducer>;
export type KeptScreenText = z.infer<typeof keptScreenText>;
export type ScreenTextReceipt = z.infer<typeof screenTextReceipt>;

/** The journal events of a reading of the screen; only on a host that was started with an engine for it. */
export const screenTextEvents = [
  eventType(
    'screen.text_started',
    'screen_text_host',
    z.strictObject({
      request: screenTextRequest,
      grantId: identity,
      executionId: identity,
      launchClaimId: identity,
      sourceContentId: contentId,
      producer: screenTextProducer,
      limits: mediaLimits,
    }),
  ),
  eventType(
    'screen.text_completed',
    'screen_text_host',
    z.strictObject({
      operationId,
      outputArtifactId: artifactId.nullable(),
      outputContentId: contentId.nullable(),
      receiptContentId: contentId,
      receipt: screenTextReceipt,
    }),
  ),
  eventType('screen.text_failed', 'screen_text_host', z.strictObject({ operationId, reason: failure })),
] as const;
