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
  #rest: Uint8Array = new Uint8Array();
  // Each piece is copied to here: a copy of its own would be garbage twice as fast as the sound is.
  #room = new Uint8Array();

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
    const behind = this.#hasHeader ? chunk : this.#header(Buffer.concat([this.#rest, chunk]));
    if (!this.#hasHeader) {
      this.#rest = new Uint8Array(behind);
      return;
    }
    const length = this.#rest.length + behind.length;
    if (length > this.#room.length) this.#room = new Uint8Array(length);
    this.#room.set(this.#rest);
    this.#room.set(behind, this.#rest.length);
    const whole = length - (length % BYTES_PER_INSTANT);
    this.#rest = this.#room.slice(whole, length);
    const samples = inNativeOrder(this.#room.subarray(0, whole));
    this.#clipping.add(samples);
    this.#dropouts.add(samples);
    this.#samples += whole / BYTES_PER_INSTANT;
  }

  facts(): (ClippingFact | DropoutFact)[] {
    return [...this.#clipping.facts(), ...this.#dropouts.facts()];
  }

  /** The bytes behind the header, where the rest before it ends; all of them while that is not whole. */
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
    this.#rest = new Uint8Array();
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

/** Brings big-endian samples into the order of this machine, where they lie. */
function inNativeOrder({ buffer, byteOffset, byteLength }: Uint8Array): Int16Array {
  Buffer.from(buffer, byteOffset, byteLength).swap16();
  return new Int16Array(buffer, byteOffset, byteLength / BYTES_PER_SAMPLE);
}
