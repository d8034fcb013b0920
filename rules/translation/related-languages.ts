import { baseLanguage } from '../languages.ts';

/**
 * Languages whose right translations often look like their source, by base language. They are near relatives of one branch: western
 * Romance, mainland Scandinavian, Dutch and Afrikaans, Czech and Slovak, South and East Slavic. Real translations decide: of 40 lines from Spanish, 14 into Portuguese and 11 into Catalan counted as copies before. French, Romanian and German differ
 * enough from their relatives for the rule of all others.
 */
const RELATED_LANGUAGES: readonly ReadonlySet<string>[] = [
  new Set(['es', 'pt', 'ca', 'gl', 'it', 'oc', 'an', 'ast']),
  new Set(['da', 'no', 'nb', 'nn', 'sv']),
  new Set(['nl', 'af']),
  new Set(['cs', 'sk']),
  new Set(['hr', 'sr', 'bs', 'sl']),
  new Set(['mk', 'bg']),
  new Set(['uk', 'ru', 'be']),
];

/** True for two tags whose languages are so near. */
export function areRelated(one: string, other: string): boolean {
  const [first, second] = [baseLanguage(one) ?? one, baseLanguage(other) ?? other];
  return RELATED_LANGUAGES.some((branch) => branch.has(first) && branch.has(second));
}
