import type { TrackLanguageFact } from '../../contract/evidence/evidence.ts';

/** From how many characters on an identifier is believed against a tag: fewer are a name, a cry or a foreign word. */
export const contradictionCharacters = 24;

// What the identifier can say (eld, its 60 languages, in their canonical codes): of others it names the nearest.
const identifiable = new Set(
  `am ar az be bg bn ca cs da de el en es et eu fa fi fil fr gu he hi hr hu hy is it ja ka kn ko ku lo lt lv ml mr ms nl no
   or pa pl pt ro ru sk sl sq sr sv ta te th tr uk ur vi yo zh`.split(/\s+/),
);

// Written so much alike that an identifier's word does not part them.
const alike: readonly (readonly string[])[] = [
  ['no', 'nb', 'nn', 'da'],
  ['hr', 'sr', 'bs'],
  ['cs', 'sk'],
  ['ms', 'id'],
  ['zh', 'yue'],
];

const likes = (language: string): readonly string[] =>
  alike.find((languages) => languages.includes(language)) ?? [language];

/** Whether an identifier's word for a text speaks against a language, which it must be able to say. Both are base codes. */
export const isOtherLanguage = (language: string, identified: string | null): boolean =>
  identified !== null &&
  !likes(identified).includes(language) &&
  likes(language).some((each) => identifiable.has(each));

/** A text of a track and what it alone was identified as. */
export interface IdentifiedText {
  readonly text: string;
  readonly language: string | null;
}

/**
 * Whether a track as a whole is in another language than its tag says: by its script, which proves it, or because most of
 * its identified text, at least `contradictionCharacters`, is in the language that the whole was identified as. Languages
 * are bases in their canonical codes. An identifier contradicts only tags that it could have confirmed.
 */
export function contradicts(
  tagged: string,
  found: { readonly language: string; readonly method: TrackLanguageFact['method'] },
  texts: readonly IdentifiedText[],
): boolean {
  const near = likes(found.language);
  if (near.includes(tagged)) return false;
  if (found.method === 'script') return true;
  if (!likes(tagged).some((language) => identifiable.has(language))) return false;
  const charactersOf = (some: readonly IdentifiedText[]): number =>
    some.reduce((sum, { text }) => sum + text.length, 0);
  const identified = texts.filter(({ language }) => language !== null);
  const agreeing = charactersOf(identified.filter(({ language }) => near.includes(language ?? '')));
  return agreeing >= contradictionCharacters && 2 * agreeing > charactersOf(identified);
}
