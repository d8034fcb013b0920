/** The part of the package that the detector uses; it has no types of its own. Both arrays have one length, a power of two. */
declare module 'fourier-transform' {
  /** From samples to their spectrum, in place, without a factor. */
  export function cfft(real: Float64Array, imaginary: Float64Array): void;
  /** From a spectrum to its samples, in place, divided by their number. */
  export function cifft(real: Float64Array, imaginary: Float64Array): void;
}
