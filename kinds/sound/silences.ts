import { CHANNELS, SAMPLES_PER_MS, type SignalBlock, signalOf } from './sound-signals.ts';

/** Levels are kept in steps of half a decibel above the lowest one, so that each takes a byte. */
const LEVEL_STEP_DB = 0.5;
const LOWEST_DBFS = -100;

/** How long the windows are whose power is a level; one begins with every millisecond. */
const LEVEL_WINDOW_MS = 20;

const FIRST_CAPACITY = 64 * 1024;

/** The power of a level in full scale squared. */
const powerOfLevel = (level: number): number => 10 ** (dbfsOf(level) / 10);

const dbfsOf = (level: number): number => LOWEST_DBFS + level * LEVEL_STEP_DB;

function levelOf(power: number): number {
  const steps = Math.round((10 * Math.log10(power) - LOWEST_DBFS) / LEVEL_STEP_DB);
  return Math.min(Math.max(steps, 0), -LOWEST_DBFS / LEVEL_STEP_DB);
}

/** The window that is open, as it is kept between two windows of a pass; the levels themselves are kept beside it. */
export interface OpenLevelState {
  readonly recent: readonly number[];
  readonly sum: number;
  readonly measuredMs: number;
}

/** The state of a measurement that goes on: an open window, and the levels before it. */
interface LevelsBefore {
  readonly open: OpenLevelState;
  readonly levels: Uint8Array;
}

/**
 * Measures the loudness of a sound, window after window, by the mean power of the loudest of its channels. Takes one byte for
 * each millisecond of sound.
 */
