/**
 * The letters that languages of films write beyond ASCII, in lower case, by base code: the alphabets, and letters of frequent loan
 * words. `~` parts a range. `frequent` are those that make up most of them, where other languages have the same letters or other
 * encodings the same bytes. The lists were written for this project.
 */
interface WrittenLanguage {
  readonly letters: string;
  readonly frequent?: string;
  /** True if such letters are in loan words and names alone. */
  readonly isRare?: true;
}

const loanWords = 'éèêëàâáäçñöôóòïîíüûúøåæœã';
const russian = 'оеаинтсрвл';
const arabicMarks = 'ـ\u064b~\u0652\u0670';
const points = '\u05b0~\u05c7';

const languages: Readonly<Record<string, WrittenLanguage>> = {
  en: { letters: loanWords, isRare: true },
  fr: { letters: 'éèêëàâçîïôûùüœæÿñ' },
  de: { letters: 'äöüßéèàâêôçñë' },
  es: { letters: 'ñáéíóúüçºª' },
  it: { letters: 'àèéìíòóùúîºª' },
  pt: { letters: 'áâãàçéêíóôõúüèºª' },
  nl: { letters: 'ëéïöüèáóêíäàâîôûúç' },
  sv: { letters: 'åäöéüàèáôæø' },
  no: { letters: 'æøåéòèêóôàüäö' },
  da: { letters: 'æøåéüäöáè' },
  fi: { letters: 'äöåšžéü' },
  is: { letters: 'áéíóúýþæöð', frequent: 'áíðé' },
  fo: { letters: 'áíóúýæøð', frequent: 'áíðø' },
  ga: { letters: 'áéíóú' },
  cy: { letters: 'âêîôûáéíóúàèìòùäëïöüẅŵŷ', frequent: 'âŵŷôê' },
  ca: { letters: 'àèéíïòóúüç·' },
  gl: { letters: 'ñáéíóúïü' },
  eu: { letters: 'ñçü' },
  af: { letters: 'êëéèôöûüîïáó' },
  sq: { letters: 'ëç' },
  id: { letters: 'é', isRare: true },
  ms: { letters: 'é', isRare: true },
  fil: { letters: 'ñáéíóúàâ', isRare: true },
  et: { letters: 'äõöüšž' },
  lv: { letters: 'āčēģīķļņšūžōŗ' },
  lt: { letters: 'ąčęėįšųūž' },
  pl: { letters: 'ąćęłńóśźż' },
  cs: { letters: 'áčďéěíňóřšťúůýž' },
  sk: { letters: 'áäčďéíĺľňóôŕšťúýž' },
  sl: { letters: 'čšžćđ' },
  hr: { letters: 'čćđšž' },
  bs: { letters: 'čćđšž' },
  hu: { letters: 'áéíóöőúüű' },
  ro: { letters: 'ăâîşţșț' },
  tr: { letters: 'çğıİöşüâîû' },
  az: { letters: 'çəğıİöşü' },
  vi: { letters: 'àáâãèéêìíòóôõùúýăđĩũơưạ~ỹ\u0300\u0301\u0303\u0309\u0323' },
  ru: { letters: 'а~яё', frequent: russian },
  uk: { letters: 'абвгґдеєжзиіїйклмнопрстуфхцчшщьюя', frequent: 'оанивтеріс' },
  be: { letters: 'а~зйк~шы~яёіў', frequent: 'аніерстлко' },
  bg: { letters: 'а~ъьюя', frequent: 'аоиентрсвл' },
  mk: { letters: 'а~зик~шѓѕјљњќџѐѝ', frequent: 'аоиентрсвк' },
  sr: { letters: 'а~зик~шђјљњћџčćđšž', frequent: 'аоиенрстјк' },
  el: { letters: 'ΐ~ώ', frequent: 'αοιεσντηςυρκπόίάέή' },
  he: { letters: `א~ת${points}`, frequent: 'יוהלאמרתבשנ' },
  yi: { letters: `א~ײ${points}`, frequent: 'יעואנטרדלסן' },
  ar: { letters: `ء~ي${arabicMarks}`, frequent: 'الينموترهب' },
  fa: { letters: `ء~يپچژگکیآ${arabicMarks}`, frequent: 'ایيرندمهوتبسش' },
  ur: { letters: `ء~يپچژگکیٹڈڑںہھے${arabicMarks}`, frequent: 'ایيرنکمہتوسےلھ' },
  th: { letters: 'ก~ฺเ~๎', frequent: 'านรอกเงมยลวดทสตคปบห่้ีิ' },
  ja: { letters: 'ぁ~ヿ一~鿿々', frequent: 'ぁ~ヿ' },
  ko: {
    letters: '가~힣一~鿿',
    frequent:
      '이다는을를가에의도고지하은기로서사한아자어리나시들그있해요거너내우라만니과일게면대러오보까네데여부마인안세수제전정스으야무저말않못왜뭐당신습여했었',
  },
  zh: {
    letters: '一~鿿㐀~䶿々',
    frequent:
      '的一是不了在有人我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日者意无它长把机三知全又关点正外将两间由问很最手头见相什二等己话回给老先海真名各几四少报太再做接必场今昨明早晚七八九吃喝走快慢吗呢吧啊哦嗯谢对请找带让谁怎爱妈爸孩女男儿哥姐弟妹' +
      '這個們來為國說時會對後裡過發麼學現當沒動還進樣無長機開從實關點將兩間問頭見話給場報請帶讓誰愛媽嗎謝',
  },
};

