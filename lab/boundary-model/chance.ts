import { seeded } from '../utterances/samples.ts';

/** Everything that is drawn for a training set; it follows from a seed alone. */
export class Chance {
  /** The next number from 0 to 1. */
  readonly next: () => number;

  constructor(seed: number) {
    this.next = seeded(seed);
  }

  between(low: number, high: number): number {
    return low + (high - low) * this.next();
  }

  /** As often between 1 and 2 as between 2 and 4. */
  betweenOctaves(low: number, high: number): number {
    return Math.exp(this.between(Math.log(low), Math.log(high)));
  }

  /** True in this share of all cases. */
  happens(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(list: readonly T[]): T {
    return this.weighted(list.map((each) => [each, 1] as const));
  }

  /** One of some things; the odds of each are proportional to its weight. */
  weighted<T>(things: readonly (readonly [thing: T, weight: number])[]): T {
    let left = this.next() * things.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [thing, weight] of things) {
      left -= weight;
      if (left < 0) return thing;
    }
    const last = things.at(-1);
    if (last === undefined) throw new RangeError('nothing to draw from');
    return last[0];
  }
}
