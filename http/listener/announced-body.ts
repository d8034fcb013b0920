import type { BodyWriter } from './listener.ts';

/** Where an adapter puts the bytes of a body. */
export interface Outlet {
  /** Takes the chunk; false while the socket is full. */
  push(chunk: Uint8Array): boolean;
  /** All announced bytes were pushed. */
  finish(): void;
  /** The body stays incomplete: the connection must not be used any more. */
  cut(): void;
}

/** Counts a body against its announced length, so that an answer is either whole or visibly broken. */
export class AnnouncedBody implements BodyWriter {
  readonly #outlet: Outlet;
  #left: number;
  #over = false;
  #waiting = false;
  #drained: (() => void) | undefined;

  constructor(bytes: number, outlet: Outlet) {
    this.#left = bytes;
    this.#outlet = outlet;
  }

  write(chunk: Uint8Array): boolean {
    const bytes = chunk.byteLength;
    if (this.#over || bytes === 0) return true;
    if (bytes > this.#left) throw new RangeError(`${bytes - this.#left} bytes more than announced`);
    this.#left -= bytes;
    const free = this.#outlet.push(chunk);
    this.#waiting = !free;
    if (this.#left > 0) return free;
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
    this.#outlet.cut();
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
