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
 * The fewest insertions, deletions and replacements that make one list of the other (Levenshtein). Takes a thirty-second of the
 * product of both lengths. A column of the table is kept as bits for the places where it rises and falls. See Myers, "A fast
 * bit-vector algorithm for approximate string matching based on dynamic programming", 1999, in the form of Hyyrö, 2003.
 */
export function editDistance(one: readonly string[], other: readonly string[]): number {
  const [column, row] = one.length <= other.length ? [one, other] : [other, one];
  if (column.length === 0) return row.length;
  const places = placesOf(column);
  const words = Math.ceil(column.length / WORD);
  const rises = new Int32Array(words).fill(-1);
  const falls = new Int32Array(words);
  const last = 1 << ((column.length - 1) & 31);
  let distance = column.length;
  for (const token of row) {
    const own = places.get(token);
    let [rising, falling] = [1, 0];
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
  }
  return distance;
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
