import { z } from 'zod';
import type { Range } from '../../contract/base/grammar.ts';
import { type ClippingFact, type MeasuredChannel, measuredChannel } from '../../contract/evidence/evidence.ts';
import { DetectionFailure } from '../detector/detection-failure.ts';

/**
 * Sound is clipped if it is at full scale of 16 bits for three samples or more, at the rate of the track. A wave that only
 * touches full scale does so for one or two. Such runs within a second of each other are one fact.
 */
export const CLIPPING_RULE = { leastSamples: 3, gapMs: 1000 } as const;

const HIGHEST = 32_767;
const LOWEST = -32_768;

const CHANNELS: readonly MeasuredChannel[] = ['left', 'right', 'centre'];
const BYTES_PER_SAMPLE = 2;
const BYTES_PER_INSTANT = CHANNELS.length * BYTES_PER_SAMPLE;

// The header of an AU file: magic, offset of the samples, their length, encoding (3: 16 bits, big-endian), rate, channels.
const MAGIC = 0x2e736e64;
const ENCODING = 3;
const HEADER_BYTES = 24;
const LONGEST_HEADER = 4096;

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
  found: z.array(found),
  runs: z.array(z.strictObject({ value: z.number(), samples: z.number() })),
  rate: z.number().nullable(),
  samples: z.number(),
});
type ClippingState = z.infer<typeof clippingState>;

/** Finds clipping in left, right and center of a sound at its own rate, which comes as an AU file in pieces of any size. */
export class Clipping {
  readonly #range: Range;
  readonly #fromMs: number;
  readonly #found: Found[];
  readonly #runs: { value: number; samples: number }[];
  readonly #latest = new Map<MeasuredChannel, Found>();
  #rate: number | null = null;
  #hasHeader = false;
  /** The number of channels at full scale now. */
  #open = 0;
  #samples = 0;
  #rest: Buffer = Buffer.alloc(0);

  /** `fromMs`: where the sound begins that comes now, which is behind the start where the clipping before it was kept. */
  constructor(range: Range, from: ClippingState | null = null, fromMs: number = range.startMs) {
    this.#range = range;
    this.#fromMs = fromMs;
    this.#found = from?.found ?? [];
    this.#runs = from?.runs ?? CHANNELS.map(() => ({ value: 0, samples: 0 }));
    for (const each of this.#found) this.#latest.set(each.channel, each);
    this.#rate = from?.rate ?? null;
    this.#samples = from?.samples ?? 0;
    this.#open = this.#runs.filter(({ samples }) => samples > 0).length;
  }

  save(): ClippingState {
    return { found: this.#found, runs: this.#runs, rate: this.#rate, samples: this.#samples };
  }

  /** Throws `DetectionFailure` on another form. */
  write(chunk: Buffer): void {
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    if (!this.#hasHeader) bytes = this.#header(bytes);
    const whole = !this.#hasHeader ? 0 : bytes.length - (bytes.length % BYTES_PER_INSTANT);
    for (let at = 0; at < whole; at += BYTES_PER_SAMPLE) {
      const high = bytes[at];
      // The first byte decides about nearly every sample.
      if (this.#open > 0 || high === HIGHEST >> 8 || high === (LOWEST >> 8) + 256) {
        const instant = Math.floor(at / BYTES_PER_INSTANT);
        this.#sample((at % BYTES_PER_INSTANT) / BYTES_PER_SAMPLE, bytes.readInt16BE(at), this.#samples + instant);
      }
    }
    this.#samples += whole / BYTES_PER_INSTANT;
    this.#rest = Buffer.from(bytes.subarray(whole));
  }

  facts(): ClippingFact[] {
    this.#closeRuns();
    const { endMs } = this.#range;
    return this.#found
      .filter(({ startMs }) => startMs < endMs)
      .sort((one, other) => one.startMs - other.startMs)
      .map((found, index) => ({ kind: 'clipping', index, ...found, endMs: Math.min(found.endMs, endMs) }));
  }

  /** The bytes behind the header; all of them while that is not whole. */
  #header(bytes: Buffer): Buffer {
    if (bytes.length < HEADER_BYTES) return bytes;
    const [magic, offset = 0, , encoding, rate = 0, channels] = [0, 4, 8, 12, 16, 20].map((at) =>
      bytes.readUInt32BE(at),
    );
    const isKnown = magic === MAGIC && encoding === ENCODING && channels === CHANNELS.length && rate > 0;
    if (!isKnown || offset < HEADER_BYTES || offset > LONGEST_HEADER) {
      throw new DetectionFailure('ffmpeg gave sound in an unknown form');
    }
    if (bytes.length < offset) return bytes;
    this.#hasHeader = true;
    this.#begin(rate);
    return bytes.subarray(offset);
  }

  /** Sound that follows what was kept goes on at its place: a gap before it, or another rate, ends what is open. */
  #begin(rate: number): void {
    const samples = Math.round(((this.#fromMs - this.#range.startMs) * rate) / 1000);
    if (rate !== this.#rate || samples !== this.#samples) this.#closeRuns();
    this.#rate = rate;
    this.#samples = samples;
  }

  #closeRuns(): void {
    for (const place of CHANNELS.keys()) this.#sample(place, 0, this.#samples);
  }

  #sample(place: number, value: number, instant: number): void {
    const run = this.#runs[place];
    const isExtreme = value === HIGHEST || value === LOWEST;
    if (run === undefined || (run.samples === 0 && !isExtreme)) return;
    if (run.samples > 0 && value === run.value) {
      run.samples += 1;
      return;
    }
    if (run.samples >= CLIPPING_RULE.leastSamples) this.#add(place, instant - run.samples, instant);
    this.#open += (isExtreme ? 1 : 0) - (run.samples > 0 ? 1 : 0);
    run.value = value;
    run.samples = isExtreme ? 1 : 0;
  }

  /** A run of samples of one channel from `first` to before `end`. */
  #add(place: number, first: number, end: number): void {
    const channel = CHANNELS[place];
    const rate = this.#rate;
    if (channel === undefined || rate === null) return;
    const at = (sample: number) => this.#range.startMs + (sample * 1000) / rate;
    const [samples, startMs, endMs] = [end - first, Math.floor(at(first)), Math.ceil(at(end))];
    const latest = this.#latest.get(channel);
    if (latest !== undefined && startMs - latest.endMs <= CLIPPING_RULE.gapMs) {
      latest.endMs = endMs;
      latest.runs += 1;
      latest.longestSamples = Math.max(latest.longestSamples, samples);
      return;
    }
    const found = { channel, startMs, endMs, runs: 1, longestSamples: samples };
    this.#latest.set(channel, found);
    this.#found.push(found);
  }
}
