/** The number of places that one step of `editDistance` takes together: the bits of an integer. */
const WORD = 32;

/** The places of each token of a list, as bits. */
function placesOf(list: readonly string[]): ReadonlyMap<string, Int32Array> {
  const places = new Map<string, Int32Array>();
  for (const [at, token] of list.entries()) {
    const own = places.get(token) ?? new Int32Array(Math.ceil(list.length / WORD));
    own[at >> 5] = (own[at >> 5] ?? 0) | (1 << (at & 31));
    places.set(token, own);
  }
  return places;
}

/**
 * Goes along a row with a column of the table of edits, kept as bits for the places where it rises and falls. `first` is what an item
 * of the row before the column costs. `reached` gets the edits at the end of the column after each item of the row. Takes a
 * thirty-second of the product of both lengths. See Myers, "A fast bit-vector algorithm for approximate string matching based on
 * dynamic programming", 1999, in the form of Hyyrö, 2003.
 */
function alongRow(
  column: readonly string[],
  row: readonly string[],
  first: 0 | 1,
  reached: (distance: number, at: number) => void,
): void {
  const places = placesOf(column);
  const words = Math.ceil(column.length / WORD);
  const rises = new Int32Array(words).fill(-1);
  const falls = new Int32Array(words);
  const last = 1 << ((column.length - 1) & 31);
  let distance = column.length;
  for (let at = 0; at < row.length; at += 1) {
    const own = places.get(row[at] ?? '');
    let [rising, falling]: [number, number] = [first, 0];
    for (let word = 0; word < words; word += 1) {
      const [up, down, equal] = [rises[word] ?? 0, falls[word] ?? 0, own?.[word] ?? 0];
      const vertical = equal | down;
      const joined = equal | falling;
      const diagonal = (((joined & up) + up) ^ up) | joined;
      let [more, less] = [down | ~(diagonal | up), up & diagonal];
      if (word === words - 1) distance += (more & last) !== 0 ? 1 : (less & last) !== 0 ? -1 : 0;
      const carried = [more >>> 31, less >>> 31] as const;
      more = (more << 1) | rising;
      less = (less << 1) | falling;
      rises[word] = less | ~(vertical | more);
      falls[word] = more & vertical;
      [rising, falling] = carried;
    }
    reached(distance, at);
  }
}

/** The fewest insertions, deletions and replacements that make one list of the other (Levenshtein). */
export function editDistance(one: readonly string[], other: readonly string[]): number {
  const [column, row] = one.length <= other.length ? [one, other] : [other, one];
  let edits = row.length;
  if (column.length > 0) alongRow(column, row, 1, (distance) => (edits = distance));
  return edits;
}

/** For each item of a text, the fewest edits between a pattern and any part of the text that ends with it. The pattern has items. */
export function distancesIn(text: readonly string[], pattern: readonly string[]): Int32Array {
  const distances = new Int32Array(text.length);
  alongRow(pattern, text, 0, (distance, at) => (distances[at] = distance));
  return distances;
}

/** The steps of an alignment: a pair of items, an item of the other list alone, an item of the first list alone. */
const steps = { pair: 0, other: 1, one: 2 } as const;

/** How one list becomes another by the fewest edits. */
interface Alignment {
  /** The last step of the fewest edits between the first `row` items of one list and the first `at` items of the other. */
  readonly step: (row: number, at: number) => number;
}

/** Two lists with a number for each different item, which compares faster than a text. */
function numbered(one: readonly string[], other: readonly string[]): readonly [Uint32Array, Uint32Array] {
  const numbers = new Map<string, number>();
  const numberOf = (item: string): number => {
    const number = numbers.get(item) ?? numbers.size;
    numbers.set(item, number);
    return number;
  };
  return [Uint32Array.from(one, numberOf), Uint32Array.from(other, numberOf)];
}

/**
 * The fewest edits between two lists, if they are at most `width`; null if they are more. Beginnings whose lengths differ by more
 * than the edits allow are left out (Ukkonen 1985), so it takes the product of one length and `width`.
 */
