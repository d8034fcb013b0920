import { type Failure, failureMessage } from '../../contract/base/errors.ts';
import { cutText } from '../../contract/base/grammar.ts';
import type { UnavailableReason } from '../../contract/evidence/evidence.ts';
import type { RegisteredSource } from '../../contract/sources/source-session.ts';
import { ProcessFailure } from '../../executors/process/process.ts';
import { RecognitionFailure, RecognizerUnavailable } from '../../executors/recognition/recognizer.ts';
import { DetectionFailure } from '../../kinds/detection-failure.ts';
import type { EffectOutcome } from '../../machines/emission.ts';
import type { StudyInput } from '../../machines/study-types.ts';
import type {
  GrantedFinding,
  GrantedOperation,
  GrantedReceipt,
  GrantedWork,
  KeptEvidence,
} from '../../receipts/evidence/granted-operation.ts';
import { readStoredReceipt, type StoredContent, storedJson } from '../../receipts/stored-records.ts';
import type { GrantedProgress } from '../../receipts/study/progress.ts';
import { optionalGrantOf } from '../../receipts/study-run.ts';
import type { EventDraft } from '../../storage/ledger/ledger.ts';
import type { HostBasis } from '../host-basis.ts';
import type { LiveProgress } from '../reopening/live-progress.ts';
import { type StudyRow, studyBudgetMs } from '../reopening/study-row.ts';
import type { ProgressBoard } from '../supervision/progress-board.ts';
import type { TimeBudgets } from '../supervision/time-budgets.ts';
import { studiedSource } from './media-task.ts';

export interface GrantedStepsOptions extends Pick<HostBasis, 'ledger' | 'objectStore' | 'registry' | 'report'> {
  /** Opens a reader of the evidence of the steps before. It notes the files that it reads, so each step opens its own. */
  readonly content: () => StoredContent;
  readonly progress: LiveProgress;
  /** Where clients see how far a step has come. */
  readonly board: Pick<ProgressBoard, 'note' | 'forget'>;
  /** The time of studies. An engine works in pieces with limits of their own: a slow one does not use it up. */
  readonly budgets: Pick<TimeBudgets, 'pause' | 'resume'>;
  /** Called whenever a study keeps a part of a step, behind which a next host goes on. */
  readonly moved: (runtimeId: string) => void;
}

/** The parts in which the kinds of steps differ. */
interface GrantedStep<Receipt extends GrantedReceipt, Found extends GrantedFinding> {
  readonly operation: GrantedOperation<Receipt, Found>;
  /** True if this host has an engine for it now. */
  readonly isOffered: () => boolean;
  /** Opens the engine for the step of a study, before that begins; absent for one that is always open. Never rejects. */
  readonly open?: (runtimeId: string) => Promise<void>;
  /** Called when the step of a study is over. */
  readonly close?: (runtimeId: string) => void;
  /** The engine for a study's step, with its settings; null if none is open. */
  readonly producer: (study: StudyRow, source: RegisteredSource) => GrantedWork['producer'] | null;
  /** The reason why it was restarted. */
  readonly changed: string;
  /** The evidence in a row under its operation key; null for any other row. */
  readonly keptIn: (row: unknown) => KeptEvidence | null;
  /** False for evidence that another study does not take over: what is missing there may be found now. By default all is whole. */
  readonly isWhole?: (found: Found) => boolean;
  readonly rowOf: (kept: KeptEvidence, study: StudyRow) => object;
  /** Rejects with a failure of who carries it out. */
  readonly find: (
    study: StudyRow,
    source: RegisteredSource,
    work: GrantedWork,
    signal: AbortSignal,
  ) => Promise<Found | UnavailableReason>;
}

/** The result of an earlier operation with the same key, or of this one. */
interface Result<Found> {
  readonly kept: KeptEvidence;
  readonly found: Found | null;
  readonly reused: boolean;
}

