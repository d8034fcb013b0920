import { baseLanguage } from './languages.ts';

/** The words of numbers in one language. */
interface NumberWords {
  /** From zero, as far as each has a word of its own. */
  readonly small: readonly string[];
  /** From twenty in tens. */
  readonly tens: readonly string[];
  /** The hundreds from one hundred. */
  readonly hundreds: readonly string[];
  /** Tens and ones together. */
  readonly joined: (ten: string, one: string) => string;
  readonly thousand: (count: number, counted: string) => string;
  /** True if a year such as 1984 is read as two numbers of two digits. */
  readonly hasYearPairs: boolean;
}

const words = (text: string): readonly string[] => text.split(' ');

const numberWords: Readonly<Record<string, NumberWords>> = {
  en: {
    small: words(
      'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen',
    ),
    tens: words('twenty thirty forty fifty sixty seventy eighty ninety'),
    hundreds: words('one two three four five six seven eight nine').map((count) => `${count} hundred`),
    joined: (ten, one) => `${ten} ${one}`,
    thousand: (_, counted) => `${counted} thousand`,
    hasYearPairs: true,
  },
  es: {
    small: words(
      'cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve',
    ),
    tens: words('veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa'),
    hundreds: words(
      'ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos',
    ),
    joined: (ten, one) => `${ten} y ${one}`,
    thousand: (count, counted) => (count === 1 ? 'mil' : `${counted} mil`),
    hasYearPairs: false,
  },
  de: {
    small: words(
      'null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn',
    ),
    tens: words('zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig'),
    hundreds: words('ein zwei drei vier fünf sechs sieben acht neun').map((count) => `${count}hundert`),
    joined: (ten, one) => `${one === 'eins' ? 'ein' : one}und${ten}`,
    thousand: (count, counted) => (count === 1 ? 'tausend' : `${counted}tausend`),
    hasYearPairs: false,
  },
  fr: {
    small: words(
      'zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf',
    ),
    tens: words('vingt trente quarante cinquante soixante soixante-dix quatre-vingts quatre-vingt-dix'),
    hundreds: ['cent', ...words('deux trois quatre cinq six sept huit neuf').map((count) => `${count} cents`)],
    joined: (ten, one) => (one === 'un' ? `${ten} et un` : `${ten}-${one}`),
    thousand: (count, counted) => (count === 1 ? 'mille' : `${counted} mille`),
    hasYearPairs: false,
  },
};

/** A number below one hundred. */
function belowHundred(number: number, language: NumberWords): string {
  const { small, tens, joined } = language;
  if (number < small.length) return small[number] ?? '';
  const [ten, one] = [Math.floor(number / 10), number % 10];
  // French counts seventy and ninety from the ten before.
  const word = tens[ten - 2] ?? '';
  const before = /-?dix$/.test(word) ? word.replace(/-?dix$/, '') : null;
  if (before !== null && one > 0) return joined(before, small[10 + one] ?? '');
  return one === 0 ? word : joined(word, small[one] ?? '');
}

function belowThousand(number: number, language: NumberWords): string {
  const [hundred, rest] = [Math.floor(number / 100), number % 100];
  const before = hundred === 0 ? [] : [language.hundreds[hundred - 1] ?? ''];
  const behind = rest === 0 && hundred > 0 ? [] : [belowHundred(rest, language)];
  return [...before, ...behind].join(' ');
}

/** Years that are read as two numbers: 1066 and 1984, and neither 1900 nor 2005. */
const isYear = (number: number): boolean => number >= 1010 && number < 2100 && number % 100 >= 10;

/**
 * The words that a number below one million is said with; null in a language without a list, and for others. `digits` are decimal
 * digits alone. A number that begins with zero is said digit by digit. One whose thousands are apart is no year.
 */
function spokenNumber(digits: string, language: string, mayBeYear: boolean): string | null {
  const list = numberWords[baseLanguage(language) ?? ''];
  if (list === undefined) return null;
  const number = Number(digits);
  if (digits.length > 6 || (digits.length > 1 && digits.startsWith('0'))) {
    return digits.length > 20 ? null : [...digits].map((digit) => list.small[Number(digit)] ?? '').join(' ');
  }
  if (mayBeYear && list.hasYearPairs && digits.length === 4 && isYear(number)) {
    return `${belowHundred(Math.floor(number / 100), list)} ${belowHundred(number % 100, list)}`;
  }
  const [thousands, rest] = [Math.floor(number / 1000), number % 1000];
  const before = thousands === 0 ? [] : [list.thousand(thousands, belowThousand(thousands, list))];
  const behind = rest === 0 && thousands > 0 ? [] : [belowThousand(rest, list)];
  return [...before, ...behind].join(' ');
}

/** The value of a decimal digit of any script; null for another sign. Unicode has the ten digits of a script in a row. */
function digitOf(sign: string): number | null {
  const code = sign.codePointAt(0) ?? 0;
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  if (!/\p{Nd}/u.test(sign)) return null;
  let first = code;
  while (code - first < 9 && /\p{Nd}/u.test(String.fromCodePoint(first - 1))) first -= 1;
  return code - first;
}

/** A number whose thousands are apart, or digits. */
const numbers = /\d{1,3}(?:[,.'’\u00A0\u202F]\d{3})+(?!\d)|\d+/gu;

/** A text with its numbers in words; where the language has no list, in the digits 0 to 9. */
export function withSpokenNumbers(text: string, language: string): string {
  if (!/\p{Nd}/u.test(text)) return text;
  const plain = text.replaceAll(/\p{Nd}/gu, (sign) => String(digitOf(sign) ?? sign));
  return plain.replaceAll(numbers, (number) => {
    const digits = number.replaceAll(/\D/g, '');
    const said = spokenNumber(digits, language, digits === number);
    return said === null ? digits : ` ${said} `;
  });
}
