import { z } from 'zod';
import type { Range } from '../../contract/base/grammar.ts';
import type { DropoutFact } from '../../contract/evidence/evidence.ts';

/**
 * A dropout is a silence in running sound, in every channel at once: no sample exceeds `mostSample` (of 16 bits), by milliseconds.
 * A sample within `edgeMs` on both sides exceeds `leastEdge`, and that share of the highest within `nearMs`. A pause of a speaker
 * fades.
 */
export const DROPOUT_RULE = {
  ...{ leastMs: 4, mostMs: 300, mostSample: 1 },
  ...{ leastEdge: 100, edgeMs: 3, edgeShare: 0.25, nearMs: 30 },
} as const;

const CHANNELS = 3;

const silence = z.strictObject({ fromMs: z.number(), toMs: z.number() });

/** Dropouts as they are kept between two windows of a pass; all times are from the start of the range. */
export const dropoutsState = z.strictObject({
  found: z.array(silence),
  /** The highest samples of the last milliseconds of sound before the silence that lasts, or that ended last. */
  before: z.array(z.number()),
  silence: silence.nullable(),
  /** The same of the sound since then. */
  since: z.array(z.number()),
  samples: z.number(),
  ms: z.number(),
  peak: z.number(),
});
type DropoutsState = z.infer<typeof dropoutsState>;

/** Finds dropouts in left, right and center of a sound at its own rate. */
export class Dropouts {
  readonly #range: Range;
  readonly #state: DropoutsState;
  #rate = 1;

  constructor(range: Range, from: DropoutsState | null = null) {
    this.#range = range;
    this.#state = from ?? { found: [], before: [], silence: null, since: [], samples: 0, ms: 0, peak: 0 };
  }

  save(): DropoutsState {
    return this.#state;
  }

  /** Sound of this rate comes; `goesOn` if it follows at once what came before. */
  begin(rate: number, samples: number, goesOn: boolean): void {
    this.#rate = rate;
    if (goesOn) return;
    this.#judge();
    Object.assign(this.#state, { before: [], silence: null, since: [], samples, peak: 0 });
    this.#state.ms = Math.floor((samples * 1000) / rate);
  }

  /** Takes samples of left, right and center, interleaved. */
  add(samples: Int16Array): void {
    const state = this.#state;
    for (let at = 0; at < samples.length; ) {
      const endsAt = Math.floor(((state.ms + 1) * this.#rate) / 1000);
      const to = Math.min(samples.length, at + (endsAt - state.samples) * CHANNELS);
      state.peak = Math.max(state.peak, peakOf(samples, at, to));
      state.samples += (to - at) / CHANNELS;
      if (state.samples >= endsAt) this.#endMillisecond();
      at = to;
    }
  }

  facts(): DropoutFact[] {
    this.#judge();
    const { startMs } = this.#range;
    return this.#state.found.map(({ fromMs, toMs }, index) => ({
      ...{ kind: 'dropout', index, startMs: startMs + fromMs, endMs: startMs + toMs },
    }));
  }

  #endMillisecond(): void {
    const state = this.#state;
    const { peak, ms } = state;
    state.peak = 0;
    state.ms += 1;
    if (peak > DROPOUT_RULE.mostSample) {
      state.since.push(peak);
      if (state.since.length >= DROPOUT_RULE.nearMs) this.#judge();
      return;
    }
    if (state.silence?.toMs === ms) {
      state.silence.toMs = ms + 1;
      return;
    }
    this.#judge();
    state.silence = { fromMs: ms, toMs: ms + 1 };
  }

  /** Judges the silence between the sound before it and the sound since. */
  #judge(): void {
    const state = this.#state;
    const { leastMs, mostMs, edgeMs, nearMs } = DROPOUT_RULE;
    const { silence, before, since } = state;
    if (silence !== null && since.length > 0) {
      const lengthMs = silence.toMs - silence.fromMs;
      const hasEdges = isEdge(before.slice(-edgeMs), before) && isEdge(since.slice(0, edgeMs), since);
      if (lengthMs >= leastMs && lengthMs <= mostMs && hasEdges) state.found.push(silence);
    }
    // Sound before a silence that is not judged yet stays what it is.
    if (silence !== null && since.length === 0) return;
    state.silence = null;
    state.before = [...(silence === null ? before : []), ...since].slice(-nearMs);
    state.since = [];
  }
}

function peakOf(samples: Int16Array, from: number, to: number): number {
  let peak = 0;
  for (let at = from; at < to; at += 1) {
    const sample = samples[at] ?? 0;
    if (sample > peak) peak = sample;
    else if (-sample > peak) peak = -sample;
  }
  return peak;
}

/** True if the sound at a silence is loud, and not much quieter than the sound near it. */
const isEdge = (edge: readonly number[], near: readonly number[]): boolean =>
  Math.max(0, ...edge) >= Math.max(DROPOUT_RULE.leastEdge, DROPOUT_RULE.edgeShare * Math.max(0, ...near));