function alignedWithin(one: Uint32Array, other: Uint32Array, width: number): Alignment | null {
  const band = Math.min(2 * width + 1, other.length + 1);
  const firstAt = (row: number) => Math.max(0, Math.min(row - width, other.length + 1 - band));
  const taken = new Uint8Array((one.length + 1) * band);
  const never = one.length + other.length + 1;
  // The place before the first, and the one behind the last, are never reached.
  let above = new Uint32Array(other.length + 3).fill(never);
  let here = new Uint32Array(other.length + 3).fill(never);
  for (let row = 0; row <= one.length; row += 1) {
    const from = firstAt(row);
    const item = one[row - 1];
    let left = never;
    here[from] = never;
    for (let at = from, cell = row * band; at < from + band; at += 1, cell += 1) {
      let least = row === 0 && at === 0 ? 0 : (above[at] ?? never) + (item === other[at - 1] ? 0 : 1);
      let step: number = steps.pair;
      if (left + 1 < least) {
        least = left + 1;
        step = steps.other;
      }
      const up = (above[at + 1] ?? never) + 1;
      if (up < least) {
        least = up;
        step = steps.one;
      }
      left = least < never ? least : never;
      here[at + 1] = left;
      taken[cell] = step;
    }
    here[from + band + 1] = never;
    [above, here] = [here, above];
  }
  const edits = above[other.length + 1] ?? never;
  if (edits > width) return null;
  return { step: (row, at) => taken[row * band + at - firstAt(row)] ?? steps.one };
}

/** True if at most so many insertions, deletions and replacements make one list of the other. */
export const differsByAtMost = (one: readonly string[], other: readonly string[], most: number): boolean =>
  Math.abs(one.length - other.length) <= most && alignedWithin(...numbered(one, other), most) !== null;

/**
 * The item of one list beside each item of the other, so that as few as possible differ. Null for items before the first and
 * after the last one. It takes the product of one length and the number of edits.
 */
export function placesBeside(one: readonly string[], other: readonly string[]): (number | null)[] {
  const lists = numbered(one, other);
  const longest = Math.max(one.length, other.length);
  let aligned: Alignment | null = null;
  for (let width = Math.min(64, longest); aligned === null; width = Math.min(4 * width, longest)) {
    aligned = alignedWithin(...lists, width);
  }
  const found: (number | null)[] = other.map(() => null);
  for (let [row, at] = [one.length, other.length]; row > 0 && at > 0; ) {
    const step = aligned.step(row, at);
    if (step === steps.pair) found[at - 1] = row - 1;
    else if (step === steps.other && row < one.length) found[at - 1] = row - 1;
    if (step !== steps.one) at -= 1;
    if (step !== steps.other) row -= 1;
  }
  return found;
}

/** Letters of scripts that write a word or a syllable by one character and put no space between words. */
const DENSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;

// A word; each character of a script without spaces counts as one.
const TOKEN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}]+)*/gu;

const LETTER = /[\p{L}\p{N}]/gu;

/** The words of a text in lower case, without punctuation; each character of a script without spaces is one. */
export const tokensOf = (text: string): string[] => text.normalize('NFKC').toLowerCase().match(TOKEN) ?? [];

/** The letters and digits of a text. */
export const lettersOf = (text: string): string[] => text.match(LETTER) ?? [];

/**
 * The length of a text in speech, in letters of an alphabet. A syllable or a word sign counts as two and a half, as a spoken
 * syllable has so many letters in the languages of Europe.
 */
export const spokenLength = (text: string): number =>
  lettersOf(text).reduce((sum, letter) => sum + (DENSE.test(letter) ? 2.5 : 1), 0);

/** Alphabets that write every vowel of a word. */
const ALPHABETIC = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Armenian}\p{Script=Georgian}]/u;

/** The most that a letter is in speech: a digit is a word, as *seven*; a letter outside of the alphabets may be a syllable. */
const mostOf = (letter: string): number => {
  if (/\p{N}/u.test(letter)) return 5;
  return ALPHABETIC.test(letter) ? 1 : 2.5;
};

/**
 * The most that a text can be in speech, in letters of an alphabet. A single letter, or one in a word of capitals, may be said by
 * its name, which is a syllable.
 */
export const mostSpokenLength = (text: string): number =>
  (text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).reduce((sum, word) => {
    const letters = lettersOf(word);
    const isSpelled = letters.length === 1 || word === word.toUpperCase();
    return sum + letters.reduce((length, letter) => length + Math.max(mostOf(letter), isSpelled ? 2.5 : 0), 0);
  }, 0);

/** The longest texts that are compared sign by sign; longer ones are cut, which costs no more than what they differ in behind it. */
const COMPARED_CHARACTERS = 600;

/** The part of a text that is compared: its letters and digits in lower case, with one space for whatever is between them. */
export const comparedSigns = (text: string): string[] =>
  [
    ...text
      .normalize('NFKC')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
      .trim(),
  ].slice(0, COMPARED_CHARACTERS);

/** How alike two texts are at such an edit distance whose longer one has so many signs; 1 for two texts without any. */
export const likenessAt = (distance: number, longest: number): number => (longest === 0 ? 1 : 1 - distance / longest);

/** How alike two texts are, from 0 to 1, by letters and digits alone: one minus their edit distance over the longer one. */
export function similarityOf(text: string, second: string): number {
  const [one, other] = [comparedSigns(text), comparedSigns(second)];
  return likenessAt(editDistance(one, other), Math.max(one.length, other.length));
}
