import type { LineBreaks } from '../contract/captions/caption-line.ts';
import { presentBreaks } from '../contract/captions/line-breaks.ts';
import { captionProfilesOf, isWide, milliWidthOf, textLinesOf, writingOf } from './caption-guidelines.ts';
import { graphemesOf } from './graphemes.ts';
import { countedWidth, netflixGuideline } from './guideline-tables.ts';

/** The rules by which lines are broken. */
export type BreakRules = Exclude<LineBreaks, 'author'>;

/** Languages that are written without spaces between words: a line may end behind any of their characters. */
const unspaced: readonly (string | null)[] = ['zh', 'ja', 'yue', 'wuu'];

/** Marks that a line does not begin with (after JIS X 4051 and the style guides of Netflix for Japanese and Chinese). */
const neverFirst = /^[\p{Pe}\p{Pf}、。，．・：；？！ー…‥々ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮ]/u;
const neverLast = /[\p{Ps}\p{Pi}]$/u;

/** A line that names its speaker keeps its own place. */
const speaker = /^\s*[-–—]\s*\S/u;

/** The same with marks of direction before the dash. */
const markedSpeaker = /^[\s\u200E\u200F\u202A-\u202E\u2066-\u2069]*[-–—]\s*\S/u;

/** The characters of a text, those joined that no line divides. */
function characterPieces(text: string): string[] {
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

/** The pieces between two possible breaks by `netflix.v1`: words with the space before them, or single characters. */
const piecesOf = (text: string, isUnspaced: boolean): string[] =>
  isUnspaced ? characterPieces(text) : text.split(/(?<=\s)(?=\S)/u);

/** Scripts that are written without spaces between words. */
const { raw } = String;

const denseScripts = raw`\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}`;
/** Punctuation and letters of these scripts that are as wide as their signs. */
const wideSigns = raw`\u3000-\u303F\uFF01-\uFF60`;
const dense = new RegExp(`[${denseScripts}${wideSigns}]`, 'u');
/** A character of these scripts, and the marks behind it. */
const endsDense = new RegExp(raw`[${denseScripts}${wideSigns}][\p{M}\p{Cf}]*\s*$`, 'u');
const beginsDense = new RegExp(raw`^[\s\p{Cf}]*[${denseScripts}${wideSigns}]`, 'u');

/** The places of a text where a line may end: behind a space, but no space that keeps words together, and behind U+200B. */
const breakingSpaces =
  /(?<=[\t-\r \u1680\u2000-\u2006\u2008-\u200B\u2028\u2029\u205F\u3000])(?=[^\t-\r \u1680\u2000-\u2006\u2008-\u200B\u2028\u2029\u205F\u3000])/u;

/** Signs that repeat, shorten or end what is before them, beside those of `neverFirst`. U+104E begins a word. */
const endsWord = /^(?:(?!\u104E)[\p{Po}\p{M}](?<![¿¡])|[\u0E2F\u0E46\u0EAF\u0EC6\u17D7])/u;

const words = new Intl.Segmenter('und', { granularity: 'word' });

/** `Intl.Segmenter` takes the square of a text's length: a longer run without a space is divided before it is segmented. */
const longestRun = 256;

/** Japanese particles: a row does not begin with one (Netflix, Japanese guide, line breaks). */
const particle = /^(?:[はがをにへでともやかのねよばてただ]|から|まで|より)$/u;

/** True if no line ends between two pieces. Words of other scripts within such a text end at spaces alone. */
const isOneWord = (last: string, piece: string): boolean =>
  neverFirst.test(piece) ||
  endsWord.test(piece) ||
  particle.test(piece) ||
  neverLast.test(last) ||
  !(/\s$/u.test(last) || endsDense.test(last) || beginsDense.test(piece));

/**
 * A run of text without a space, in its words as ICU's dictionaries have them. Without an entry a word may be divided into its
 * syllables. A word that is wider than a line is divided into its characters.
 */
function densePieces(run: string, fitsLine: (piece: string) => boolean): string[] {
  const pieces: string[] = [];
  const add = (piece: string): void => {
    const last = pieces.at(-1);
    if (last !== undefined && isOneWord(last, piece)) pieces[pieces.length - 1] = last + piece;
    else pieces.push(piece);
  };
  let part = '';
  const flush = (): void => {
    for (const { segment } of words.segment(part)) add(segment);
    part = '';
  };
  for (const character of graphemesOf(run)) {
    if (part.length + character.length > longestRun) flush();
    part += character;
  }
  flush();
  return pieces.flatMap((piece) => (fitsLine(piece) || !dense.test(piece) ? [piece] : characterPieces(piece)));
}

/** The pieces between two possible breaks by `netflix.v2`. They follow from the script, whatever the tag of the text. */
const wordPieces = (text: string, fitsLine: (piece: string) => boolean): string[] =>
  text.split(breakingSpaces).flatMap((run) => (dense.test(run) ? densePieces(run, fitsLine) : [run]));

/** True if two lines are one without a space: within a script that has none, and around full-width signs. */
const isWithoutSpace = (text: string, line: string): boolean =>
  (endsDense.test(text) && beginsDense.test(line)) || isWide(line) || isWide(graphemesOf(text).at(-1) ?? '');

/** Lines as one, with a space between two of them if their scripts have any. */
const joinedLines = (lines: readonly string[]): string =>
  lines.reduce((text, line) => (isWithoutSpace(text, line) ? text + line : `${text} ${line}`));

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

/** How well a line ends, from 0: behind a sentence, behind a clause, anywhere else. `next` is what follows it. */
type Ending = (line: string, next: string) => number;

const endingOf: Ending = (line) =>
  /[.!?…。？！]["'”’»)]?\s*$/u.test(line) ? 0 : /[,;:、，；：]\s*$/u.test(line) ? 1 : 2;

const sentenceEnd = /[.!?…。？！؟۔।॥။។።]["'”’»」』)\p{Cf}]*\s*$/u;
const clauseEnd = /[,;:、，；：،؛၊፣፤]["'”’»」』)\p{Cf}]*\s*$/u;

/** By `netflix.v2`, also in other scripts. A space in a script without spaces ends a phrase. */
const endingByScript: Ending = (line, next) => {
  if (sentenceEnd.test(line)) return 0;
  return clauseEnd.test(line) || (/^\s/u.test(next) && endsDense.test(line)) ? 1 : 2;
};

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
  readonly #widthOf: (character: string) => number;
  /** Where each character begins, and the width of those before it in thousandths of a character. */
  readonly #begins: number[] = [];
  readonly #widths: number[] = [0];
  /** For each place between two pieces, the first sign of the text behind it and the end of the last one before it. */
  readonly #signsAfter: number[] = [];
  readonly #signsBefore: number[] = [];

  constructor(text: string, pieces: readonly string[], widthOf: (character: string) => number) {
    this.#text = text;
    this.#widthOf = widthOf;
    let at = 0;
    for (const character of graphemesOf(text)) {
      this.#begins.push(at);
      this.#widths.push((this.#widths.at(-1) ?? 0) + widthOf(character));
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

  get end(): number {
    return this.#text.length;
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
    const own = this.#text.slice(Math.max(begin, from), this.#begins[first + 1] ?? this.#text.length);
    return sum + this.#widthOf(own);
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
  { limit, ending }: Pick<Breaking, 'limit' | 'ending'>,
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
    const rest = brokenInto(text, { from: at, to: pieces.to }, count - 1, { limit, ending });
    if (rest === null) continue;
    const widths = [first, ...rest].map((line) => text.widthOf(line));
    const cost =
      Math.max(...widths) -
      Math.min(...widths) +
      endingCost * ending(text.textOf(first), text.textOf({ from: first.to, to: text.end }));
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

/** How a text is broken: by which limits, at which places. Widths are in thousandths of a character. */
interface Breaking {
  readonly limit: number;
  readonly rows: number;
  readonly widthOf: (character: string) => number;
  readonly speaker: RegExp;
  readonly ending: Ending;
  readonly joined: (lines: readonly string[]) => string;
  readonly pieces: (text: string) => string[];
}

/** By the table and the places of the first version: a language is spaced or not, and a line may end behind any space. */
function firstBreaking(language: string): Breaking | null {
  const [profile] = captionProfilesOf(language);
  if (profile === undefined || profile.lineCharacters === null) return null;
  const isUnspaced = unspaced.includes(writingOf(language).language);
  return {
    limit: profile.lineCharacters * 1000,
    rows: profile.lines,
    widthOf: (character) => milliWidthOf(character, profile.countsNarrowHalf),
    speaker,
    ending: endingOf,
    joined: (lines) => asOneLine(lines, isUnspaced),
    pieces: (text) => piecesOf(text, isUnspaced),
  };
}

function secondBreaking(language: string): Breaking | null {
  const { rowCharacters, rows, counting } = netflixGuideline(language);
  if (rowCharacters === null) return null;
  const limit = rowCharacters * 1000;
  const widthOf = (character: string): number => countedWidth(character, counting);
  return {
    limit,
    rows,
    widthOf,
    speaker: markedSpeaker,
    ending: endingByScript,
    joined: joinedLines,
    pieces: (text) => wordPieces(text, (piece) => rowWidth(piece.trimEnd(), widthOf) <= limit),
  };
}

const breakings: Readonly<Record<BreakRules, (language: string) => Breaking | null>> = {
  'netflix.v1': firstBreaking,
  'netflix.v2': secondBreaking,
};

const rowWidth = (row: string, widthOf: (character: string) => number): number =>
  graphemesOf(row).reduce((sum, character) => sum + widthOf(character), 0);

/**
 * The rows of a caption by the guide of Netflix for its language. `netflix.v1` has the table of the first version, and
 * `netflix.v2` that of `guideline-tables.ts`. Other rules get another name in `lineBreaks`, so that the same captions give the same
 * file, but for a mended fault. Rows that fit stay as their author broke them, and so do rows of several speakers. Else the text is
 * broken again into the fewest rows that fit. They end behind a sentence or a clause if possible, and have like lengths. A text that
 * does not fit into the rows of the guideline gets more of them: no word is lost. A word is divided only where its script
 * has no spaces and it fills more than a row.
 */
export function unclosedRows(text: string, language: string, rules: BreakRules): string[] {
  const lines = textLinesOf(text).map((line) => line.trim());
  const breaking = breakings[rules](language);
  if (breaking === null) return lines;
  const { limit, rows, widthOf } = breaking;
  const fits = lines.length <= rows && lines.every((line) => rowWidth(line, widthOf) <= limit);
  if (fits || (lines.length > 1 && lines.some((line) => breaking.speaker.test(line)))) return lines;
  const whole = breaking.joined(lines);
  const pieces = breaking.pieces(whole);
  const breakable = new BreakableText(whole, pieces, widthOf);
  const textsOf = (parts: readonly Part[]): string[] => parts.map((part) => breakable.textOf(part));
  for (let count = 1; count <= rows; count += 1) {
    const broken = brokenInto(breakable, { from: 0, to: pieces.length }, count, breaking);
    if (broken !== null) return textsOf(broken);
  }
  return textsOf(filled(breakable, pieces.length, limit));
}

/** The signs that begin an embedding or an override, and an isolate, of text in another direction (Unicode Standard Annex 9). */
const embeddings = '\u202A\u202B\u202D\u202E';
const isolates = '\u2066\u2067\u2068';
const endOfEmbedding = '\u202C';
const endOfIsolate = '\u2069';

/** The marks of direction to write around a row: a row is a paragraph, at whose end every embedding ends. */
export interface RowDirection {
  readonly before: string;
  readonly after: string;
}

/** For each row, the embeddings that are open at its beginning, and the ends of those that are open at its end. */
export function rowDirections(rows: readonly string[]): RowDirection[] {
  const open: string[] = [];
  return rows.map((row) => {
    const before = open.join('');
    for (const sign of row) {
      if (embeddings.includes(sign) || isolates.includes(sign)) open.push(sign);
      else if (sign === endOfEmbedding && embeddings.includes(open.at(-1) ?? endOfEmbedding)) open.pop();
      else if (sign === endOfIsolate) {
        const from = open.findLastIndex((each) => isolates.includes(each));
        if (from !== -1) open.length = from;
      }
    }
    const ends = open.map((sign) => (isolates.includes(sign) ? endOfIsolate : endOfEmbedding));
    return { before, after: ends.reverse().join('') };
  });
}

/** The rows of a caption as a file has them. By `netflix.v2` each row closes the embeddings that it opens or continues. */
export function brokenLines(text: string, language: string, rules: BreakRules = presentBreaks): string[] {
  const rows = unclosedRows(text, language, rules);
  if (rules === 'netflix.v1') return rows;
  const around = rowDirections(rows);
  return rows.map((row, at) => `${around[at]?.before ?? ''}${row}${around[at]?.after ?? ''}`);
}
