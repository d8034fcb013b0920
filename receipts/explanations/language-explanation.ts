import { explanationLimits } from '../../contract/explanations/language-explanation.ts';
import type { ExplanationRow } from '../../contract/explanations/language-explanation-answers.ts';
import type { StoredFacet } from '../../contract/explanations/language-explanation-facet.ts';
import {
  ExplanationFailure,
  type ExplanationFailureReason,
} from '../../contract/explanations/language-explanation-failure.ts';
import {
  type ExplanationArtifact,
  type ExplanationExecution,
  type ExplanationReceipt,
  explanationArtifact,
  explanationNonClaims,
  explanationReceipt as explanationReceiptSchema,
} from '../../contract/explanations/language-explanation-records.ts';
import { contentIdOf, storedBytes } from '../core/canonical-json.ts';
import { artifactRecorded, draftEvent } from '../core/event-draft.ts';
import { RunReceipt, RunRecord } from '../core/record.ts';
import { causeOf, type StudyRun } from '../core/study-run.ts';
import type { StepResult } from '../core/study-step.ts';
import { explanationResultOf } from './explanation-facets.ts';
import { type ExplanationJob, explanationGrantOf, explanationJobIdOf } from './explanation-job.ts';

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

/** An explanation, and what the provider said of its own work. */
export interface ProvidedExplanation {
  readonly artifact: ExplanationArtifact;
  readonly execution: ExplanationExecution;
}

/** The receipt of an explanation; it follows from the explanation and from what the provider said of its own work. */
export const explanationReceipt = new RunReceipt<ExplanationReceipt, 'jobId', ProvidedExplanation>({
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
    const contentId = contentIdOf(artifact);
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

/** Journalled before the executor is asked. */
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

/** Journalled when an attempt ended without an explanation. */
export const explanationFailed = (run: StudyRun, jobId: string, reason: ExplanationFailureReason) =>
  draftEvent('language.explanation_failed', { jobId, reason }, causeOf(run));

/** Writes an explanation down with its receipt. Throws `ExplanationFailure` when the receipt is too large. */
export function recordExplanation(
  run: StudyRun,
  explanation: ExplanationArtifact,
  execution: ExplanationExecution,
): StepResult<ExplanationReference> {
  const receipt = explanationReceipt.of(run, { artifact: explanation, execution });
  const output = storedExplanation.outputOf(run, explanation);
  const receipted = explanationReceipt.outputOf(run, receipt);
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
