import type { HostBasis } from '../../actors/host-basis.ts';
import type { ActorDefinition } from '../../actors/supervision/actor-definition.ts';
import { isRowOf } from '../../actors/supervision/actor-row.ts';
import { readStored, settledActor } from '../../actors/supervision/reads.ts';
import { storeBeforePromise } from '../../actors/supervision/refused-write.ts';
import { TimeSlices } from '../../actors/supervision/system-clock.ts';
import { type ErrorCode, ServiceError } from '../../contract/base/errors.ts';
import {
  type ExplanationRequest,
  explanationFailureOf,
  explanationLimits,
} from '../../contract/explanations/explanation.ts';
import { firstDifference } from '../../formats/canonical-json.ts';
import type { Steps } from '../../formats/steps.ts';
import type { LanguageExplanationInput } from '../../machines/language-explanation.ts';
import type { CheckableCaptions } from '../../receipts/captions/quality-control.ts';
import {
  type ExplanationJob,
  explanationJobIdOf,
  explanationStarted,
  fingerprintOf,
} from '../../receipts/explanations/explanation.ts';
import type { VerifiedRuntime } from '../../receipts/fold.ts';
import { approvedStudyOf } from '../../receipts/published/captions.ts';
import { languageExplanationsBytes } from '../../receipts/published/explanations.ts';
import { checkableBySteps } from '../../receipts/stages/captions.ts';
import {
  attemptObstacleOf,
  attemptsAt,
  captionTextBytesOf,
  explanationExecutorOf,
  explanationInputOf,
  selectionObstacleOf,
} from '../../receipts/stages/explanation.ts';
import type { StudyRun } from '../../receipts/study-run.ts';
import { Semaphore } from '../../storage/keyed-mutex.ts';
import { indexKey } from '../../storage/ledger/keys.ts';
import type { LanguageExplainer } from './engine/language-explainer.ts';

interface LanguageExplanationsOptions extends Pick<HostBasis, 'objectStore' | 'supervisor' | 'runtimes' | 'mutex'> {
  readonly definition: ActorDefinition<'language-explanation'>;
  /** Null on a host that was started without an explainer. */
  readonly explainer: LanguageExplainer | null;
}

const underWay = ['started'];

/**
 * The most explanations that a host requests at once; others wait. Each may cost money, and many servers answer 429 to a client
 * with more. The number is a choice.
 */
export const mostExplanationsAtOnce = 4;

/**
 * The service behind explanations of captions. Every answer rests on a runtime that was reopened as a whole; all throw
 * `unknown_runtime` and `stored_content_inconsistent`.
 */
export class LanguageExplanations {
  readonly #options: LanguageExplanationsOptions;
  readonly #slices = new TimeSlices();
  readonly #semaphore = new Semaphore(mostExplanationsAtOnce);

  constructor(options: LanguageExplanationsOptions) {
    this.#options = options;
  }

