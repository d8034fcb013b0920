import { z } from 'zod';
import { artifactId } from '../base/artifact.ts';
import { failureMessage } from '../base/errors.ts';
import { eventType } from '../base/event-envelope.ts';
import { contentId, count, identity, identityOf, positive, wellFormedText } from '../base/grammar.ts';
import { captionText } from '../captions/caption-line.ts';
import { captionReference } from '../captions/caption-production.ts';
import { modelFailures } from '../causes/failures.ts';
import { approvalReference } from '../review.ts';
import { rightsScope } from '../sources/source-session.ts';
import { runtimeListFields } from '../study/status.ts';
import { readinessReference, studyReference } from '../study/study-record.ts';
import { explanationExecutor, facetKind, facetKinds, maximumFacetTextBytes, storedFacet } from './executor.ts';

/**
 * Why an attempt at an explanation ended without one, beside `http_` and the three digits of a provider's refusal.
 * `docs/errors.md` explains each.
 */
export const explanationCauses = [...modelFailures, 'revoked', 'interrupted', 'damaged', 'not_recorded'] as const;

const cause = z.union([z.enum(explanationCauses), z.templateLiteral(['http_', z.string().regex(/^[1-5]\d\d$/)])]);

type ExplanationCause = z.infer<typeof cause>;

/** The cause as a code, and as the first word of a sentence for people. */
export const explanationFailure = z
  .strictObject({ code: cause, message: z.string().min(1).max(256) })
  .refine(({ code, message }) => message.startsWith(`${code}: `), {
    message: 'begins with the cause',
    path: ['message'],
  });

export type ExplanationFailureReason = z.infer<typeof explanationFailure>;

export const explanationFailureOf = (code: ExplanationCause, detail: string): ExplanationFailureReason => ({
  code,
  message: failureMessage(`${code}: ${detail}`),
});

/** An explanation could not be had. Its words are this host's own: nothing that a provider or its address said is in them. */
export class ExplanationFailure extends Error {
  readonly reason: ExplanationFailureReason;
  constructor(code: ExplanationCause, detail: string, cause?: unknown) {
    const reason = explanationFailureOf(code, detail);
    super(reason.message, { cause });
    this.name = 'ExplanationFailure';
    this.reason = reason;
  }
}

/** The limits of one explanation; bytes are those of UTF-8. */
export const explanationLimits = {
  maxContextLines: 5,
  maxRequestedFacets: facetKinds.length,
  maxAttemptsPerRequest: 3,
  maxSelectionCodePoints: 256,
  maxCaptionTextBytes: 32_768,
  maxFacetTextBytes: maximumFacetTextBytes,
  maxOutputBytes: 65_536,
  maxProviderResponseBytes: 131_072,
  maxArtifactBytes: 131_072,
  maxCompletionTokens: 4000,
  maxWallMs: 60_000,
} as const;

/** The limits as grants and receipts carry them. */
export const explanationLimitsRecord = z.strictObject({
  maxContextLines: z.literal(explanationLimits.maxContextLines),
  maxRequestedFacets: z.literal(explanationLimits.maxRequestedFacets),
  maxAttemptsPerRequest: z.literal(explanationLimits.maxAttemptsPerRequest),
  maxSelectionCodePoints: z.literal(explanationLimits.maxSelectionCodePoints),
  maxCaptionTextBytes: z.literal(explanationLimits.maxCaptionTextBytes),
  maxFacetTextBytes: z.literal(explanationLimits.maxFacetTextBytes),
  maxOutputBytes: z.literal(explanationLimits.maxOutputBytes),
  maxProviderResponseBytes: z.literal(explanationLimits.maxProviderResponseBytes),
  maxArtifactBytes: z.literal(explanationLimits.maxArtifactBytes),
  maxCompletionTokens: z.literal(explanationLimits.maxCompletionTokens),
  maxWallMs: z.literal(explanationLimits.maxWallMs),
});

/** A part of one side of a line, `[start, end)` in Unicode code points, with its words. */
export const explanationSelection = z
  .strictObject({
    side: z.enum(['source', 'target']),
    unit: z.literal('unicode_code_point'),
    start: count,
    end: positive,
    text: wellFormedText.min(1),
  })
  .refine(({ start, end }) => start < end && end - start <= explanationLimits.maxSelectionCodePoints, {
    message: `spans 1 to ${explanationLimits.maxSelectionCodePoints} code points`,
    path: ['end'],
  })
  .refine(({ start, end, text }) => [...text].length === end - start, {
    message: 'has as many code points as the span',
    path: ['text'],
  });

