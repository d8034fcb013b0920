/** One field of each value. */
export const fieldOf = <Value, Key extends keyof Value>(values: readonly Value[], key: Key): Value[Key][] =>
  values.map((value) => value[key]);

/** Some fields of each value. */
export const fieldsOf = <Value, Key extends keyof Value>(
  values: readonly Value[],
  ...keys: readonly Key[]
): Value[Key][][] => values.map((value) => keys.map((key) => value[key]));
