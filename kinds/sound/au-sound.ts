import { DetectionFailure } from '../detection-failure.ts';

// The header of an AU file: magic, offset of the samples, their length, encoding, rate, channels.
const MAGIC = 0x2e736e64;
const HEADER_BYTES = 24;
const LONGEST_HEADER = 4096;

/** The rate of a sound in Hz, and its number of channels. */
export interface AuForm {
  readonly rate: number;
  readonly channels: number;
}

/** How the samples of an AU file are written, big-endian; `native` brings bytes into the order of this machine, where they lie. */
interface AuEncoding<Samples> {
  /** Its number in the header. */
  readonly encoding: number;
  readonly bytes: number;
  native(bytes: Uint8Array): Samples;
}

/** Integers of 16 bits. */
export const AU_INT16: AuEncoding<Int16Array> = {
  encoding: 3,
  bytes: 2,
  native: ({ buffer, byteOffset, byteLength }) => {
    Buffer.from(buffer, byteOffset, byteLength).swap16();
    return new Int16Array(buffer, byteOffset, byteLength / 2);
  },
};

/** Floating-point numbers of 32 bits, full scale from -1 to 1. */
export const AU_FLOAT32: AuEncoding<Float32Array> = {
  encoding: 6,
  bytes: 4,
  native: ({ buffer, byteOffset, byteLength }) => {
    Buffer.from(buffer, byteOffset, byteLength).swap32();
    return new Float32Array(buffer, byteOffset, byteLength / 4);
  },
};

/** Reads a sound that comes as an AU file in pieces of any size, and hands over its form, then its whole instants, interleaved. */
export class AuReader<Samples> {
  readonly #encoding: AuEncoding<Samples>;
  readonly #begin: (form: AuForm) => void;
  readonly #take: (samples: Samples) => void;
  /** Null before the end of the header. */
  #instantBytes: number | null = null;
  #rest: Uint8Array = new Uint8Array();
  // Each piece is copied to here: a copy of its own would be garbage twice as fast as the sound is.
  #room = new Uint8Array();

  /** `take` has to be done with the samples when it returns. */
  constructor(encoding: AuEncoding<Samples>, begin: (form: AuForm) => void, take: (samples: Samples) => void) {
    this.#encoding = encoding;
    this.#begin = begin;
    this.#take = take;
  }

  /** Throws `DetectionFailure` on another form. */
  write(chunk: Buffer): void {
    const behind = this.#instantBytes === null ? this.#header(Buffer.concat([this.#rest, chunk])) : chunk;
    if (this.#instantBytes === null) {
      this.#rest = new Uint8Array(behind);
      return;
    }
    const length = this.#rest.length + behind.length;
    if (length > this.#room.length) this.#room = new Uint8Array(length);
    this.#room.set(this.#rest);
    this.#room.set(behind, this.#rest.length);
    const whole = length - (length % this.#instantBytes);
    this.#rest = this.#room.slice(whole, length);
    this.#take(this.#encoding.native(this.#room.subarray(0, whole)));
  }

  /** The bytes behind the header, where the rest before it ends; all of them while that is not whole. */
  #header(bytes: Buffer): Buffer {
    if (bytes.length < HEADER_BYTES) return bytes;
    const [magic, offset = 0, , encoding, rate = 0, channels = 0] = [0, 4, 8, 12, 16, 20].map((at) =>
      bytes.readUInt32BE(at),
    );
    const isKnown = magic === MAGIC && encoding === this.#encoding.encoding && channels > 0 && rate > 0;
    if (!isKnown || offset < HEADER_BYTES || offset > LONGEST_HEADER) throw unknownForm();
    if (bytes.length < offset) return bytes;
    this.#instantBytes = channels * this.#encoding.bytes;
    this.#rest = new Uint8Array();
    this.#begin({ rate, channels });
    return bytes.subarray(offset);
  }
}

/** The failure of a sound in another form than the graph demands. */
export const unknownForm = (): DetectionFailure => new DetectionFailure('ffmpeg gave sound in an unknown form');
