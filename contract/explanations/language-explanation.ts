import { z } from 'zod';
import { contentId, count, identity, identityOf, positive } from '../base/grammar.ts';
import { artifactId } from '../base/operation.ts';
import { wellFormedText } from '../base/text.ts';
import { captionText } from '../captions/caption-line.ts';
import { captionReference } from '../captions/caption-production.ts';
import { approvalReference } from '../review/publish-review.ts';
import { rightsScope } from '../sources/source-session.ts';
import { readinessReference, studyReference } from '../study/study-readiness.ts';
import { facetKind, facetKinds, maximumFacetTextBytes } from './language-explanation-facet.ts';

/** What one explanation may take in, cost and leave behind; bytes are those of UTF-8. */
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

/** A part of one side of a line, `[start, end)` in Unicode code points, with the words that stand there. */
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

/** What an explanation is made of: the selected line, those around it, and what they rest on. */
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
