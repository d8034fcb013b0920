import { baseLanguage } from '../core/base-language.ts';
import { folded, noNames, scriptOf } from './carried-words.ts';
import { latinWords, soundsLike } from './written-sound.ts';

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

/** Whether a capital within a sentence shows a name: not in German, where every noun has one, nor where there are no capitals. */
const showsNames = (language: string): boolean =>
  capitalScripts.has(scriptOf(language)) && !['de', 'lb'].includes(baseLanguage(language) ?? '');

/**
 * Which names are compared by their sound: those of the source, where the translation has another script; those of the
 * translation, where the source does not show its own; none where a script does not write vowels, or neither side shows names.
 */
export function soundedNames(sourceLanguage: string, targetLanguage: string): 'source' | 'translation' | null {
  const scripts = [scriptOf(sourceLanguage), scriptOf(targetLanguage)];
  if (!scripts.every((script) => soundScripts.has(script))) return null;
  if (showsNames(sourceLanguage)) return scripts[0] === scripts[1] ? null : 'source';
  return showsNames(targetLanguage) ? 'translation' : null;
}

/** The names in texts that are followed into another script: words of three letters and more with a capital within a sentence. */
export function namesBySound(texts: readonly string[]): ReadonlySet<string> {
  const found = texts.flatMap((text) => text.match(/(?<=[\p{L}\p{N},;] )\p{Lu}\p{L}{2,}(?!['’\p{L}])/gu) ?? []);
  return new Set(found.map(folded).filter((name) => !noNames.has(name) && !translatedNames.has(name)));
}

/** Whether a text has a word that sounds like each of these names that another one has. */
export function keepsSounds(text: string, other: string, names: ReadonlySet<string>): boolean {
  const own = (text.match(/\p{Lu}\p{L}{2,}/gu) ?? []).filter((name) => names.has(folded(name)));
  if (own.length === 0) return true;
  const words = latinWords(other);
  return own.flatMap(latinWords).every((name) => words.some((word) => soundsLike(name, word)));
}

/** Whether the source has a word that sounds like each name within the sentences of its translation. */
export const addsNoName = (source: string, translation: string): boolean =>
  keepsSounds(translation, source, namesBySound([translation]));
