import type { PlayableMedia } from '../actors/private-playback.ts';
import type { ByteRange } from './byte-range.ts';
import type { BodyWriter, Exchange, Headers } from './listener.ts';

/** What is read at once, and all that a stream holds of its file. */
const chunkBytes = 256 * 1024;

/** A part of opened media as the body of an answer. Whoever makes one sends it: that closes the media in every case. */
export class MediaPart {
  readonly #media: PlayableMedia;
  readonly #range: ByteRange;

  constructor(media: PlayableMedia, range: ByteRange) {
    this.#media = media;
    this.#range = range;
  }

  /**
   * Sends the part as fast as the client takes it. When the client leaves or the grant ends, the descriptor is given
   * back at once; an answer that cannot become whole ends with its connection. Rejects when the file cannot be read or
   * is no longer the one that was opened.
   */
  async send(exchange: Exchange, status: number, headers: Headers): Promise<void> {
    const { reader, onEnd } = this.#media;
    // Said here, because every answer for an origin says less.
    const writer = exchange.stream(status, { ...headers, Vary: 'Origin, Range' }, this.#range.end - this.#range.start);
    const flow = new Flow(writer);
    const stop = (): void => {
      flow.stop();
      void reader.close();
    };
    exchange.onAbort(stop);
    const forget = onEnd(stop);
    try {
      if (exchange.head.method !== 'HEAD' && !exchange.aborted) await this.#pump(flow);
    } finally {
      forget();
      flow.stop();
      await reader.close();
    }
  }

  async #pump(flow: Flow): Promise<void> {
    const { reader } = this.#media;
    const { start, end } = this.#range;
    for (let position = start; position < end && !flow.isOver; ) {
      const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, end - position));
      const read = await reader.read(chunk, position);
      position += read;
      // The last bytes are held back until it is known that all of them belong to the content that was granted.
      const isWhole = read > 0 && (position < end || flow.isOver || reader.isUnchanged());
      if (flow.isOver) return;
      if (!isWhole) throw new Error('private media changed while it was sent');
      await flow.write(chunk.subarray(0, read));
    }
  }
}

/** The writer of a body, until it is stopped. */
class Flow {
  readonly #writer: BodyWriter;
  isOver = false;
  #wake = (): void => undefined;

  constructor(writer: BodyWriter) {
    this.#writer = writer;
    writer.onDrain(() => this.#wake());
  }

  /** Resolves when there is room for more, or when the flow was stopped. */
  async write(chunk: Uint8Array): Promise<void> {
    if (this.#writer.write(chunk)) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }

  stop(): void {
    this.isOver = true;
    this.#writer.end();
    this.#wake();
  }
}
