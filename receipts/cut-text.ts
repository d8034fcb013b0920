/** The first `maximum` UTF-16 units of a text, trimmed, and never with half a character at its end. */
export const cutText = (text: string, maximum: number): string =>
  text
    .slice(0, maximum)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trim();
