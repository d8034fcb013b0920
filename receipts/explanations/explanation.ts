import type { z } from 'zod';
import {
  type ExplanationExecutorIdentity,
  type ExplanationOutput,
  explanationOutput,
  type FacetKind,
  facetContents,
  type MissingFacetReason,
  type StoredFacet,
  storedFacet,
} from '../../contract/explanations/executor.ts';
import {
  type ExplanationArtifact,
  type ExplanationExecution,
  ExplanationFailure,
  type ExplanationFailureReason,
  type ExplanationGrant,
  type ExplanationInput,
  type ExplanationReceipt,
  type ExplanationRequest,
  type ExplanationResult,
  type ExplanationRow,
  explanationArtifact,
  explanationLimits,
  explanationNonClaims,
  explanationReceipt as explanationReceiptSchema,
} from '../../contract/explanations/explanation.ts';
import { contentIdOfJson, hashOf, storedBytes } from '../../formats/canonical-json.ts';
import { artifactRecorded, draftEvent } from '../journal.ts';
import { RunReceipt, RunRecord } from '../record.ts';
import { causeOf, type StepResult, type StudyRun } from '../study-run.ts';

/** One request for an explanation, with all that it rests on and the executor that is to explain. */
interface ExplanationTask {
  readonly run: StudyRun;
  readonly request: ExplanationRequest;
  readonly input: ExplanationInput;
  readonly executor: ExplanationExecutorIdentity;
}

/** One attempt at it, counted from 0. */
export interface ExplanationJob extends ExplanationTask {
  readonly attempt: number;
}

/** The identity of a request; attempts are counted by it. */
export const fingerprintOf = ({ run, request, input, executor }: ExplanationTask): string =>
  `language-explanation-request:${hashOf({
    runId: run.record.runtimeId,
    request,
    input,
    executor,
    rightsScope: input.source.rightsScope,
    limits: explanationLimits,
  })}`;

const hexOf = (job: ExplanationJob): string =>
  hashOf({
    runId: job.run.record.runtimeId,
    requestFingerprint: fingerprintOf(job),
    caption: job.request.caption,
    attempt: job.attempt,
  });

export const explanationJobIdOf = (job: ExplanationJob): string => `language-explanation:${hexOf(job)}`;

/** Leave for one attempt, and what it may cost. */
export function explanationGrantOf(job: ExplanationJob): ExplanationGrant {
  const { run, request, input, executor, attempt } = job;
  const { caption, lineId, selection, facetKinds } = request;
  return {
    schema: 'studio.language-explanation.grant.v1',
    grantId: `language-explanation-grant:${hexOf(job)}`,
    attempt,
    runId: run.record.runtimeId,
    requestFingerprint: fingerprintOf(job),
    caption,
    lineId,
    selection,
    facetKinds,
    rightsScope: input.source.rightsScope,
    disposition: 'private_apply_output',
    executor,
    limits: explanationLimits,
  };
}

/** The availability for each reason for a missing facet. */
const availabilityOf = {
  generator_abstained: 'withheld',
  insufficient_caption_context: 'withheld',
  facet_not_applicable: 'unavailable',
  target_unavailable: 'unavailable',
} as const satisfies Record<MissingFacetReason, string>;

const common = { executionAuthority: 'host_receipted', semanticReview: 'not_reviewed', externalCitationIds: [] };

const missing = (kind: FacetKind, reasonCode: MissingFacetReason): StoredFacet =>
  storedFacet.parse({
    kind,
    availability: availabilityOf[reasonCode],
    reasonCode,
    content: null,
    grounding: 'none',
    ...common,
  });

/** The facets of a request that a generator can explain: a choice of words needs a translation. */
export const askableKinds = ({ line }: ExplanationInput, kinds: readonly FacetKind[]): FacetKind[] =>
  kinds.filter((kind) => kind !== 'translation_choice' || line.target.text !== null);

/** Every text of a content without the white space around it. */
function trimmed(value: unknown): unknown {
  if (typeof value === 'string') return value.trim();
  if (Array.isArray(value)) return value.map(trimmed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, trimmed(each)]));
}

