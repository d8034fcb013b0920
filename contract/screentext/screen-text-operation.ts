import { z } from 'zod';
import { contentId, count, identity, range, sha256Hex } from '../base/grammar.ts';
import { artifactId, operationId, operationRequest, screenTextCapability } from '../base/operation.ts';
import { toolIdentity } from '../base/tool.ts';
import { parameters, unavailableReason } from '../evidence/evidence.ts';

/** Largest stored receipt of a reading of the screen, in bytes. */
export const maximumScreenTextReceiptBytes = 64 * 1024;

/** What may read text on the screen; the values of `--screen-text` beside `unavailable`. */
export const screenTextEngines = ['tesseract'] as const;
export const screenTextEngine = z.enum(screenTextEngines);
export type ScreenTextEngine = z.infer<typeof screenTextEngine>;

/** Who reads, with which tools and language data, set how: all that the texts depend on beside the pictures. */
export const screenTextProducer = z.strictObject({
  id: z.literal('studio.screen-text'),
  /** The texts of version 1 are evidence that no claim rests on; since version 2 they are read and claimed. */
  version: z.enum(['1', '2']),
  engine: screenTextEngine,
  tools: z.array(toolIdentity).min(1),
  parameters,
});

/** The keyframes of the study, whose moments are read beside the sampled ones; none where it has none. */
export const keyframeEvidence = z.array(z.strictObject({ artifactId, contentId })).max(1);

/** What is asked of one reading. `operationKey` identifies the work, for any caller. */
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

/** What a completed reading is kept as under its operation key. `sourceContentId` lets a deletion of the source find it. */
export const keptScreenText = z.strictObject({
  sourceContentId: contentId,
  screenText: z.discriminatedUnion('state', [
    z.strictObject({ state: z.literal('available'), contentId, bytes: count }),
    z.strictObject({ state: z.literal('unavailable'), reasonCode: unavailableReason }),
  ]),
});

/** What one reading came to; `receiptId` is derived from everything but it and `schema`. */
export const screenTextReceipt = z.strictObject({
  schema: z.literal('studio.screen-text.receipt.v1'),
  receiptId: z.string().regex(/^screen-text:[a-f0-9]{64}$/),
  operationId,
  operationKey: sha256Hex,
  capability: z.literal(screenTextCapability),
  authorization: z.strictObject({ grantId: identity, taskId: identity, agentId: identity }),
  input: z.strictObject({ artifactId, contentId, range, keyframesFrom: keyframeEvidence }),
  producer: screenTextProducer,
  evidence: deliveredScreenText,
  /** Texts that passed every gate, and texts that a gate withheld. */
  result: z.strictObject({ passedTexts: count, withheldTexts: count }),
  /** Whether an earlier completed operation with the same key was taken over. */
  reused: z.boolean(),
});

export type ScreenTextProducer = z.infer<typeof screenTextProducer>;
export type KeptScreenText = z.infer<typeof keptScreenText>;
export type ScreenTextReceipt = z.infer<typeof screenTextReceipt>;
