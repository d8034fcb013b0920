import type { Clock } from '../../contract/base/clock.ts';
import { type MediaOperationResult, mediaOperationResult } from '../../contract/evidence/media-operation.ts';
import type { MediaTask } from '../../contract/study/task.ts';
import type { EffectOutcome } from '../../machines/emission.ts';
import type { StudyInput } from '../../machines/study-types.ts';
import {
  type MediaOperation,
  mediaRequestOf,
  operationCompleted,
  operationFailed,
  operationStarted,
} from '../../receipts/evidence/media-operation.ts';
import { objectFactsOf } from '../../receipts/evidence/readable-evidence.ts';
import { furtherShape } from '../../receipts/stages/detect.ts';
import { readStoredReceipt, type StoredContent } from '../../receipts/stored-records.ts';
import { fewAtOnce } from '../../storage/keyed-mutex.ts';
import type { EventDraft } from '../../storage/ledger/ledger.ts';
import type { HostBasis } from '../host-basis.ts';
import type { LiveProgress } from '../reopening/live-progress.ts';
import type { StudyRow } from '../reopening/study-row.ts';
import type { ProgressBoard } from '../supervision/progress-board.ts';
import type { StudyCalibration } from './calibration.ts';
import type { KeptWindows } from './kept-windows.ts';
import type { MediaOperations } from './media-operations.ts';
import type { MediaPasses } from './media-passes.ts';
import { type MediaStepName, mediaOperationOf, mediaTaskOf, studiedSource } from './media-task.ts';
import { type WindowedPass, WindowsOfStudies } from './windows-of-studies.ts';

interface MediaStepsOptions extends Pick<HostBasis, 'ledger' | 'objectStore' | 'registry' | 'report'> {
  /** Opens a reader of the evidence that a result names. */
  readonly content: () => StoredContent;
  /** Says with which tools this host has its operations done, set how. */
  readonly passes: Pick<MediaPasses, 'identity' | 'windowEndsOf'>;
  readonly operations: MediaOperations;
  /** The windows that long passes keep on the way. */
  readonly windows: Pick<KeptWindows, 'drop' | 'namedBy' | 'keysOf'>;
  /** Has objects go that a study has stored, and that nothing else reaches. */
  readonly abandoned: (runtimeId: string, contentIds: readonly string[]) => Promise<void>;
  readonly progress: LiveProgress;
  readonly clock: Pick<Clock, 'now'>;
  /** Takes down how long the passes that really run here take; null on a host that has workers run them. */
  readonly calibration: Pick<StudyCalibration, 'noted'> | null;
  readonly board: Pick<ProgressBoard, 'note' | 'forget'>;
  /** Called with the thing that an operation of a study waits for; null once it waits no more. */
  readonly waits: (runtimeId: string, reason: string | null) => void;
  /** Called whenever a study keeps a part of a step, behind which a next host goes on. */
  readonly moved: (runtimeId: string) => void;
}

/** The steps that open the media: each looks its result up before it runs, and stores what it found for the next study. */
export class MediaSteps {
  readonly #options: MediaStepsOptions;
  readonly #windows: WindowsOfStudies;
  /** The operations that run, by their study. */
  readonly #running = new Map<string, Promise<MediaOperationResult>>();
  /** The objects that operations have stored in this life of the host, by the live study. */
  readonly #stored = new Map<string, Set<string>>();

  constructor(options: MediaStepsOptions) {
    this.#options = options;
    this.#windows = new WindowsOfStudies({ ...options, taskOf: (study) => this.#task(study, 'detect') });
  }

