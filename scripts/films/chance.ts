/** Numbers in [0, 1) that follow from a seed alone (mulberry32). */
export type Chance = () => number;

export function chanceOf(seed: number): Chance {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const between = (chance: Chance, low: number, high: number): number => low + (high - low) * chance();

/** A whole number of `[low, high]`. */
export const whole = (chance: Chance, low: number, high: number): number => Math.floor(between(chance, low, high + 1));

/** One of them; there is at least one. */
export function oneOf<Item>(chance: Chance, items: readonly Item[]): Item {
  const item = items[Math.floor(chance() * items.length)];
  if (item === undefined) throw new Error('nothing to choose from');
  return item;
}
