import { z } from 'zod';
import { artifactId, operationId, operationRequest, toolIdentity } from './base/artifact.ts';
import { failure } from './base/errors.ts';
import { eventType } from './base/event-envelope.ts';
import { contentId, count, identity, range, sha256Hex } from './base/grammar.ts';
import { lineMeasures, parameters, recognisedText, spokenLanguageFact } from './evidence/evidence.ts';
import { mediaEvidence, mediaLimits } from './evidence/media-operation.ts';
import { studyStages } from './study/stages.ts';

const text = recognisedText;

/** Milliseconds from the start of the region, as the recognizer gave them: they may lie outside. */
const times = { startMs: z.number().int().nullable(), endMs: z.number().int().nullable() };

export const rawWord = z.strictObject({ text, ...times, confidence: z.number().min(0).max(1).nullable() });

export const rawLine = z.strictObject({ text, ...times, words: z.array(rawWord), measures: lineMeasures });

/** The language that a recognizer hears in a sound, apart from its place (`SpokenLanguage`). */
export const heardLanguage = spokenLanguageFact.pick({ language: true, probability: true, asked: true });
export type HeardLanguage = z.infer<typeof heardLanguage>;

/** The answer of a recognizer for one region, in the one form that this host gives the answers of all of them. */
export const rawRegion = z.strictObject({
  /** The language that the recognizer stated, in its own words. */
  language: z.string().min(1).max(64).nullable(),
  /** Absent if the answer does not state it. */
  spoken: heardLanguage.optional(),
  lines: z.array(rawLine).max(256),
});

/** The same with the samples, kept under a key of its own so that no region is recognized twice. */
export const keptRegion = z.strictObject({
  heard: z.strictObject({ samples: count, contentId }),
  raw: rawRegion,
});

export type RawLine = z.infer<typeof rawLine>;
export type RawWord = z.infer<typeof rawWord>;
export type RawRegion = z.infer<typeof rawRegion>;
export type KeptRegion = z.infer<typeof keptRegion>;

/** Largest stored receipt of a recognition, in bytes. */
export const maximumSemanticReceiptBytes = 64 * 1024;

/** The possible recognizers; the values of `--semantic-recognizer` beside `unavailable`. */
export const recognizerEngines = ['openai', 'whisper-cli', 'pocketsphinx'] as const;
export const recognizerEngine = z.enum(recognizerEngines);
export type RecognizerEngine = z.infer<typeof recognizerEngine>;

/** The recognizer, with its tools, models and settings: all that a transcript depends on beside the sound. */
export const semanticProducer = z.strictObject({
  id: z.literal('studio.semantic-recognition'),
  version: z.literal('1'),
  engine: recognizerEngine,
  tools: z.array(toolIdentity).min(1),
  parameters,
});

/** The speech and the silences that the study itself detected, from which its regions follow; empty if it has none. */
export const regionEvidence = z.array(z.strictObject({ artifactId, contentId })).max(2);

/** The request for one recognition. `operationKey` identifies the work, for any caller. */
export const semanticRequest = operationRequest.extend({
  sourceArtifactId: artifactId,
  regionsFrom: regionEvidence,
  range,
  operationKey: sha256Hex,
});

/** The result of one recognition; `receiptId` is derived from everything but it and `schema`. */
export const semanticEvidenceReceipt = z.strictObject({
  schema: z.literal('studio.semantic-evidence.receipt.v1'),
  receiptId: z.string().regex(/^semantic-evidence:[a-f0-9]{64}$/),
  operationId,
  operationKey: sha256Hex,
  capability: z.literal(studyStages.recognize.grant.capability),
  authorization: z.strictObject({ grantId: identity, taskId: identity, agentId: identity }),
  input: z.strictObject({ artifactId, contentId, range, regionsFrom: regionEvidence }),
  producer: semanticProducer,
  evidence: mediaEvidence,
  /** Lines that passed every gate, and lines that a gate withheld. */
  result: z.strictObject({ regions: count, passedLines: count, withheldLines: count }),
  /** True if an earlier completed operation with the same key was taken over. */
  reused: z.boolean(),
});

export type SemanticProducer = z.infer<typeof semanticProducer>;
export type SemanticEvidenceReceipt = z.infer<typeof semanticEvidenceReceipt>;

/** The journal events of a recognition; only on a host that was started with a recognizer. */
export const semanticEvents = [
  eventType(
    'semantic.evidence_started',
    'semantic_evidence_host',
    z.strictObject({
      request: semanticRequest,
      grantId: identity,
      executionId: identity,
      launchClaimId: identity,
      sourceContentId: contentId,
      producer: semanticProducer,
      // The time of the study, which stands still meanwhile. The limit of each window is `maxWallMs` of the producer's parameters.
      limits: mediaLimits,
    }),
  ),
  eventType(
    'semantic.evidence_completed',
    'semantic_evidence_host',
    z.strictObject({
      operationId,
      outputArtifactId: artifactId.nullable(),
      outputContentId: contentId.nullable(),
      receiptContentId: contentId,
      receipt: semanticEvidenceReceipt,
    }),
  ),
  eventType('semantic.evidence_failed', 'semantic_evidence_host', z.strictObject({ operationId, reason: failure })),
] as const;
