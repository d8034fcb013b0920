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

const plain = (text: string): string[] =>
  [
    ...text
      .normalize('NFKC')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
      .trim(),
  ].slice(0, COMPARED_CHARACTERS);

/** How alike two texts are, from 0 to 1, by letters and digits alone: one minus their edit distance over the longer one. */
export function similarityOf(text: string, second: string): number {
  const [one, other] = [plain(text), plain(second)];
  const longest = Math.max(one.length, other.length);
  if (longest === 0) return 1;
  return 1 - editDistance(one, other) / longest;
}
