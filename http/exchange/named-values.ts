/** The room for names in a message of the wire, which has 256 characters with what happened and what to do. */
const room = 180;

/** The values that a client may give, for a message: as many as it has room for, each whole, and how many more there are. */
export function namedValues(values: readonly string[]): string {
  let text = '';
  for (const [at, value] of values.entries()) {
    const longer = at === 0 ? value : `${text}, ${value}`;
    if (longer.length > room) return `${text} and ${values.length - at} more`;
    text = longer;
  }
  return text;
}
