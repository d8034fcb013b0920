import { baseLanguage } from '../languages.ts';

// The code points of the zeros of scripts. Lines are found again by numbers in ASCII, Arabic-Indic, Persian, Devanagari, Bengali and
// Thai digits; numbers are compared in all scripts in daily use.
const anchorZeros = [0x30, 0x660, 0x6f0, 0x966, 0x9e6, 0xe50];
const zeros = [
  ...anchorZeros,
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

/** The numbers of a text by which its line is found again, as ASCII digits. */
export const anchorNumbersOf = (text: string): string[] =>
  (asciiDigits(text, anchorZeros).match(number) ?? []).map((found) => found.replaceAll(/\D/g, ''));

/** A number as it is written in digits. */
export interface WrittenNumber {
  readonly digits: string;
  /** The number of its digits behind a decimal sign; null for a time of day, which some languages write with a point. */
  readonly decimals: number | null;
  readonly isNegative: boolean;
}

/** The numbers of a text that are written in digits of any script in daily use. */
export function writtenNumbersOf(text: string): WrittenNumber[] {
  const ascii = asciiDigits(text, zeros);
  return [...ascii.matchAll(number)].map(({ 0: found, index }) => ({
    digits: found.replaceAll(/\D/g, ''),
    decimals: decimalsOf(found),
    // A hyphen at the start of a row marks a speaker, and one behind a word or a number joins them.
    isNegative: /(?:(?<!\d)\u2212|(?:\S[^\S\n]|\()-)$/.test(ascii.slice(0, index)),
  }));
}

/**
 * Groups of three digits are thousands, and so are those of two before them in India; other digits behind a sign are decimals.
 */
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

/** True if a text has a number below zero in words, in a language whose words for it are known. */
export const hasNegativeNumber = (text: string): boolean => belowZero.test(text);

const ofDigits = (numbers: readonly WrittenNumber[], digits: string): WrittenNumber[] =>
  numbers.filter((each) => each.digits === digits);

/** True if numbers of the same digits have their decimal sign in the same place. Times of day have none to compare. */
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
 * True if numbers with the same digits in both texts are the same numbers. They have the decimal sign in the same place. Between
 * languages whose words for it are known, they are below zero in both or in none.
 */
export function areSameNumbers(
  source: string,
  translation: string,
  languages: { readonly source: string; readonly target: string },
): boolean {
  const [own, given] = [writtenNumbersOf(source), writtenNumbersOf(translation)];
  const showsSigns = [languages.source, languages.target].every((each) => signed.has(baseLanguage(each) ?? ''));
  const isSaid = hasNegativeNumber(source) || hasNegativeNumber(translation);
  return own.every(({ digits }) => {
    const [one, other] = [ofDigits(own, digits), ofDigits(given, digits)];
    if (other.length === 0) return true;
    if (showsSigns && !isSaid && negatives(one) !== negatives(other)) return false;
    return haveSameDecimals(one, other);
  });
}

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
 * The whole numbers that a text has in Han numerals, in decimal digits. None in a language that does not write them, and none for
 * signs that can be read in two ways. Some are in words that count nothing, as in 一起: they may serve as a number, but do not
 * count as added.
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

/**
 * The words for two to twelve; forms of one word are beside each other. A word that usually means something else has a dash in
 * its place: French *neuf* is also *new*, Italian *sei* also *you are*.
 */
const twoToTwelve: Readonly<Record<string, string>> = {
  en: 'two three four five six seven eight nine ten eleven twelve',
  de: 'zwei|zwo drei vier fünf sechs sieben acht neun zehn elf zwölf',
  nl: 'twee drie vier vijf zes zeven acht negen tien elf twaalf',
  sv: 'två tre fyra fem sex sju åtta nio tio elva tolv',
  fr: 'deux trois quatre cinq six sept huit - dix onze douze',
  es: 'dos tres cuatro cinco seis siete ocho nueve diez once doce',
  pt: 'dois|duas três quatro cinco seis sete oito nove dez onze doze',
  it: 'due tre quattro cinque - sette otto nove dieci undici dodici',
  ru: 'два|две|двух|двум|двумя три|трёх|трех|трём|трем|тремя четыре|четырёх|четырех|четырём|четырем пять|пяти|пятью шесть|шести|шестью семь|семи восемь|восьми девять|девяти десять|десяти одиннадцать|одиннадцати двенадцать|двенадцати',
};

/** Words that make another number together with one beside them. */
const joining: Readonly<Record<string, string>> = {
  en: 'twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion dozen',
  de: 'hundert tausend million millionen milliarde milliarden dutzend',
  nl: 'honderd duizend miljoen miljard dozijn',
  sv: 'hundra tusen miljon miljoner miljard miljarder dussin',
  fr: 'vingt vingts trente quarante cinquante soixante cent cents mille million millions milliard milliards douzaine',
  es: 'treinta cuarenta cincuenta sesenta setenta ochenta noventa cien ciento cientos mil millón millones docena',
  pt: 'vinte trinta quarenta cinquenta sessenta setenta oitenta noventa cem cento mil milhão milhões dúzia',
  it: 'cento mila mille milione milioni miliardo miliardi dozzina',
  ru: 'двадцать тридцать сорок пятьдесят шестьдесят семьдесят восемьдесят девяносто сто тысяч тысячи тысяча миллион миллиона миллионов',
};

/** Halves of hours are counted from the hour before in some languages and from the hour after in others. */
const half = /(?<!\p{L})(?:half|halb|halv|пол)\p{L}*/iu;

const byLanguage = new Map(
  Object.entries(twoToTwelve).map(([language, words]) => {
    const values = words.split(' ').flatMap((forms, at) => forms.split('|').map((form) => [form, at + 2] as const));
    const parts = new Set(joining[language]?.split(' '));
    return [language, { values: new Map(values), parts }];
  }),
);

/**
 * The numbers from two to twelve that a text has in words, by value. Null in a language without a table, and if a text joins
 * words to another number or counts in halves: its numbers are unknown then.
 */
export function numberWordsOf(text: string, language: string): number[] | null {
  const table = byLanguage.get(baseLanguage(language) ?? '');
  if (table === undefined || half.test(text)) return null;
  const tokens = text.toLowerCase().match(/\p{L}+|\p{N}+/gu) ?? [];
  const isNumber = (token: string | undefined): boolean =>
    token !== undefined && (table.values.has(token) || /^\p{N}/u.test(token));
  const isJoined = tokens.some((token, at) => isNumber(token) && isNumber(tokens[at + 1]));
  if (isJoined || tokens.some((token) => table.parts.has(token))) return null;
  return tokens.flatMap((token) => table.values.get(token) ?? []);
}