const hasEmptyText = (value: unknown): boolean =>
  value === '' || (typeof value === 'object' && value !== null && Object.values(value).some(hasEmptyText));

function shapeFailureOf({ path, message }: z.core.$ZodIssue, kind: FacetKind): ExplanationFailure {
  const place = [kind, ...path].join('.');
  return new ExplanationFailure(message === 'is too long' ? 'too_large' : 'invalid_output', `${place} ${message}`);
}

function facetOf(kind: FacetKind, { facets }: ExplanationOutput): StoredFacet {
  const given = facets[kind];
  const content = trimmed(given?.content ?? null);
  // Content without words does not count: the generator had nothing to say.
  if (content === null || hasEmptyText(content)) return missing(kind, given?.reason ?? 'generator_abstained');
  const shaped = facetContents[kind].safeParse(content);
  const [issue] = shaped.error?.issues ?? [];
  if (issue !== undefined) throw shapeFailureOf(issue, kind);
  return storedFacet.parse({
    kind,
    availability: 'available',
    reasonCode: null,
    content: shaped.data,
    grounding: 'caption_context_inference',
    ...common,
  });
}

/**
 * The facets of a request, once each and in its order, from the output of a generator. A missing facet is withheld or unavailable
 * with the generator's reason, or because it abstained. Texts lose the white space around them. Throws `ExplanationFailure` for
 * texts that cannot be stored.
 */
export function facetsOf(
  input: ExplanationInput,
  kinds: readonly FacetKind[],
  output: ExplanationOutput,
): StoredFacet[] {
  const askable = askableKinds(input, kinds);
  return kinds.map((kind) => (askable.includes(kind) ? facetOf(kind, output) : missing(kind, 'target_unavailable')));
}

/** The output of a generator behind these facets; facets without a target were never requested. */
export const outputOfFacets = (facets: readonly StoredFacet[]): ExplanationOutput =>
  explanationOutput.parse({
    facets: Object.fromEntries(
      facets
        .filter(({ reasonCode }) => reasonCode !== 'target_unavailable')
        .map(({ kind, content, reasonCode }) => [kind, { content, reason: reasonCode }]),
    ),
  });

/** The result of the facets. */
export function explanationResultOf(facets: readonly StoredFacet[]): ExplanationResult {
  const among = (state: StoredFacet['availability']): number =>
    facets.filter(({ availability }) => availability === state).length;
  const counts = {
    requestedFacetCount: facets.length,
    availableFacetCount: among('available'),
    withheldFacetCount: among('withheld'),
    unavailableFacetCount: among('unavailable'),
  };
  if (counts.availableFacetCount === facets.length) return { status: 'completed', ...counts };
  if (counts.availableFacetCount > 0) return { status: 'partial', ...counts };
  return { status: counts.withheldFacetCount === facets.length ? 'withheld' : 'unavailable', ...counts };
}

/** An explanation as answers name it. */
export type ExplanationReference = Pick<
  ExplanationRow['verification'],
  'jobId' | 'artifactId' | 'contentId' | 'receiptArtifactId' | 'receiptId' | 'receiptContentId'
>;

/** Explanations as a run stores them; their job names them, which is a digest of all that they rest on. */
export const storedExplanation = new RunRecord<ExplanationArtifact>({
  link: 'explanation',
  schema: explanationArtifact,
  maximumBytes: explanationLimits.maxArtifactBytes,
  kind: 'language-explanation-output',
  origin: ({ jobId }) => ({ kind: 'language_explanation', jobId }),
  sources: ({ input: { caption } }) => [caption.artifactId, caption.receiptArtifactId],
  producer: 'host',
  ownId: 'jobId',
});

