/**
 * Keys of the index. Each lists what belongs to one scope, such as `runtime` or `session/<id>`, in the order of its beginning,
 * newest first: the rows of the index say nothing but their keys.
 */

// The latest time that a date can be, in epoch ms; its number of digits is that of every place.
const lastMs = 8_640_000_000_000_000;
const digits = 16;

const placePattern = /^\d{16}\/[^/]+$/;

/** The place of something within its scope: `startedAt` is epoch ms, and what is newer sorts before. */
export const indexPlace = (startedAt: number, id: string): string =>
  `${String(lastMs - startedAt).padStart(digits, '0')}/${id}`;

export const indexKey = (scope: string, startedAt: number, id: string): string =>
  `${scope}/${indexPlace(startedAt, id)}`;

/** Whether a text that a client sent is a place. */
export const isIndexPlace = (text: string): boolean => placePattern.test(text);

/** The id at a place, and when it began (epoch ms). */
export function indexed(place: string): { readonly id: string; readonly startedAt: number } {
  return { id: place.slice(digits + 1), startedAt: lastMs - Number(place.slice(0, digits)) };
}
