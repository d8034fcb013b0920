import { baseLanguage } from '../core/base-language.ts';

const writtenIn = new Set(['zh', 'yue', 'ja']);
const numeral = /[〇零一二两兩三四五六七八九十百千万萬亿億]+/gu;

const ones = new Map([...'零一二三四五六七八九'].map((sign, value) => [sign, value] as const));
for (const [sign, value] of [
  ['〇', 0],
  ['两', 2],
  ['兩', 2],
] as const)
  ones.set(sign, value);
const tens = new Map([
  ['十', 10],
  ['百', 100],
  ['千', 1000],
]);
const myriads: readonly (readonly [RegExp, number])[] = [
  [/[亿億]/u, 1e8],
  [/[万萬]/u, 1e4],
];

/** The value of up to four places, such as 三百零五; null for signs that make no number. */
function sectionOf(signs: string): number | null {
  let [sum, digit, place] = [0, -1, 10_000];
  for (const sign of signs) {
    const one = ones.get(sign);
    if (one !== undefined) {
      if (digit > 0) return null;
      digit = one;
      continue;
    }
    const unit = tens.get(sign);
    if (unit === undefined || unit >= place || digit === 0) return null;
    sum += (digit === -1 ? 1 : digit) * unit;
    [digit, place] = [-1, unit];
  }
  return sum + Math.max(0, digit);
}

function countOf(signs: string): number | null {
  let [sum, rest] = [0, signs];
  for (const [sign, unit] of myriads) {
    const [before = '', after] = rest.split(sign, 2);
    if (after === undefined) continue;
    const count = sectionOf(before);
    if (before === '' || count === null) return null;
    sum += count * unit;
    rest = after;
  }
  const last = sectionOf(rest);
  return last === null ? null : sum + last;
}

/** A digit directly behind hundreds and more may count tens: 一百五 is 150 in China, and 百五 is 105 in Japan. */
const isOpen = (signs: string): boolean => /[百千万萬亿億][一二两兩三四五六七八九]$/u.test(signs);

/** In digits alone, as years are: 二〇二六. Two of them may be either of both: 三四 is three or four. */
function digitsOf(signs: string): string | null {
  if (signs.length === 2) return null;
  return [...signs].map((sign) => ones.get(sign)).join('');
}

/**
 * The whole numbers that a text has in Han numerals, in decimal digits; none in a language that does not write them, and none for
 * signs that can be read in two ways. Some stand in words that count nothing, as in 一起: they may serve as a number, and are none
 * that was added.
 */
export function hanNumbersOf(text: string, language: string): string[] {
  if (!writtenIn.has(baseLanguage(language) ?? '')) return [];
  return (text.match(numeral) ?? []).flatMap((signs) => {
    const isCounted = /[十百千万萬亿億]/u.test(signs);
    if (!isCounted) return digitsOf(signs) ?? [];
    const value = isOpen(signs) ? null : countOf(signs);
    return value === null ? [] : String(value);
  });
}
