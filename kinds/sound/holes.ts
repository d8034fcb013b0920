import { cfft } from 'fourier-transform';
import { z } from 'zod';
import { packedBytes } from '../pictures/small-picture.ts';
import type { AuForm } from './au-sound.ts';

/**
 * A hole is a silence in running sound behind a lossy codec: quiet noise, with edges that the blocks of the codec blur.
 *
 * By milliseconds, no sample of any channel is within `fallDb` of the highest of the `beforeMs` before. Inside, without `edgeMs` at
 * both ends, none is within `depthDb` of the highest of any `lullMs` of the `besideMs` on both sides. On both sides, one of the first
 * `edgeMs` is within `fadeDb` of the highest of `nearMs`.
 *
 * A closed consonant, or a cut between two recordings, has another sound behind it than before. So the highest samples of `sideMs` on
 * both sides differ by at most `mostLevelDb`. Their spectra, in bands of a third of an octave, differ by a mean of at most
 * `mostSpectrumDb`. On the side that changes more, they change from `sideMs` to the next by at least that less `mostChangeDb`.
 *
 * A voice fades within each octave. A hole takes a mean of at most `mostEdgeMs` from `edgeTopDb` to `edgeBottomDb` below the sound
 * beside it, and back. That counts levels of `frameMs` in the octaves that sound on both sides.
 *
 * A rhythm may have gaps. So within `apartMs` there is no other stretch that the second paragraph describes.
 *
 * The thresholds were found on recorded speech and music (lab/docs/experiments.md).
 */
export const HOLE_RULE = {
  leastMs: 15,
  mostMs: 100,
  leastPeak: 300,
  fallDb: 14,
  beforeMs: 15,
  edgeMs: 3,
  nearMs: 30,
  fadeDb: 12,
  depthDb: 18,
  lullMs: 10,
  besideMs: 40,
  sideMs: 20,
  mostLevelDb: 5,
  mostSpectrumDb: 9,
  mostChangeDb: 3,
  apartMs: 300,
  frameMs: 5,
  edgeTopDb: 4,
  edgeBottomDb: 15,
  mostEdgeMs: 2.5,
} as const;

/** Room for a hole, what lies beside it, and what comes before it is judged. */
const KEPT_MS = 256;
/** The sound that is measured on both sides. */
const CONTEXT_MS = HOLE_RULE.edgeMs + 2 * HOLE_RULE.sideMs;
const shareOf = (db: number): number => 10 ** (-db / 20);
const FALL = shareOf(HOLE_RULE.fallDb);
const TOP = shareOf(HOLE_RULE.edgeTopDb) ** 2;
const BOTTOM = shareOf(HOLE_RULE.edgeBottomDb) ** 2;

/** Octaves in Hz, for the edges. */
const OCTAVES = [0, 500, 1000, 2000, 4000, 8000, 16_000];
/** The bands in Hz, for the likeness of both sides. Each has a bin of a spectrum of `sideMs`. */
const BANDS = Array.from({ length: 17 }, (_, at) => 250 * 1.25 ** at);
/** Sound that is so much quieter than the loudest band, or than this power, decides nothing. */
const LEAST_SHARE = shareOf(40) ** 2;
const LEAST_POWER = 40;

/** `[fromMs, toMs)`, from the start of the range. */
export const msSpan = z.strictObject({ fromMs: z.number(), toMs: z.number() });
export type MsSpan = z.infer<typeof msSpan>;

/** A stretch far below the sound on both sides; only a cut may be a hole. */
const lull = msSpan.extend({ isCut: z.boolean() });
type Lull = z.infer<typeof lull>;

/** Holes as they are kept between two windows of a pass. */
export const holesState = z.strictObject({
  lulls: z.array(lull),
  /** The stretches that are not judged yet. */
  waiting: z.array(msSpan),
  open: z.strictObject({ fromMs: z.number(), below: z.number() }).nullable(),
  peaks: z.array(z.number()),
  sinceMs: z.number(),
  ms: z.number(),
  recent: packedBytes,
  recentFrom: z.number(),
});
type HolesState = z.infer<typeof holesState>;

