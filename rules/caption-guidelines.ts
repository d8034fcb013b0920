import type { Range } from '../contract/base/grammar.ts';
import type { CueMeasures } from '../contract/captions/quality-control.ts';

/** The limits of a guideline for the subtitles of one language; times in ms, speeds in characters per second. */
export interface CaptionProfile {
  readonly id: 'netflix' | 'ted';
  readonly source: string;
  /** Of the guideline's last change; of the day on which it was read where it states none. */
  readonly date: string;
  readonly readingSpeedCps: number | null;
  readonly lineCharacters: number | null;
  readonly lines: number;
  readonly minimumDurationMs: number;
  readonly maximumDurationMs: number;
  readonly minimumGapFrames: number | null;
  /** True if Latin letters, digits, spaces and punctuation of narrow width count as half a character in a line. */
  readonly countsNarrowHalf: boolean;
  /** True if the limits of text are meant for languages in Latin script only; they are null for others. */
  readonly isForLatinScript: boolean;
}

const netflixSource = 'https://partnerhelp.netflixstudios.com/hc/en-us/articles';

/**
 * Timed Text Style Guide, adult programs. General requirements: two lines, 5/6 s (833 ms) to 7 s. Timing guidelines
 * (article 360051554394): two frames between subtitles at any frame rate. Most languages have 17 characters per second and
 * 42 characters a line in guides of their own.
 */
const netflix: CaptionProfile = {
  id: 'netflix',
  source: `${netflixSource}/215758617-Timed-Text-Style-Guide-General-Requirements`,
  date: '2022-10-07',
  readingSpeedCps: 17,
  lineCharacters: 42,
  lines: 2,
  minimumDurationMs: 833,
  maximumDurationMs: 7000,
  minimumGapFrames: 2,
  countsNarrowHalf: false,
  isForLatinScript: false,
};

/** The differences of a language's guide from the general one. */
const netflixByLanguage: Readonly<Record<string, Partial<CaptionProfile>>> = {
  en: {
    source: `${netflixSource}/217350977-English-USA-Timed-Text-Style-Guide`,
    date: '2025-12-19',
    readingSpeedCps: 20,
  },
  ko: {
    source: `${netflixSource}/216001127-Korean-Timed-Text-Style-Guide`,
    date: '2026-09-29',
    readingSpeedCps: 12,
    lineCharacters: 16,
    countsNarrowHalf: true,
  },
  // Horizontal subtitles.
  ja: {
    source: `${netflixSource}/215767517-Japanese-Timed-Text-Style-Guide`,
    date: '2026-09-29',
    readingSpeedCps: 4,
    lineCharacters: 13,
    minimumDurationMs: 500,
    countsNarrowHalf: true,
  },
  zh: {
    source: `${netflixSource}/215986007-Chinese-Simplified-Timed-Text-Style-Guide`,
    date: '2026-09-29',
    readingSpeedCps: 9,
    lineCharacters: 16,
  },
  'zh-Hant': {
    source: `${netflixSource}/215994807-Chinese-Traditional-Timed-Text-Style-Guide`,
    date: '2026-09-29',
    readingSpeedCps: 9,
    lineCharacters: 16,
  },
};

/** TED Translators cheat sheet; its numbers of characters are meant for Latin script. */
const ted: CaptionProfile = {
  id: 'ted',
  source: 'https://translations.ted.com/TED_Translators_Cheat-sheet',
  date: '2016-11-07',
  readingSpeedCps: 21,
  lineCharacters: 42,
  lines: 2,
  minimumDurationMs: 1000,
  maximumDurationMs: 7000,
  minimumGapFrames: null,
  countsNarrowHalf: false,
  isForLatinScript: true,
};

interface Writing {
  readonly language: string | null;
  readonly script: string | null;
}

const unknownWriting: Writing = { language: null, script: null };

/** Language and script of a tag (`kor` is `ko`, in Hangul), by Unicode's data; nothing is assumed of unknown tags. */
function writingOf(tag: string): Writing {
  try {
    const locale = new Intl.Locale(tag);
    return locale.language === 'und'
      ? unknownWriting
      : { language: locale.language, script: locale.maximize().script ?? null };
  } catch {
    return unknownWriting;
  }
}

