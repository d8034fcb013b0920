const firstCapacity = 16_384;

/** Bytes that others are added to. What was given out stays as it is, also while the rest is written. */
export class GrowingBytes {
  #memory = Buffer.allocUnsafeSlow(firstCapacity);
  #length = 0;

  /** All bytes so far, as a view that must not be changed. */
  get bytes(): Buffer {
    return this.#memory.subarray(0, this.#length);
  }

  add(text: string): void {
    const needed = this.#length + Buffer.byteLength(text);
    if (needed > this.#memory.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#memory.length));
      this.#memory.copy(larger, 0, 0, this.#length);
      this.#memory = larger;
    }
    this.#length += this.#memory.write(text, this.#length);
  }
}
