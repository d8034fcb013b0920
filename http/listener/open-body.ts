import type { Outlet } from './announced-body.ts';
import type { BodyWriter } from './listener.ts';

/** A body that is whole when its producer says so. */
export class OpenBody implements BodyWriter {
  readonly #outlet: Outlet;
  #over = false;
  #waiting = false;
  #drained: (() => void) | undefined;

  constructor(outlet: Outlet) {
    this.#outlet = outlet;
  }

  write(chunk: Uint8Array): boolean {
    // An empty chunk would end the body.
    if (this.#over || chunk.byteLength === 0) return true;
    const free = this.#outlet.push(chunk);
    this.#waiting = !free;
    return free;
  }

  onDrain(listener: () => void): void {
    this.#drained = listener;
  }

  end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#outlet.finish();
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
