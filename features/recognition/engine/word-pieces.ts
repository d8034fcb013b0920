import type { RawWord } from '../../../contract/recognition.ts';
import { meanOf } from '../../../rules/statistics.ts';
import { cleanText, probabilityOf } from './engine-answer.ts';

/** A word of an answer, or a token that is a part of one, with times in ms from the start of the sound. */
export interface WordPiece {
  /** With the spaces around it. Half a character is U+FFFD. */
  readonly text: string;
  readonly startMs: number | null;
  readonly endMs: number | null;
  readonly probability: number | null;
}

// A letter that is more than one token has none whole.
const spoken = /[\p{L}\p{N}\uFFFD]/u;

const broken = '\uFFFD';

/** Scripts that put no space between words. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]/u;

/** The pieces that a probability is the mean of: commas, stops and dashes are not heard. All of them if none is heard. */
export function heardIn(pieces: readonly WordPiece[]): readonly WordPiece[] {
  const heard = pieces.filter(({ text }) => spoken.test(text));
  return heard.length === 0 ? pieces : heard;
}

const withoutSpace = (text: string): string => text.replace(/\s+/gu, '');

/**
 * True if some of these are pieces of words. Then the space before a word is in its text, and some begin without one. Together they are
 * the text of the line. Servers that give whole words leave all spaces out, or put one before each.
 */
function arePieces(pieces: readonly WordPiece[], text: string): boolean {
  const whole = pieces.map((piece) => piece.text).join('');
  if (!pieces.some((piece) => /^\s/u.test(piece.text)) && !whole.includes(broken)) return false;
  if (!pieces.slice(1).some((piece) => !/^\s/u.test(piece.text))) return false;
  return whole.includes(broken) || whole.trim().replace(/\s+/gu, ' ') === text.trim().replace(/\s+/gu, ' ');
}

/** Pieces in groups: a new one begins where `begins` says so. */
function grouped(
  pieces: readonly WordPiece[],
  begins: (piece: WordPiece, before: WordPiece) => boolean,
): WordPiece[][] {
  const groups: WordPiece[][] = [];
  for (const [at, piece] of pieces.entries()) {
    const before = pieces[at - 1];
    if (before === undefined || begins(piece, before)) groups.push([]);
    groups.at(-1)?.push(piece);
  }
  return groups;
}

/** The word of a group of pieces; none if nothing is left of its text. */
function wordOf(group: readonly WordPiece[], given?: string): RawWord[] {
  const text = cleanText(given ?? group.map((piece) => piece.text).join(''));
  if (text === null) return [];
  const probabilities = heardIn(group).flatMap(({ probability }) => probabilityOf(probability) ?? []);
  return [
    {
      text,
      startMs: group[0]?.startMs ?? null,
      endMs: group.at(-1)?.endMs ?? null,
      confidence: probabilityOf(meanOf(probabilities)),
    },
  ];
}

/**
 * The texts of groups by the text of their line, in which characters are whole that tokens divide. Null if the two do not agree, or if
 * groups with parts of characters stand side by side.
 */
function wholeTexts(groups: readonly (readonly WordPiece[])[], text: string): string[] | null {
  const line = withoutSpace(text);
  const given = groups.map((group) => withoutSpace(group.map((piece) => piece.text).join('')));
  const whole: string[] = [];
  let from = 0;
  for (const [at, each] of given.entries()) {
    if (!each.includes(broken)) {
      if (!line.startsWith(each, from)) return null;
      whole.push(each);
      from += each.length;
      continue;
    }
    const next = given[at + 1];
    if (next?.includes(broken)) return null;
    const to = next === undefined ? line.length : line.indexOf(next, from + 1);
    if (to <= from) return null;
    whole.push(line.slice(from, to));
    from = to;
  }
  return from === line.length ? whole : null;
}

/**
 * The words of a line. Pieces of words are joined: a word begins with a space. In a script without spaces each piece is one that is
 * a whole character or more. Characters that tokens divide are taken from the text of the line; there are no words if that is not
 * possible. Words that are whole stay as they are. `text` is that of the line as the server gave it; `areTokens` if the server is known to
 * give the tokens of its model.
 */
export function joinedWords(pieces: readonly WordPiece[], text: string, areTokens = false): RawWord[] {
  const given = pieces.filter((piece) => piece.text !== '');
  if (!areTokens && !arePieces(given, text)) return given.flatMap((piece) => wordOf([piece]));
  const isUnspaced = unspaced.test(text);
  const groups = grouped(given, (piece, before) => {
    if (/^\s/u.test(piece.text) || /\s$/u.test(before.text)) return true;
    if (!isUnspaced || !spoken.test(piece.text)) return false;
    return !piece.text.includes(broken) || !before.text.includes(broken);
  });
  if (!given.some((piece) => piece.text.includes(broken))) return groups.flatMap((group) => wordOf(group));
  if (!isUnspaced) {
    const words = text.trim().split(/\s+/u);
    return words.length === groups.length ? groups.flatMap((group, at) => wordOf(group, words[at])) : [];
  }
  const whole = wholeTexts(groups, text);
  return whole === null ? [] : groups.flatMap((group, at) => wordOf(group, whole[at]));
}