/** A step as the chart of a study uses it. */
export type GrantedStudyStep = Pick<
  GrantedSteps<GrantedReceipt, GrantedFinding>,
  'isOffered' | 'isFor' | 'open' | 'started' | 'stopped' | 'perform'
>;

/** A step of a study for which it has a grant of its own. If it fails, the study goes on without its findings. */
export class GrantedSteps<Receipt extends GrantedReceipt, Found extends GrantedFinding> {
  readonly #options: GrantedStepsOptions;
  readonly #step: GrantedStep<Receipt, Found>;

  constructor(options: GrantedStepsOptions, step: GrantedStep<Receipt, Found>) {
    this.#options = options;
    this.#step = step;
  }

  /** True if this host can carry it out. */
  get isOffered(): boolean {
    return this.#step.isOffered();
  }

  /** True if a study comes to this step: it was accepted for that, and the host can still carry it out. */
  isFor(runtimeId: string): boolean {
    const { stage } = this.#step.operation.declared;
    return this.isOffered && optionalGrantOf(this.#options.progress.study(runtimeId).ids, stage) !== undefined;
  }

  /** Opens the engine for a study that comes to this step next: the journal names it before the step runs. */
  async open(runtimeId: string): Promise<void> {
    await this.#step.open?.(runtimeId);
  }

  /** The journal events before it runs. */
  started(study: StudyRow): readonly EventDraft[] {
    const work = this.#work(study);
    return work === null ? [] : [this.#step.operation.started(study, work)];
  }

  /** The journal events of a step in which its study stops. */
  stopped(study: StudyRow, reason: Failure): readonly EventDraft[] {
    this.#step.close?.(study.record.runtimeId);
    const { begun } = this.#progress(study.record.runtimeId);
    return begun === null ? [] : [this.#step.operation.failed(study, begun, reason)];
  }

  async perform({ runtimeId }: StudyInput, signal: AbortSignal): Promise<EffectOutcome> {
    const { budgets } = this.#options;
    budgets.pause(runtimeId, 'engine');
    try {
      // Open already, unless an earlier host began the step.
      await this.open(runtimeId);
      return await this.#performed(runtimeId, signal);
    } finally {
      budgets.resume(runtimeId, 'engine');
      this.#step.close?.(runtimeId);
    }
  }

  async #performed(runtimeId: string, signal: AbortSignal): Promise<EffectOutcome> {
    const { progress, objectStore } = this.#options;
    const { operation, rowOf } = this.#step;
    const study = progress.study(runtimeId);
    const { begun } = this.#progress(runtimeId);
    const work = this.#begunOr(study, begun, this.#work(study));
    const renewed = this.#renewal(study, begun, work);
    if (work === null) return { events: renewed, writes: [] };
    const key = operation.keyOf(study, work);
    try {
      const result = (await this.#known(key)) ?? (await this.#run(study, work, signal));
      const { step } = operation.completed(study, work, result);
      await objectStore.putAll(step.objects);
      const value = rowOf(result.kept, study);
      return {
        events: [...renewed, ...step.events],
        writes: result.reused ? [] : [{ put: 'operation', key, value }],
      };
    } catch (error) {
      signal.throwIfAborted();
      const ended = error instanceof RecognitionFailure ? error.cause : error;
      if (ended instanceof ProcessFailure && ended.stderr !== '') {
        this.#options.report(
          `${operation.declared.link} failed: ${ended.message}; the process printed: ${lastLine(ended.stderr)}`,
        );
      }
      return { events: [...renewed, operation.failed(study, work, failureOf(error))], writes: [] };
    }
  }

  /** The evidence that it starts from, and what was begun of it and has not ended. */
  #progress(runtimeId: string): GrantedProgress {
    return this.#options.progress.of(runtimeId).granted[this.#step.operation.declared.stage];
  }

  /** How this host would carry it out; null where it cannot, or not with the engine that the start asks for. */
  #work(study: StudyRow): GrantedWork | null {
    const { analysisRequest, runtimeId } = study.record;
    const producer = this.#step.producer(study, studiedSource(this.#options.registry, study));
    if (producer === null || !this.#step.operation.isWished(study, producer.engine)) return null;
    const { from } = this.#progress(runtimeId);
    return { producer, limits: { maxWallMs: studyBudgetMs(analysisRequest.range) }, from };
  }

  /** A step that an earlier host began goes on unchanged, with its original version, if this host would do the same now. */
  #begunOr(study: StudyRow, begun: GrantedWork | null, now: GrantedWork | null): GrantedWork | null {
    if (begun === null || now === null) return now;
    const [one, other] = [begun, now].map((each) => this.#step.operation.keyOf(study, each));
    return one === other ? begun : now;
  }

  /** A receipt names the engine: a step that an earlier host began with others is given up and restarted. */
  #renewal(study: StudyRow, begun: GrantedWork | null, work: GrantedWork | null): readonly EventDraft[] {
    const { operation, changed: message } = this.#step;
    const anew = work === null ? [] : [operation.started(study, work)];
    if (begun === null) return anew;
    if (begun === work) return [];
    return [operation.failed(study, begun, { code: 'executor_interrupted', message }), ...anew];
  }

