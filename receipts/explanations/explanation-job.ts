import {
  type ExplanationInput,
  type ExplanationRequest,
  explanationLimits,
} from '../../contract/explanations/language-explanation.ts';
import type { ExplanationExecutorIdentity } from '../../contract/explanations/language-explanation-executor.ts';
import type { ExplanationGrant } from '../../contract/explanations/language-explanation-records.ts';
import { hashOf } from '../core/canonical-json.ts';
import type { StudyRun } from '../core/study-run.ts';

/** One request for an explanation, with all that it rests on and the executor that is to explain. */
export interface ExplanationTask {
  readonly run: StudyRun;
  readonly request: ExplanationRequest;
  readonly input: ExplanationInput;
  readonly executor: ExplanationExecutorIdentity;
}

/** One attempt at it, counted from 0. */
export interface ExplanationJob extends ExplanationTask {
  readonly attempt: number;
}

/** What makes two requests the same: attempts are counted by it. */
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
