import anyAscii from 'any-ascii';
import { baseLanguage } from '../languages.ts';
import { editDistance } from '../text-comparison.ts';
import {
  areSameNumbers,
  hanNumbersOf,
  hasNegativeNumber,
  numberWordsOf,
  type WrittenNumber,
  writtenNumbersOf,
} from './written-numbers.ts';

/** The rest of one list without the items of another, each with its count. */
function without<Item>(
  list: readonly Item[],
  other: readonly Item[],
  isSame: (one: Item, other: Item) => boolean = Object.is,
): Item[] {
  const left = [...list];
  for (const item of other) {
    const at = left.findIndex((each) => isSame(each, item));
    if (at !== -1) left.splice(at, 1);
  }
  return left;
}

const sameDigits = (one: WrittenNumber, other: WrittenNumber): boolean => one.digits === other.digits;

interface NumberLanguages {
  readonly source: string;
  readonly target: string;
}

/** True if one of these numbers in digits is missing in the words of the other text. */
function lacksNumber(numbers: readonly WrittenNumber[], words: readonly string[], text: string): boolean {
  const left = [...words];
  return numbers.some(({ digits, decimals, isNegative }) => {
    const at = left.indexOf(digits);
    if (at === -1 || decimals !== 0 || (isNegative && !hasNegativeNumber(text))) return true;
    left.splice(at, 1);
    return false;
  });
}

/**
 * True if a translation has the numbers of its source. Numbers in digits occur equally often, in digits or in words. A number in
 * words counts as changed if its translation lacks it and has another one instead. One that is only missing may have another
 * wording.
 */
export function keepsNumbers(source: string, translation: string, languages: NumberLanguages): boolean {
  if (!areSameNumbers(source, translation, languages)) return false;
  const digits = { source: writtenNumbersOf(source), target: writtenNumbersOf(translation) };
  const words = {
    source: numberWordsOf(source, languages.source),
    target: numberWordsOf(translation, languages.target),
  };
  const said = {
    source: [...(words.source ?? []).map(String), ...hanNumbersOf(source, languages.source)],
    target: [...(words.target ?? []).map(String), ...hanNumbersOf(translation, languages.target)],
  };
  if (lacksNumber(without(digits.source, digits.target, sameDigits), said.target, translation)) return false;
  if (lacksNumber(without(digits.target, digits.source, sameDigits), said.source, source)) return false;
  if (words.source === null || words.target === null) return true;
  const own = digits.source.map((each) => each.digits);
  const given = digits.target.map((each) => each.digits);
  const lost = without(words.source.map(String), [...words.target.map(String), ...given]);
  const instead = without(words.target.map(String), [...words.source.map(String), ...own]);
  return lost.length === 0 || instead.length === 0;
}

// Capitalised in English and written otherwise elsewhere.
const noNames: ReadonlySet<string> = new Set(
  'monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september october november december english german french spanish italian dutch russian chinese japanese korean american british european'.split(
    ' ',
  ),
);

/** A text without accents and in lower case. */
const folded = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();

/** The script in which a language is usually written, by its code; null where that is not known. */
export const scriptOf = (language: string): string | null => {
  try {
    return new Intl.Locale(language).maximize().script ?? null;
  } catch {
    return null;
  }
};

/** Names can be compared letter by letter in Latin script. If all nouns begin with a capital, a capital does not show a name. */
const comparesNamesByLetter = (sourceLanguage: string, targetLanguage: string): boolean =>
  [sourceLanguage, targetLanguage].every((language) => scriptOf(language) === 'Latn') &&
  !['de', 'lb'].includes(baseLanguage(sourceLanguage) ?? '');

