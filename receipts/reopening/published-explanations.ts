import type {
  ExplanationAttempt,
  ExplanationRow,
  LanguageExplanations,
} from '../../contract/explanations/language-explanation-answers.ts';
import type { StoredExplanation, VerifiedExplanation } from '../explanations/fold-explanations.ts';
import type { VerifiedRuntime } from './reopen-runtime.ts';
import { runtimeListOf } from './runtime-list.ts';

function attemptOf({ job, jobId, state, failure }: VerifiedExplanation): ExplanationAttempt {
  const { caption, lineId, selection, facetKinds } = job.request;
  return { jobId, attempt: job.attempt, caption, lineId, selection, facetKinds, status: state, failure };
}

function rowOf({ job }: VerifiedExplanation, { reference, artifact, receipt }: StoredExplanation): ExplanationRow {
  const { caption, lineId, selection } = job.request;
  return {
    verification: {
      integrity: 'stored_explanation_and_receipt_with_verified_current_caption',
      ...reference,
      caption,
      lineId,
      selection,
      executor: job.executor,
      result: artifact.body.result,
    },
    artifact: artifact.body,
    receipt: receipt.body,
  };
}

/** The attempts at explanations of a runtime and what came of them, as the wire shows them. */
export function languageExplanationsOf(runtime: VerifiedRuntime): LanguageExplanations {
  const attempts = runtime.execution?.study.tail.explanations.attempts ?? [];
  return {
    schema: 'studio.local-runtime-language-explanations.v1',
    ...runtimeListOf(runtime),
    attempts: attempts.map(attemptOf),
    results: attempts.flatMap((attempt) => (attempt.stored === null ? [] : [rowOf(attempt, attempt.stored)])),
  };
}
