import type { Clock } from '../../contract/base/clock.ts';
import { failureMessage } from '../../contract/base/errors.ts';
import type { EngineFailureCause } from '../../contract/causes/engine-cause.ts';
import type { EngineFailureCode, FailingEngine } from '../../contract/causes/engine-failures.ts';
import { engineFailureOf } from '../../contract/causes/stored-failures.ts';
import { ProcessFailure } from '../../executors/process/process.ts';
import { RecognitionFailure } from '../../executors/recognition/recognizer.ts';
import { paused } from '../../formats/followed-signal.ts';

/**
 * The pauses before a region is tried again, in ms: a server that ran out of memory, or was started again, has a moment then. Their
 * number and lengths are a choice.
 */
const pausesMs = [1_000, 4_000] as const;

/** So many regions that fail one after the other say that the rest would fail too; before the first that was recognized, and after it. */
const mostInARow = { first: 4, later: 8 } as const;

/** Failures that all regions share and no pause mends. Nothing more is sent. */
const ofAllRegions: readonly EngineFailureCode[] = [
  'engine_path_missing',
  'engine_model_missing',
  'engine_key_refused',
  'engine_forbidden',
  'engine_language_unknown',
  'engine_redirected',
  'engine_model_broken',
  'engine_gone',
  'engine_changed',
  'engine_not_permitted',
];

/** The same, unless the recognizer has recognized a region: then they are of their own region. */
const ofAllUntilRecognized: readonly EngineFailureCode[] = [
  'engine_request_refused',
  'engine_format_refused',
  'engine_answered_text',
  'engine_answered_events',
  'engine_answered_page',
  'engine_answered_other_json',
  'engine_late',
  'engine_unreachable',
];

/**
 * Failures that may pass. A busy server was waited for already, and a late one had its time: both would cost the study most of its
 * own.
 */
const passing: readonly EngineFailureCode[] = [
  'engine_error',
  'engine_unreachable',
  'engine_stopped',
  'engine_answered_text',
  'engine_answered_page',
  'engine_answered_other_json',
];

/** Late answers of two regions in a row take minutes. */
const mostLateInARow = 2;

/** A region that was not recognized, and why. */
export class RegionUnrecognized extends Error {
  readonly failure: EngineFailureCause;
  constructor(failure: EngineFailureCause, cause: unknown) {
    super(failure.code, { cause });
    this.name = 'RegionUnrecognized';
    this.failure = failure;
  }
}

/**
 * Has the regions of a study recognized, each in a few attempts. Once a failure says that the rest would fail too, they are not sent:
 * a server is not sent requests in vain.
 */
export class RegionAttempts {
  readonly #clock: Pick<Clock, 'setTimeout' | 'clearTimeout'>;
  readonly #engine: FailingEngine;
  #hasRecognized = false;
  #inARow: EngineFailureCode[] = [];
  #stopped: RegionUnrecognized | null = null;

  constructor(clock: Pick<Clock, 'setTimeout' | 'clearTimeout'>, engine: FailingEngine) {
    this.#clock = clock;
    this.#engine = engine;
  }

  /**
   * Recognizes one region. Rejects with `RegionUnrecognized`, and with the reason of `signal` once that aborts. Any error but the failure
   * of a recognizer stays as it is.
   */
  async of<Result>(recognize: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    if (this.#stopped !== null) throw this.#stopped;
    for (let attempt = 0; ; attempt += 1) {
      try {
        const result = await recognize();
        this.#hasRecognized = true;
        this.#inARow = [];
        return result;
      } catch (error) {
        signal.throwIfAborted();
        const failed = this.#failureOf(error);
        const pauseMs = this.#isTriedAgain(failed.failure.code) ? pausesMs[attempt] : undefined;
        if (pauseMs === undefined) throw this.#noted(failed);
        await paused(this.#clock, pauseMs, signal);
      }
    }
  }

  #failureOf(error: unknown): RegionUnrecognized {
    const isOwn =
      error instanceof RecognitionFailure || (error instanceof ProcessFailure && error.reason !== 'aborted');
    const failure = isOwn ? engineFailureOf(failureMessage(error.message), this.#engine) : null;
    if (failure === null) throw error;
    return new RegionUnrecognized(failure, error);
  }

  #isTriedAgain(code: EngineFailureCode): boolean {
    if (ofAllUntilRecognized.includes(code) && !this.#hasRecognized) return code === 'engine_unreachable';
    return passing.includes(code);
  }

  #noted(failed: RegionUnrecognized): RegionUnrecognized {
    const { code } = failed.failure;
    this.#inARow.push(code);
    const areLate =
      this.#inARow.slice(-mostLateInARow).filter((each) => each === 'engine_late').length === mostLateInARow;
    const isOfAll =
      ofAllRegions.includes(code) ||
      (ofAllUntilRecognized.includes(code) && !this.#hasRecognized) ||
      this.#inARow.length >= (this.#hasRecognized ? mostInARow.later : mostInARow.first);
    if (isOfAll || areLate) this.#stopped = failed;
    return failed;
  }
}
