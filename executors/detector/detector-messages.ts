import type { FoundSilences } from '../../kinds/sound/silences.ts';

export type DetectorModel = 'speech' | 'language';

/**
 * The requests of the host. `audio` carries the signals of a sound (s16le at 16 kHz, interleaved), `identify` a JSON array of
 * texts. `resume` opens a sound that can be kept, and carries the state to go on from, or nothing. `save` ends it so far, and the
 * answer has the state for another one to go on from.
 */
export type DetectorRequest =
  | { readonly type: 'load'; readonly model: DetectorModel }
  | { readonly type: 'open' | 'resume' | 'audio' | 'save' | 'end' | 'abort' | 'identify'; readonly id: number };

/**
 * The answer of the identifier for one text. It has the languages that it is most like, the most probable first, each with the
 * odds of its mean score. It also states whether the text is as much like the first as texts in that language are. No languages
 * if it has no words.
 */
export interface IdentifierAnswer {
  readonly isCovered: boolean;
  readonly odds: readonly (readonly [code: string, odds: number])[];
}

/**
 * The answers of the detector process: one message for each `end`, `save`, `abort` and `identify`. `saved` carries the state, and
 * the number of samples of each signal behind it.
 */
export type DetectorAnswer =
  | {
      readonly type: 'sound';
      readonly id: number;
      /** How many samples each signal had, and the SHA-256 of the bytes of the mix. */
      readonly samples: number;
      readonly sha256: string;
      /** Start and end of each window of speech, in samples. */
      readonly speech: readonly (readonly [number, number])[];
      /** The same of windows in which a model finds too little speech. */
      readonly unconfirmed: readonly (readonly [number, number])[];
      /** The channels that were measured beside the mix (places among the signals), and for how many milliseconds. */
      readonly apart: { readonly channels: readonly number[]; readonly ms: number };
      readonly silences: FoundSilences;
    }
  | { readonly type: 'languages'; readonly id: number; readonly texts: readonly IdentifierAnswer[] }
  | { readonly type: 'saved'; readonly id: number; readonly samples: number }
  | { readonly type: 'aborted'; readonly id: number };

/** The pipe on which the process answers: what a library prints on stdout cannot mix with it. */
export const DETECTOR_ANSWER_DESCRIPTOR = 3;

/** One message between the host and the detector process: a small JSON header and bytes that belong to it. */
interface Frame {
  readonly header: unknown;
  readonly payload: Buffer;
}

const PREFIX_BYTES = 8;
const EMPTY = Buffer.alloc(0);

/** No honest part of a frame is longer; a length beyond it means that something else wrote into the pipe. */
export const MAXIMUM_PART_BYTES = 32 * 1024 * 1024;

/** Two big-endian lengths (header, payload), then both parts. */
export const encodeFrame = (header: object, payload: Uint8Array = EMPTY): Buffer =>
  Buffer.concat([frameHead(header, payload), payload]);

/** A frame up to its payload, which follows as it is. */
export function frameHead(header: object, payload: Uint8Array = EMPTY): Buffer {
  const text = Buffer.from(JSON.stringify(header), 'utf8');
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeUInt32BE(text.length, 0);
  prefix.writeUInt32BE(payload.length, 4);
  return Buffer.concat([prefix, text]);
}

/** Cuts a byte stream back into frames; `push` throws on bytes that cannot be a frame. */
export class FrameReader {
  #rest: Buffer = EMPTY;
  // The chunks after the beginning of a long frame: joined once it is whole, not with every chunk.
  #parts: Buffer[] = [];
  #missing = 0;

  /** The frames that became complete with this chunk. */
  *push(chunk: Buffer): Generator<Frame> {
    this.#parts.push(chunk);
    this.#missing -= chunk.length;
    if (this.#missing > 0) return;
    this.#rest =
      this.#rest.length === 0 && this.#parts.length === 1 ? chunk : Buffer.concat([this.#rest, ...this.#parts]);
    this.#parts = [];
    for (let frame = this.#take(); frame !== null; frame = this.#take()) yield frame;
  }

  #take(): Frame | null {
    this.#missing = PREFIX_BYTES - this.#rest.length;
    if (this.#rest.length < PREFIX_BYTES) return null;
    const headerEnd = PREFIX_BYTES + boundedLength(this.#rest, 0);
    const frameEnd = headerEnd + boundedLength(this.#rest, 4);
    this.#missing = frameEnd - this.#rest.length;
    if (this.#rest.length < frameEnd) return null;
    const header: unknown = JSON.parse(this.#rest.toString('utf8', PREFIX_BYTES, headerEnd));
    const payload = this.#rest.subarray(headerEnd, frameEnd);
    this.#rest = this.#rest.subarray(frameEnd);
    return { header, payload };
  }
}

function boundedLength(bytes: Buffer, offset: number): number {
  const length = bytes.readUInt32BE(offset);
  if (length > MAXIMUM_PART_BYTES) throw new RangeError('a frame of an impossible length');
  return length;
}