/** Base codes that write as another one. */
const alike: Readonly<Record<string, string>> = { nb: 'no', nn: 'no', tl: 'fil', mo: 'ro', yue: 'zh', ps: 'fa' };

/** The letters that a language writes; null for one that is not known here. */
interface Alphabet {
  readonly language: string;
  readonly has: (letter: string) => boolean;
  readonly isFrequent: ((letter: string) => boolean) | null;
  readonly isRare: boolean;
}

/** A test for one of the characters of a list, in which `~` parts the ends of a range. */
function testOf(list: string): (letter: string) => boolean {
  const pattern = new RegExp(`^[${list.replaceAll('~', '-')}]$`, 'u');
  return (letter) => pattern.test(letter);
}

/** Languages that are not written in Latin letters. */
const ownScripts = new Set('ru uk be bg mk el he yi ar fa ur th ja ko zh'.split(' '));

const alphabets: readonly Alphabet[] = Object.entries(languages).map(
  ([language, { letters, frequent, isRare = false }]) => ({
    language,
    has: testOf(letters),
    isFrequent: frequent === undefined ? null : testOf(frequent),
    isRare,
  }),
);

/** True if all signs of a text beyond ASCII are quotes, dashes and the like, and it has at least one. */
export const hasQuotesAlone = (text: string): boolean => {
  const further = [...text].filter((sign) => sign > '\u007f');
  return further.length > 0 && further.every((sign) => typographic.test(sign));
};

/** A text by its characters beyond ASCII: how often each letter is in it, in lower case, and how many signs have no place there. */
export interface SeenLetters {
  readonly counts: ReadonlyMap<string, number>;
  /** Signs within words, capitals behind small letters, letters of two scripts in one word, and control characters. */
  readonly misplaced: ReadonlyMap<string, number>;
  /** How many letters of ASCII it has. */
  readonly plain: number;
}

/** Signs that are beside letters in every language. */
const typographic =
  /^[\u00a0\u00ad‘’‚‛“”„‟«»‹›–—―…·•¿¡°\u200b-\u200f\u202a-\u202e\u2066-\u2069、。，！？：；「」『』（）・～ー♪♫،؛؟ฯ]$/u;

const otherScript = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Thai}]/u;

