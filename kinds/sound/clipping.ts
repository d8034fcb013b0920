import { z } from 'zod';
import type { Range } from '../../contract/base/grammar.ts';
import { type ClippingFact, type MeasuredChannel, measuredChannel } from '../../contract/evidence/evidence.ts';
import { packedBytes } from '../pictures/small-picture.ts';
import type { AuForm } from './au-sound.ts';

/**
 * Sound is clipped if it is at full scale of 16 bits for three samples or more, at the rate of the track. A wave that only
 * touches full scale does so for one or two.
 *
 * Sound that was clipped before its level was lowered, or before a codec, is clipped below full scale. The search goes by windows of
 * one channel. A half wave is the sound between two samples below `waveShare` of the highest sample of the window.
 *
 * `level`: at least `leastRuns` half waves stay within `withinSteps` of the highest sample for `leastSamples` or more. They leave it by
 * corners: the samples beside the run are lower by `cornerShare` of it.
 *
 * `flat` takes the half waves that reach `peakShare` of the highest sample. The flatness of one is its time above `topShare` of its
 * own peak, divided by that above half of it: 0.56 for a sine. It has to reach `flatShare`. At least `leastRuns`, and `leastShare` of all, are flat.
 * A top is the mean of these samples. The standard deviation of the flat tops is at most `mostSpread` of their mean. At most
 * `mostOverShare` of the half waves have a top above `overShare` of the median. A wave that is flat by nature has unequal peaks.
 *
 * Runs of one channel within a second of each other are one fact.
 */
export const CLIPPING_RULE = {
  leastSamples: 3,
  gapMs: 1000,
  windowMs: 400,
  leastPeak: 600,
  waveShare: 0.3,
  level: { withinSteps: 1, cornerShare: 1 / 128, leastRuns: 3 },
  flat: {
    peakShare: 0.75,
    topShare: 0.85,
    flatShare: 0.68,
    leastSamples: 8,
    leastRuns: 8,
    leastShare: 0.1,
    mostSpread: 0.07,
    overShare: 1.08,
    mostOverShare: 0.02,
  },
} as const;

const HIGHEST = 32_767;
const LOWEST = -32_768;

/** The channels of a sound, by how many it has. */
const CHANNELS: Readonly<Record<number, readonly MeasuredChannel[]>> = {
  1: ['centre'],
  2: ['left', 'right'],
  3: ['left', 'right', 'centre'],
};

const found = z.strictObject({
  channel: measuredChannel,
  startMs: z.number(),
  endMs: z.number(),
  runs: z.number(),
  longestSamples: z.number(),
});
type Found = z.infer<typeof found>;

/** Clipping as it is kept between two windows of a pass. */
export const clippingState = z.strictObject({
  full: z.array(found),
  below: z.array(found),
  runs: z.array(z.strictObject({ value: z.number(), samples: z.number() })),
  rate: z.number(),
  samples: z.number(),
  window: packedBytes,
});
type ClippingState = z.infer<typeof clippingState>;

/** Samples from `first` to before `end`, from the start of the window. */
interface Run {
  readonly first: number;
  readonly end: number;
}

/** A half wave: its peak, its run at the top, and the mean and the share of time of that. */
interface HalfWave extends Run {
  readonly peak: number;
  readonly top: number;
  readonly flatness: number;
  /** How many samples exceed half of the peak. */
  readonly samples: number;
}

/** Finds clipping in each channel of a sound at its own rate. */
export class Clipping {
  readonly #range: Range;
  readonly #full: Found[];
  readonly #below: Found[];
  /** The run of each channel; none before the sound began. */
  #runs: { value: number; samples: number }[];
  #rate: number;
  /** The number of channels at full scale now. */
  #open = 0;
  #samples: number;
  /** Each channel of the window that is not whole yet; the rest of it is silent. */
  #window: readonly Int16Array[];
  /** The highest sample of each in that window. */
  #highest: number[];

  constructor(range: Range, from: ClippingState | null = null) {
    this.#range = range;
    this.#full = from?.full ?? [];
    this.#below = from?.below ?? [];
    this.#runs = from?.runs ?? [];
    this.#rate = from?.rate ?? 1;
    this.#samples = from?.samples ?? 0;
    this.#window = channelsOf(new Int16Array(new Uint8Array(from?.window ?? []).buffer), this.#runs.length);
    this.#highest = this.#window.map(highestOf);
    this.#open = this.#runs.filter(({ samples }) => samples > 0).length;
  }

