import type { Range } from '../../contract/base/grammar.ts';

export const overlap = (one: Range, other: Range): boolean => one.startMs < other.endMs && other.startMs < one.endMs;

/** A labelled span and a found one that overlap. */
export interface SpanPair<Label extends Range, Found extends Range> {
  readonly label: Label;
  readonly found: Found;
}

/** Pairs spans that overlap, each at most once, the labels in their order and with the first found one that is left. */
export function overlappingPairs<Label extends Range, Found extends Range>(
  labelled: readonly Label[],
  found: readonly Found[],
): SpanPair<Label, Found>[] {
  const left = new Set(found);
  return labelled.flatMap((label) => {
    const match = [...left].find((each) => overlap(label, each));
    if (match === undefined) return [];
    left.delete(match);
    return [{ label, found: match }];
  });
}
