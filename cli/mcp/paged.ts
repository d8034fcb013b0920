/** The most characters of one answer. English JSON has about three to a token, so an answer stays below 20,000 tokens. */
export const maximumAnswerCharacters = 48_000;

/** A part of a list, and where the next part begins; null at the end. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: number | null;
}

/** As many items from a place on as one answer holds: at least one, so that a reader always moves on. */
export function paged<Item>(all: readonly Item[], from: number, limit: number): Page<Item> {
  const items: Item[] = [];
  let characters = 0;
  for (const item of all.slice(from, from + limit)) {
    characters += JSON.stringify(item).length + 1;
    if (items.length > 0 && characters > maximumAnswerCharacters) break;
    items.push(item);
  }
  const next = from + items.length;
  return { items, nextCursor: next < all.length ? next : null };
}
