import { performance } from 'node:perf_hooks';

/** The value in the middle; of an even number of values the mean of both. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle) - 1] ?? Number.NaN)) / 2;
}

/** How long a piece of work takes, in milliseconds of wall-clock time. */
export async function millisecondsOf(work: () => unknown): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

/**
 * Measures two things in turn, A B A B, so that whatever else the machine does weighs on both, and takes the medians.
 * The first of the rounds may be left out by `warmUps`.
 */
export async function inTurn(
  rounds: number,
  measured: (round: number) => Promise<number>,
  reference: (round: number) => Promise<number>,
  warmUps = 0,
): Promise<{ measured: number; reference: number }> {
  const a: number[] = [];
  const b: number[] = [];
  for (let round = 0; round < rounds + warmUps; round += 1) {
    a.push(await measured(round));
    b.push(await reference(round));
  }
  return { measured: median(a.slice(warmUps)), reference: median(b.slice(warmUps)) };
}

/** A number for people: `digits` significant ones, with the unit. */
export const quantity = (value: number, unit: string, digits = 3): string =>
  `${value >= 10 ** digits ? Math.round(value) : Number(value.toPrecision(digits))} ${unit}`;
