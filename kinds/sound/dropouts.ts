import { z } from 'zod';
import type { Range } from '../../contract/base/grammar.ts';
import type { DropoutFact } from '../../contract/evidence/evidence.ts';
import type { AuForm } from './au-sound.ts';
import { HOLE_RULE, Holes, holesState, type MsSpan, msSpan } from './holes.ts';

/**
 * A dropout is a silence in running sound, in every channel at once: no sample exceeds `mostSample` (of 16 bits), by milliseconds.
 * A sample within `edgeMs` on both sides exceeds `leastEdge`, and that share of the highest within `nearMs`. A pause of a speaker
 * fades. No other millisecond within `nearMs` is silent, as many are in quiet sound of few bits. A `hole` is a dropout behind a lossy codec.
 */
export const DROPOUT_RULE = {
  leastMs: 4,
  mostMs: 300,
  mostSample: 1,
  leastEdge: 100,
  edgeMs: 3,
  edgeShare: 0.25,
  nearMs: 30,
  hole: HOLE_RULE,
} as const;

/** Dropouts as they are kept between two windows of a pass; all times are from the start of the range. */
export const dropoutsState = z.strictObject({
  found: z.array(msSpan),
  /** The highest samples of the last milliseconds of sound before the silence that lasts, or that ended last. */
  before: z.array(z.number()),
  silence: msSpan.nullable(),
  /** The same of the sound since then. */
  since: z.array(z.number()),
  samples: z.number(),
  ms: z.number(),
  peak: z.number(),
  holes: holesState,
});
type DropoutsState = z.infer<typeof dropoutsState>;

const nothing = () => ({ found: [], before: [], silence: null, since: [], samples: 0, ms: 0, peak: 0, holes: null });

/** Finds dropouts in a sound at its own rate, in all channels at once. */
export class Dropouts {
  readonly #range: Range;
  readonly #state: Omit<DropoutsState, 'holes'>;
  readonly #holes: Holes;
  #form: AuForm = { rate: 1, channels: 1 };

  constructor(range: Range, from: DropoutsState | null = null) {
    this.#range = range;
    const { holes, ...state } = from ?? nothing();
    this.#state = state;
    this.#holes = new Holes(holes);
  }

  save(): DropoutsState {
    return { ...this.#state, holes: this.#holes.save() };
  }

  /** Sound of this form comes; `isContinued` if it follows at once what came before. */
  begin(form: AuForm, samples: number, isContinued: boolean): void {
    this.#form = form;
    this.#holes.begin(form, samples, isContinued);
    if (isContinued) return;
    this.#judge();
    Object.assign(this.#state, { before: [], silence: null, since: [], samples, peak: 0 });
    this.#state.ms = Math.floor((samples * 1000) / form.rate);
  }

  /** Takes samples of all channels, interleaved. */
  add(samples: Int16Array): void {
    const state = this.#state;
    const { rate, channels } = this.#form;
    this.#holes.keep(samples);
    for (let at = 0; at < samples.length; ) {
      const endsAt = Math.floor(((state.ms + 1) * rate) / 1000);
      const to = Math.min(samples.length, at + (endsAt - state.samples) * channels);
      state.peak = Math.max(state.peak, peakOf(samples, at, to));
      state.samples += (to - at) / channels;
      if (state.samples >= endsAt) this.#endMillisecond();
      at = to;
    }
  }

  facts(): DropoutFact[] {
    this.#judge();
    const { startMs } = this.#range;
    const silences = this.#state.found;
    const isSilence = (hole: MsSpan) => silences.some(({ fromMs, toMs }) => fromMs < hole.toMs && toMs > hole.fromMs);
    const holes = this.#holes.found().filter((hole) => !isSilence(hole));
    const both = [...silences, ...holes].sort((one, other) => one.fromMs - other.fromMs);
    return both.map(({ fromMs, toMs }, index) => ({
      kind: 'dropout',
      index,
      startMs: startMs + fromMs,
      endMs: startMs + toMs,
    }));
  }

  #endMillisecond(): void {
    const state = this.#state;
    const { peak, ms } = state;
    state.peak = 0;
    state.ms += 1;
    this.#holes.count(peak);
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
    if (silence !== null && before.length === nearMs && since.length === nearMs) {
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