const requestedKinds = z
  .array(facetKind)
  .min(1)
  .max(explanationLimits.maxRequestedFacets)
  .refine((kinds) => new Set(kinds).size === kinds.length, 'each kind once');

/** The body of a request for an explanation. */
export const explanationRequest = z.strictObject({
  caption: captionReference,
  lineId: identityOf(200),
  selection: explanationSelection,
  facetKinds: requestedKinds,
});

/** A caption line without what it rests on. */
export const explainedLine = z.strictObject({
  id: identityOf(200),
  startMs: count,
  endMs: positive,
  source: captionText,
  target: captionText,
});

const ids = z.array(z.string().min(1));

/** The input of an explanation: the selected line, those around it, and their lineage. */
export const explanationInput = z.strictObject({
  source: z.strictObject({ artifactId, contentId, analysisRequestId: identity, rightsScope }),
  study: studyReference.pick({ studyId: true, artifactId: true, contentId: true }),
  readiness: readinessReference,
  approval: approvalReference,
  caption: captionReference,
  line: explainedLine,
  contextLines: z.array(explainedLine).min(1).max(explanationLimits.maxContextLines),
  selection: explanationSelection,
  inputContextLineage: z.strictObject({
    claimIds: ids,
    citationIds: ids,
    semanticEvidenceArtifactIds: ids,
    semanticEvidenceReceiptIds: ids,
  }),
});

export type ExplanationRequest = z.infer<typeof explanationRequest>;
export type ExplainedLine = z.infer<typeof explainedLine>;
export type ExplanationInput = z.infer<typeof explanationInput>;

export const explanationJobId = z.string().regex(/^language-explanation:[a-f0-9]{64}$/);

/** The claims that no explanation makes. */
export const explanationNonClaims = [
  'explanation_semantic_correctness_not_assessed',
  'caption_context_not_explanation_evidence',
  'publication_not_authorized',
  'learner_selection_not_runtime_evidence',
] as const;

const nonClaims = z.tuple([
  z.literal(explanationNonClaims[0]),
  z.literal(explanationNonClaims[1]),
  z.literal(explanationNonClaims[2]),
  z.literal(explanationNonClaims[3]),
]);

/** Leave for one attempt at one request, counted from 0. */
export const explanationGrant = z.strictObject({
  schema: z.literal('studio.language-explanation.grant.v1'),
  grantId: z.string().regex(/^language-explanation-grant:[a-f0-9]{64}$/),
  attempt: count.max(explanationLimits.maxAttemptsPerRequest - 1),
  runId: identity,
  requestFingerprint: z.string().regex(/^language-explanation-request:[a-f0-9]{64}$/),
  caption: captionReference,
  lineId: identityOf(200),
  selection: explanationSelection,
  facetKinds: explanationRequest.shape.facetKinds,
  rightsScope,
  disposition: z.literal('private_apply_output'),
  executor: explanationExecutor,
  limits: explanationLimitsRecord,
});

/**
 * The result of an explanation: `completed` with every facet available; with none `withheld` when all are withheld, else
 * `unavailable`; otherwise `partial`.
 */
export const explanationResult = z.strictObject({
  status: z.enum(['completed', 'partial', 'withheld', 'unavailable']),
  requestedFacetCount: positive.max(explanationLimits.maxRequestedFacets),
  availableFacetCount: count,
  withheldFacetCount: count,
  unavailableFacetCount: count,
});

/** An explanation as it is stored, its facets in the order of the request. */
export const explanationArtifact = z.strictObject({
  schema: z.literal('studio.language-explanation.artifact.v1'),
  jobId: explanationJobId,
  runId: identity,
  input: explanationInput,
  grant: explanationGrant,
  executor: explanationExecutor,
  facets: z.array(storedFacet).min(1).max(explanationLimits.maxRequestedFacets),
  result: explanationResult,
  semanticReview: z.strictObject({ state: z.literal('not_reviewed'), reviewId: z.null() }),
  rights: z.strictObject({
    sourceScope: rightsScope,
    publication: z.literal('private'),
    exportEligibility: z.literal('unavailable'),
  }),
  nonClaims,
});

