import type { Range } from '../contract/base/grammar.ts';

/** The same stretches of time in order, those that touch or overlap joined, empty ones left out. */
export function joined(spans: readonly Range[]): Range[] {
  const result: Range[] = [];
  const inOrder = spans
    .filter(({ startMs, endMs }) => startMs < endMs)
    .sort((one, other) => one.startMs - other.startMs);
  for (const span of inOrder) {
    const last = result.at(-1);
    if (last === undefined || span.startMs > last.endMs) result.push(span);
    else result[result.length - 1] = { startMs: last.startMs, endMs: Math.max(last.endMs, span.endMs) };
  }
  return result;
}

/** The parts that lie in both of two joined lists. */
export function intersection(these: readonly Range[], those: readonly Range[]): Range[] {
  const result: Range[] = [];
  for (let one = 0, other = 0; one < these.length && other < those.length; ) {
    const [a, b] = [these[one], those[other]];
    if (a === undefined || b === undefined) break;
    const both = { startMs: Math.max(a.startMs, b.startMs), endMs: Math.min(a.endMs, b.endMs) };
    if (both.startMs < both.endMs) result.push(both);
    if (a.endMs < b.endMs) one += 1;
    else other += 1;
  }
  return result;
}

/** The parts of one stretch that lie outside a joined list. */
export function remainder({ startMs, endMs }: Range, taken: readonly Range[]): Range[] {
  const result: Range[] = [];
  let at = startMs;
  for (const span of intersection(taken, [{ startMs, endMs }])) {
    result.push({ startMs: at, endMs: span.startMs });
    at = span.endMs;
  }
  return joined([...result, { startMs: at, endMs }]);
}

/** True if two stretches share some time. */
export const overlaps = (one: Range, other: Range): boolean => one.startMs < other.endMs && other.startMs < one.endMs;

/** The length of a stretch in ms. */
export const lengthOf = ({ startMs, endMs }: Range): number => endMs - startMs;

/** True if spans together hold all of a stretch. */
export const coversWhole = (spans: readonly Range[], stretch: Range): boolean =>
  remainder(stretch, joined(spans)).length === 0;

/** The time that two stretches share, in ms. */
export const sharedMs = (one: Range, other: Range): number =>
  Math.max(0, Math.min(one.endMs, other.endMs) - Math.max(one.startMs, other.startMs));

/** The time between two stretches, in ms; 0 if they touch or overlap. */
export const distanceBetween = (one: Range, other: Range): number =>
  Math.max(0, other.startMs - one.endMs, one.startMs - other.endMs);

/** Those of many joined spans that lie in one stretch at least in part. */
export function spansAround({ startMs, endMs }: Range, spans: readonly Range[]): readonly Range[] {
  let [from, behind] = [0, spans.length];
  while (from < behind) {
    const middle = (from + behind) >> 1;
    if ((spans[middle]?.endMs ?? startMs) <= startMs) from = middle + 1;
    else behind = middle;
  }
  let to = from;
  while ((spans[to]?.startMs ?? endMs) < endMs) to += 1;
  return spans.slice(from, to);
}

/** The length of a joined list in ms. */
export const totalLengthOf = (spans: readonly Range[]): number =>
  spans.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);

/** The smallest range that holds all of them. There is at least one. */
export const hullOf = (spans: readonly Range[]): Range => ({
  startMs: Math.min(...spans.map(({ startMs }) => startMs)),
  endMs: Math.max(...spans.map(({ endMs }) => endMs)),
});
