import { z } from 'zod';
import type { Range } from '../../contract/base/grammar.ts';
import type { DropoutFact } from '../../contract/evidence/evidence.ts';
import { packedBytes } from '../pictures/small-picture.ts';

/**
 * A dropout is a hole in running sound, and every channel has it at once. The levels are those of single milliseconds, in three
 * bands. One is the sound above `highPassHz`. The other two are its first and second differences, which weigh high tones more.
 *
 * `silence`: no sample exceeds `mostSample` (of 16 bits). A sample within `edgeMs` on both sides exceeds `leastEdge`, and that
 * share of the highest within `nearMs`: a pause of a speaker fades.
 *
 * `hole`: the rest of such a silence after a codec. In all bands, its loudest `insideMs` are `depthDb` below the quietest
 * `besideMs` of the sound beside it. That sound is measured for `contextMs` and the length of the hole, on both sides. A pause that
 * fades has quiet sound beside it, and a tremolo has other holes there. The `nearMs` before and after the hole differ by
 * `mostDifferenceDb` at most. They are at most `mostFadeDb` below and `mostAttackDb` above the sound next to them.
 */
export const DROPOUT_RULE = {
  leastMs: 4,
  mostMs: 300,
  silence: { mostSample: 1, leastEdge: 100, edgeMs: 3, edgeShare: 0.25, nearMs: 30 },
  hole: {
    ...{ highPassHz: 400, soundingDbfs: -56, fallDb: 7, beforeMs: 30, mostMs: 110 },
    ...{ depthDb: 15, shortMs: 8, shortDepthDb: 19, insideMs: 3, besideMs: 6, contextMs: 90 },
    ...{ nearMs: 10, nextMs: 70, mostFadeDb: 9, mostAttackDb: 8, mostDifferenceDb: 22 },
  },
} as const;

const CHANNELS = 3;
const { silence: SILENCE, hole: HOLE } = DROPOUT_RULE;
const powerOf = (db: number): number => 10 ** (db / 10);
const FULL_SCALE_POWER = 32_768 ** 2;
const SOUNDING = powerOf(HOLE.soundingDbfs) * FULL_SCALE_POWER;
const FALL = powerOf(HOLE.fallDb);
const MOST_FADE = powerOf(HOLE.mostFadeDb);
const MOST_ATTACK = powerOf(HOLE.mostAttackDb);
const MOST_DIFFERENCE = powerOf(HOLE.mostDifferenceDb);

/** The power of the rounding to 16 bits, and a little more. Bands that are hardly above it decide nothing. */
const FLOOR = 4;
const LEAST_IN_BAND = 20 * FLOOR;
/** A filter takes long to come to rest, and by ever smaller steps. */
const NOTHING_PASSED = 1e-6;

/** The measures of a single millisecond, in this order. */
const [HIGH_PASSED, FIRST, SECOND, WHOLE, PEAK] = [0, 1, 2, 3, 4] as const;
const BANDS = [HIGH_PASSED, FIRST, SECOND] as const;
const MEASURES = 5;

/** How many milliseconds are kept: a hole and its context, twice over. */
const KEPT_MS = 1024;
/** A hole lasts less. */
const LONGEST_FALL_MS = 200;

/** How much of a hole belongs to its edges: codecs blur those. */
const edgeMsOf = (lengthMs: number): number => (lengthMs < HOLE.shortMs ? 1 : lengthMs < 2 * HOLE.shortMs ? 2 : 5);

function isSilent(samples: Int16Array, from: number, to: number): boolean {
  for (let at = from; at < to; at += CHANNELS) if (samples[at] !== 0) return false;
  return true;
}

const span = z.strictObject({ from: z.number(), to: z.number() });
/** Milliseconds from the start of the range. */
type Span = z.infer<typeof span>;
const candidate = span.extend({ isSilent: z.boolean(), dueMs: z.number() });
type Candidate = z.infer<typeof candidate>;

/** Dropouts as they are kept between two windows of a pass. */
export const dropoutsState = z.strictObject({
  found: z.array(span),
  candidates: z.array(candidate),
  levels: packedBytes,
  sums: z.array(z.number()),
  before: z.array(z.number()),
  samples: z.number(),
  ms: z.number(),
  sinceMs: z.number(),
  fall: z.strictObject({ fromMs: z.number(), below: z.number() }).nullable(),
  silentFromMs: z.number().nullable(),
});
export type DropoutsState = z.infer<typeof dropoutsState>;