  save(): ClippingState {
    return {
      full: this.#full,
      below: this.#below,
      runs: this.#runs,
      rate: this.#rate,
      samples: this.#samples,
      window: new Uint8Array(interleaved(this.#window).buffer),
    };
  }

  /** How many channels the sound has that was taken last; 0 before any. */
  get channels(): number {
    return this.#runs.length;
  }

  /** Sound of this form comes; `isContinued` if it follows at once what came before. */
  begin({ rate, channels }: AuForm, samples: number, isContinued: boolean): void {
    if (isContinued) return;
    this.#endRuns();
    this.#rate = rate;
    this.#samples = samples;
    this.#runs = Array.from({ length: channels }, () => ({ value: 0, samples: 0 }));
    this.#window = this.#runs.map(() => new Int16Array(Math.round((CLIPPING_RULE.windowMs * rate) / 1000)));
    this.#highest = this.#runs.map(() => 0);
  }

  /** Takes samples of all channels, interleaved. */
  add(samples: Int16Array): void {
    const before = this.#samples;
    const { channels } = this;
    const windowSamples = this.#window[0]?.length ?? 0;
    let highest = 0;
    for (let at = 0; at < samples.length; ) {
      const place = this.#samples % windowSamples;
      const count = Math.min(windowSamples - place, (samples.length - at) / channels);
      for (const [channel, window] of this.#window.entries()) {
        const ofChannel = copyChannel(samples, { from: at + channel, channels, count }, window, place);
        this.#highest[channel] = Math.max(this.#highest[channel] ?? 0, ofChannel);
        highest = Math.max(highest, ofChannel);
      }
      this.#samples += count;
      at += count * channels;
      if (place + count === windowSamples) this.#endWindow();
    }
    if (this.#open > 0 || highest >= HIGHEST) this.#findFullScale(samples, before);
  }

  facts(): ClippingFact[] {
    this.#endRuns();
    const { endMs } = this.#range;
    return measuredChannel.options
      .flatMap((channel) => {
        const joined: Found[] = [];
        const ofChannel = [...this.#full, ...this.#below].filter((each) => each.channel === channel);
        for (const each of ofChannel.sort((one, other) => one.startMs - other.startMs)) add(joined, each);
        return joined;
      })
      .filter(({ startMs }) => startMs < endMs)
      .sort((one, other) => one.startMs - other.startMs)
      .map((found, index) => ({ kind: 'clipping', index, ...found, endMs: Math.min(found.endMs, endMs) }));
  }

  #endRuns(): void {
    for (const place of this.#runs.keys()) this.#sample(place, 0, this.#samples);
    if (this.#window.some(({ length }) => length > 0)) this.#endWindow();
  }

  #findFullScale(samples: Int16Array, before: number): void {
    const { channels } = this;
    let open = this.#open;
    for (let at = 0; at < samples.length; at += 1) {
      const sample = samples[at] ?? 0;
      if (open === 0 && sample !== HIGHEST && sample !== LOWEST) continue;
      this.#sample(at % channels, sample, before + Math.floor(at / channels));
      open = this.#open;
    }
  }

  #sample(place: number, value: number, instant: number): void {
    const run = this.#runs[place];
    const isExtreme = value === HIGHEST || value === LOWEST;
    if (run === undefined || (run.samples === 0 && !isExtreme)) return;
    if (run.samples > 0 && value === run.value) {
      run.samples += 1;
      return;
    }
    if (run.samples >= CLIPPING_RULE.leastSamples) {
      add(this.#full, this.#foundOf(place, instant - run.samples, instant));
    }
    this.#open += (isExtreme ? 1 : 0) - (run.samples > 0 ? 1 : 0);
    run.value = value;
    run.samples = isExtreme ? 1 : 0;
  }

  /** A run of samples of one channel from `first` to before `end`. */
  #foundOf(place: number, first: number, end: number): Found {
    const at = (sample: number) => this.#range.startMs + (sample * 1000) / this.#rate;
    const channel = CHANNELS[this.channels]?.[place] ?? 'centre';
    return {
      channel,
      startMs: Math.floor(at(first)),
      endMs: Math.ceil(at(end)),
      runs: 1,
      longestSamples: end - first,
    };
  }

  #endWindow(): void {
    for (const [place, samples] of this.#window.entries()) {
      const begin = Math.floor((this.#samples - 1) / samples.length) * samples.length;
      for (const { first, end } of clippedRuns(samples, this.#highest[place] ?? 0)) {
        add(this.#below, this.#foundOf(place, begin + first, begin + end));
      }
      samples.fill(0);
    }
    this.#highest = this.#window.map(() => 0);
  }
}

/** Adds a run to those of its channel; `to` has the runs in the order of their begins. */
function add(to: Found[], run: Found): void {
  const latest = to.findLast(({ channel }) => channel === run.channel);
  if (latest === undefined || run.startMs - latest.endMs > CLIPPING_RULE.gapMs) {
    to.push({ ...run });
    return;
  }
  latest.endMs = Math.max(latest.endMs, run.endMs);
  latest.runs += run.runs;
  latest.longestSamples = Math.max(latest.longestSamples, run.longestSamples);
}

/** The runs of one channel of a window that are clipped below full scale. */
function clippedRuns(samples: Int16Array, highest: number): readonly Run[] {
  if (highest < CLIPPING_RULE.leastPeak) return [];
  const waves = halfWaves(samples, highest);
  const flat = flatRuns(waves);
  const runs = flat.length > 0 ? flat : levelRuns(samples, highest, waves);
  // Those at full scale were found there.
  return runs.filter(({ peak }) => peak < HIGHEST);
}

/** The channels of interleaved samples. */
const channelsOf = (samples: Int16Array, channels: number): Int16Array[] =>
  Array.from({ length: channels }, (_, place) => samples.filter((_sample, at) => at % channels === place));

function interleaved(channels: readonly Int16Array[]): Int16Array {
  const samples = new Int16Array(channels.reduce((sum, { length }) => sum + length, 0));
  for (const [place, channel] of channels.entries())
    for (const [at, sample] of channel.entries()) samples[at * channels.length + place] = sample;
  return samples;
}

/** Copies samples of one channel to a place of its window. Returns the size of the highest. */
function copyChannel(
  samples: Int16Array,
  { from, channels, count }: { readonly from: number; readonly channels: number; readonly count: number },
  window: Int16Array,
  place: number,
): number {
  let highest = 0;
  for (let at = 0; at < count; at += 1) {
    const sample = samples[from + at * channels] ?? 0;
    window[place + at] = sample;
    if (sample > highest) highest = sample;
    else if (-sample > highest) highest = -sample;
  }
  return highest;
}

const highestOf = (samples: Int16Array): number =>
  samples.reduce((highest, sample) => Math.max(highest, sample, -sample), 0);

/** The half waves that come near the highest sample; those that the window cuts are left out. */
function halfWaves(samples: Int16Array, highest: number): HalfWave[] {
  const waves: HalfWave[] = [];
  const [low, high] = [CLIPPING_RULE.waveShare * highest, CLIPPING_RULE.flat.peakShare * highest];
  const count = samples.length;
  for (let at = 0; at < count; at += 1) {
    const sample = samples[at] ?? 0;
    if (sample <= low && sample >= -low) continue;
    const sign = sample > 0 ? 1 : -1;
    const begin = at;
    let peak = 0;
    for (let level = sign * sample; level > low && at < count; at += 1, level = sign * (samples[at] ?? 0)) {
      if (level > peak) peak = level;
    }
    if (peak >= high && begin > 0 && at < count) waves.push(halfWave(samples, sign, { first: begin, end: at }, peak));
    at -= 1;
  }
  return waves;
}

function halfWave(samples: Int16Array, sign: number, { first, end }: Run, peak: number): HalfWave {
  const { topShare } = CLIPPING_RULE.flat;
  let [half, top, sum, topFirst, topEnd] = [0, 0, 0, end, first];
  for (let at = first; at < end; at += 1) {
    const level = sign * (samples[at] ?? 0);
    if (level > peak / 2) half += 1;
    if (level <= topShare * peak) continue;
    top += 1;
    sum += level;
    topFirst = Math.min(topFirst, at);
    topEnd = at + 1;
  }
  return { first: topFirst, end: topEnd, peak, top: sum / top, flatness: (top - 1) / half, samples: half };
}

/** The half waves that have a flat top near one level; empty if higher ones show that the level does not limit them. */
function flatRuns(waves: readonly HalfWave[]): readonly HalfWave[] {
  const rule = CLIPPING_RULE.flat;
  const wide = waves.filter(({ samples }) => samples >= rule.leastSamples);
  const flat = wide.filter(({ flatness }) => flatness >= rule.flatShare);
  if (flat.length < rule.leastRuns || flat.length < rule.leastShare * wide.length) return [];
  const tops = flat.map(({ top }) => top).sort((one, other) => one - other);
  const mean = tops.reduce((sum, top) => sum + top, 0) / tops.length;
  const variance = tops.reduce((sum, top) => sum + (top - mean) ** 2, 0) / tops.length;
  if (Math.sqrt(variance) > rule.mostSpread * mean) return [];
  const limit = rule.overShare * (tops[tops.length >> 1] ?? mean);
  const over = wide.filter(({ top }) => top > limit);
  return over.length > rule.mostOverShare * wide.length ? [] : flat;
}

/** The runs that stay at the highest level of all and leave it by corners; empty if there are too few. */
function levelRuns(
  samples: Int16Array,
  highest: number,
  waves: readonly HalfWave[],
): readonly (Run & { readonly peak: number })[] {
  const { withinSteps, cornerShare, leastRuns } = CLIPPING_RULE.level;
  const least = highest - withinSteps;
  const corner = least - Math.max(4, cornerShare * highest);
  const levelAt = (at: number): number => Math.abs(samples[at] ?? 0);
  const runs = waves.flatMap(({ first, end, peak }) => {
    const found: { first: number; end: number; peak: number }[] = [];
    for (let at = first; at < end; at += 1) {
      const begin = at;
      while (at < end && levelAt(at) >= least) at += 1;
      const isRun = at - begin >= CLIPPING_RULE.leastSamples;
      if (isRun && levelAt(begin - 1) <= corner && levelAt(at) <= corner) found.push({ first: begin, end: at, peak });
    }
    return found;
  });
  return runs.length < leastRuns ? [] : runs;
}
