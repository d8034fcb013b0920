import { captionProfilesOf, isWide, milliWidthOf, textLinesOf, writingOf } from './caption-guidelines.ts';
import { graphemesOf } from './graphemes.ts';

/** Languages that are written without spaces between words: a line may end behind any of their characters. */
const unspaced: readonly (string | null)[] = ['zh', 'ja', 'yue', 'wuu'];

/** Marks that a line does not begin with (after JIS X 4051 and the style guides of Netflix for Japanese and Chinese). */
const neverFirst = /^[\p{Pe}\p{Pf}、。，．・：；？！ー…‥々ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮ]/u;
const neverLast = /[\p{Ps}\p{Pi}]$/u;

/** A line that names its speaker keeps its own place. */
const speaker = /^\s*[-–—]\s*\S/u;

/** The pieces between two possible breaks: words with the space before them, or single characters. */
function piecesOf(text: string, isUnspaced: boolean): string[] {
  if (!isUnspaced) return text.split(/(?<=\s)(?=\S)/u);
  const pieces: string[] = [];
  let before = '';
  for (const character of graphemesOf(text)) {
    const last = pieces.at(-1);
    const isWithinWord = !/\s$/u.test(before) && !(isWide(character) || isWide(before));
    const joins = last !== undefined && (neverFirst.test(character) || neverLast.test(before) || isWithinWord);
    if (joins) pieces[pieces.length - 1] = last + character;
    else pieces.push(character);
    before = character;
  }
  return pieces;
}

/** Lines as one, with a space between two of them; in a language without spaces only between words of another script. */
function asOneLine(lines: readonly string[], isUnspaced: boolean): string {
  if (!isUnspaced) return lines.join(' ');
  const lastOf = (text: string): string => graphemesOf(text).at(-1) ?? '';
  const [first = '', ...others] = lines;
  let [text, last] = [first, lastOf(first)];
  for (const line of others) {
    const next = isWide(last) || isWide(line) ? line : ` ${line}`;
    text += next;
    // A line may begin with marks of the character before it.
    last = lastOf(last + next);
  }
  return text;
}

