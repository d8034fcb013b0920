/** The fewest insertions, deletions and replacements that make one list of the other (Levenshtein). Takes the product of both lengths. */
export function editDistance(one: readonly string[], other: readonly string[]): number {
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
