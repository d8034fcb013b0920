/**
 * So many bytes of a body, in bytes, show that it moves: a client that sends them gets the whole time of a silent client again. At
 * 1 KiB/s they take 4 s of the 8 s that the native adapter leaves at the least, by the four-second grain of its clock.
 */
export const movingBytes = 4_096;

/** How often a fast body is looked at, in ms: the time of its client need not be renewed with every chunk. */
const restMs = 1_000;

/** Tells a body that moves from one that stands still or drips. */
export class Pace {
  #bytes = 0;
  #movedAt = Number.NEGATIVE_INFINITY;

  /** Counts bytes that arrived at `now`, in ms; true when the client has earned its whole time again. */
  moves(bytes: number, now: number): boolean {
    this.#bytes += bytes;
    if (this.#bytes < movingBytes || now - this.#movedAt < restMs) return false;
    this.#bytes = 0;
    this.#movedAt = now;
    return true;
  }
}
