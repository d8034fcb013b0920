import { nearestName } from '../../options/flags.ts';
import { WrongCall } from './call.ts';

const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });

/** The English name of a language by its tag; the tag itself if Node has no name for it. */
export const englishName = (tag: string): string => names.of(tag) ?? tag;

const letters = [...'abcdefghijklmnopqrstuvwxyz'];

/** Every language of two letters that Node has a name for. */
const knownTags = (): string[] =>
  letters.flatMap((one) => letters.map((two) => `${one}${two}`)).filter((tag) => names.of(tag) !== undefined);

/** The tags of languages by their names in English and in the language itself, in small letters. */
function tagsByName(): ReadonlyMap<string, string> {
  const tags = new Map<string, string>();
  for (const tag of knownTags()) {
    const own = new Intl.DisplayNames([tag], { type: 'language', fallback: 'none' }).of(tag);
    for (const name of [names.of(tag), own]) {
      if (name !== undefined && !tags.has(name.toLowerCase())) tags.set(name.toLowerCase(), tag);
    }
  }
  return tags;
}

/** The language that most people of a country speak, as Unicode has it; null if the code is not that of a country. */
function languageOfCountry(code: string): string | null {
  if (!/^[A-Za-z]{2}$/.test(code)) return null;
  const country = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' }).of(code.toUpperCase());
  if (country === undefined) return null;
  const { language } = new Intl.Locale(`und-${code}`).maximize();
  return language === 'und' ? null : language;
}

/** The tag that a person may have meant; null if none is near. */
export function meantLanguage(text: string): string | null {
  const tags = tagsByName();
  const name = text.normalize('NFC').toLowerCase();
  // Any two short words are near each other.
  const near = name.length > 3 ? nearestName(name, [...tags.keys()]) : null;
  return tags.get(name) ?? tags.get(near ?? '') ?? languageOfCountry(text);
}

/**
 * True for a language tag. It begins with two or three letters (BCP 47 has never registered more), and Node has a name for each
 * language of two letters. Of three letters Node names the common ones alone, so these pass.
 */
export function isLanguage(tag: string): boolean {
  const [, primary = ''] = /^([A-Za-z]{2,3})(?:-[A-Za-z0-9]{1,8})*$/.exec(tag) ?? [];
  return primary.length === 3 || (primary.length === 2 && names.of(primary) !== undefined);
}

/** Throws `WrongCall` for a text that only looks like a language tag: `korean`, or `jp`, the code of a country. */
export function checkLanguage(tag: string, where: string): void {
  if (isLanguage(tag)) return;
  const meant = meantLanguage(tag);
  throw new WrongCall(
    meant === null
      ? `${where}: ${tag} is not a language tag; give one such as ko, en or pt-BR`
      : `${where}: ${tag} is not a language tag, did you mean ${meant} (${names.of(meant)})?`,
  );
}
