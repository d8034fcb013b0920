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
 * How much there is to say in a text, in letters of an alphabet: a syllable or a word sign counts as two and a half, which is
 * what a spoken syllable takes in letters in the languages of Europe.
 */
export const spokenLength = (text: string): number =>
  lettersOf(text).reduce((sum, letter) => sum + (DENSE.test(letter) ? 2.5 : 1), 0);
