import type { PlayableMedia } from '../../actors/playback/private-playback.ts';
import { ServiceError } from '../../contract/base/errors.ts';
import { type BodyWriter, type Exchange, type Headers, type RequestHead, reusableBytes } from '../listener/listener.ts';
import { SentBody } from './answer.ts';

/** The writer of a body that is sent piece by piece, until it is stopped. */
export class Flow {
  readonly #writer: BodyWriter;
  #isOver = false;
  #isFull = false;
  #wake = (): void => undefined;

  constructor(writer: BodyWriter) {
    this.#writer = writer;
    writer.onDrain(() => {
      this.#isFull = false;
      this.#wake();
    });
  }

  /** Nothing is sent any more. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Resolves when there is room for more, or when the flow was stopped. */
  async write(chunk: Uint8Array): Promise<void> {
    await this.#room();
    if (this.#isOver) return;
    this.#isFull = !this.#writer.write(chunk);
    await this.#room();
  }

  /** Sends what no client misses, unless something else waits for room. */
  offer(chunk: Uint8Array): void {
    if (!this.#isOver && !this.#isFull) this.#isFull = !this.#writer.write(chunk);
  }

  stop(): void {
    this.#isOver = true;
    this.#writer.end();
    this.#wake();
  }

  async #room(): Promise<void> {
    if (!this.#isFull || this.#isOver) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }
}

/** A part of a file: half-open, in bytes. */
interface ByteRange {
  readonly start: number;
  readonly end: number;
}

// RFC 9110, 14.1.2, narrowed to one range, in lower case and without spaces.
const rangePattern = /^bytes=(?:(\d+)-(\d*)|-(\d+))$/;

/**
 * The part of a file of `size` bytes that a request selects, or null for all of it. A range that is conditional on another
 * representation does not count (RFC 9110, 13.1.5: compared strongly, never by date). Throws `invalid_private_playback_range`.
 */
export function requestedRange(head: RequestHead, size: number, etag: string): ByteRange | null {
  const text = head.header('range');
  if (text === undefined) return null;
  const condition = head.header('if-range');
  if (condition !== undefined && (condition !== etag || head.count('if-range') !== 1)) return null;
  const range = head.count('range') === 1 ? parsed(text, size) : null;
  if (range !== null) return range;
  throw new ServiceError('invalid_private_playback_range', 'not one range of bytes within the media', {
    'Content-Range': `bytes */${size}`,
    'Accept-Ranges': 'bytes',
  });
}

function parsed(text: string, size: number): ByteRange | null {
  const found = rangePattern.exec(text);
  if (found === null) return null;
  const [, first = '', last = '', suffix] = found;
  if (suffix !== undefined) {
    const length = Math.min(Number(suffix), size);
    return length === 0 ? null : { start: size - length, end: size };
  }
  const start = Number(first);
  const end = last === '' ? size : Math.min(Number(last) + 1, size);
  return start < end ? { start, end } : null;
}

/**
 * The bytes that are read and sent at once, and all that a stream holds of its file. One answer after the other reuses the same
 * memory: allocating it for each chunk may cost more than copying the chunk.
 */
const chunkBytes = 4 * reusableBytes;

/** Memory that is kept for the next answers, at most 8 MiB. */
const keptBuffers = 32;
const freeBuffers: Buffer[] = [];

function giveBack(buffer: Buffer): void {
  if (freeBuffers.length < keptBuffers) freeBuffers.push(buffer);
}

/** The media that is sent: its bytes, and the way to end it. */
type SentMedia = Pick<PlayableMedia, 'reader' | 'onEnd'>;

/** A part of opened media as the body of an answer. The caller sends it: that closes the media in every case. */
export class MediaPart extends SentBody {
  readonly #media: SentMedia;
  readonly #range: ByteRange;

  constructor(media: SentMedia, range: ByteRange) {
    super();
    this.#media = media;
    this.#range = range;
  }

  /**
   * Sends the part as fast as the client takes it. When the client leaves or the grant ends, the descriptor is given
   * back at once; an answer that cannot become whole ends with its connection. Rejects when the file cannot be read or
   * is no longer the one that was opened.
   */
  override async send(exchange: Exchange, status: number, headers: Headers): Promise<void> {
    const { reader, onEnd } = this.#media;
    // Said here, because every answer for an origin says less.
    const writer = exchange.stream(status, { ...headers, Vary: 'Origin, Range' }, this.#range.end - this.#range.start);
    const flow = new Flow(writer);
    const stop = (): void => {
      flow.stop();
      reader.close();
    };
    exchange.onAbort(stop);
    const forget = onEnd(stop);
    const buffer = freeBuffers.pop() ?? Buffer.allocUnsafeSlow(chunkBytes);
    try {
      if (exchange.head.method !== 'HEAD' && !exchange.aborted) await this.#pump(flow, buffer);
    } finally {
      forget();
      flow.stop();
      reader.close();
      // Nothing is read into it any more; the system may still have to take the last of it.
      exchange.onSettled(() => giveBack(buffer));
    }
  }

  async #pump(flow: Flow, buffer: Buffer): Promise<void> {
    const { reader } = this.#media;
    const { start, end } = this.#range;
    for (let position = start; position < end && !flow.isOver; ) {
      const chunk = buffer.subarray(0, Math.min(buffer.length, end - position));
      const isFull = await this.#fill(chunk, position, flow);
      position += chunk.length;
      if (flow.isOver) return;
      // The last bytes are held back until it is known that all of them belong to the content that was granted.
      if (!isFull || (position === end && !reader.isUnchanged())) throw new Error('a file changed while it was sent');
      await flow.write(chunk);
    }
  }

  /** Reads until the chunk is full: only large chunks may be used again. False where the file has no more. */
  async #fill(chunk: Buffer, position: number, flow: Flow): Promise<boolean> {
    for (let filled = 0; filled < chunk.length && !flow.isOver; ) {
      const read = await this.#media.reader.read(chunk.subarray(filled), position + filled);
      if (read === 0) return false;
      filled += read;
    }
    return true;
  }
}

/** Bytes that lie in several places, as the body of one answer of a known length. */
class PartsBody extends SentBody {
  readonly #parts: readonly Uint8Array[];
  readonly #bytes: number;

  constructor(parts: readonly Uint8Array[], bytes: number) {
    super();
    this.#parts = parts;
    this.#bytes = bytes;
  }

  override async send(exchange: Exchange, status: number, headers: Headers): Promise<void> {
    if (exchange.aborted) return;
    const flow = new Flow(exchange.stream(status, headers, this.#bytes));
    exchange.onAbort(() => flow.stop());
    for (const part of this.#parts) await flow.write(part);
    flow.stop();
  }
}

/** The body of an answer in parts, which are joined first where that costs less than to send each. They must not change any more. */
export function bodyInParts(parts: readonly Uint8Array[]): Uint8Array | SentBody {
  const bytes = parts.reduce((sum, { length }) => sum + length, 0);
  return bytes <= reusableBytes ? Buffer.concat(parts) : new PartsBody(parts, bytes);
}
