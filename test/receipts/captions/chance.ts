/** A generator of numbers in [0, 1) that gives the same ones again (linear congruential, Numerical Recipes). */
export function chanceFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
