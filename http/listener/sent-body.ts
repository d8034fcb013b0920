import type { BodyWriter } from './listener.ts';

/** Where an adapter puts the bytes of a body. */
export interface Outlet {
  /** Takes the chunk; false while the socket is full. */
  push(chunk: Uint8Array): boolean;
  /** Nothing comes behind what was pushed, and nothing is missing. */
  finish(): void;
  /** The body stays incomplete: the connection must not be used any more. */
  cut(): void;
}

/**
 * A body on its way to a client. One with an announced length is counted against it, so that an answer is either whole or
 * visibly broken; one without (`null`) is whole when its producer ends it.
 */
export class SentBody implements BodyWriter {
  readonly #outlet: Outlet;
  #left: number | null;
  #over = false;
  #waiting = false;
  #drained: (() => void) | undefined;

  constructor(bytes: number | null, outlet: Outlet) {
    this.#left = bytes;
    this.#outlet = outlet;
  }

  write(chunk: Uint8Array): boolean {
    const bytes = chunk.byteLength;
    // An empty chunk would end a body without an announced length.
    if (this.#over || bytes === 0) return true;
    if (this.#left !== null) {
      if (bytes > this.#left) throw new RangeError(`${bytes - this.#left} bytes more than announced`);
      this.#left -= bytes;
    }
    const free = this.#outlet.push(chunk);
    this.#waiting = !free;
    if (this.#left !== 0) return free;
    this.#over = true;
    this.#outlet.finish();
    return true;
  }

  onDrain(listener: () => void): void {
    this.#drained = listener;
  }

  end(): void {
    if (this.#over) return;
    this.#over = true;
    if (this.#left === null) this.#outlet.finish();
    else this.#outlet.cut();
  }

  /** The socket has room again. */
  drained(): void {
    if (this.#over || !this.#waiting) return;
    this.#waiting = false;
    this.#drained?.();
  }

  /** The connection is gone: nothing is sent any more, and a producer that waits for room is woken. */
  release(): void {
    if (this.#over) return;
    this.#over = true;
    this.#drained?.();
  }
}

/** Takes everything and sends nothing: for HEAD, for empty bodies and after an abort. */
export const SILENT_BODY: BodyWriter = { write: () => true, onDrain: () => undefined, end: () => undefined };