/** Finds holes in a sound at its own rate, in all channels at once. */
export class Holes {
  readonly #lulls: Lull[];
  #waiting: MsSpan[];
  #open: HolesState['open'];
  /** The highest sample of each of the last milliseconds. */
  readonly #peaks = new Uint16Array(KEPT_MS);
  #sinceMs: number;
  #ms: number;
  #form: AuForm = { rate: 1, channels: 1 };
  /** The samples of at least as many milliseconds, how many there are, and the instant of the first. */
  #recent = new Int16Array();
  #recentLength: number;
  #recentFrom: number;

  constructor(from: HolesState | null) {
    this.#lulls = from?.lulls ?? [];
    this.#waiting = from?.waiting ?? [];
    this.#open = from?.open ?? null;
    this.#peaks.set(from?.peaks ?? []);
    this.#sinceMs = from?.sinceMs ?? 0;
    this.#ms = from?.ms ?? 0;
    this.#recent = new Int16Array(new Uint8Array(from?.recent ?? []).buffer);
    this.#recentLength = this.#recent.length;
    this.#recentFrom = from?.recentFrom ?? 0;
  }

  save(): HolesState {
    return {
      lulls: this.#lulls,
      waiting: this.#waiting,
      open: this.#open,
      peaks: [...this.#peaks],
      sinceMs: this.#sinceMs,
      ms: this.#ms,
      recentFrom: this.#recentFrom,
      recent: new Uint8Array(this.#recent.slice(0, this.#recentLength).buffer),
    };
  }

  /** Those that are alone. */
  found(): MsSpan[] {
    const isFar = (one: MsSpan | undefined, next: MsSpan | undefined): boolean =>
      one === undefined || next === undefined || next.fromMs - one.toMs >= HOLE_RULE.apartMs;
    return this.#lulls.filter((each, at, all) => each.isCut && isFar(all[at - 1], each) && isFar(each, all[at + 1]));
  }

  /** Sound of this form comes; `isContinued` if it follows at once what came before. */
  begin(form: AuForm, samples: number, isContinued: boolean): void {
    this.#form = form;
    if (isContinued) return;
    this.#waiting = [];
    this.#open = null;
    this.#sinceMs = this.#ms = Math.floor((samples * 1000) / form.rate);
    this.#recentLength = 0;
    this.#recentFrom = samples;
  }

  /** Takes samples of all channels, interleaved, before their milliseconds are counted. */
  keep(samples: Int16Array): void {
    const { rate, channels } = this.#form;
    const kept = Math.min(this.#recentLength, Math.ceil((KEPT_MS * rate) / 1000) * channels);
    const from = this.#recentLength - kept;
    const before = this.#recent;
    if (kept + samples.length > before.length) this.#recent = new Int16Array(kept + samples.length);
    this.#recent.set(before.subarray(from, this.#recentLength));
    this.#recent.set(samples, kept);
    this.#recentFrom += from / channels;
    this.#recentLength = kept + samples.length;
  }

  /** Counts a millisecond by the highest sample of all channels. */
  count(peak: number): void {
    const ms = this.#ms;
    this.#peaks[ms % KEPT_MS] = peak;
    this.#ms += 1;
    if (this.#open === null) this.#mayOpen(ms, peak);
    else if (peak >= this.#open.below || ms - this.#open.fromMs >= HOLE_RULE.mostMs) this.#close(ms);
    const first = this.#waiting[0];
    if (first === undefined || first.toMs + CONTEXT_MS > this.#ms) return;
    this.#waiting.shift();
    if (this.#isLull(first)) this.#lulls.push({ ...first, isCut: this.#isCut(first) });
  }

  #mayOpen(ms: number, peak: number): void {
    const { beforeMs, leastPeak } = HOLE_RULE;
    if (ms - this.#sinceMs < beforeMs) return;
    const highest = this.#highest(ms - beforeMs, ms);
    if (highest >= leastPeak && peak < FALL * highest) this.#open = { fromMs: ms, below: FALL * highest };
  }

  #close(ms: number): void {
    const { fromMs } = this.#open ?? { fromMs: ms };
    this.#open = null;
    const lengthMs = ms - fromMs;
    const hasSoundBefore = fromMs - this.#sinceMs >= CONTEXT_MS;
    if (hasSoundBefore && lengthMs >= HOLE_RULE.leastMs && lengthMs < HOLE_RULE.mostMs) {
      this.#waiting.push({ fromMs, toMs: ms });
    }
  }

  #highest(fromMs: number, toMs: number): number {
    let highest = 0;
    for (let ms = fromMs; ms < toMs; ms += 1) highest = Math.max(highest, this.#peaks[ms % KEPT_MS] ?? 0);
    return highest;
  }

  /** True if it is far below the sound on both sides, which does not fade. */
  #isLull({ fromMs, toMs }: MsSpan): boolean {
    const { edgeMs, nearMs, fadeDb, depthDb, besideMs, lullMs } = HOLE_RULE;
    const leastEdge = shareOf(fadeDb);
    if (this.#highest(fromMs - edgeMs, fromMs) < leastEdge * this.#highest(fromMs - nearMs, fromMs)) return false;
    if (this.#highest(toMs, toMs + edgeMs) < leastEdge * this.#highest(toMs, toMs + nearMs)) return false;
    const inside = this.#highest(fromMs + edgeMs, toMs - edgeMs);
    for (let ms = 0; ms + lullMs <= besideMs; ms += 1) {
      const start = fromMs - besideMs + ms;
      const quieter = Math.min(this.#highest(start, start + lullMs), this.#highest(toMs + ms, toMs + ms + lullMs));
      if (inside > shareOf(depthDb) * quieter) return false;
    }
    return true;
  }

  /** True if both sides are one sound, and its edges are steep in the octaves. */
  #isCut({ fromMs, toMs }: MsSpan): boolean {
    const { edgeMs, frameMs, sideMs, mostLevelDb, mostSpectrumDb, mostChangeDb, mostEdgeMs } = HOLE_RULE;
    const levels = [this.#highest(fromMs - sideMs, fromMs), this.#highest(toMs, toMs + sideMs)];
    if (Math.min(...levels) < shareOf(mostLevelDb) * Math.max(...levels)) return false;
    const bands = BANDS.filter((limit) => limit <= this.#form.rate / 2);
    const away = edgeMs - 1 + sideMs / 2;
    const [earlier = [], before = [], behind = [], later = []] = [
      ...[fromMs - away - sideMs, fromMs - away],
      ...[toMs + away, toMs + away + sideMs],
    ].map((ms) => this.#powers(ms, sideMs, bands, 'mean'));
    const floor = LEAST_SHARE * Math.max(...before, ...behind) + LEAST_POWER;
    const change = Math.max(meanDifferenceDb(earlier, before, floor), meanDifferenceDb(behind, later, floor));
    if (meanDifferenceDb(before, behind, floor) > Math.min(mostSpectrumDb, change + mostChangeDb)) return false;
    const first = fromMs - sideMs - edgeMs;
    const frames = Array.from({ length: toMs + sideMs + edgeMs - first }, (_, at) =>
      this.#powers(first + at + 0.5, frameMs, OCTAVES, 'sum'),
    );
    const [falls, rises] = edgesOf(frames);
    return meanOf(falls) <= mostEdgeMs && meanOf(rises) <= mostEdgeMs;
  }

  /** The power of all channels in bands (their limits in Hz) of a stretch around a time. */
  #powers(aroundMs: number, lengthMs: number, bands: readonly number[], by: 'sum' | 'mean'): number[] {
    const { rate, channels } = this.#form;
    const length = Math.floor((lengthMs * rate) / 1000);
    const size = 2 ** Math.ceil(Math.log2(length));
    const start = Math.round((aroundMs * rate) / 1000) - (length >> 1) - this.#recentFrom;
    const window = Float64Array.from(
      { length },
      (_, at) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (at + 1)) / (length + 1)),
    );
    const scale = window.reduce((sum, weight) => sum + weight * weight, 0);
    const power = new Float64Array(size / 2);
    // Two channels in one transform: the power of both is the mean of each bin and its mirror.
    for (let channel = 0; channel < channels; channel += 2) {
      const [real, imaginary] = [new Float64Array(size), new Float64Array(size)];
      for (let at = 0; at < length; at += 1) {
        const weight = window[at] ?? 0;
        const place = (start + at) * channels + channel;
        real[at] = weight * (this.#recent[place] ?? 0);
        if (channel + 1 < channels) imaginary[at] = weight * (this.#recent[place + 1] ?? 0);
      }
      cfft(real, imaginary);
      for (let bin = 0; bin < power.length; bin += 1) {
        const mirror = (size - bin) % size;
        const both =
          (real[bin] ?? 0) ** 2 + (imaginary[bin] ?? 0) ** 2 + (real[mirror] ?? 0) ** 2 + (imaginary[mirror] ?? 0) ** 2;
        power[bin] = (power[bin] ?? 0) + both / 2 / scale;
      }
    }
    const binOf = (hz: number): number => Math.min(power.length, Math.ceil((hz * size) / rate));
    return bands.slice(1).map((limit, band) => {
      const bins = power.subarray(binOf(bands[band] ?? 0), binOf(limit));
      const sum = bins.reduce((total, each) => total + each, 0);
      return by === 'sum' ? sum : sum / Math.max(1, bins.length);
    });
  }
}

const meanOf = (values: readonly number[]): number =>
  values.length === 0 ? Number.POSITIVE_INFINITY : values.reduce((sum, value) => sum + value, 0) / values.length;

/** The mean difference of two spectra in dB. What is far below the floor counts as equal. */
const meanDifferenceDb = (one: readonly number[], other: readonly number[], floor: number): number =>
  meanOf(one.map((power, band) => Math.abs(10 * Math.log10((power + floor) / ((other[band] ?? 0) + floor)))));

/** How long each band falls before a hole, and rises behind it, in ms. Frames begin and end with the sound beside it. */
function edgesOf(
  frames: readonly (readonly number[])[],
): readonly [falls: readonly number[], rises: readonly number[]] {
  const { sideMs } = HOLE_RULE;
  const sideOf = (part: readonly (readonly number[])[], band: number) => meanOf(part.map((frame) => frame[band] ?? 0));
  const bands = OCTAVES.slice(1).map((_, band) => ({
    levels: frames.map((frame) => frame[band] ?? 0),
    before: sideOf(frames.slice(0, sideMs), band),
    behind: sideOf(frames.slice(-sideMs), band),
  }));
  const least = Math.max(
    LEAST_POWER,
    LEAST_SHARE * Math.max(...bands.flatMap(({ before, behind }) => [before, behind])),
  );
  const sounding = bands.filter(({ before, behind }) => Math.min(before, behind) > least);
  const middle = frames.length >> 1;
  return [
    sounding.map(({ levels, before }) => edgeMs(levels.slice(0, middle).reverse(), before)),
    sounding.map(({ levels, behind }) => edgeMs(levels.slice(middle), behind)),
  ];
}

/** How long levels, from the middle of a hole on, take to the level beside it. */
function edgeMs(levels: readonly number[], beside: number): number {
  const top = levels.findIndex((level) => level >= TOP * beside);
  const bottom = levels.findIndex((level) => level >= BOTTOM * beside);
  return (top < 0 ? levels.length : top) - bottom;
}
