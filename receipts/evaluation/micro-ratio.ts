/** `part / whole` in millionths, rounded to the nearest; null where `whole` is 0. Exact for products below 2^53. */
export const microRatio = (part: number, whole: number): number | null =>
  whole === 0 ? null : Math.round((part * 1_000_000) / whole);

/** Precision, recall and their harmonic mean F1 = 2PR / (P + R), from what was right, found and labelled. */
export const retrievalRatios = (right: number, found: number, labelled: number) => ({
  precisionMicro: microRatio(right, found),
  recallMicro: microRatio(right, labelled),
  f1Micro: microRatio(2 * right, found + labelled),
});