/** The statements of a provider about its own work; null if it made none that can be kept. */
export const explanationExecution = z.strictObject({
  providerResponseId: identityOf(240).nullable(),
  inputTokens: count.nullable(),
  outputTokens: count.nullable(),
});

/** How an explanation was made. `receiptId` is derived from everything but it and `schema`. */
export const explanationReceipt = z.strictObject({
  schema: z.literal('studio.language-explanation.receipt.v1'),
  receiptId: z.string().regex(/^language-explanation-receipt:[a-f0-9]{64}$/),
  jobId: explanationJobId,
  grant: explanationGrant,
  input: explanationInput,
  producer: z.strictObject({
    id: z.literal('studio.host-language-explanation'),
    version: z.literal('1'),
    policy: z.literal('verified_current_caption_private_apply_only'),
    executor: explanationExecutor,
  }),
  limits: explanationLimitsRecord,
  execution: explanationExecution,
  result: explanationResult.extend({
    artifactId,
    contentId,
    bytes: positive.max(explanationLimits.maxArtifactBytes),
    facets: z.array(
      z.strictObject({
        kind: facetKind,
        availability: z.enum(['available', 'withheld', 'unavailable']),
        reasonCode: z
          .enum(['generator_abstained', 'facet_not_applicable', 'insufficient_caption_context', 'target_unavailable'])
          .nullable(),
      }),
    ),
  }),
  nonClaims,
});

export type ExplanationGrant = z.infer<typeof explanationGrant>;
export type ExplanationResult = z.infer<typeof explanationResult>;
export type ExplanationArtifact = z.infer<typeof explanationArtifact>;
export type ExplanationExecution = z.infer<typeof explanationExecution>;
export type ExplanationReceipt = z.infer<typeof explanationReceipt>;

/** The journal events of explanations of captions. */
export const languageExplanationEvents = [
  eventType(
    'language.explanation_started',
    'language_explanation_host',
    z.strictObject({
      jobId: explanationJobId,
      request: explanationRequest,
      grant: explanationGrant,
      input: explanationInput,
    }),
  ),
  eventType(
    'language.explanation_completed',
    'language_explanation_host',
    z.strictObject({
      jobId: explanationJobId,
      artifactId,
      contentId,
      receiptArtifactId: artifactId,
      receiptContentId: contentId,
      receipt: explanationReceipt,
    }),
  ),
  eventType(
    'language.explanation_failed',
    'language_explanation_host',
    z.strictObject({ jobId: explanationJobId, reason: explanationFailure }),
  ),
] as const;

const { caption, lineId, selection } = explanationRequest.shape;

/** One attempt, under way or ended; what failed says why, its closed cause first. */
export const explanationAttempt = z
  .strictObject({
    jobId: explanationJobId,
    attempt: count,
    caption,
    lineId,
    selection,
    facetKinds: explanationRequest.shape.facetKinds,
    status: z.enum(['started', 'completed', 'failed']),
    failure: z.string().min(1).max(256).nullable(),
  })
  .refine(({ status, failure }) => (status === 'failed') === (failure !== null), {
    message: 'must be present exactly with a failed attempt',
    path: ['failure'],
  });

/** One explanation, reopened with everything that it rests on. */
export const explanationRow = z.strictObject({
  verification: z.strictObject({
    integrity: z.literal('stored_explanation_and_receipt_with_verified_current_caption'),
    jobId: explanationJobId,
    artifactId,
    contentId,
    receiptArtifactId: artifactId,
    receiptId: explanationReceipt.shape.receiptId,
    receiptContentId: contentId,
    caption,
    lineId,
    selection,
    executor: explanationExecutor,
    result: explanationResult,
  }),
  artifact: explanationArtifact,
  receipt: explanationReceipt,
});

/** The answer to `GET` and `POST …/language-explanations`: completed attempts and results pair one to one, in order. */
export const languageExplanations = z.strictObject({
  schema: z.literal('studio.local-runtime-language-explanations.v1'),
  ...runtimeListFields,
  attempts: z.array(explanationAttempt),
  results: z.array(explanationRow),
});

export type ExplanationAttempt = z.infer<typeof explanationAttempt>;
export type ExplanationRow = z.infer<typeof explanationRow>;
export type LanguageExplanationList = z.infer<typeof languageExplanations>;
