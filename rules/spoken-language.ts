import type { Range } from '../contract/base/grammar.ts';
import type { EvidenceArtifact, SpokenLanguage } from '../contract/evidence/evidence.ts';
import { areOneLanguage, isWrittenAlike } from './languages.ts';
import { hullOf, lengthOf } from './time-spans.ts';

/**
 * When a piece of sound is in another language than the asked one. Whisper writes such speech as fluent sentences of the asked language,
 * and is sure of them. So it is asked which language it hears.
 *
 * The asked language has to be less probable than `below`, in a piece of at least `leastMs`: Whisper base hears English in the first
 * second of a Spanish reading, with 0.92. A piece that is at most `besideMs` away from such a one needs only `besideBelow`, if the same
 * language is heard in it.
 *
 * Some servers state a language and no probability. Then a piece needs `leastNamedMs`. And they have to name the asked language in at
 * least `namedShare` of such pieces: a server that always answers English has not listened. `docs/guides/recognition.md` has the figures.
 */
export const OTHER_LANGUAGE = {
  below: 0.1,
  leastMs: 2000,
  besideMs: 5000,
  besideBelow: 0.5,
  leastNamedMs: 4000,
  namedShare: 0.5,
} as const;

/** The thresholds, as a transcript states them among its parameters. */
export const OTHER_LANGUAGE_PARAMETERS: EvidenceArtifact['parameters'] = {
  askedLanguageBelow: OTHER_LANGUAGE.below,
  askedLanguageLeastMs: OTHER_LANGUAGE.leastMs,
  askedLanguageBesideMs: OTHER_LANGUAGE.besideMs,
  askedLanguageBesideBelow: OTHER_LANGUAGE.besideBelow,
  askedLanguageLeastNamedMs: OTHER_LANGUAGE.leastNamedMs,
  askedLanguageNamedShare: OTHER_LANGUAGE.namedShare,
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

/**
 * The most that the asked language can have: a recognizer that states the first language alone leaves it the rest. Null if the recognizer
 * states no probability.
 */
function mostOf({ probability, asked }: SpokenLanguage): number | null {
  if (asked !== null) return asked;
  return probability === null ? null : Math.min(probability, 1 - probability);
}

/** True if a piece is long enough to be judged by itself. */
export const isLongEnough = (piece: Range): boolean => lengthOf(piece) >= OTHER_LANGUAGE.leastMs;

/** True if the language of a piece is neither certainly the asked one nor certainly another: there may be two in it. */
export function isLanguageDoubtful(spoken: SpokenLanguage, asked: string): boolean {
  const { probability } = spoken;
  if (soundsAlike(spoken.language, asked)) return probability !== null && probability < 1 - OTHER_LANGUAGE.below;
  return (mostOf(spoken) ?? 0) >= OTHER_LANGUAGE.below;
}

/** A region of a transcript with the language that was heard in it, if its recognizer was asked. */
type HeardRegion = Range & { readonly spoken?: SpokenLanguage | undefined };

/** True if a recognizer that states languages alone names the asked one often enough to be believed about others. */
function isListening(heard: readonly SpokenLanguage[], asked: string): boolean {
  const named = heard.filter((each) => mostOf(each) === null && lengthOf(each) >= OTHER_LANGUAGE.leastNamedMs);
  const own = named.filter(({ language }) => soundsAlike(language, asked));
  return own.length > 0 && own.length >= OTHER_LANGUAGE.namedShare * named.length;
}

/** True if a piece in which another language was heard is certainly in it, by itself. */
function isOther(spoken: SpokenLanguage, isBelieved: boolean): boolean {
  const most = mostOf(spoken);
  if (most === null) return isBelieved && lengthOf(spoken) >= OTHER_LANGUAGE.leastNamedMs;
  return most < OTHER_LANGUAGE.below && isLongEnough(spoken);
}

/**
 * For each region of a transcript, in order: the language that it is in, if that certainly is not the asked one; else null. `asked` is the
 * base code of the language that the recognizer was told; null if it was told none.
 */
export function otherLanguagesIn(regions: readonly HeardRegion[], asked: string | null): (string | null)[] {
  if (asked === null) return regions.map(() => null);
  const isBelieved = isListening(
    regions.flatMap(({ spoken }) => spoken ?? []),
    asked,
  );
  const heard = regions.map(({ spoken }) =>
    spoken === undefined || soundsAlike(spoken.language, asked) ? null : spoken,
  );
  const found = heard.map((spoken) => (spoken !== null && isOther(spoken, isBelieved) ? spoken.language : null));
  const spread = (at: number, from: number): void => {
    const [spoken, region, beside] = [heard[at], regions[at], regions[from]];
    if (found[at] !== null || spoken == null || region === undefined || beside === undefined) return;
    const gapMs = Math.max(region.startMs - beside.endMs, beside.startMs - region.endMs);
    if (found[from] !== spoken.language || gapMs > OTHER_LANGUAGE.besideMs) return;
    if ((mostOf(spoken) ?? 0) < OTHER_LANGUAGE.besideBelow) found[at] = spoken.language;
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
