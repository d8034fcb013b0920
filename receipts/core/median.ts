/** The value in the middle; of two in the middle the upper one, 0 where there is none. */
export const median = (values: readonly number[]): number => {
  const inOrder = [...values].sort((one, other) => one - other);
  return inOrder[inOrder.length >> 1] ?? 0;
};
