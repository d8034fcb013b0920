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
  explanationNonClaims,
} from '../../contract/explanations/language-explanation-records.ts';
import { artifactIdOf } from '../core/artifact.ts';
import { contentIdOf, hashOf, storedBytes } from '../core/canonical-json.ts';
import { artifactRecorded, draftEvent } from '../core/event-draft.ts';
import { outputOf } from '../core/receipt-output.ts';
import { causeOf, type StudyRun } from '../core/study-run.ts';
import type { StepResult } from '../core/study-step.ts';
import { explanationResultOf } from './explanation-facets.ts';
import { type ExplanationJob, explanationGrantOf, explanationJobIdOf } from './explanation-job.ts';

/** An explanation as answers name it. */
export type ExplanationReference = Pick<
  ExplanationRow['verification'],
  'jobId' | 'artifactId' | 'contentId' | 'receiptArtifactId' | 'receiptId' | 'receiptContentId'
>;

const originOf = (kind: 'language-explanation-output' | 'language-explanation-receipt', jobId: string) =>
  ({ kind, origin: { kind: 'language_explanation', jobId } }) as const;

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

/** The receipt of an explanation; it follows from the explanation and from what the provider said of its own work. */
export function explanationReceiptOf(
  artifact: ExplanationArtifact,
  execution: ExplanationExecution,
): ExplanationReceipt {
  const { jobId, runId, grant, input, executor, facets, result } = artifact;
  const contentId = contentIdOf(artifact);
  const body: Omit<ExplanationReceipt, 'schema' | 'receiptId'> = {
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
      artifactId: artifactIdOf({ runId, contentId, ...originOf('language-explanation-output', jobId) }),
      contentId,
      bytes: storedBytes(artifact).length,
      facets: facets.map(({ kind, availability, reasonCode }) => ({ kind, availability, reasonCode })),
    },
    nonClaims: [...explanationNonClaims],
  };
  return {
    schema: 'studio.language-explanation.receipt.v1',
    receiptId: `language-explanation-receipt:${hashOf(body)}`,
    ...body,
  };
}

/** Journalled before anybody is asked. */
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

/** Writes an explanation down with its receipt. Throws `ExplanationFailure` when either is too large. */
export function recordExplanation(
  job: ExplanationJob,
  facets: readonly StoredFacet[],
  execution: ExplanationExecution,
): StepResult<ExplanationReference> {
  const explanation = explanationOf(job, facets);
  const receipt = explanationReceiptOf(explanation, execution);
  const { runId, jobId, input } = explanation;
  const { run } = job;
  const output = outputOf(explanation, {
    runId,
    ...originOf('language-explanation-output', jobId),
    sourceArtifactIds: [input.caption.artifactId, input.caption.receiptArtifactId],
    producer: null,
  });
  const receiptOutput = outputOf(receipt, {
    runId,
    ...originOf('language-explanation-receipt', jobId),
    sourceArtifactIds: [output.artifact.id, input.approval.artifactId],
    producer: null,
  });
  const { length } = receiptOutput.object.bytes;
  if (length > explanationLimits.maxArtifactBytes) {
    throw new ExplanationFailure('too_large', `the receipt would have ${length} bytes`);
  }
  const refs: ExplanationReference = {
    jobId,
    artifactId: output.artifact.id,
    contentId: output.object.contentId,
    receiptArtifactId: receiptOutput.artifact.id,
    receiptId: receipt.receiptId,
    receiptContentId: receiptOutput.object.contentId,
  };
  const { artifactId, contentId, receiptArtifactId, receiptContentId } = refs;
  const completed = { jobId, artifactId, contentId, receiptArtifactId, receiptContentId, receipt };
  return {
    objects: [output.object, receiptOutput.object],
    events: [
      artifactRecorded(output.artifact, causeOf(run)),
      artifactRecorded(receiptOutput.artifact, causeOf(run)),
      draftEvent('language.explanation_completed', completed, causeOf(run)),
    ],
    refs,
  };
}
