import { CHANNELS, SAMPLES_PER_MS, type SignalBlock, signalOf } from './sound-signals.ts';

/** Levels are kept in steps of half a decibel above the lowest one, so that each takes a byte. */
export const LEVEL_STEP_DB = 0.5;
export const LOWEST_DBFS = -100;

/** How long the windows are whose power is a level; one begins with every millisecond. */
export const LEVEL_WINDOW_MS = 20;

const FIRST_CAPACITY = 64 * 1024;

/** The power of a level in full scale squared. */
export const powerOfLevel = (level: number): number => 10 ** (dbfsOf(level) / 10);

export const dbfsOf = (level: number): number => LOWEST_DBFS + level * LEVEL_STEP_DB;

function levelOf(power: number): number {
  const steps = Math.round((10 * Math.log10(power) - LOWEST_DBFS) / LEVEL_STEP_DB);
  return Math.min(Math.max(steps, 0), -LOWEST_DBFS / LEVEL_STEP_DB);
}

/** The window that is open, as it is kept between two windows of a pass; the levels themselves are kept beside it. */
export interface OpenLevelState {
  readonly recent: readonly number[];
  readonly sum: number;
  readonly heardMs: number;
}

/** Where a measurement goes on: at an open window, behind the levels so far. */
export interface LevelsBefore {
  readonly open: OpenLevelState;
  readonly levels: Uint8Array;
}

/**
 * Measures how loud a sound is, window after window, by the mean power of the loudest of its channels; one byte for each
 * millisecond of sound.
 */
export class SoundLevels {
  readonly #recent = new Float64Array(LEVEL_WINDOW_MS);
  #sum = 0;
  #heardMs = 0;
  #levels = new Uint8Array(FIRST_CAPACITY);
  #count = 0;
  readonly #before: number;

  constructor(from: LevelsBefore | null = null) {
    this.#before = from?.levels.length ?? 0;
    if (from === null) return;
    this.#levels = new Uint8Array(Math.max(FIRST_CAPACITY, 2 * from.levels.length));
    this.#levels.set(from.levels);
    this.#count = from.levels.length;
    this.#recent.set(from.open.recent);
    this.#sum = from.open.sum;
    this.#heardMs = from.open.heardMs;
  }

  /** The open window, and the levels that were measured since this began. */
  save(): LevelsBefore {
    const open = { recent: [...this.#recent], sum: this.#sum, heardMs: this.#heardMs };
    return { open, levels: this.#levels.subarray(this.#before, this.#count) };
  }

  /** Takes the next block. All but the last one must hold whole milliseconds; what is left of the last one is dropped. */
  add(block: SignalBlock, samples: number): void {
    const channels = CHANNELS.map((at) => signalOf(block, at));
    for (let from = 0; from + SAMPLES_PER_MS <= samples; from += SAMPLES_PER_MS) {
      let power = 0;
      for (const channel of channels) power = Math.max(power, powerIn(channel, from));
      this.#hear(power);
    }
  }

  /** The level of each window, in steps above the lowest; window `n` begins at millisecond `n`. */
  finish(): Uint8Array {
    return this.#levels.subarray(0, this.#count);
  }

  #hear(power: number): void {
    const slot = this.#heardMs % LEVEL_WINDOW_MS;
    this.#sum += power - (this.#recent[slot] ?? 0);
    this.#recent[slot] = power;
    this.#heardMs += 1;
    if (this.#heardMs < LEVEL_WINDOW_MS) return;
    if (this.#count === this.#levels.length) {
      const larger = new Uint8Array(this.#levels.length * 2);
      larger.set(this.#levels);
      this.#levels = larger;
    }
    this.#levels[this.#count++] = levelOf(Math.max(0, this.#sum) / LEVEL_WINDOW_MS);
  }
}

function powerIn(channel: Float32Array, from: number): number {
  let sum = 0;
  for (let at = from; at < from + SAMPLES_PER_MS; at += 1) sum += (channel[at] ?? 0) ** 2;
  return sum / SAMPLES_PER_MS;
}