/** An explanation as it is stored. Throws `ExplanationFailure` when it is larger than any may be. */
export function explanationOf(job: ExplanationJob, facets: readonly StoredFacet[]): ExplanationArtifact {
  const { run, input, executor } = job;
  const artifact: ExplanationArtifact = {
    schema: 'studio.language-explanation.artifact.v1',
    jobId: explanationJobIdOf(job),
    runId: run.record.runtimeId,
    input,
    grant: explanationGrantOf(job),
    executor,
    facets: [...facets],
    result: explanationResultOf(facets),
    semanticReview: { state: 'not_reviewed', reviewId: null },
    rights: { sourceScope: input.source.rightsScope, publication: 'private', exportEligibility: 'unavailable' },
    nonClaims: [...explanationNonClaims],
  };
  const { length } = storedBytes(artifact);
  if (length <= explanationLimits.maxArtifactBytes) return artifact;
  throw new ExplanationFailure('too_large', `the record would have ${length} bytes`);
}

/** An explanation, and the statements of the provider about its own work. */
interface ProvidedExplanation {
  readonly artifact: ExplanationArtifact;
  readonly execution: ExplanationExecution;
}

/** The receipt of an explanation; it follows from the explanation and from the statements of the provider about its own work. */
export const explanationRunReceipt = new RunReceipt<ExplanationReceipt, 'jobId', ProvidedExplanation>({
  link: 'explanation_receipt',
  schema: explanationReceiptSchema,
  maximumBytes: explanationLimits.maxArtifactBytes,
  name: 'studio.language-explanation.receipt.v1',
  idPrefix: 'language-explanation-receipt',
  kind: 'language-explanation-receipt',
  about: 'jobId',
  origin: ({ jobId }) => ({ kind: 'language_explanation', jobId }),
  sources: ({ input, result }) => [result.artifactId, input.approval.artifactId],
  producer: 'host',
  derive: ({ record }, { artifact, execution }) => {
    const { jobId, grant, input, executor, facets, result } = artifact;
    const contentId = contentIdOfJson(artifact);
    return {
      jobId,
      grant,
      input,
      producer: {
        id: 'studio.host-language-explanation',
        version: '1',
        policy: 'verified_current_caption_private_apply_only',
        executor,
      },
      limits: explanationLimits,
      execution,
      result: {
        ...result,
        artifactId: storedExplanation.artifactIdOf(record.runtimeId, artifact, contentId),
        contentId,
        bytes: storedBytes(artifact).length,
        facets: facets.map(({ kind, availability, reasonCode }) => ({ kind, availability, reasonCode })),
      },
      nonClaims: [...explanationNonClaims],
    };
  },
});

/** Journaled before the executor gets the request. */
export const explanationStarted = (job: ExplanationJob) =>
  draftEvent(
    'language.explanation_started',
    {
      jobId: explanationJobIdOf(job),
      request: job.request,
      grant: explanationGrantOf(job),
      input: job.input,
    },
    causeOf(job.run),
  );

/** Journaled when an attempt ended without an explanation. */
export const explanationFailed = (run: StudyRun, jobId: string, reason: ExplanationFailureReason) =>
  draftEvent('language.explanation_failed', { jobId, reason }, causeOf(run));

/** Writes an explanation down with its receipt. Throws `ExplanationFailure` when the receipt is too large. */
export function recordExplanation(
  run: StudyRun,
  explanation: ExplanationArtifact,
  execution: ExplanationExecution,
): StepResult<ExplanationReference> {
  const receipt = explanationRunReceipt.of(run, { artifact: explanation, execution });
  const output = storedExplanation.outputOf(run, explanation);
  const receipted = explanationRunReceipt.outputOf(run, receipt);
  const { length } = receipted.object.bytes;
  if (length > explanationLimits.maxArtifactBytes) {
    throw new ExplanationFailure('too_large', `the receipt would have ${length} bytes`);
  }
  const names = {
    jobId: explanation.jobId,
    artifactId: output.artifact.id,
    contentId: output.object.contentId,
    receiptArtifactId: receipted.artifact.id,
    receiptContentId: receipted.object.contentId,
  };
  return {
    objects: [output.object, receipted.object],
    events: [
      artifactRecorded(output.artifact, causeOf(run)),
      artifactRecorded(receipted.artifact, causeOf(run)),
      draftEvent('language.explanation_completed', { ...names, receipt }, causeOf(run)),
    ],
    refs: { ...names, receiptId: receipt.receiptId },
  };
}
