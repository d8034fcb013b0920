/** A stretch of time, half open, in milliseconds. */
export interface Stretch {
  readonly startMs: number;
  readonly endMs: number;
}

const steps = [
  ...[1, 2, 5, 10, 20, 40, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * 1000),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * 60_000),
  ...[1, 2, 6].map((hours) => hours * 3_600_000),
];

/** The distance of the marks of a ruler: the smallest round one with at most so many marks. */
function tickStep({ startMs, endMs }: Stretch, mostTicks: number): number {
  const least = (endMs - startMs) / Math.max(1, mostTicks);
  return steps.find((step) => step >= least) ?? Math.ceil(least / 3_600_000) * 3_600_000;
}

/** The places of the marks of a ruler. */
export function ticksOf(stretch: Stretch, mostTicks: number): readonly number[] {
  const step = tickStep(stretch, mostTicks);
  const first = Math.ceil(stretch.startMs / step) * step;
  const count = Math.max(0, Math.floor((stretch.endMs - 1 - first) / step) + 1);
  return Array.from({ length: count }, (_, at) => first + at * step);
}
