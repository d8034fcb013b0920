import type { Range } from '../contract/base/grammar.ts';
import type { EvidenceArtifact, SpokenLanguage } from '../contract/evidence/evidence.ts';
import { areOneLanguage, baseLanguage, isWrittenAlike } from './languages.ts';
import { hullOf, lengthOf } from './time-spans.ts';

/**
 * When a piece of sound is in another language than the asked one. Whisper writes such speech as fluent sentences of the asked language,
 * and is sure of them. So it is asked which language it hears.
 *
 * The asked language has to be less probable than `below`, in a piece of at least `leastMs`. Whisper base hears English in the first second
 * of a Spanish reading with 0.92. In 71 pieces of two seconds and more, by nine English and Spanish voices, it named no wrong language
 * with more than 0.46. (`docs/recognition.md` has the figures.) A piece next to such a one, or at most `besideMs` away, needs only
 * `besideBelow`, if the same language is heard in it.
 */
export const OTHER_LANGUAGE = { below: 0.1, leastMs: 2000, besideMs: 5000, besideBelow: 0.5 } as const;

/** The thresholds, as a transcript states them among its parameters. */
export const OTHER_LANGUAGE_PARAMETERS: EvidenceArtifact['parameters'] = {
  askedLanguageBelow: OTHER_LANGUAGE.below,
  askedLanguageLeastMs: OTHER_LANGUAGE.leastMs,
  askedLanguageBesideMs: OTHER_LANGUAGE.besideMs,
  askedLanguageBesideBelow: OTHER_LANGUAGE.besideBelow,
};

/** Spoken so much alike that a recognizer takes one for the other. Hindi and Urdu differ in script and not in everyday speech. */
const spokenAlike: readonly (readonly string[])[] = [
  ['hi', 'ur'],
  ['fa', 'tg'],
];

/** True if a recognizer that hears one language may have the other before it. A macrolanguage is each of its members. */
export const soundsAlike = (code: string, other: string): boolean =>
  areOneLanguage(code, other) ||
  isWrittenAlike(code, other) ||
  spokenAlike.some((languages) => languages.includes(code) && languages.includes(other));

/** The probability of a language by those that a recognizer states, with all that sounds like it. Codes are bases. */
export const probabilityIn = (asked: string, stated: Readonly<Record<string, number>>): number =>
  Object.entries(stated).reduce((sum, [code, probability]) => {
    const base = baseLanguage(code);
    return base !== null && soundsAlike(base, asked) ? sum + probability : sum;
  }, 0);

/** The most that the asked language can have: a recognizer that states the first language alone leaves it the rest. */
const mostOf = ({ probability, asked }: SpokenLanguage): number => asked ?? Math.min(probability, 1 - probability);

/** A region of a transcript with the language that was heard in it, if its recognizer was asked. */
type HeardRegion = Range & { readonly spoken?: SpokenLanguage | undefined };

/**
 * For each region of a transcript, in order: the language that it is in, if that certainly is not the asked one; else null. `asked` is the
 * base code of the language that the recognizer was told; null if it was told none.
 */
export function otherLanguagesIn(regions: readonly HeardRegion[], asked: string | null): (string | null)[] {
  const heard = regions.map(({ spoken }) =>
    asked === null || spoken === undefined || soundsAlike(spoken.language, asked) ? null : spoken,
  );
  const found = heard.map((spoken) =>
    spoken !== null && lengthOf(spoken) >= OTHER_LANGUAGE.leastMs && mostOf(spoken) < OTHER_LANGUAGE.below
      ? spoken.language
      : null,
  );
  const spread = (at: number, before: number): void => {
    const [spoken, region, neighbor] = [heard[at], regions[at], regions[before]];
    if (found[at] !== null || spoken == null || region === undefined || neighbor === undefined) return;
    const gapMs = Math.max(region.startMs - neighbor.endMs, neighbor.startMs - region.endMs);
    if (found[before] !== spoken.language || gapMs > OTHER_LANGUAGE.besideMs) return;
    if (mostOf(spoken) < OTHER_LANGUAGE.besideBelow) found[at] = spoken.language;
  };
  for (let at = 1; at < regions.length; at += 1) spread(at, at - 1);
  for (let at = regions.length - 2; at >= 0; at -= 1) spread(at, at + 1);
  return found;
}

/** A stretch of a film that is in another language. */
export interface OtherStretch extends Range {
  readonly language: string;
}

/** The stretches of consecutive regions in one other language. */
export function otherStretchesIn(regions: readonly HeardRegion[], asked: string | null): OtherStretch[] {
  const found: OtherStretch[] = [];
  for (const [at, language] of otherLanguagesIn(regions, asked).entries()) {
    const region = regions[at];
    if (language === null || region === undefined) continue;
    const last = found.at(-1);
    const isNext = last?.language === language && region.startMs - last.endMs <= OTHER_LANGUAGE.besideMs;
    if (last !== undefined && isNext) found[found.length - 1] = { language, ...hullOf([last, region]) };
    else found.push({ language, startMs: region.startMs, endMs: region.endMs });
  }
  return found;
}
