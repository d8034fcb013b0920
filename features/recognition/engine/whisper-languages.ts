import { baseLanguage, macrolanguageOf, membersOf } from '../../../rules/languages.ts';

/**
 * The languages of Whisper whose codes differ from ours, from ours to its own: `LANGUAGES` in `tokenizer.py` of openai/whisper. It has one
 * code for both Norwegian `no` and Bokmål, the code of Tagalog for Filipino, and the withdrawn code of Javanese.
 */
const whisperCodes: ReadonlyMap<string, string> = new Map(Object.entries({ nb: 'no', fil: 'tl', jv: 'jw' }));

/** The codes of the hundred languages of Whisper, of the same table. `yue` came with large-v3. */
const knownCodes: ReadonlySet<string> = new Set(
  `af am ar as az ba be bg bn bo br bs ca cs cy da de el en es et eu fa fi fo fr gl gu ha haw he hi hr ht hu hy id is it ja
   jw ka kk km kn ko la lb ln lo lt lv mg mi mk ml mn mr ms mt my ne nl nn no oc pa pl ps pt ro ru sa sd si sk sl sn so sq
   sr su sv sw ta te tg th tk tl tr tt uk ur uz vi yi yo yue zh`.split(/\s+/),
);

/**
 * The code of Whisper for a base code of ours. A member of a macrolanguage that Whisper does not tell apart, such as `arz`, has the code of
 * the whole. A language that Whisper does not have keeps its code, and the engine refuses it. Answers need no way back: `baseLanguage`
 * makes `jv` of `jw`.
 */
export function whisperCodeOf(code: string): string {
  const own = whisperCodes.get(code) ?? code;
  if (knownCodes.has(own)) return own;
  const whole = macrolanguageOf(code);
  return whole !== null && knownCodes.has(whole) ? whole : own;
}

/**
 * Base codes of ours for all languages that Whisper knows, `yue` included. A member of a macrolanguage that Whisper does not tell apart
 * counts as the whole.
 */
export function languagesOfWhisper(): readonly string[] {
  const own = [...knownCodes].map((code) => baseLanguage(code) ?? code);
  const known = new Set([...own, ...whisperCodes.keys()]);
  return [...new Set([...known, ...own.flatMap(membersOf)])];
}
