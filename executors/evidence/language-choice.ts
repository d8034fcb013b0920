import type { IdentifiedText } from '../detector/detector-messages.ts';
import { hasForeignLetter, isNoNeighbour } from './near-languages.ts';

/**
 * When an identified language is answered. Measured in the odds of the identifier's mean score and in the pieces of text (n-grams
 * of four bytes) that it read; found on translations of programs and on one half of `fixtures/languages`, and reported on the
 * other half (docs/evaluation.md).
 */
export const LANGUAGE_CHOICE = {
  /** A text alone: the second language has at most this share of the odds of the first. Scripts that several languages share raise all. */
  aloneShare: 0.9,
  /** A block of a track is longer, so that near languages (Danish, Norwegian) are further apart in it. */
  blockShare: 0.87,
  /** The first language must lead the second by so much: odds times pieces. */
  lead: 5,
  /** A cue keeps the language of its track where that has this share of the odds of the first, or where the first does not lead it by so much. */
  hintShare: 0.7,
  hintLead: 6,
  /** The share of a track's blocks that must agree, and of its texts that may have a letter which the language does not write. */
  agreeing: 0.5,
  foreignTexts: 0.1,
} as const;

const WORD = /[\p{L}\p{M}]+/gu;
const LETTER = /\p{L}/gu;
const LATIN = /\p{Script=Latin}/gu;

const occurrences = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

const isMostlyLatin = (text: string): boolean => 2 * occurrences(text, LATIN) > occurrences(text, LETTER);

/** How many pieces of a text the identifier compares: of each different word its beginning and one every three bytes behind it. */
function piecesIn(text: string): number {
  const words = new Set(text.toLowerCase().match(WORD));
  let pieces = 0;
  for (const word of words) pieces += 1 + Math.max(0, Math.ceil((Buffer.byteLength(word, 'utf8') - 4) / 3));
  return pieces;
}

/** The first language, if the text covers it and it is far enough before the second. */
function clearFirst(text: string, { isCovered, odds }: IdentifiedText, share: number): string | null {
  const [first, second] = odds;
  if (!isCovered || first === undefined) return null;
  const [code, most] = first;
  const next = second?.[1] ?? 0;
  if (next > share * most && isMostlyLatin(text)) return null;
  return (most - next) * piecesIn(text) < LANGUAGE_CHOICE.lead ? null : code;
}

/** The language of a text that nothing else is known of; null where it is not clear. */
export function languageAlone(text: string, identified: IdentifiedText): string | null {
  const code = clearFirst(text, identified, LANGUAGE_CHOICE.aloneShare);
  if (code === null || hasForeignLetter(text, code)) return null;
  return isNoNeighbour([text], code) ? code : null;
}

/** What a track is identified as, and which language it looks like and is not. */
export interface TrackChoice {
  readonly code: string | null;
  readonly refused: string | null;
}

/** The language that more than half of all blocks of a track are clearly in. */
export function languageOfBlocks(
  texts: readonly string[],
  blocks: readonly string[],
  identified: readonly IdentifiedText[],
): TrackChoice {
  const votes = new Map<string, number>();
  for (const [at, block] of blocks.entries()) {
    const found = identified[at];
    const code = found === undefined ? null : clearFirst(block, found, LANGUAGE_CHOICE.blockShare);
    if (code !== null) votes.set(code, (votes.get(code) ?? 0) + 1);
  }
  const [code] = [...votes].find(([, count]) => count > LANGUAGE_CHOICE.agreeing * blocks.length) ?? [null];
  if (code === null) return { code, refused: null };
  const foreign = texts.filter((text) => hasForeignLetter(text, code)).length;
  const isOther = foreign >= LANGUAGE_CHOICE.foreignTexts * texts.length && foreign > 0;
  return isOther || !isNoNeighbour(texts, code) ? { code: null, refused: code } : { code, refused: null };
}

/** The language of one cue of a track: that of the track, unless the cue is clearly in another. */
export function languageOfCue(text: string, identified: IdentifiedText, { code, refused }: TrackChoice): string | null {
  const alone = languageAlone(text, identified);
  if (code === null) return alone === refused ? null : alone;
  const [first] = identified.odds;
  if (first === undefined) return null;
  const own = identified.odds.find(([each]) => each === code)?.[1] ?? 0;
  const isWeak = (first[1] - own) * piecesIn(text) < LANGUAGE_CHOICE.hintLead;
  if (own > 0 && (isWeak || own >= LANGUAGE_CHOICE.hintShare * first[1])) {
    return hasForeignLetter(text, code) ? null : code;
  }
  return isWeak ? null : alone;
}
