import { captionProfilesOf } from './caption-profiles.ts';
import { textLinesOf } from './caption-text-lines.ts';
import { isWide, milliCharactersOf } from './cue-measures.ts';

/** Languages that are written without spaces between words: a line may end behind any of their characters. */
const unspaced = /^(zh|ja|yue|wuu)\b/;

/** Marks that a line does not begin with (after JIS X 4051 and the style guides of Netflix for Japanese and Chinese). */
const neverFirst = /^[\p{Pe}\p{Pf}、。，．・：；？！ー…‥々ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮ]/u;
const neverLast = /[\p{Ps}\p{Pi}]$/u;

/** A line that says who speaks keeps its own place. */
const speaker = /^\s*[-–—]\s*\S/u;

/** What may stand between two breaks: words with the space before them, or single characters. */
function piecesOf(text: string, isUnspaced: boolean): string[] {
  if (!isUnspaced) return text.split(/(?<=\s)(?=\S)/u);
  const pieces: string[] = [];
  for (const { segment } of new Intl.Segmenter('und', { granularity: 'grapheme' }).segment(text)) {
    const last = pieces.at(-1);
    const joins =
      last !== undefined && (neverFirst.test(segment) || neverLast.test(last) || !(isWide(segment) || isWide(last)));
    if (joins) pieces[pieces.length - 1] = last + segment;
    else pieces.push(segment);
  }
  return pieces;
}

/** How well a line ends there, from 0: behind a sentence, behind a clause, anywhere else. */
const endingOf = (line: string): number =>
  /[.!?…。？！]["'”’»)]?\s*$/u.test(line) ? 0 : /[,;:、，；：]\s*$/u.test(line) ? 1 : 2;

/** A bad ending costs as much as lines that differ by so many characters. */
const endingCost = 6_000;

/** The best way to break pieces into exactly `count` lines that fit; null if there is none. */
function brokenInto(
  pieces: readonly string[],
  count: number,
  limit: number,
  width: (line: string) => number,
): string[] | null {
  if (count === 1) {
    const line = pieces.join('').trim();
    return width(line) <= limit ? [line] : null;
  }
  let best: { readonly lines: string[]; readonly cost: number } | null = null;
  for (let at = 1; at < pieces.length; at += 1) {
    const first = pieces.slice(0, at).join('').trim();
    if (width(first) > limit) break;
    const rest = brokenInto(pieces.slice(at), count - 1, limit, width);
    if (rest === null) continue;
    const widths = [first, ...rest].map(width);
    const cost = Math.max(...widths) - Math.min(...widths) + endingCost * endingOf(first);
    if (best === null || cost < best.cost) best = { lines: [first, ...rest], cost };
  }
  return best === null ? null : best.lines;
}

/** Fills one line after the other; a piece that is longer than a line has one for itself. */
function filled(pieces: readonly string[], limit: number, width: (line: string) => number): string[] {
  const lines: string[] = [];
  for (const piece of pieces) {
    const last = lines.at(-1);
    if (last !== undefined && width((last + piece).trim()) <= limit) lines[lines.length - 1] = last + piece;
    else lines.push(piece);
  }
  return lines.map((line) => line.trim());
}

/**
 * The lines of a caption by the rules `netflix.v1`: the guideline of Netflix that quality reports measure, 42 characters a line in most
 * languages, 16 in Korean and Chinese, 13 in Japanese, and two lines. Other rules get another name in `lineBreaks`, so that the same
 * captions give the same file. Lines that fit stay as their author broke them, and so do lines of several
 * speakers. Else the text is broken anew into the fewest lines that fit, behind a sentence or a clause if one ends there, and into
 * lines of like length. A text that does not fit into the lines of the guideline gets more of them: no word is lost.
 */
export function brokenLines(text: string, language: string): string[] {
  const [profile] = captionProfilesOf(language);
  const lines = textLinesOf(text).map((line) => line.trim());
  if (profile === undefined || profile.lineCharacters === null) return lines;
  const limit = profile.lineCharacters * 1000;
  const width = (line: string): number => milliCharactersOf(line, profile.countsNarrowHalf);
  const fits = lines.length <= profile.lines && lines.every((line) => width(line) <= limit);
  if (fits || (lines.length > 1 && lines.some((line) => speaker.test(line)))) return lines;
  const isUnspaced = unspaced.test(language);
  const pieces = piecesOf(lines.join(isUnspaced ? '' : ' '), isUnspaced);
  for (let count = 1; count <= profile.lines; count += 1) {
    const broken = brokenInto(pieces, count, limit, width);
    if (broken !== null) return broken;
  }
  return filled(pieces, limit, width);
}
