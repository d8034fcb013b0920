/** The mean of numbers; null for none. */
export const meanOf = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, each) => sum + each, 0) / values.length;

/** The value in the middle; of two in the middle the upper one, 0 if there is none. */
export const median = (values: readonly number[]): number => {
  const inOrder = [...values].sort((one, other) => one - other);
  return inOrder[inOrder.length >> 1] ?? 0;
};

/**
 * A quantile of the next value to come, by the seen ones: the value at rank (n + 1) · tenths / 10 of them (type 6 of Hyndman and
 * Fan). The next value is equally likely to fall between any two neighbors, whatever the distribution, so that the share below
 * the quantile is `tenths`. If the rank lies outside the list, the distance of the two outermost values is carried on; never
 * below zero. `ascending` has at least two integers. Sums and one division alone, so that every machine finds the same.
 */
export function predictionQuantile(ascending: readonly number[], tenths: number): number {
  const rank = (ascending.length + 1) * tenths;
  const lower = Math.min(Math.max(Math.floor(rank / 10), 1), ascending.length - 1);
  const [below, above] = [ascending[lower - 1], ascending[lower]];
  if (below === undefined || above === undefined) throw new RangeError('a quantile needs two values');
  return Math.max(0, Math.round((below * 10 + (above - below) * (rank - lower * 10)) / 10));
}