  /** The attempts at explanations of a runtime and what came of them, as the bytes of the JSON answer in parts. */
  async list(runtimeId: string): Promise<readonly Buffer[]> {
    return languageExplanationsBytes(await this.#options.runtimes.read(runtimeId));
  }

  /**
   * Has one selection explained, once; resolves with the new list (as `list` gives it) when the explanation is on disk. While the
   * host explains as many as it may, it waits, and the journal has no attempt. Throws, in this order,
   * `language_explanation_unavailable`, `language_explanation_caption_authority_required`, `invalid_language_selection` and
   * `illegal_language_explanation_transition`; and `language_explanation_executor_failed` for an attempt that failed.
   */
  async explain(runtimeId: string, request: ExplanationRequest): Promise<readonly Buffer[]> {
    const { runtimes } = this.#options;
    // A request that is refused now does not wait.
    if (this.#semaphore.isFull) await this.#job(runtimeId, request);
    const beganAtMs = await this.#semaphore.take(() => this.#explained(runtimeId, request));
    return languageExplanationsBytes(await runtimes.read(runtimeId, beganAtMs));
  }

  /** Resolves with the time at which it began, once the explanation is on disk. */
  async #explained(runtimeId: string, request: ExplanationRequest): Promise<number> {
    const { supervisor, mutex, definition, objectStore } = this.#options;
    const beganAtMs = performance.now();
    const jobId = await mutex.take(runtimeId, async () => {
      const { job, objects } = await this.#job(runtimeId, request);
      const input: LanguageExplanationInput = { runtimeId, jobId: explanationJobIdOf(job) };
      // The objects that identify the executor are stored before anything names them.
      await storeBeforePromise(objectStore, objects);
      await supervisor.spawn(definition, input.jobId, input, [
        { append: runtimeId, events: [explanationStarted(job)] },
        { put: 'index', key: indexKey(definition.name, supervisor.clock.now(), input.jobId), value: true },
      ]);
      return input.jobId;
    });
    if ((await settledActor(supervisor, jobId, underWay)) !== 'completed') throw this.#failureOf(jobId);
    return beganAtMs;
  }

  /** The next attempt at a request, and the objects that identify its executor. Throws what `explain` refuses. */
  async #job(runtimeId: string, request: ExplanationRequest) {
    const runtime = await this.#options.runtimes.read(runtimeId);
    const { identity, objects } = this.#executor();
    return { job: await this.#slices.run(jobOf(runtime, request, identity)), objects };
  }

  /** Stops every explanation of a runtime; resolves when none is under way and their ends are on disk. */
  async stop(runtimeId: string): Promise<void> {
    const { supervisor, definition } = this.#options;
    for (const row of supervisor.liveRows(definition.name)) {
      const { input } = row;
      if (input.runtimeId !== runtimeId) continue;
      await supervisor.send(input.jobId, { type: 'authority.revoked' });
      // One that is down or whose end is on its way to the disk gets no event, and writes its end by itself.
      await settledActor(supervisor, input.jobId, underWay);
    }
  }

  #executor() {
    const { explainer } = this.#options;
    if (explainer !== null) return explanationExecutorOf(explainer);
    throw new ServiceError('language_explanation_unavailable', 'no explanation executor is configured');
  }

  #failureOf(jobId: string): ServiceError {
    const row = readStored(() => this.#options.supervisor.read(jobId));
    const failure = isRowOf(row, 'language-explanation') ? row.snapshot.context.failure : null;
    const { code, message } = failure ?? explanationFailureOf('interrupted', 'no reason was recorded');
    return new ServiceError(answerCodes[code] ?? 'language_explanation_executor_failed', message);
  }
}

/** How an attempt that failed for no fault of the generator is answered. */
const answerCodes: Readonly<Record<string, ErrorCode>> = {
  revoked: 'language_explanation_caption_authority_required',
  interrupted: 'internal_failure',
  damaged: 'stored_content_inconsistent',
  not_recorded: 'internal_failure',
};

/** The captions that a request names, if their approval is valid, and the run that they belong to. */
function* captionOf(
  runtime: VerifiedRuntime,
  { caption: reference }: ExplanationRequest,
): Steps<{ readonly run: StudyRun; readonly captions: CheckableCaptions }> {
  const { execution } = runtime;
  const caption = execution?.study.tail.captions.caption ?? null;
  const approval = caption?.receipt.body.authority.approval;
  const isKnown = caption !== null && firstDifference(caption.reference, reference) === null;
  if (execution === null || !isKnown || approval === undefined || approvedStudyOf(runtime, approval) === null) {
    throw new ServiceError(
      'language_explanation_caption_authority_required',
      'no captions of this runtime under a valid approval have these ids',
    );
  }
  return { run: execution.opened.run, captions: yield* checkableBySteps(caption) };
}

/** The next attempt at a request, in the order in which clients expect the reasons against it. */
function* jobOf(
  runtime: VerifiedRuntime,
  request: ExplanationRequest,
  executor: ExplanationJob['executor'],
): Steps<ExplanationJob> {
  const { run, captions } = yield* captionOf(runtime, request);
  const misplaced = selectionObstacleOf(captions.artifact, request);
  if (misplaced !== null) throw new ServiceError('invalid_language_selection', misplaced);
  const task = { run, request, input: explanationInputOf(run, captions, request), executor };
  const earlier = attemptsAt(runtime.execution?.study.tail.explanations.attempts ?? [], fingerprintOf(task));
  const bytes = captionTextBytesOf(task.input);
  const obstacle =
    bytes > explanationLimits.maxCaptionTextBytes
      ? `the lines around the selection hold ${bytes} bytes of text`
      : attemptObstacleOf(earlier);
  if (obstacle !== null) throw new ServiceError('illegal_language_explanation_transition', obstacle);
  return { ...task, attempt: earlier.length };
}
