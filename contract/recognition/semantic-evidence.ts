import { z } from 'zod';
import { contentId, count, identity, range, sha256Hex } from '../base/grammar.ts';
import { artifactId, operationId, operationRequest, recognitionCapability } from '../base/operation.ts';
import { toolIdentity } from '../base/tool.ts';
import { parameters } from '../evidence/evidence.ts';
import { mediaEvidence } from '../evidence/media-operation.ts';

/** Largest stored receipt of a recognition, in bytes. */
export const maximumSemanticReceiptBytes = 64 * 1024;

/** What a recogniser may be; the values of `--semantic-recognizer` beside `unavailable`. */
export const recognizerEngines = ['openai', 'whisper-cli', 'pocketsphinx'] as const;
export const recognizerEngine = z.enum(recognizerEngines);
export type RecognizerEngine = z.infer<typeof recognizerEngine>;

/** Who recognises, with which tools and models, set how: all that a transcript depends on beside the sound. */
export const semanticProducer = z.strictObject({
  id: z.literal('studio.semantic-recognition'),
  version: z.literal('1'),
  engine: recognizerEngine,
  tools: z.array(toolIdentity).min(1),
  parameters,
});

/** The speech and the silences that the study itself detected, from which its regions follow; none where it has none. */
export const regionEvidence = z.array(z.strictObject({ artifactId, contentId })).max(2);

/** What is asked of one recognition. `operationKey` identifies the work, for any caller. */
export const semanticRequest = operationRequest.extend({
  sourceArtifactId: artifactId,
  regionsFrom: regionEvidence,
  range,
  operationKey: sha256Hex,
});

/** What one recognition came to; `receiptId` is derived from everything but it and `schema`. */
export const semanticEvidenceReceipt = z.strictObject({
  schema: z.literal('studio.semantic-evidence.receipt.v1'),
  receiptId: z.string().regex(/^semantic-evidence:[a-f0-9]{64}$/),
  operationId,
  operationKey: sha256Hex,
  capability: z.literal(recognitionCapability),
  authorization: z.strictObject({ grantId: identity, taskId: identity, agentId: identity }),
  input: z.strictObject({ artifactId, contentId, range, regionsFrom: regionEvidence }),
  producer: semanticProducer,
  evidence: mediaEvidence,
  /** Lines that passed every gate, and lines that a gate withheld. */
  result: z.strictObject({ regions: count, passedLines: count, withheldLines: count }),
  /** Whether an earlier completed operation with the same key was taken over. */
  reused: z.boolean(),
});

export type SemanticProducer = z.infer<typeof semanticProducer>;
export type SemanticEvidenceReceipt = z.infer<typeof semanticEvidenceReceipt>;
