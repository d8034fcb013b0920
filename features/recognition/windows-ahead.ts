import type { KeptParts, PartInput } from '../../actors/study/kept-windows.ts';
import type { Range } from '../../contract/base/grammar.ts';
import type { KeptRegion, RawRegion } from '../../contract/recognition.ts';
import { ProcessFailure } from '../../executors/process/process.ts';
import { RecognitionFailure, type Recognizer, type RegionSound } from '../../executors/recognition/recognizer.ts';

/** So many windows are recognized in one call. Their sound has 14 MB at most. The number is a choice. */
const MOST_WINDOWS = 16;

interface WindowsAheadOptions {
  readonly recognizeMany: NonNullable<Recognizer['recognizeMany']>;
  readonly regions: KeptParts<KeptRegion>;
  readonly input: PartInput;
  /** All windows of a run, in order. */
  readonly windows: readonly Range[];
  readonly soundOf: (window: Range) => Promise<RegionSound>;
  /** What is kept of an answer for the sound. */
  readonly keptOf: (sound: RegionSound, raw: RawRegion) => KeptRegion;
  /** True for the place of a window that is not to be recognized. */
  readonly isLeftOut: (at: number) => boolean;
  /** Called before a call, and behind each answer, with the place of the window that is recognized then. */
  readonly begins: (at: number) => void;
  /** Called with the place of a window whose answer is there. */
  readonly answered: (at: number) => void;
  readonly kept: () => void;
  readonly signal: AbortSignal;
}

/** A window that is to be recognized, by its place, with its sound. */
interface Prepared {
  readonly at: number;
  readonly sound: RegionSound;
}

/**
 * Has the next windows of a run recognized in one call of their recognizer. Each answer is kept when it is there, and found by the work that
 * then asks for that window alone. So a window without an answer is recognized as it always was.
 */
export class WindowsAhead {
  readonly #options: WindowsAheadOptions;
  readonly #failures = new Map<Range, unknown>();
  #isOffered = true;
  /** The place of the first window that no call had yet. */
  #next = 0;

  constructor(options: WindowsAheadOptions) {
    this.#options = options;
  }

  /** The failure that ended a call at a window, once. */
  takeFailure(window: Range): unknown {
    const failure = this.#failures.get(window);
    this.#failures.delete(window);
    return failure;
  }

  /**
   * Recognizes the windows from a place on that are neither kept nor made now, unless a call had this one. It settles at the end of the call.
   * Rejects with the reason of `signal`, and with any error but the failure of a recognizer.
   */
  async recognize(from: number): Promise<void> {
    const { windows, regions, input } = this.#options;
    if (!this.#isOffered || from < this.#next) return;
    const ahead = [...windows.keys()].slice(from, from + MOST_WINDOWS);
    const places = ahead.filter((at) => !this.#options.isLeftOut(at));
    this.#next = from + ahead.length;
    const missing = await regions.missing(input, places.map(this.#rangeAt));
    const prepared: Prepared[] = [];
    // A call for a single window is the usual one.
    if (missing.length < 2) return;
    for (const at of places.filter((_, place) => missing.includes(place))) {
      const sound = await this.#soundAt(at);
      if (sound !== null) prepared.push({ at, sound });
    }
    if (prepared.length < 2) return;
    await this.#called(prepared);
  }

  readonly #rangeAt = (at: number): Range => {
    const { startMs, endMs } = this.#options.windows[at] ?? { startMs: 0, endMs: 0 };
    return { startMs, endMs };
  };

  /** The sound of a window; null if it cannot be read. The work for that window alone has the cause. */
  async #soundAt(at: number): Promise<RegionSound | null> {
    const { soundOf, signal } = this.#options;
    signal.throwIfAborted();
    return soundOf(this.#rangeAt(at)).catch((error: unknown) => {
      signal.throwIfAborted();
      if (isOfRecognizer(error)) return null;
      throw error;
    });
  }

  async #called(prepared: readonly Prepared[]): Promise<void> {
    const { recognizeMany, begins, answered, signal } = this.#options;
    const answers = prepared.map(() => pending<RawRegion | null>());
    const stored = Promise.allSettled(prepared.map((each, place) => this.#stored(each, answers[place]?.promise)));
    let last = -1;
    begins(prepared[0]?.at ?? 0);
    const failure = await recognizeMany(
      prepared.map(({ sound }) => sound),
      signal,
      (place, answer) => {
        last = Math.max(last, place);
        answers[place]?.resolve(answer);
        answered(prepared[place]?.at ?? 0);
        const next = prepared[place + 1];
        if (next !== undefined) begins(next.at);
      },
    ).then(
      () => null,
      (error: unknown) => ({ error }),
    );
    for (const { resolve } of answers) resolve(null);
    for (const each of await stored) if (each.status === 'rejected') throw each.reason;
    signal.throwIfAborted();
    if (failure === null) {
      // A program that takes one sound a call is asked for one at a time.
      if (last < 1) this.#isOffered = false;
      return;
    }
    if (!isOfRecognizer(failure.error)) throw failure.error;
    const underWay = prepared[last + 1]?.at;
    const window = underWay === undefined ? undefined : this.#options.windows[underWay];
    if (underWay === undefined || window === undefined) return;
    this.#failures.set(window, failure.error);
    this.#next = underWay + 1;
  }

  /** Keeps the answer for a window when it is there. */
  async #stored({ at, sound }: Prepared, answer: Promise<RawRegion | null> | undefined): Promise<void> {
    const { regions, input, keptOf, kept, signal } = this.#options;
    const make = async (): Promise<KeptRegion> => {
      const raw = await answer;
      if (raw == null) throw new Unanswered();
      return keptOf(sound, raw);
    };
    await regions.of(input, this.#rangeAt(at), { make, kept, signal }).catch((error: unknown) => {
      if (!(error instanceof Unanswered)) throw error;
    });
  }
}

/** The call ended without an answer for a window. */
class Unanswered extends Error {}

const isOfRecognizer = (error: unknown): boolean =>
  error instanceof RecognitionFailure || (error instanceof ProcessFailure && error.reason !== 'aborted');

/** A promise, and what settles it from outside. */
function pending<Value>(): { readonly promise: Promise<Value>; readonly resolve: (value: Value) => void } {
  let resolve: (value: Value) => void = () => undefined;
  const promise = new Promise<Value>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