  async #known(key: string): Promise<Result<Found> | null> {
    const { ledger, objectStore, content, report } = this.#options;
    const [row] = await ledger.getMany('operation', [key]);
    const kept = this.#step.keptIn(row);
    if (kept === null) return null;
    if (kept.state === 'unavailable') return { kept, found: null, reused: true };
    const state = await objectStore.verify(kept.contentId);
    if (state === 'intact') {
      const { body } = await readStoredReceipt(this.#step.operation.declared.found, content(), kept.contentId);
      return this.#step.isWhole?.(body) === false ? null : { kept, found: body, reused: true };
    }
    report(`stored evidence ${kept.contentId} is ${state}; the operation runs again`);
    if (state === 'damaged') await objectStore.quarantine(kept.contentId);
    return null;
  }

  async #run(study: StudyRow, work: GrantedWork, signal: AbortSignal): Promise<Result<Found>> {
    const { objectStore, board, registry } = this.#options;
    const found = await this.#step
      .find(study, studiedSource(registry, study), work, signal)
      .finally(() => board.forget(study.record.runtimeId));
    if (typeof found === 'string') {
      return { kept: { state: 'unavailable', reasonCode: found }, found: null, reused: false };
    }
    const object = storedJson(found);
    await objectStore.putAll([object]);
    const { contentId, bytes } = object;
    return { kept: { state: 'available', contentId, bytes: bytes.length }, found, reused: false };
  }
}

/** The step of a host without an engine for it: it ends what an earlier host began of it, and begins nothing. */
export const absentStep = <Receipt extends GrantedReceipt, Found extends GrantedFinding>(
  options: GrantedStepsOptions,
  operation: GrantedOperation<Receipt, Found>,
): GrantedStudyStep =>
  new GrantedSteps(options, {
    operation,
    isOffered: () => false,
    producer: () => null,
    changed: 'this host has no engine for it any more',
    keptIn: () => null,
    rowOf: () => ({}),
    find: async () => {
      throw new RangeError('no engine carries this step out');
    },
  });

/** The last line that a process printed, short enough for one line of the log. */
const lastLine = (printed: string): string => cutText(printed.trim().split('\n').at(-1) ?? '', 300);

/** The failure of the engine of a step. Any other error is rethrown. */
function failureOf(error: unknown): { readonly code: 'executor_failed'; readonly message: string } {
  const isOfEngine =
    error instanceof ProcessFailure ||
    error instanceof DetectionFailure ||
    error instanceof RecognitionFailure ||
    error instanceof RecognizerUnavailable;
  if (isOfEngine) {
    return { code: 'executor_failed', message: failureMessage(error.message) };
  }
  throw error;
}