/** Looks at a text once, whatever languages it is compared with. */
export function seenLetters(text: string): SeenLetters {
  const counts = new Map<string, number>();
  const misplaced = new Map<string, number>();
  const add = (to: Map<string, number>, key: string) => to.set(key, (to.get(key) ?? 0) + 1);
  let plain = 0;
  for (const [word] of text.normalize('NFC').matchAll(/[^\s!-/:-@[-`{-~]+/gu)) {
    const latin = word.match(/[A-Za-z]/g)?.length ?? 0;
    plain += latin;
    if (/^[ -~]*$/.test(word)) continue;
    let isBehindSmall = false;
    for (const character of word) {
      const small = character === 'İ' ? character : character.toLowerCase();
      const isCapital = small !== character || character === 'İ';
      if (character > '\u007f') {
        const isLetter = /[\p{L}\p{M}]/u.test(character);
        const isMixed = latin > 0 && isLetter && otherScript.test(character);
        if (isLetter && !isMixed && !(isCapital && isBehindSmall)) add(counts, small);
        else if (isLetter || /\p{Cc}/u.test(character)) add(misplaced, character);
        else if (!typographic.test(character) && /\p{L}/u.test(word)) add(misplaced, character);
      }
      isBehindSmall = !isCapital && /\p{Ll}/u.test(character);
    }
  }
  return { counts, misplaced, plain };
}

/** The characters of several texts together, as `seenLetters` counts those of one. */
export class LetterCount implements SeenLetters {
  readonly counts = new Map<string, number>();
  readonly misplaced = new Map<string, number>();
  plain = 0;

  add(text: string): void {
    const seen = seenLetters(text);
    this.plain += seen.plain;
    for (const kind of ['counts', 'misplaced'] as const) {
      for (const [sign, count] of seen[kind]) this[kind].set(sign, (this[kind].get(sign) ?? 0) + count);
    }
  }
}

/** The language that a text is written in as far as its letters tell, and how well they fit: 1 for all of them. */
export interface Fit {
  readonly language: string | null;
  readonly share: number;
  /** How many letters fit. */
  readonly letters: number;
}

/** A text of frequent letters has this share of them; in another encoding the same bytes have half as many. */
const frequentShare = 0.55;

/** Fewer letters of a script of its own are in a text by chance. */
const fewestOfScript = 4;

/** Letters of loan words and names are at most this share of all. */
const rareShare = 0.05;

const sum = (values: Iterable<number>): number => [...values].reduce((all, value) => all + value, 0);

function fitOf({ counts, misplaced, plain }: SeenLetters, { language, has, isFrequent, isRare }: Alphabet): Fit {
  const own = [...counts].filter(([letter]) => has(letter));
  const letters = sum(own.map(([, count]) => count));
  const all = sum(counts.values()) + sum(misplaced.values());
  if (letters === 0 || (isFrequent !== null && letters < fewestOfScript)) return { language, share: 0, letters: 0 };
  const frequent = isFrequent === null ? letters : sum(own.map(([letter, count]) => (isFrequent(letter) ? count : 0)));
  if (isRare && all > rareShare * plain) return { language, share: 0, letters: 0 };
  const usual = isFrequent === null ? 1 : Math.min(1, frequent / letters / frequentShare);
  return { language, share: (letters / all) * usual, letters };
}

const nothing: Fit = { language: null, share: 0, letters: 0 };

/** How well the letters of a text fit a language; null if its letters are not known here. */
export function fitIn(seen: SeenLetters, language: string): Fit | null {
  const alphabet = alphabetOf(language);
  return alphabet === undefined ? null : fitOf(seen, alphabet);
}

/** The language that the letters of a text fit best. */
export const bestFit = (seen: SeenLetters): Fit =>
  alphabets.map((each) => fitOf(seen, each)).reduce((best, fit) => (fit.share > best.share ? fit : best), nothing);

const alphabetOf = (language: string): Alphabet | undefined =>
  alphabets.find((each) => each.language === (alike[language] ?? language));

/** The letters and signs of a text that a language does not write, the most frequent first. */
export function foreignSigns({ counts, misplaced }: SeenLetters, language: string): string[] {
  const alphabet = alphabetOf(language);
  const foreign = [...counts].filter(([letter]) => alphabet !== undefined && !alphabet.has(letter));
  return [...foreign, ...misplaced].sort(([, one], [, other]) => other - one).map(([sign]) => sign);
}

/**
 * The bounds for a text in other letters than those of its language; they are choices, and were not measured. It has `fewest` of
 * them, and half of all. It fits another language better by `share`, or a third of them are signs out of place. Fewer are names.
 */
const FOREIGN = { fewest: 8, share: 0.25, plainShare: 0.5 } as const;

/**
 * The letters and signs of a text that cannot be in its stated language. Null if it can be, or if the letters of that language are
 * not known here. `Latin letters` for a text in these where the language has a script of its own.
 */
export function foreignLetters(seen: SeenLetters, language: string): string[] | null {
  const alphabet = alphabetOf(language);
  if (alphabet === undefined) return null;
  const { letters, share } = fitOf(seen, alphabet);
  const hasOwnScript = ownScripts.has(alphabet.language);
  if (hasOwnScript && seen.plain >= FOREIGN.fewest && letters < FOREIGN.plainShare * seen.plain) {
    if (sum(seen.counts.values()) < seen.plain) return ['Latin letters'];
  }
  const signs = foreignSigns(seen, language);
  const all = sum(seen.counts.values()) + sum(seen.misplaced.values());
  const own = [...seen.counts].filter(([letter]) => alphabet.has(letter));
  const foreign = all - sum(own.map(([, count]) => count));
  if (foreign < FOREIGN.fewest || foreign * 2 < all) return null;
  const isOther = bestFit(seen).share >= share + FOREIGN.share || 3 * sum(seen.misplaced.values()) > all;
  return isOther && signs.length > 0 ? signs : null;
}
