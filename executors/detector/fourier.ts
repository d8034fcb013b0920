// Each number has a name of its own here: taken out of lists, as elsewhere, they cost twice the time.

/** The discrete Fourier transform of complex numbers, in place, for one length that is a power of two. */
export class Fourier {
  readonly #length: number;
  readonly #cosines: Float64Array;
  readonly #sines: Float64Array;
  /** Every place with the order of its bits turned round. */
  readonly #mirrored: Uint16Array;

  constructor(length: number) {
    this.#length = length;
    this.#cosines = Float64Array.from({ length: length / 2 }, (_, at) => Math.cos((2 * Math.PI * at) / length));
    this.#sines = Float64Array.from({ length: length / 2 }, (_, at) => Math.sin((2 * Math.PI * at) / length));
    this.#mirrored = new Uint16Array(length);
    for (let at = 1; at < length; at += 1)
      this.#mirrored[at] = ((this.#mirrored[at >> 1] ?? 0) >> 1) | (at % 2 === 0 ? 0 : length >> 1);
  }

  /** From samples to their spectrum, without a factor. The inverse has both arrays exchanged, and the length as a factor. */
  transform(real: Float64Array, imaginary: Float64Array): void {
    this.#exchange(real);
    this.#exchange(imaginary);
    for (let size = 2; size <= this.#length; size *= 2) this.#combine(real, imaginary, size);
  }

  #exchange(values: Float64Array): void {
    for (let at = 0; at < this.#length; at += 1) {
      const other = this.#mirrored[at] ?? 0;
      if (other <= at) continue;
      const value = values[at] ?? 0;
      values[at] = values[other] ?? 0;
      values[other] = value;
    }
  }

  /** Makes transforms of a size out of neighbours of half that size (Cooley and Tukey). */
  #combine(real: Float64Array, imaginary: Float64Array, size: number): void {
    const half = size / 2;
    const step = this.#length / size;
    for (let turn = 0; turn < half; turn += 1) {
      const cosine = this.#cosines[turn * step] ?? 0;
      const sine = this.#sines[turn * step] ?? 0;
      for (let one = turn; one < this.#length; one += size) {
        const other = one + half;
        const oneRe = real[one] ?? 0;
        const oneIm = imaginary[one] ?? 0;
        const otherRe = real[other] ?? 0;
        const otherIm = imaginary[other] ?? 0;
        const re = otherRe * cosine + otherIm * sine;
        const im = otherIm * cosine - otherRe * sine;
        real[other] = oneRe - re;
        imaginary[other] = oneIm - im;
        real[one] = oneRe + re;
        imaginary[one] = oneIm + im;
      }
    }
  }
}
