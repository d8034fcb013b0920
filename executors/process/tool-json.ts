/**
 * Parses JSON that a tool printed. Its texts are names and labels: an escape of half a surrogate pair, which cannot be
 * stored, becomes U+FFFD. Throws `SyntaxError`.
 */
export const parseToolJson = (text: string): unknown =>
  JSON.parse(text, (_name, value: unknown) => (typeof value === 'string' ? value.toWellFormed() : value));
