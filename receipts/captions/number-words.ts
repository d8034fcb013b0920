import { baseLanguage } from '../core/base-language.ts';

/**
 * The words for two to twelve; forms of one word stand beside each other. A word that usually means something else has a dash
 * in its place: French *neuf* is also *new*, Italian *sei* also *you are*.
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
 * The numbers from two to twelve that a text has in words, by value; null in a language without a table, and where a text joins
 * words to another number or counts in halves: what it says is not known then.
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
