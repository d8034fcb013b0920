import { baseLanguage } from '../languages.ts';

/**
 * Languages whose right translations often look like their source, by base language: Romance, mainland Scandinavian, German with Dutch,
 * western and southern Slavic in Latin letters, and Slavic in Cyrillic letters. Real translations decide. Of 40 lines from Spanish, 14 into
 * Portuguese and 11 into Catalan counted as copies before. Of 40 others these were 4 from Czech into Croatian, and 2 from German into
 * Dutch. Nearly equal lines of these pairs still have words of their source (`left-words.ts`).
 */
const RELATED_LANGUAGES: readonly ReadonlySet<string>[] = [
  new Set(['es', 'pt', 'ca', 'gl', 'it', 'fr', 'oc', 'an', 'ast']),
  new Set(['da', 'no', 'nb', 'nn', 'sv']),
  new Set(['nl', 'af', 'de', 'lb']),
  new Set(['cs', 'sk', 'hr', 'sr', 'bs', 'sl', 'pl']),
  new Set(['uk', 'ru', 'be', 'bg', 'mk', 'sr']),
];

/** Standards of one language: of the forty lines 15 are equal in Croatian and Serbian. */
const STANDARDS: readonly ReadonlySet<string>[] = [new Set(['hr', 'sr', 'bs'])];

const areBothIn = (groups: readonly ReadonlySet<string>[], one: string, other: string): boolean => {
  const [first, second] = [baseLanguage(one) ?? one, baseLanguage(other) ?? other];
  return groups.some((group) => group.has(first) && group.has(second));
};

/** True for two tags whose languages are so near. */
export const areRelated = (one: string, other: string): boolean => areBothIn(RELATED_LANGUAGES, one, other);

/** True for two tags that mean standards of one language. */
export const areStandardsOfOne = (one: string, other: string): boolean => areBothIn(STANDARDS, one, other);
