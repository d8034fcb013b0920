import { z } from 'zod';
import { contentId, count, identity, identityOf, positive } from '../base/grammar.ts';
import { artifactId } from '../base/operation.ts';
import { captionReference } from '../captions/caption-production.ts';
import { rightsScope } from '../sources/source-session.ts';
import {
  explanationInput,
  explanationLimits,
  explanationLimitsRecord,
  explanationRequest,
  explanationSelection,
} from './language-explanation.ts';
import { explanationExecutor } from './language-explanation-executor.ts';
import { facetKind, storedFacet } from './language-explanation-facet.ts';

export const explanationJobId = z.string().regex(/^language-explanation:[a-f0-9]{64}$/);

/** What an explanation does not say, whatever it says. */
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
 * What came of an explanation: `completed` with every facet available; with none `withheld` when all are withheld, else
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

/** What a provider said of its own work; null where it said nothing that can be kept. */
export const explanationExecution = z.strictObject({
  providerResponseId: identityOf(240).nullable(),
  inputTokens: count.nullable(),
  outputTokens: count.nullable(),
});

/** How an explanation came about. `receiptId` is derived from everything but it and `schema`. */
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
