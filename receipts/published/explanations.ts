import type {
  ExplanationAttempt,
  ExplanationRow,
  LanguageExplanationList,
} from '../../contract/explanations/explanation.ts';
import type { VerifiedRuntime } from '../fold.ts';
import type { StoredExplanation, VerifiedExplanation } from '../stages/explanation.ts';
import { runtimeListOf } from './runtime.ts';

const firstCapacity = 16_384;

/** Bytes that others are added to. What was given out stays as it is, also while the rest is written. */
export class GrowingBytes {
  #memory = Buffer.allocUnsafeSlow(firstCapacity);
  #length = 0;

  /** All bytes so far, as a view that must not be changed. */
  get bytes(): Buffer {
    return this.#memory.subarray(0, this.#length);
  }

  add(text: string): void {
    const needed = this.#length + Buffer.byteLength(text);
    if (needed > this.#memory.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#memory.length));
      this.#memory.copy(larger, 0, 0, this.#length);
      this.#memory = larger;
    }
    this.#length += this.#memory.write(text, this.#length);
  }
}

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

/** One list of the answer as JSON, without its brackets. */
class WrittenList {
  readonly #items = new GrowingBytes();

  get bytes(): Buffer {
    return this.#items.bytes;
  }

  add(item: object): void {
    this.#items.add(`${this.#items.bytes.length === 0 ? '' : ','}${JSON.stringify(item)}`);
  }
}

/** The explanations of a runtime that change no more, from the first on, as they are written in the answer. */
class WrittenExplanations {
  readonly #explanations: VerifiedExplanation[] = [];
  readonly attempts = new WrittenList();
  readonly results = new WrittenList();

  /** True if the written part is the beginning of a list. */
  begins(explanations: readonly VerifiedExplanation[]): boolean {
    return this.#explanations.every((each, at) => each === explanations[at]);
  }

  /** Writes what follows in a list that it begins. */
  goOn(explanations: readonly VerifiedExplanation[]): void {
    for (const each of explanations.slice(this.#explanations.length)) {
      this.#explanations.push(each);
      this.attempts.add(attemptOf(each));
      if (each.stored !== null) this.results.add(rowOf(each, each.stored));
    }
  }
}

// By the first of its explanations: as long as the runtime is remembered, so is what was written of it.
const written = new WeakMap<VerifiedExplanation, WrittenExplanations>();

function writtenOf(ended: readonly VerifiedExplanation[]): WrittenExplanations {
  const [first] = ended;
  const known = first === undefined ? undefined : written.get(first);
  const listing = known?.begins(ended) ? known : new WrittenExplanations();
  listing.goOn(ended);
  if (first !== undefined) written.set(first, listing);
  return listing;
}

/**
 * The answer to a request for the explanations of a runtime, the attempts and their results. It consists of JSON bytes with a
 * final newline (`LanguageExplanations`), in parts that must not be changed. Each explanation is written and copied once, however
 * often it is listed: there may be hundreds, which are megabytes.
 */
export function languageExplanationsBytes(runtime: VerifiedRuntime): readonly Buffer[] {
  const explanations = runtime.execution?.study.tail.explanations.attempts ?? [];
  const firstOpen = explanations.findIndex(({ state }) => state === 'started');
  const ended = firstOpen === -1 ? explanations : explanations.slice(0, firstOpen);
  const { attempts, results } = writtenOf(ended);
  const open = new WrittenExplanations();
  open.goOn(explanations.slice(ended.length));
  const head = {
    schema: 'studio.local-runtime-language-explanations.v1',
    ...runtimeListOf(runtime),
  } satisfies Partial<LanguageExplanationList>;
  return [
    Buffer.from(`${JSON.stringify(head).slice(0, -1)},"attempts":[`),
    ...joined(attempts.bytes, open.attempts.bytes),
    Buffer.from('],"results":['),
    ...joined(results.bytes, open.results.bytes),
    Buffer.from(']}\n'),
  ];
}

const joined = (one: Buffer, other: Buffer): Buffer[] =>
  one.length > 0 && other.length > 0 ? [one, Buffer.from(','), other] : [one, other].filter(({ length }) => length > 0);
