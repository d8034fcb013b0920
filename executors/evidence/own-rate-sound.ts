import { z } from 'zod';
import type { Range } from '../../contract/base/grammar.ts';
import type { ClippingFact, DropoutFact } from '../../contract/evidence/evidence.ts';
import { DetectionFailure } from '../detector/detection-failure.ts';
import { Clipping, clippingState } from './clipping.ts';
import { Dropouts, dropoutsState } from './dropouts.ts';

const CHANNELS = 3;
const BYTES_PER_SAMPLE = 2;
const BYTES_PER_INSTANT = CHANNELS * BYTES_PER_SAMPLE;

// The header of an AU file: magic, offset of the samples, their length, encoding (3: 16 bits, big-endian), rate, channels.
const MAGIC = 0x2e736e64;
const ENCODING = 3;
const HEADER_BYTES = 24;
const LONGEST_HEADER = 4096;

/** The measurements at the rate of the track, as they are kept between two windows of a pass. */
export const ownRateState = z.strictObject({
  clipping: clippingState,
  dropouts: dropoutsState,
  rate: z.number().nullable(),
  samples: z.number(),
});
type OwnRateState = z.infer<typeof ownRateState>;

/** Measures left, right and center of a sound at its own rate, which comes as an AU file in pieces of any size. */
export class OwnRateSound {
  readonly #range: Range;
  readonly #fromMs: number;
  readonly #clipping: Clipping;
  readonly #dropouts: Dropouts;
  #rate: number | null;
  #samples: number;
  #hasHeader = false;
  #rest: Buffer = Buffer.alloc(0);

  /** `fromMs`: where the sound begins that comes now, which is behind the start where what came before it was kept. */
  constructor(range: Range, from: OwnRateState | null = null, fromMs: number = range.startMs) {
    this.#range = range;
    this.#fromMs = fromMs;
    this.#clipping = new Clipping(range, from?.clipping);
    this.#dropouts = new Dropouts(range, from?.dropouts);
    this.#rate = from?.rate ?? null;
    this.#samples = from?.samples ?? 0;
  }

  save(): OwnRateState {
    return {
      ...{ clipping: this.#clipping.save(), dropouts: this.#dropouts.save() },
      ...{ rate: this.#rate, samples: this.#samples },
    };
  }

  /** Throws `DetectionFailure` on another form. */
  write(chunk: Buffer): void {
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    if (!this.#hasHeader) bytes = this.#header(bytes);
    const whole = !this.#hasHeader ? 0 : bytes.length - (bytes.length % BYTES_PER_INSTANT);
    if (whole > 0) {
      const samples = nativeOrder(bytes.subarray(0, whole));
      this.#clipping.add(samples);
      this.#dropouts.add(samples);
      this.#samples += whole / BYTES_PER_INSTANT;
    }
    this.#rest = Buffer.from(bytes.subarray(whole));
  }

  facts(): (ClippingFact | DropoutFact)[] {
    return [...this.#clipping.facts(), ...this.#dropouts.facts()];
  }

  /** The bytes behind the header; all of them while that is not whole. */
  #header(bytes: Buffer): Buffer {
    if (bytes.length < HEADER_BYTES) return bytes;
    const [magic, offset = 0, , encoding, rate = 0, channels] = [0, 4, 8, 12, 16, 20].map((at) =>
      bytes.readUInt32BE(at),
    );
    const isKnown = magic === MAGIC && encoding === ENCODING && channels === CHANNELS && rate > 0;
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
    const goesOn = rate === this.#rate && samples === this.#samples;
    this.#clipping.begin(rate, samples, goesOn);
    this.#dropouts.begin(rate, samples, goesOn);
    this.#rate = rate;
    this.#samples = samples;
  }
}

/** Big-endian samples in the order of this machine, in a copy. */
function nativeOrder(bytes: Buffer): Int16Array {
  const copy = new Uint8Array(bytes);
  Buffer.from(copy.buffer).swap16();
  return new Int16Array(copy.buffer);
}
