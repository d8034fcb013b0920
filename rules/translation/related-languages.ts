import { baseLanguage } from '../languages.ts';

/**
 * Languages whose right translations often look like their source, by base language. The groups are branches of Glottolog 5
 * (glottolog.org): Romance, North Germanic, Franconian and German, and West, South and East Slavic.
 */
const RELATED_LANGUAGES: readonly ReadonlySet<string>[] = [
  new Set(['es', 'pt', 'ca', 'gl', 'it', 'fr', 'oc', 'an', 'ast', 'ro']),
  new Set(['da', 'no', 'nb', 'nn', 'sv']),
  new Set(['nl', 'af', 'de', 'lb']),
  new Set(['cs', 'sk', 'pl']),
  new Set(['hr', 'sr', 'bs', 'sl', 'mk', 'bg']),
  new Set(['uk', 'ru', 'be']),
];

/** True for two tags whose languages are of one branch. */
export function areRelated(one: string, other: string): boolean {
  const [first, second] = [baseLanguage(one) ?? one, baseLanguage(other) ?? other];
  return RELATED_LANGUAGES.some((branch) => branch.has(first) && branch.has(second));
}
