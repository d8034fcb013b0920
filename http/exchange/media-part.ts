import type { PlayableMedia } from '../../actors/playback/private-playback.ts';
import { type Exchange, type Headers, reusableBytes } from '../listener/listener.ts';
import { SentBody } from './answer.ts';
import type { ByteRange } from './byte-range.ts';
import { Flow } from './flow.ts';

/**
 * What is read and sent at once, and all that a stream holds of its file. The same memory is used again and again, by one
 * answer after the other: new memory for each chunk may cost more than copying the chunk does.
 */
const chunkBytes = 4 * reusableBytes;

/** Memory that is kept for the next answers, at most 8 MiB. */
const keptBuffers = 32;
const freeBuffers: Buffer[] = [];

function giveBack(buffer: Buffer): void {
  if (freeBuffers.length < keptBuffers) freeBuffers.push(buffer);
}

/** What is sent: its bytes, and who may end it. */
export type SentMedia = Pick<PlayableMedia, 'reader' | 'onEnd'>;

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