/** The names in texts: words of three letters and more with a capital within a sentence. */
export function namesIn(texts: readonly string[], sourceLanguage: string, targetLanguage: string): ReadonlySet<string> {
  if (!comparesNamesByLetter(sourceLanguage, targetLanguage)) return new Set();
  const found = texts.flatMap((text) => text.match(/(?<=[\p{L}\p{N},;] )\p{Lu}[\p{L}]{2,}(?!['’\p{L}])/gu) ?? []);
  return new Set(found.map(folded).filter((name) => !noNames.has(name)));
}

/** Endings change with the case of a name: as much of it has to be there. */
const stemOf = (name: string): string => name.slice(0, Math.max(3, name.length - 2));

/** True if a translation has every one of these names that its source has. */
export function keepsNames(source: string, translation: string, names: ReadonlySet<string>): boolean {
  const own = (source.match(/\p{Lu}\p{L}{2,}/gu) ?? []).map(folded).filter((name) => names.has(name));
  const target = folded(translation).match(/\p{L}+/gu) ?? [];
  return own.every((name) => target.some((word) => word.startsWith(stemOf(name))));
}

/**
 * From which likeness on, of 0 to 1, a word is a name in another script. By all letters one vowel of three may differ (*Eva*,
 * *Еву*); consonants alone count from three of them on. Both are choices, tried on the names of
 * `test/receipts/captions/cues.test.ts`.
 */
const SOUND_LIKENESS = { letters: 0.65, consonants: 0.75, fewestConsonants: 3, moreConsonants: 1 } as const;

/** Spellings of one sound in the languages of Europe, the longest first, and the letter that stands for it. */
const spellings: readonly (readonly [RegExp, string])[] = [
  [/tsch|tch|sch|dzh|sh|ch|zh|cz|sz|ts|tz|j|z|c(?=[eiy])/g, 's'],
  [/ph|v|w/g, 'f'],
  [/th|d/g, 't'],
  [/kh|ck|gh|g|q|c/g, 'k'],
  [/x/g, 'ks'],
  [/b|f/g, 'p'],
  [/r/g, 'l'],
  [/h(?![aeiouy])/g, ''],
];

/** The words of a text in Latin letters, without accents and in lower case. */
export const latinWords = (text: string): string[] =>
  (text.normalize('NFC').match(/[\p{L}\p{M}]+/gu) ?? []).flatMap((word) => {
    const latin = anyAscii(word)
      .toLowerCase()
      .replaceAll(/[^a-z]/g, '');
    return latin === '' ? [] : [latin];
  });

const soundOf = (latin: string): string =>
  spellings.reduce((sound, [spelling, letter]) => sound.replaceAll(spelling, letter), latin);

/** The consonants of a word in Latin letters, by their sound: one letter for sounds that languages write for each other. */
export const consonantsOf = (latin: string): string => bareOf(soundOf(latin));

const bareOf = (sound: string): string => sound.replaceAll(/[aeiouyh]/g, '').replaceAll(/(.)\1+/g, '$1');

/**
 * Sounds that a name may have by its spelling. The letters *g* and *j* sound differently by language, and some lose an *r* that
 * ends a syllable.
 */
const soundsOf = (latin: string): string[] => [
  ...new Set(
    [latin, latin.replaceAll(/g(?=[eiy])/g, 'j'), latin.replaceAll('j', 'y')]
      .flatMap((each) => [
        each,
        each.replaceAll(/r(?![aeiouy])/g, ''),
        each.replaceAll('ee', 'i').replaceAll('oo', 'u'),
      ])
      .map(soundOf),
  ),
];

/** How alike the beginning of a word is to a name: endings and particles follow a name in many languages. */
const beginsLike = (name: string, word: string): number =>
  Math.max(
    ...[0, 1].map((more) => {
      const beginning = word.slice(0, name.length + more);
      return 1 - editDistance([...name], [...beginning]) / Math.max(name.length, beginning.length, 1);
    }),
  );

function hasConsonantsOf(sound: string, word: string): boolean {
  const [bare, other] = [bareOf(sound), bareOf(word)];
  const { fewestConsonants, moreConsonants, consonants } = SOUND_LIKENESS;
  const isComparable = bare.length >= fewestConsonants && other.length <= bare.length + moreConsonants;
  return isComparable && beginsLike(bare, other) >= consonants;
}

/** Korean puts a vowel between consonants of other languages, and writes an *l* between vowels twice. */
const readingsOf = (latin: string): string[] => [latin, latin.replaceAll('eu', '').replaceAll('ll', 'l')];

/** The sounds of a name: by its spelling, and all that it may have. */
const nameSounds = (name: string) => ({ own: soundOf(name), all: soundsOf(name) });

const wordSounds = (word: string): string[] => readingsOf(word).map(soundOf);

const areAlike = ({ own, all }: ReturnType<typeof nameSounds>, others: readonly string[]): boolean =>
  others.some(
    (other) => all.some((sound) => beginsLike(sound, other) >= SOUND_LIKENESS.letters) || hasConsonantsOf(own, other),
  );

/** True if a word may be a name as another script writes it; both in Latin letters (`latinWords`). */
export const soundsLike = (name: string, word: string): boolean => areAlike(nameSounds(name), wordSounds(word));

/** Scripts that write vowels, so that a name can be followed into them by its sound. */
const soundScripts: ReadonlySet<string | null> = new Set(['Latn', 'Cyrl', 'Grek', 'Kore']);

/** Of these, those in which a capital within a sentence shows a name. */
const capitalScripts: ReadonlySet<string | null> = new Set(['Latn', 'Cyrl', 'Grek']);

// Capitalised within an English sentence, and said in other words elsewhere.
const translatedNames = new Set(
  'god lord mom mum dad mother father grandma grandpa sir madam doctor professor president king queen christmas easter earth sun moon internet bible england britain germany france spain italy austria switzerland sweden norway finland denmark greece hungary poland netherlands turkey egypt china japan korea india america europe asia africa north south east west united states kingdom'.split(
    ' ',
  ),
);

/**
 * True if a capital within a sentence shows a name: not in German, where every noun has one, nor in a script without capitals.
 */
const capitalShowsNames = (language: string): boolean =>
  capitalScripts.has(scriptOf(language)) && !['de', 'lb'].includes(baseLanguage(language) ?? '');

/**
 * The names that are compared by their sound: those of the source, if the translation has another script. Those of the
 * translation, if the source does not show its own. None if a script does not write vowels, or neither side shows names.
 */
export function soundedNames(sourceLanguage: string, targetLanguage: string): 'source' | 'translation' | null {
  const scripts = [scriptOf(sourceLanguage), scriptOf(targetLanguage)];
  if (!scripts.every((script) => soundScripts.has(script))) return null;
  if (capitalShowsNames(sourceLanguage)) return scripts[0] === scripts[1] ? null : 'source';
  return capitalShowsNames(targetLanguage) ? 'translation' : null;
}

/** The names in texts that are followed into another script: words of three letters and more with a capital within a sentence. */
export function namesBySound(texts: readonly string[]): ReadonlySet<string> {
  const found = texts.flatMap((text) => text.match(/(?<=[\p{L}\p{N},;] )\p{Lu}\p{L}{2,}(?!['’\p{L}])/gu) ?? []);
  return new Set(found.map(folded).filter((name) => !noNames.has(name) && !translatedNames.has(name)));
}

/** True if a text has a word that sounds like each of these names that another one has. */
export function keepsSounds(text: string, other: string, names: ReadonlySet<string>): boolean {
  const own = (text.match(/\p{Lu}\p{L}{2,}/gu) ?? []).filter((name) => names.has(folded(name)));
  if (own.length === 0) return true;
  // A line may have hundreds of names: the sounds of a word are found once, and most names have one that is the same.
  const words = [...new Set(latinWords(other))].map(wordSounds);
  const heard = new Set(words.flat());
  return [...new Set(own.flatMap(latinWords))].map(nameSounds).every((name) => {
    return heard.has(name.own) || words.some((word) => areAlike(name, word));
  });
}

/** True if the source has a word that sounds like each name within the sentences of its translation. */
export const addsNoName = (source: string, translation: string): boolean =>
  keepsSounds(translation, source, namesBySound([translation]));
