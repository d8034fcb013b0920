import anyAscii from 'any-ascii';
import { editDistance } from '../core/edit-distance.ts';

/**
 * From which likeness on, of 0 to 1, a word is a name in another script. By all letters one vowel of three may differ (*Eva*,
 * *Еву*); consonants alone count from three of them on. Both are choices, tried on the names of
 * `test/receipts/captions/cues.test.ts`.
 */
export const SOUND_LIKENESS = { letters: 0.65, consonants: 0.75, fewestConsonants: 3, moreConsonants: 1 } as const;

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

/** Sounds that a name may have by its spelling: *g* and *j* sound differently by language, and an *r* that ends a syllable is lost in some. */
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

/** Whether a word may be a name as another script writes it; both in Latin letters (`latinWords`). */
export function soundsLike(name: string, word: string): boolean {
  const sounds = soundsOf(name);
  return readingsOf(word)
    .map(soundOf)
    .some(
      (other) =>
        sounds.some((sound) => beginsLike(sound, other) >= SOUND_LIKENESS.letters) ||
        hasConsonantsOf(soundOf(name), other),
    );
}
