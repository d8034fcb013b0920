import type { Range } from '../contract/base/grammar.ts';
import type { CueMeasures } from '../contract/captions/quality-control.ts';
import { graphemesOf } from './graphemes.ts';

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
export function writingOf(tag: string): Writing {
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

// The characters that East Asian fonts set a full square wide; JavaScript has no East_Asian_Width. Pictures are as wide.
const wide =
  /^(?:[\u{3000}-\u{303F}\u{FF01}-\u{FF60}\u{FFE0}-\u{FFE6}]|(?![\u{FF61}-\u{FFDC}])[\p{sc=Han}\p{sc=Hangul}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Bopomofo}\p{Emoji_Presentation}])/u;

/** True if East Asian fonts set a character a full square wide. */
export const isWide = (character: string): boolean => wide.test(character);

/** The width of a character of a line in thousandths of a character. */
export const milliWidthOf = (character: string, countsNarrowHalf: boolean): number =>
  countsNarrowHalf && !isWide(character) ? 500 : 1000;

/** How far the nearest cut is: negative where it comes first. Of two as near the earlier one counts. */
function distanceToShot(atMs: number, shotTimesMs: readonly number[]): number | null {
  let [low, high] = [0, shotTimesMs.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((shotTimesMs[middle] ?? atMs) < atMs) low = middle + 1;
    else high = middle;
  }
  const [before, after] = [shotTimesMs[low - 1], shotTimesMs[low]];
  if (before === undefined) return after === undefined ? null : after - atMs;
  return after !== undefined && after - atMs < atMs - before ? after - atMs : before - atMs;
}

/** The reading of a Chinese character in parentheses behind it: who reads the character does not read it twice. */
const rubyReading = /(?<=\p{Script=Han})[(（][\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}ー・]+[)）]/gu;

/** A text without the readings of ruby. */
export const withoutReadings = (text: string): string => text.replaceAll(rubyReading, '');

/**
 * Measures a cue, which has a length, beside the one before it. Reading speed counts every character of the text, spaces and
 * punctuation too, but no readings of ruby. It is rounded up, so that it passes a whole limit exactly when the real one does.
 */
export function cueMeasuresOf(
  { lineId, startMs, endMs, text }: ShownCue,
  before: Range | null,
  { countsNarrowHalf, shotTimesMs }: MeasureOptions,
): CueMeasures {
  const durationMs = endMs - startMs;
  const lines = textLinesOf(text).map(graphemesOf);
  const characters = lines.reduce((sum, line) => sum + line.length, 0);
  const readings = [...text.matchAll(rubyReading)].reduce((sum, [reading]) => sum + graphemesOf(reading).length, 0);
  const readCharacters = characters - readings;
  const widthOf = (line: readonly string[]): number =>
    line.reduce((sum, character) => sum + milliWidthOf(character, countsNarrowHalf), 0);
  return {
    lineId,
    startMs,
    endMs,
    durationMs,
    characters,
    readingSpeedMilliCps: Math.ceil((readCharacters * 1_000_000) / durationMs),
    lines: lines.length,
    longestLineMilliCharacters: Math.max(0, ...lines.map(widthOf)),
    gapBeforeMs: before === null ? null : startMs - before.endMs,
    startToShotMs: distanceToShot(startMs, shotTimesMs),
    endToShotMs: distanceToShot(endMs, shotTimesMs),
  };
}
