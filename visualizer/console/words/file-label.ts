/** What the host takes of a label at most, in UTF-16 units. */
const longest = 160;

/** The label that a file begins with: as much of a text as the host takes, without half a character at its end. */
export const fileLabel = (text: string): string =>
  text
    .slice(0, longest)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trim();
