import { baseLanguage } from '../core/base-language.ts';

// The code points of the zeros of scripts: those that the first gates read (ASCII, Arabic-Indic, Persian, Devanagari, Bengali, Thai),
// and all in daily use.
const firstZeros = [0x30, 0x660, 0x6f0, 0x966, 0x9e6, 0xe50];
const zeros = [
  ...firstZeros,
  ...[0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xed0, 0xf20, 0x1040, 0x17e0, 0x1810],
];

function asciiDigits(text: string, known: readonly number[]): string {
  return text.normalize('NFKC').replaceAll(/\p{Nd}/gu, (digit) => {
    const code = digit.codePointAt(0) ?? 0;
    const zero = known.find((each) => each <= code && code < each + 10);
    return zero === undefined ? digit : String(code - zero);
  });
}

// Languages part thousands, decimals and hours by different signs.
const number = /\d+(?:[.,:'’\u00A0\u202F]\d+| (?=\d{3}(?!\d))\d{3})*/g;

/** The numbers of a text that are written in digits, as these. */
export const digitNumbersOf = (text: string): string[] =>
  (asciiDigits(text, firstZeros).match(number) ?? []).map((found) => found.replaceAll(/\D/g, ''));

/** A number as it is written in digits. */
export interface WrittenNumber {
  readonly digits: string;
  /** How many of its digits stand behind a decimal sign; null for a time of day, which some languages write with a point. */
  readonly decimals: number | null;
  readonly isNegative: boolean;
}

/** The numbers of a text that are written in digits of any script in daily use. */
export function writtenNumbersOf(text: string): WrittenNumber[] {
  const ascii = asciiDigits(text, zeros);
  return [...ascii.matchAll(number)].map(({ 0: found, index }) => ({
    digits: found.replaceAll(/\D/g, ''),
    decimals: decimalsOf(found),
    // A hyphen at the start of a row says who speaks, and one behind a word or a number joins them.
    isNegative: /(?:(?<!\d)\u2212|(?:\S[^\S\n]|\()-)$/.test(ascii.slice(0, index)),
  }));
}

/** Groups of three digits are thousands, and so are those of two before them in India; what else stands behind a sign are decimals. */
function decimalsOf(found: string): number | null {
  if (found.includes(':')) return null;
  const [first = '', ...groups] = found.split(/\D/);
  const last = groups.at(-1) ?? '';
  const areThousands = groups.every(({ length }, at) => length === 3 || (length === 2 && at < groups.length - 1));
  return groups.length === 0 || (areThousands && first.length <= 3 && first !== '0') ? 0 : last.length;
}

const signed = new Set(['en', 'de', 'nl', 'sv', 'fr', 'es', 'pt', 'it', 'ru']);
/** Words by which a number is negative in these languages. */
const belowZero =
  /(?<!\p{L})(?:minus|moins|menos|meno|минус|negativ\p{L}*|below|unter|onder|under|sous|dessous|bajo|abaixo|sotto|ниже|мороз\p{L}*)(?!\p{L})|[负負]|零下|マイナス|氷点下/iu;

/** Whether a text says that something is below zero, in a language of which the words for it are known. */
export const saysBelowZero = (text: string): boolean => belowZero.test(text);

const ofDigits = (numbers: readonly WrittenNumber[], digits: string): WrittenNumber[] =>
  numbers.filter((each) => each.digits === digits);

/** Whether numbers of the same digits have their decimal sign in the same place. Times of day have none to compare. */
function haveSameDecimals(one: readonly WrittenNumber[], other: readonly WrittenNumber[]): boolean {
  if ([...one, ...other].some(({ decimals }) => decimals === null)) return true;
  const places = (numbers: readonly WrittenNumber[]): string =>
    numbers
      .map(({ decimals }) => decimals)
      .sort()
      .join();
  return places(one) === places(other);
}

const negatives = (numbers: readonly WrittenNumber[]): number => numbers.filter(({ isNegative }) => isNegative).length;

/**
 * Whether numbers that stand in both texts with the same digits are the same numbers: with the decimal sign in the same place, and,
 * between languages of which the words for it are known, below zero in both or in none.
 */
export function areSameNumbers(
  source: string,
  translation: string,
  languages: { readonly source: string; readonly target: string },
): boolean {
  const [own, given] = [writtenNumbersOf(source), writtenNumbersOf(translation)];
  const showsSigns = [languages.source, languages.target].every((each) => signed.has(baseLanguage(each) ?? ''));
  const isSaid = saysBelowZero(source) || saysBelowZero(translation);
  return own.every(({ digits }) => {
    const [one, other] = [ofDigits(own, digits), ofDigits(given, digits)];
    if (other.length === 0) return true;
    if (showsSigns && !isSaid && negatives(one) !== negatives(other)) return false;
    return haveSameDecimals(one, other);
  });
}
