import { baseLanguage } from '../core/base-language.ts';
import { lettersOf } from './line-tokens.ts';

/**
 * From how many letters on a script is judged, and the identifier believed. On single cues the identifier errs in 31 of
 * 100, so shorter lines are not judged by it; the bound of 40 letters is a choice and was not measured. Fewer than eight
 * letters in a foreign script are a name.
 */
export const LANGUAGE_GATE = { scriptLetters: 8, foreignShare: 0.5, identifiedLetters: 40 } as const;

const LATIN = /\p{Script=Latin}/u;

const scripts: Readonly<Record<string, RegExp>> = {
  ko: /[\p{Script=Hangul}\p{Script=Han}]/u,
  ja: /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u,
  zh: /[\p{Script=Han}\p{Script=Bopomofo}]/u,
  yue: /\p{Script=Han}/u,
  th: /\p{Script=Thai}/u,
  el: /\p{Script=Greek}/u,
  hy: /\p{Script=Armenian}/u,
  ka: /\p{Script=Georgian}/u,
  ta: /\p{Script=Tamil}/u,
  te: /\p{Script=Telugu}/u,
  kn: /\p{Script=Kannada}/u,
  ml: /\p{Script=Malayalam}/u,
  gu: /\p{Script=Gujarati}/u,
  pa: /\p{Script=Gurmukhi}/u,
  ...Object.fromEntries(['he', 'yi'].map((code) => [code, /\p{Script=Hebrew}/u])),
  ...Object.fromEntries(['hi', 'mr', 'ne'].map((code) => [code, /\p{Script=Devanagari}/u])),
  ...Object.fromEntries(['bn', 'as'].map((code) => [code, /\p{Script=Bengali}/u])),
  ...Object.fromEntries(['ar', 'fa', 'ur', 'ps'].map((code) => [code, /\p{Script=Arabic}/u])),
  ...Object.fromEntries(['ru', 'uk', 'bg', 'be', 'mk'].map((code) => [code, /\p{Script=Cyrillic}/u])),
  ...Object.fromEntries(
    'en de fr es it pt nl sv no nb nn da fi is et lv lt pl cs sk sl hr hu ro tr vi id ms tl sw ca eu gl ga cy af sq'
      .split(' ')
      .map((code) => [code, LATIN]),
  ),
};

/** Names by which servers of the Whisper family call a language; others use its code. */
const names: Readonly<Record<string, string>> = {
  ...{
    arabic: 'ar',
    chinese: 'zh',
    czech: 'cs',
    danish: 'da',
    dutch: 'nl',
    english: 'en',
    finnish: 'fi',
    french: 'fr',
  },
  ...{ german: 'de', greek: 'el', hebrew: 'he', hindi: 'hi', hungarian: 'hu', indonesian: 'id', italian: 'it' },
  ...{ japanese: 'ja', korean: 'ko', norwegian: 'no', polish: 'pl', portuguese: 'pt', romanian: 'ro', russian: 'ru' },
  ...{ spanish: 'es', swedish: 'sv', thai: 'th', turkish: 'tr', ukrainian: 'uk', vietnamese: 'vi' },
};

/** The language that a recogniser says it heard; null where its word is no code and no known name. */
export function heardLanguage(word: string): string | null {
  const plain = word.trim().toLowerCase();
  if (Object.hasOwn(names, plain)) return names[plain] ?? null;
  return /^[a-z]{2,3}(-[a-z0-9]+)*$/.test(plain) ? baseLanguage(plain) : null;
}

/** Most letters of a text are of no script in which one of these languages is written. */
function isForeignScript(letters: readonly string[], declared: readonly string[]): boolean {
  const words = letters.filter((letter) => /\p{L}/u.test(letter));
  if (words.length < LANGUAGE_GATE.scriptLetters) return false;
  const known = declared.map((code) => scripts[code]);
  if (known.some((script) => script === undefined)) return false;
  const own = words.filter((letter) => known.some((script) => script?.test(letter))).length;
  return own < (1 - LANGUAGE_GATE.foreignShare) * words.length;
}

/**
 * Whether a text is in another language than the declared ones (base codes; none declared, none contradicted): by its
 * script; by what was identified where the text is long enough; by what the recogniser itself heard.
 */
export function contradictsLanguage(
  text: string,
  declared: readonly string[],
  { identified, heard }: { readonly identified: string | null; readonly heard: string | null },
): boolean {
  if (declared.length === 0) return false;
  const letters = lettersOf(text);
  if (isForeignScript(letters, declared)) return true;
  const heardCode = heard === null ? null : heardLanguage(heard);
  if (heardCode !== null && !declared.includes(heardCode)) return true;
  const code = identified === null ? null : baseLanguage(identified);
  return code !== null && letters.length >= LANGUAGE_GATE.identifiedLetters && !declared.includes(code);
}
