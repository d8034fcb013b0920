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

/** What is written once of an attempt, however often it is listed: an attempt that goes on is another one. */
interface Written {
  readonly attempt: Buffer;
  readonly result: Buffer | null;
}

const written = new WeakMap<VerifiedExplanation, Written>();

function writtenOf(explanation: VerifiedExplanation): Written {
  const known = written.get(explanation);
  if (known !== undefined) return known;
  const { stored } = explanation;
  const made = {
    attempt: Buffer.from(JSON.stringify(attemptOf(explanation))),
    result: stored === null ? null : Buffer.from(JSON.stringify(rowOf(explanation, stored))),
  };
  written.set(explanation, made);
  return made;
}

const comma = Buffer.from(',');

const joined = (values: readonly Buffer[]): Buffer[] =>
  values.flatMap((value, index) => (index === 0 ? [value] : [comma, value]));

/**
 * The answer to a request for the explanations of a runtime, the attempts and what came of them, as JSON bytes with a final
 * newline (`LanguageExplanations`). Each explanation is written once: there may be hundreds.
 */
export function languageExplanationsBytes(runtime: VerifiedRuntime): Buffer {
  const explanations = (runtime.execution?.study.tail.explanations.attempts ?? []).map(writtenOf);
  const head = {
    schema: 'studio.local-runtime-language-explanations.v1',
    ...runtimeListOf(runtime),
  } satisfies Partial<LanguageExplanations>;
  return Buffer.concat([
    Buffer.from(`${JSON.stringify(head).slice(0, -1)},"attempts":[`),
    ...joined(explanations.map(({ attempt }) => attempt)),
    Buffer.from('],"results":['),
    ...joined(explanations.flatMap(({ result }) => (result === null ? [] : [result]))),
    Buffer.from(']}\n'),
  ]);
}