  /** The operation for one pass of a study. */
  operation(study: StudyRow, step: MediaStepName): MediaOperation {
    return mediaOperationOf(this.#options.passes, this.#task(study, step));
  }

  detect(input: StudyInput, signal: AbortSignal): Promise<EffectOutcome> {
    return this.#perform(input, 'detect', signal);
  }

  async subtitles(input: StudyInput, signal: AbortSignal): Promise<EffectOutcome> {
    // The step before has committed its result: what it kept on the way is of no use any more.
    await this.#windows.drop(this.#windows.passOf(input.runtimeId));
    return this.#perform(input, 'subtitles', signal);
  }

  /** A study has come to its end: all that it has stored has a name. */
  completed(runtimeId: string): void {
    this.#stored.delete(runtimeId);
  }

  /** True if a live study has stored an object that no record may name yet: the step that names it can take its time. */
  isHeld(contentId: string): boolean {
    for (const stored of this.#stored.values()) if (stored.has(contentId)) return true;
    return false;
  }

  /**
   * Releases the kept windows of a study whose pass ended without a result, and the objects that it has stored and nothing names.
   * Windows that another live study goes on from stay. So do those of a study whose time was up: only from its windows can
   * another attempt get further. Must be called after the commit that ends a study, in the same turn: from the next on a client
   * may delete it.
   */
  async ended(runtimeId: string, { isTimeUp }: { isTimeUp: boolean }): Promise<void> {
    const { abandoned, report } = this.#options;
    const stays = (error: unknown) =>
      report(`what ${runtimeId} kept of its pass stays: ${error instanceof Error ? error.message : String(error)}`);
    let pass: WindowedPass | null = null;
    try {
      if (!isTimeUp) pass = this.#windows.passOf(runtimeId);
    } catch (error) {
      stays(error);
    }
    // A pass that was cut may still be storing something, or keeping its last window.
    await this.#running.get(runtimeId)?.catch(() => undefined);
    const stored = [...(this.#stored.get(runtimeId) ?? [])];
    this.#stored.delete(runtimeId);
    if (pass !== null) stored.push(...((await this.#windows.release(pass).catch(stays)) ?? []));
    if (stored.length > 0) await abandoned(runtimeId, stored).catch(stays);
  }

  async #perform({ runtimeId }: StudyInput, step: MediaStepName, signal: AbortSignal): Promise<EffectOutcome> {
    const { progress, clock, calibration } = this.#options;
    const study = progress.study(runtimeId);
    const operation = this.operation(study, step);
    // The host that began it may have had other tools.
    const begun = progress.of(runtimeId).openPass ?? operation;
    const { operationKey } = mediaRequestOf(study, operation);
    const isBegun = mediaRequestOf(study, begun).operationKey === operationKey;
    const { known, isUseless } = await this.#known(operationKey);
    const began = clock.now();
    const result = known ?? (await this.#run(study, step, signal));
    const workMs = Math.max(0, clock.now() - began);
    const { events } = operationCompleted(study, operation, result, known !== null);
    const { range } = study.record.analysisRequest;
    const timed = { mediaMs: range.endMs - range.startMs, workMs };
    // A pass that may have continued from a window does not show the time that its whole range takes.
    const isWhole = this.#options.passes.windowEndsOf(this.#task(study, step)).length === 0;
    const isObserved = known === null && calibration !== null && isWhole;
    const observed = isObserved
      ? [await calibration.noted(studiedSource(this.#options.registry, study), operation, timed)]
      : [];
    return {
      events: isBegun ? events : [...begunAnew(study, begun, operation), ...events],
      writes: [
        // The first committed result stays: a pass that ran beside it has found the same. One that is of no use does not.
        isUseless
          ? { put: 'operation', key: operationKey, value: result }
          : { putFirst: 'operation', key: operationKey, value: result },
        ...observed,
      ],
    };
  }

  async #run(study: StudyRow, step: MediaStepName, signal: AbortSignal): Promise<MediaOperationResult> {
    const { operations, passes, board, waits, moved } = this.#options;
    const { runtimeId } = study.record;
    const task = this.#task(study, step);
    const request = mediaRequestOf(study, mediaOperationOf(passes, task));
    const stored = this.#stored.get(runtimeId) ?? new Set<string>();
    this.#stored.set(runtimeId, stored);
    const running = operations.run(
      { task, request, study, source: studiedSource(this.#options.registry, study) },
      {
        signal,
        measured: (completed, total) => board.note(runtimeId, { stage: step, completed, total, unit: 'milliseconds' }),
        waits: (reason) => waits(runtimeId, reason),
        kept: () => moved(runtimeId),
        stored: (contentId) => stored.add(contentId),
      },
    );
    this.#running.set(runtimeId, running);
    try {
      return await running;
    } finally {
      // One that failed ends while the next one runs already.
      if (this.#running.get(runtimeId) === running) {
        this.#running.delete(runtimeId);
        board.forget(runtimeId);
      }
    }
  }

  #task(study: StudyRow, step: MediaStepName): MediaTask {
    return mediaTaskOf(step, studiedSource(this.#options.registry, study), study.record.analysisRequest);
  }

  /**
   * A completed result under this key whose bytes are all intact, else null, and true if there is an incomplete one. Damaged
   * bytes are set aside.
   */
  async #known(operationKey: string): Promise<{ known: MediaOperationResult | null; isUseless: boolean }> {
    const { ledger, report } = this.#options;
    const [row] = await ledger.getMany('operation', [operationKey]);
    if (row === undefined) return { known: null, isUseless: false };
    const stored = mediaOperationResult.safeParse(row);
    if (!stored.success) {
      report(`the stored result ${operationKey} cannot be read; the operation runs again`);
      return { known: null, isUseless: true };
    }
    // The objects that facts name are known only if they are whole.
    const isWhole =
      (await this.#areIntact(contentIdsOf(stored.data))) && (await this.#areIntact(await this.#namedBy(stored.data)));
    return { known: isWhole ? stored.data : null, isUseless: !isWhole };
  }

  async #areIntact(contentIds: readonly string[]): Promise<boolean> {
    const { objectStore, report } = this.#options;
    let isWhole = true;
    await fewAtOnce(contentIds, async (contentId) => {
      const state = await objectStore.verify(contentId);
      if (state === 'intact') return;
      isWhole = false;
      report(`stored evidence ${contentId} is ${state}; the operation runs again`);
      if (state === 'damaged') await objectStore.quarantine(contentId);
    });
    return isWhole;
  }

  /** The objects that the facts of a result name. */
  async #namedBy({ further = [] }: MediaOperationResult): Promise<string[]> {
    const named: string[] = [];
    const content = this.#options.content();
    for (const { contentId } of further) {
      const { body } = await readStoredReceipt(furtherShape, content, contentId);
      named.push(...objectFactsOf(body).map((fact) => fact.contentId));
    }
    return named;
  }
}

/** Every object that a result names itself. */
const contentIdsOf = ({ evidence, further = [] }: MediaOperationResult): string[] => [
  ...evidence.flatMap((each) => (each.state === 'available' ? [each.contentId] : [])),
  ...further.map(({ contentId }) => contentId),
];

/** A receipt names the tools that its operation was begun with: with others it is another operation. */
const begunAnew = (study: StudyRow, begun: MediaOperation, operation: MediaOperation): readonly EventDraft[] => [
  operationFailed(study, begun, {
    code: 'executor_interrupted',
    message: 'the tools of the host, or how it sets them, changed after the pass over the media had begun',
  }),
  operationStarted(study, operation),
];