/** The guidelines as they are for a language. */
export function captionProfilesOf(tag: string): CaptionProfile[] {
  const { language, script } = writingOf(tag);
  const own = netflixByLanguage[`${language}-${script}`] ?? netflixByLanguage[language ?? ''];
  return [{ ...netflix, ...own }, script === 'Latn' ? ted : { ...ted, readingSpeedCps: null, lineCharacters: null }];
}

/** The lines of a caption as a player shows them: every kind of line break ends one, blank lines are none. */
export const textLinesOf = (text: string): string[] => text.split(/\r\n|\r|\n/).filter((line) => line.trim() !== '');

/** A cue as it is shown, in ms. */
export interface ShownCue extends Range {
  readonly lineId: string;
  readonly text: string;
}

interface MeasureOptions {
  /** True if narrow characters count half in the length of a line. */
  readonly countsNarrowHalf: boolean;
  /** Times of hard cuts in ms, in order; empty if none is known. */
  readonly shotTimesMs: readonly number[];
}

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

const charactersOf = (text: string): string[] => [...graphemes.segment(text)].map(({ segment }) => segment);

// The characters that East Asian fonts set a full square wide; JavaScript has no East_Asian_Width. Pictures are as wide.
const wide =
  /^(?:[\u{3000}-\u{303F}\u{FF01}-\u{FF60}\u{FFE0}-\u{FFE6}]|(?![\u{FF61}-\u{FFDC}])[\p{sc=Han}\p{sc=Hangul}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Bopomofo}\p{Emoji_Presentation}])/u;

/** True if East Asian fonts set a character a full square wide. */
export const isWide = (character: string): boolean => wide.test(character);

/** The length of a line in thousandths of a character. */
const milliCharactersOf = (line: string, countsNarrowHalf: boolean): number =>
  charactersOf(line).reduce((sum, character) => sum + (countsNarrowHalf && !isWide(character) ? 500 : 1000), 0);

/** How far the nearest cut is: negative where it comes first. Of two as near the earlier one counts. */
function distanceToShot(atMs: number, shotTimesMs: readonly number[]): number | null {
  const distances = shotTimesMs.map((shotMs) => shotMs - atMs);
  return distances.reduce<number | null>(
    (nearest, each) => (nearest === null || Math.abs(each) < Math.abs(nearest) ? each : nearest),
    null,
  );
}

/**
 * Measures a cue, which has a length, beside the one before it. Reading speed counts every character of the text, spaces and
 * punctuation too. It is rounded up, so that it passes a whole limit exactly when the real one does.
 */
export function cueMeasuresOf(
  { lineId, startMs, endMs, text }: ShownCue,
  before: Range | null,
  { countsNarrowHalf, shotTimesMs }: MeasureOptions,
): CueMeasures {
  const durationMs = endMs - startMs;
  const lines = textLinesOf(text);
  const characters = lines.reduce((sum, line) => sum + charactersOf(line).length, 0);
  return {
    lineId,
    startMs,
    endMs,
    durationMs,
    characters,
    readingSpeedMilliCps: Math.ceil((characters * 1_000_000) / durationMs),
    lines: lines.length,
    longestLineMilliCharacters: Math.max(0, ...lines.map((line) => milliCharactersOf(line, countsNarrowHalf))),
    gapBeforeMs: before === null ? null : startMs - before.endMs,
    startToShotMs: distanceToShot(startMs, shotTimesMs),
    endToShotMs: distanceToShot(endMs, shotTimesMs),
  };
}

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
  for (const character of charactersOf(text)) {
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
const asOneLine = (lines: readonly string[], isUnspaced: boolean): string =>
  lines.reduce((text, line) => {
    const isBetweenWords = !isUnspaced || !(isWide(charactersOf(text).at(-1) ?? '') || isWide(line));
    return `${text}${isBetweenWords ? ' ' : ''}${line}`;
  });

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
  const limit = profile.lineCharacters * 1000;
  const width = (line: string): number => milliCharactersOf(line, profile.countsNarrowHalf);
  const fits = lines.length <= profile.lines && lines.every((line) => width(line) <= limit);
  if (fits || (lines.length > 1 && lines.some((line) => speaker.test(line)))) return lines;
  const isUnspaced = unspaced.includes(writingOf(language).language);
  const pieces = piecesOf(asOneLine(lines, isUnspaced), isUnspaced);
  for (let count = 1; count <= profile.lines; count += 1) {
    const broken = brokenInto(pieces, count, limit, width);
    if (broken !== null) return broken;
  }
  return filled(pieces, limit, width);
}
