import { tokensOf } from './line-tokens.ts';

/** How alike two runs have to hear a line, as one minus its word error rate against the longer of both. */
export const AGREEMENT = 0.6;

/** The fewest insertions, deletions and replacements that make one list of the other (Levenshtein). */
function distance(one: readonly string[], other: readonly string[]): number {
  let row = other.map((_, at) => at + 1);
  for (const [line, token] of one.entries()) {
    let corner = line;
    let left = line + 1;
    row = row.map((above, at) => {
      const cost = Math.min(above + 1, left + 1, corner + (token === other[at] ? 0 : 1));
      corner = above;
      left = cost;
      return cost;
    });
  }
  return row.at(-1) ?? one.length;
}

/** Whether two runs heard the same. */
export function agrees(text: string, second: string): boolean {
  const [one, other] = [tokensOf(text), tokensOf(second)];
  const longest = Math.max(one.length, other.length);
  return longest === 0 || 1 - distance(one, other) / longest >= AGREEMENT;
}
