import type { EvaluationReceipt } from '../../contract/evaluation.ts';
import { measuresOf, type ScoreMeasure } from './evaluation-comparison.ts';
import { type EvaluationCounts, pooledCounts, scoresOf } from './evaluation-counts.ts';

/** Between which values a measure lies in 95 of 100 packs that are drawn from the same kind of media. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** A measure of all items, with what the choice of the files leaves open; null for fewer than two files with such labels. */
export interface EstimatedMeasure extends ScoreMeasure {
  readonly interval: Interval | null;
}

const resamples = 1000;
const outside = 0.025;

/** Numbers in (0, 1) that follow from a seed alone (Park and Miller). */
function* drawn(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (state * 48_271) % 2_147_483_647;
    yield state / 2_147_483_647;
  }
}

/** The counts of each file; several items may share one, and are drawn together. */
function byFile({ items }: EvaluationReceipt): EvaluationCounts[][] {
  const files = new Map<string, EvaluationCounts[]>();
  for (const { sourceContentId, scores } of items) {
    // The ratios of scores follow from their counts: adding those up again needs the counts alone.
    files.set(sourceContentId, [...(files.get(sourceContentId) ?? []), scores]);
  }
  return [...files.values()];
}

function intervalOf(values: readonly number[]): Interval {
  const ascending = values.toSorted((one, other) => one - other);
  const at = (share: number): number =>
    ascending[Math.min(ascending.length - 1, Math.floor(share * ascending.length))] ?? 0;
  return { low: at(outside), high: at(1 - outside) };
}

/**
 * The measures of a receipt with bootstrap intervals: as many files are drawn as there are, each as often as chance wants, and
 * measured as one pack; a thousand times. What lies between the 2.5th and the 97.5th percentile is the interval. Equal receipts
 * give equal intervals.
 */
export function estimatedMeasures(receipt: EvaluationReceipt): EstimatedMeasure[] {
  const files = byFile(receipt);
  const chance = drawn(1);
  const values = new Map<string, number[]>();
  for (let draw = 0; draw < resamples && files.length > 1; draw += 1) {
    const pack = files.flatMap(() => files[Math.floor(chance.next().value * files.length)] ?? []);
    for (const { name, value } of measuresOf(scoresOf(pooledCounts(pack)))) {
      if (value === null) continue;
      const known = values.get(name);
      if (known === undefined) values.set(name, [value]);
      else known.push(value);
    }
  }
  const labelledIn = (name: string): number =>
    files.filter((counts) => measuresOf(scoresOf(pooledCounts(counts))).some((measure) => measure.name === name))
      .length;
  return measuresOf(receipt.totals).map((measure) => {
    const resampled = values.get(measure.name) ?? [];
    const isOpen = measure.value !== null && labelledIn(measure.name) > 1 && resampled.length > 0;
    return { ...measure, interval: isOpen ? intervalOf(resampled) : null };
  });
}
