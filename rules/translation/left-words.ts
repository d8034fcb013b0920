import { baseLanguage } from '../languages.ts';
import { scriptOf } from './carried-words.ts';
import { type EverydayWords, everydayWords } from './everyday-words.ts';

/**
 * From how many letters on a word counts. A word in another script than that of the translation has at least four, since units and
 * signs of brands stay. A person reads either as a letter or an abbreviation below that. Both are choices.
 */
const LEFT_WORD = { letters: 2, otherScriptLetters: 4 } as const;

const codeOf = (language: string): string => {
  const base = baseLanguage(language) ?? language;
  return base === 'nb' || base === 'nn' ? 'no' : base;
};

const known = new Map<string, { readonly own: ReadonlySet<string>; readonly all: ReadonlySet<string> }>();

const listOf = (words: string): string[] => words.trim().split(/\s+/);

/** The everyday words of a language, and all that are known to be words of it. Null for a language without a list. */
function wordsOf(language: string) {
  const code = codeOf(language);
  const words: EverydayWords | undefined = Object.hasOwn(everydayWords, code) ? everydayWords[code] : undefined;
  if (words === undefined) return null;
  const own = listOf(words.own);
  const found = known.get(code) ?? { own: new Set(own), all: new Set([...own, ...listOf(words.shared)]) };
  known.set(code, found);
  return found;
}

/** A word of a text, as it is written. */
const wordsIn = (text: string): string[] => text.normalize('NFC').match(/[\p{L}\p{M}]+/gu) ?? [];

/** Words between two with a capital, as in *Lord of the Rings*: titles keep them. */
const title = /\p{Lu}[\p{L}\p{M}]*(?:[ '’-]\p{Ll}{1,4}){1,3} \p{Lu}[\p{L}\p{M}]*/gu;

/** A translation without the titles that its source has, too. */
function withoutTitles(source: string, translation: string): string {
  return translation.replaceAll(title, (found) => (source.includes(found) ? ' ' : found));
}

const isWrittenIn = (word: string, script: string): boolean => new RegExp(`^\\p{Script=${script}}+$`, 'u').test(word);

/** True if most letters of a text are of a script. Serbian is written in two. */
const isMostly = (text: string, script: string): boolean => {
  const count = text.match(new RegExp(`\\p{Script=${script}}`, 'gu'))?.length ?? 0;
  return 2 * count > (text.match(/\p{L}/gu)?.length ?? 0);
};

/** The script of a language, if all words of other scripts in it are foreign; null for languages of several. */
function plainScriptOf(language: string): string | null {
  const script = scriptOf(language);
  return script === 'Latn' || script === 'Cyrl' || script === 'Grek' ? script : null;
}

/** The words of a source that stand in its translation as they are, in lower case. A capital within a sentence shows a name. */
function* carried(source: string, translation: string): Generator<string> {
  const own = new Set(wordsIn(source).map((word) => word.toLowerCase()));
  const plain = withoutTitles(source, translation.normalize('NFC'));
  for (const { 0: word, index } of plain.matchAll(/[\p{L}\p{M}]+/gu)) {
    const isFirst = !/[\p{L}\p{N}]/u.test(plain.slice(0, index)) || /[.!?…:"„“«¿¡—–-]\s*$/u.test(plain.slice(0, index));
    const lower = word.toLowerCase();
    if (own.has(lower) && (word === lower || isFirst)) yield lower;
  }
}

/** True if every word of a text is an everyday word of a language. */
export function areEverydayWords(text: string, language: string): boolean {
  const words = wordsOf(language);
  return (
    words !== null &&
    wordsIn(text).every((word) => word.length < LEFT_WORD.letters || words.own.has(word.toLowerCase()))
  );
}

/**
 * True if a translation still has a word of its source that no right translation keeps. It is an everyday word of the source's
 * language, and no word of the target's. Or it is written in the script of the source, which the target does not use. Names, numbers,
 * titles, and words that both languages have do not count, and neither do words of languages without a list.
 */
export function hasLeftWords(
  source: string,
  translation: string,
  languages: { readonly source: string; readonly target: string },
): boolean {
  const [from, to] = [wordsOf(languages.source), wordsOf(languages.target)];
  const [fromScript, toScript] = [plainScriptOf(languages.source), plainScriptOf(languages.target)];
  const isAcross =
    fromScript !== null && toScript !== null && fromScript !== toScript && isMostly(translation, toScript);
  for (const word of carried(source, translation)) {
    if (word.length >= LEFT_WORD.letters && from?.own.has(word) && to !== null && !to.all.has(word)) return true;
    if (isAcross && word.length >= LEFT_WORD.otherScriptLetters && isWrittenIn(word, fromScript)) return true;
  }
  return false;
}