/** How well a line ends there, from 0: behind a sentence, behind a clause, anywhere else. */
const endingOf = (line: string): number =>
  /[.!?…。？！]["'”’»)]?\s*$/u.test(line) ? 0 : /[,;:、，；：]\s*$/u.test(line) ? 1 : 2;

/** A bad ending costs as much as lines that differ by so many characters. */
const endingCost = 6_000;

/** A part of a text, in code units; without the spaces at its ends. */
interface Part {
  readonly from: number;
  readonly to: number;
}

/** A text in the pieces between its possible breaks. It is segmented once: the width of a part is a difference of sums. */
class BreakableText {
  readonly #text: string;
  readonly #countsNarrowHalf: boolean;
  /** Where each character begins, and the width of those before it in thousandths of a character. */
  readonly #begins: number[] = [];
  readonly #widths: number[] = [0];
  /** For each place between two pieces, the first sign of the text behind it and the end of the last one before it. */
  readonly #signsAfter: number[] = [];
  readonly #signsBefore: number[] = [];

  constructor(text: string, pieces: readonly string[], countsNarrowHalf: boolean) {
    this.#text = text;
    this.#countsNarrowHalf = countsNarrowHalf;
    let at = 0;
    for (const character of graphemesOf(text)) {
      this.#begins.push(at);
      this.#widths.push((this.#widths.at(-1) ?? 0) + milliWidthOf(character, countsNarrowHalf));
      at += character.length;
    }
    let [end, sign] = [0, 0];
    this.#signsBefore.push(0);
    for (const piece of pieces) {
      const words = piece.trimEnd();
      if (words !== '') sign = end + words.length;
      end += piece.length;
      this.#signsBefore.push(sign);
    }
    let next = text.length;
    this.#signsAfter.push(next);
    for (const piece of pieces.toReversed()) {
      end -= piece.length;
      const words = piece.trimStart();
      if (words !== '') next = end + piece.length - words.length;
      this.#signsAfter.push(next);
    }
    this.#signsAfter.reverse();
  }

  /** Pieces from one to before another, as a line. */
  part(from: number, to: number): Part {
    const [first, last] = [this.#signsAfter[from] ?? 0, this.#signsBefore[to] ?? 0];
    return { from: first, to: Math.max(first, last) };
  }

  textOf({ from, to }: Part): string {
    return this.#text.slice(from, to);
  }

  /** The width of a line in thousandths of a character. */
  widthOf({ from, to }: Part): number {
    if (from === to) return 0;
    const [first, last] = [this.#characterAt(from), this.#characterAt(to - 1)];
    const begin = this.#begins[first] ?? 0;
    const sum = (this.#widths[last + 1] ?? 0) - (this.#widths[first + 1] ?? 0);
    // Without the space that they are written on, marks are a character of their own.
    const own = this.#text.slice(Math.max(begin, from), Math.max(begin, from) + 2);
    return sum + milliWidthOf(own, this.#countsNarrowHalf);
  }

  /** The place of the character that has a code unit. */
  #characterAt(unit: number): number {
    let [low, high] = [0, this.#begins.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#begins[middle] ?? unit) <= unit) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

/** The best way to break the pieces from one on into exactly `count` lines that fit; null if there is none. */
function brokenInto(
  text: BreakableText,
  pieces: { readonly from: number; readonly to: number },
  count: number,
  limit: number,
): Part[] | null {
  if (count === 1) {
    const line = text.part(pieces.from, pieces.to);
    return text.widthOf(line) <= limit ? [line] : null;
  }
  let best: { readonly lines: Part[]; readonly cost: number } | null = null;
  let ended = -1;
  for (let at = pieces.from + 1; at < pieces.to; at += 1) {
    const first = text.part(pieces.from, at);
    if (text.widthOf(first) > limit) break;
    // A piece of spaces alone changes nothing, and of equal ways the first counts.
    if (first.to === ended) continue;
    ended = first.to;
    const rest = brokenInto(text, { from: at, to: pieces.to }, count - 1, limit);
    if (rest === null) continue;
    const widths = [first, ...rest].map((line) => text.widthOf(line));
    const cost = Math.max(...widths) - Math.min(...widths) + endingCost * endingOf(text.textOf(first));
    if (best === null || cost < best.cost) best = { lines: [first, ...rest], cost };
  }
  return best === null ? null : best.lines;
}

/** Fills one line after the other; a piece that is longer than a line has one for itself. */
function filled(text: BreakableText, count: number, limit: number): Part[] {
  const lines: Part[] = [];
  for (let from = 0; from < count; ) {
    let to = from + 1;
    while (to < count && text.widthOf(text.part(from, to + 1)) <= limit) to += 1;
    lines.push(text.part(from, to));
    from = to;
  }
  return lines;
}

/**
 * The lines of a caption by the rules `netflix.v1`: the guideline of Netflix that quality reports measure. It has 42 characters a
 * line in most languages, 16 in Korean and Chinese, 13 in Japanese, and two lines. Other rules get another name in `lineBreaks`,
 * so that the same captions give the same file, but for a mended fault. Lines that fit stay as their author broke them, and so do lines of several
 * speakers. Else the text is broken again into the fewest lines that fit. They end behind a sentence or a clause if possible, and
 * have like lengths. A text that does not fit into the lines of the guideline gets more of them: no word is lost.
 */
export function brokenLines(text: string, language: string): string[] {
  const [profile] = captionProfilesOf(language);
  const lines = textLinesOf(text).map((line) => line.trim());
  if (profile === undefined || profile.lineCharacters === null) return lines;
  const { countsNarrowHalf } = profile;
  const limit = profile.lineCharacters * 1000;
  const width = (line: string): number =>
    graphemesOf(line).reduce((sum, character) => sum + milliWidthOf(character, countsNarrowHalf), 0);
  const fits = lines.length <= profile.lines && lines.every((line) => width(line) <= limit);
  if (fits || (lines.length > 1 && lines.some((line) => speaker.test(line)))) return lines;
  const isUnspaced = unspaced.includes(writingOf(language).language);
  const whole = asOneLine(lines, isUnspaced);
  const pieces = piecesOf(whole, isUnspaced);
  const breakable = new BreakableText(whole, pieces, countsNarrowHalf);
  const textsOf = (parts: readonly Part[]): string[] => parts.map((part) => breakable.textOf(part));
  for (let count = 1; count <= profile.lines; count += 1) {
    const broken = brokenInto(breakable, { from: 0, to: pieces.length }, count, limit);
    if (broken !== null) return textsOf(broken);
  }
  return textsOf(filled(breakable, pieces.length, limit));
}