export class SoundLevels {
  readonly #recent = new Float64Array(LEVEL_WINDOW_MS);
  #sum = 0;
  #measuredMs = 0;
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
    this.#measuredMs = from.open.measuredMs;
  }

  /** The open window, and the levels that were measured since this began. */
  save(): LevelsBefore {
    const open = { recent: [...this.#recent], sum: this.#sum, measuredMs: this.#measuredMs };
    return { open, levels: this.#levels.subarray(this.#before, this.#count) };
  }

  /** Takes the next block. All but the last one must hold whole milliseconds; what is left of the last one is dropped. */
  add(block: SignalBlock, samples: number): void {
    const channels = CHANNELS.map((at) => signalOf(block, at));
    for (let from = 0; from + SAMPLES_PER_MS <= samples; from += SAMPLES_PER_MS) {
      let power = 0;
      for (const channel of channels) power = Math.max(power, powerIn(channel, from));
      this.#measure(power);
    }
  }

  /** The level of each window, in steps above the lowest; window `n` begins at millisecond `n`. */
  finish(): Uint8Array {
    return this.#levels.subarray(0, this.#count);
  }

  #measure(power: number): void {
    const slot = this.#measuredMs % LEVEL_WINDOW_MS;
    this.#sum += power - (this.#recent[slot] ?? 0);
    this.#recent[slot] = power;
    this.#measuredMs += 1;
    if (this.#measuredMs < LEVEL_WINDOW_MS) return;
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

/**
 * Silence is far below the program, or hardly above the floor of its own noise.
 *
 * The program's level is gated as loudness is in ITU-R BS.1770-4, over unweighted windows of 20 ms. It is the mean power of those
 * above the absolute gate, then of those that are at most the relative gate below that mean. The floor is the level that the
 * quietest tenth of all stretches of the least length stays below. EBU Tech 3342 takes the same percentile for the low end of a
 * program's range. It counts only if it is well below the program and steady, as noise is and music is not.
 */
export const SILENCE_RULE = {
  minimumMs: 300,
  windowMs: LEVEL_WINDOW_MS,
  absoluteGateDbfs: -70,
  relativeGateDb: 10,
  belowProgrammeDb: 26,
  aboveFloorDb: 3,
  floorShare: 0.1,
  floorBelowProgrammeDb: 10,
  floorSteadyWithinDb: 6,
} as const;

/** The levels behind the silences of one sound; null if it has none. In dB of full scale, by half a decibel. */
interface SilenceLevels {
  readonly programmeDbfs: number | null;
  readonly floorDbfs: number | null;
  /** Sound below this is silent. */
  readonly thresholdDbfs: number;
}

export interface FoundSilences {
  readonly levels: SilenceLevels;
  /** Milliseconds from the start of the sound: ordered and disjoint. */
  readonly spans: readonly (readonly [number, number])[];
}

/** Finds the silences among the levels of a whole sound, as `SoundLevels` has measured them. */
export function findSilences(levels: Uint8Array): FoundSilences {
  const programmeDbfs = programLevelOf(levels);
  const floorDbfs = programmeDbfs === null ? null : floorOf(levels, programmeDbfs);
  const { absoluteGateDbfs, belowProgrammeDb, aboveFloorDb } = SILENCE_RULE;
  const thresholdDbfs = Math.max(
    absoluteGateDbfs,
    (programmeDbfs ?? absoluteGateDbfs) - belowProgrammeDb,
    (floorDbfs ?? absoluteGateDbfs) + (floorDbfs === null ? 0 : aboveFloorDb),
  );
  return { levels: { programmeDbfs, floorDbfs, thresholdDbfs }, spans: spansBelow(levels, thresholdDbfs) };
}

const byStep = (db: number): number => Math.round(db / LEVEL_STEP_DB) * LEVEL_STEP_DB;

function programLevelOf(levels: Uint8Array): number | null {
  const counts = new Float64Array(-LOWEST_DBFS / LEVEL_STEP_DB + 1);
  for (const level of levels) counts[level] = (counts[level] ?? 0) + 1;
  const meanAbove = (gateDbfs: number): number | null => {
    let power = 0;
    let windows = 0;
    for (const [level, count] of counts.entries()) {
      if (dbfsOf(level) <= gateDbfs) continue;
      power += count * powerOfLevel(level);
      windows += count;
    }
    return windows === 0 ? null : 10 * Math.log10(power / windows);
  };
  const ungated = meanAbove(SILENCE_RULE.absoluteGateDbfs);
  if (ungated === null) return null;
  const gate = Math.max(SILENCE_RULE.absoluteGateDbfs, ungated - SILENCE_RULE.relativeGateDb);
  return byStep(meanAbove(gate) ?? ungated);
}

// Stretches overlap, so that a pause is met whole wherever it begins.
const STRETCH_HOP_MS = 50;
const STRETCH_WINDOWS = SILENCE_RULE.minimumMs - SILENCE_RULE.windowMs + 1;

function floorOf(levels: Uint8Array, programmeDbfs: number): number | null {
  const stretches: { readonly highest: number; readonly spread: number }[] = [];
  for (let from = 0; from + STRETCH_WINDOWS <= levels.length; from += STRETCH_HOP_MS) {
    let [highest, lowest] = [0, 255];
    for (let at = from; at < from + STRETCH_WINDOWS; at += 1) {
      const level = levels[at] ?? 0;
      if (level > highest) highest = level;
      if (level < lowest) lowest = level;
    }
    stretches.push({ highest, spread: highest - lowest });
  }
  stretches.sort((one, other) => one.highest - other.highest);
  const last = Math.floor(SILENCE_RULE.floorShare * (stretches.length - 1));
  const floor = stretches[last];
  if (floor === undefined) return null;
  const floorDbfs = dbfsOf(floor.highest);
  if (programmeDbfs - floorDbfs < SILENCE_RULE.floorBelowProgrammeDb) return null;
  const spreads = stretches.slice(0, last + 1).map(({ spread }) => spread * LEVEL_STEP_DB);
  spreads.sort((one, other) => one - other);
  const median = spreads[Math.floor(spreads.length / 2)] ?? 0;
  return median <= SILENCE_RULE.floorSteadyWithinDb ? floorDbfs : null;
}

/** The stretches that quiet windows cover, if they are long enough: a window that is quiet as a whole has no loud moment. */
function spansBelow(levels: Uint8Array, thresholdDbfs: number): (readonly [number, number])[] {
  const spans: [number, number][] = [];
  for (const [startMs, level] of levels.entries()) {
    if (dbfsOf(level) >= thresholdDbfs) continue;
    const endMs = startMs + SILENCE_RULE.windowMs;
    const open = spans.at(-1);
    if (open !== undefined && startMs <= open[1]) open[1] = endMs;
    else spans.push([startMs, endMs]);
  }
  return spans.filter(([startMs, endMs]) => endMs - startMs >= SILENCE_RULE.minimumMs);
}