const NOTHING: DropoutsState = {
  ...{ found: [], candidates: [], levels: new Uint8Array(), sums: [], before: [], samples: 0, ms: 0, sinceMs: 0 },
  ...{ fall: null, silentFromMs: null },
};

/** Finds dropouts in left, right and center of a sound at its own rate. */
export class Dropouts {
  readonly #range: Range;
  readonly #state: Omit<DropoutsState, 'levels' | 'sums' | 'before'>;
  /** The measures of the last milliseconds. */
  readonly #levels = new Float64Array(KEPT_MS * MEASURES);
  /** The measures of the millisecond that is not whole yet. */
  readonly #sums = new Float64Array(MEASURES);
  /** Of each channel the last sample, its difference to the one before, and what passed the filter. */
  readonly #before = new Float64Array(CHANNELS * 3);
  #rate = 1;

  constructor(range: Range, from: DropoutsState | null = null) {
    this.#range = range;
    const { levels, sums, before, ...state } = from ?? { ...NOTHING, found: [], candidates: [] };
    this.#state = state;
    this.#levels.set(new Float64Array(new Uint8Array(levels).buffer));
    this.#sums.set(sums);
    this.#before.set(before);
  }

  save(): DropoutsState {
    const levels = new Uint8Array(this.#levels.buffer).slice();
    return { ...this.#state, levels, sums: [...this.#sums], before: [...this.#before] };
  }

  /** Sound of this rate comes; `goesOn` if it follows at once what came before. */
  begin(rate: number, samples: number, goesOn: boolean): void {
    this.#rate = rate;
    if (goesOn) return;
    const state = this.#state;
    this.#judge(Number.POSITIVE_INFINITY);
    this.#levels.fill(0);
    this.#sums.fill(0);
    this.#before.fill(0);
    state.samples = samples;
    state.ms = state.sinceMs = Math.floor((samples * 1000) / rate);
    state.fall = state.silentFromMs = null;
  }

  /** Takes samples of left, right and center, interleaved. */
  add(samples: Int16Array): void {
    for (let at = 0; at < samples.length; ) {
      const endsAt = Math.floor(((this.#state.ms + 1) * this.#rate) / 1000);
      const to = Math.min(samples.length, at + (endsAt - this.#state.samples) * CHANNELS);
      for (let channel = 0; channel < CHANNELS; channel += 1) this.#measure(samples, at + channel, to, channel);
      this.#state.samples += (to - at) / CHANNELS;
      if (this.#state.samples >= endsAt) this.#endMillisecond();
      at = to;
    }
  }

  facts(): DropoutFact[] {
    this.#judge(Number.POSITIVE_INFINITY);
    const { startMs } = this.#range;
    const apart: Span[] = [];
    for (const each of this.#state.found.toSorted((one, other) => one.from - other.from)) {
      const last = apart.at(-1);
      if (last !== undefined && each.from <= last.to) last.to = Math.max(last.to, each.to);
      else apart.push({ ...each });
    }
    return apart.map(({ from, to }, index) => ({
      ...{ kind: 'dropout', index, startMs: startMs + from, endMs: startMs + to },
    }));
  }

  #measure(samples: Int16Array, from: number, to: number, channel: number): void {
    const [sums, before, place] = [this.#sums, this.#before, channel * 3];
    const keeps = 1 - (2 * Math.PI * HOLE.highPassHz) / this.#rate;
    let last = before[place] ?? 0;
    let lastFirst = before[place + 1] ?? 0;
    let passed = before[place + 2] ?? 0;
    // Center of stereo, and both sides of mono.
    const wasSilent = last === 0 && lastFirst === 0 && Math.abs(passed) < NOTHING_PASSED;
    if (wasSilent && isSilent(samples, from, to)) return;
    let [passedPower, firstPower, secondPower, power, peak] = [0, 0, 0, 0, sums[PEAK] ?? 0];
    for (let at = from; at < to; at += CHANNELS) {
      const sample = samples[at] ?? 0;
      const first = sample - last;
      const second = first - lastFirst;
      passed = first + keeps * passed;
      last = sample;
      lastFirst = first;
      passedPower += passed * passed;
      firstPower += first * first;
      secondPower += second * second;
      power += sample * sample;
      if (sample > peak) peak = sample;
      else if (-sample > peak) peak = -sample;
    }
    before.set([last, lastFirst, passed], place);
    sums[HIGH_PASSED] = (sums[HIGH_PASSED] ?? 0) + passedPower;
    sums[FIRST] = (sums[FIRST] ?? 0) + firstPower;
    sums[SECOND] = (sums[SECOND] ?? 0) + secondPower;
    sums[WHOLE] = (sums[WHOLE] ?? 0) + power;
    sums[PEAK] = peak;
  }

  #endMillisecond(): void {
    const state = this.#state;
    const count = Math.floor(((state.ms + 1) * this.#rate) / 1000) - Math.floor((state.ms * this.#rate) / 1000);
    for (const [measure, sum] of this.#sums.entries()) {
      this.#levels[(state.ms % KEPT_MS) * MEASURES + measure] = measure === PEAK ? sum : sum / count;
    }
    this.#sums.fill(0);
    this.#follow(state.ms);
    this.#followSilence(state.ms);
    state.ms += 1;
    this.#judge(state.ms);
  }

  #level(measure: number, ms: number): number {
    return this.#levels[(ms % KEPT_MS) * MEASURES + measure] ?? 0;
  }

  /** The mean of a measure over `[from, to)`, or over the part of it that was measured. */
  #mean(measure: number, from: number, to: number): number {
    const [first, end] = [Math.max(this.#state.sinceMs, from), Math.min(this.#state.ms, to)];
    let sum = 0;
    for (let ms = first; ms < end; ms += 1) sum += this.#level(measure, ms);
    return end > first ? sum / (end - first) : 0;
  }

  /** A fall begins far below the level before it, and ends where the sound is back. */
  #follow(ms: number): void {
    const state = this.#state;
    const level = this.#level(HIGH_PASSED, ms);
    if (state.fall === null) {
      if (ms - state.sinceMs < HOLE.beforeMs) return;
      const usual = this.#mean(HIGH_PASSED, ms - HOLE.beforeMs, ms);
      if (usual >= SOUNDING && level * FALL < usual) state.fall = { fromMs: ms, below: usual / FALL };
      return;
    }
    if (level < state.fall.below && ms - state.fall.fromMs <= LONGEST_FALL_MS) return;
    const { from, to } = this.#deepest(state.fall.fromMs, ms, state.fall.below);
    state.fall = null;
    if (to - from < DROPOUT_RULE.leastMs || to - from > HOLE.mostMs) return;
    const dueMs = to + edgeMsOf(to - from) + HOLE.contextMs + (to - from);
    state.candidates.push({ from, to, isSilent: false, dueMs });
  }

  /** The part of a fall that lies around its quietest place, below the middle between that level and the edge. */
  #deepest(fromMs: number, endMs: number, below: number): Span {
    let [least, at] = [Number.POSITIVE_INFINITY, fromMs];
    for (let ms = fromMs; ms < endMs; ms += 1) {
      const level = this.#mean(HIGH_PASSED, ms, Math.min(endMs, ms + HOLE.insideMs));
      if (level < least) [least, at] = [level, ms];
    }
    const middle = Math.sqrt((least + FLOOR) * below);
    let [from, to] = [at, at];
    while (from > fromMs && this.#level(HIGH_PASSED, from - 1) < middle) from -= 1;
    while (to < endMs && this.#level(HIGH_PASSED, to) < middle) to += 1;
    return { from, to };
  }

  #followSilence(ms: number): void {
    const state = this.#state;
    if (this.#level(PEAK, ms) <= SILENCE.mostSample) {
      state.silentFromMs ??= ms;
      return;
    }
    const from = state.silentFromMs;
    state.silentFromMs = null;
    if (from === null || ms - from < DROPOUT_RULE.leastMs || ms - from > DROPOUT_RULE.mostMs) return;
    state.candidates.push({ from, to: ms, isSilent: true, dueMs: ms + SILENCE.nearMs });
  }

  /** Judges candidates once the sound behind them is known. */
  #judge(untilMs: number): void {
    const state = this.#state;
    if (!state.candidates.some(({ dueMs }) => dueMs <= untilMs)) return;
    const isDue = ({ dueMs }: Candidate): boolean => dueMs <= untilMs;
    for (const { from, to, isSilent } of state.candidates.filter(isDue)) {
      if (isSilent ? this.#hasEdges(from, to) : this.#isHole(from, to)) state.found.push({ from, to });
    }
    state.candidates = state.candidates.filter((each) => !isDue(each));
  }

  #peak(from: number, to: number): number {
    let peak = 0;
    const end = Math.min(this.#state.ms, to);
    for (let ms = Math.max(this.#state.sinceMs, from); ms < end; ms += 1) peak = Math.max(peak, this.#level(PEAK, ms));
    return peak;
  }

  #hasEdges(from: number, to: number): boolean {
    const { leastEdge, edgeMs, edgeShare, nearMs } = SILENCE;
    const isEdge = (edge: number, near: number) => edge >= Math.max(leastEdge, edgeShare * near);
    return (
      isEdge(this.#peak(from - edgeMs, from), this.#peak(from - nearMs, from)) &&
      isEdge(this.#peak(to, to + edgeMs), this.#peak(to, to + nearMs))
    );
  }

  #isHole(from: number, to: number): boolean {
    const lengthMs = to - from;
    const edge = edgeMsOf(lengthMs);
    const [first, end] = [from - edge, to + edge];
    const [before, behind] = [[first - HOLE.nearMs, first] as const, [end, end + HOLE.nearMs] as const];
    const [lead, tail] = [this.#mean(HIGH_PASSED, ...before), this.#mean(HIGH_PASSED, ...behind)];
    if (Math.min(lead, tail) < SOUNDING) return false;
    const isSteady = (near: number, next: number) => near * MOST_FADE >= next && near <= MOST_ATTACK * (next + 1);
    if (!isSteady(lead, this.#mean(HIGH_PASSED, before[0] - HOLE.nextMs, before[0]))) return false;
    if (!isSteady(tail, this.#mean(HIGH_PASSED, behind[1], behind[1] + HOLE.nextMs))) return false;
    // A wave that is clipped does not move either, but it is loud.
    const around = (this.#mean(WHOLE, first - HOLE.beforeMs, first) + this.#mean(WHOLE, end, end + HOLE.beforeMs)) / 2;
    if (this.#mean(WHOLE, from + edge, to - edge) > around) return false;
    const depth = powerOf(lengthMs < HOLE.shortMs ? HOLE.shortDepthDb : HOLE.depthDb);
    return BANDS.every((band) => {
      const [one, other] = [this.#mean(band, ...before) + FLOOR, this.#mean(band, ...behind) + FLOOR];
      return Math.max(one, other) <= MOST_DIFFERENCE * Math.min(one, other) && this.#isDeep(band, from, to, depth);
    });
  }

  /** True if the quietest sound beside a hole is so much louder than the hole, in one band. */
  #isDeep(band: number, from: number, to: number, depth: number): boolean {
    const edge = edgeMsOf(to - from);
    const context = HOLE.contextMs + (to - from);
    const insideMs = Math.min(HOLE.insideMs, to - from - 2 * edge);
    const loudest = Math.max(...this.#means(band, from + edge, to - edge, insideMs));
    const beside = [
      ...this.#means(band, Math.max(this.#state.sinceMs, from - edge - context), from - edge, HOLE.besideMs),
      ...this.#means(band, to + edge, Math.min(this.#state.ms, to + edge + context), HOLE.besideMs),
    ];
    const quietest = Math.min(...beside);
    if (band !== HIGH_PASSED && quietest < LEAST_IN_BAND) return true;
    return quietest + FLOOR >= depth * (loudest + FLOOR);
  }

  /** The means of all stretches of so many milliseconds within `[from, to)`. */
  #means(measure: number, from: number, to: number, stretchMs: number): number[] {
    return Array.from({ length: Math.max(0, to - from - stretchMs + 1) }, (_, at) =>
      this.#mean(measure, from + at, from + at + stretchMs),
    );
  }
}
