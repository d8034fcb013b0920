import type { Range } from '../../contract/base/grammar.ts';
import type { CueMeasures } from '../../contract/captions/caption-quality-report.ts';
import { textLinesOf } from './caption-text-lines.ts';

/** A cue as it is shown, in ms. */
export interface ShownCue extends Range {
  readonly lineId: string;
  readonly text: string;
}

export interface MeasureOptions {
  /** Whether narrow characters count half in the length of a line. */
  readonly countsNarrowHalf: boolean;
  /** Times of hard cuts in ms, in order; empty where none is known. */
  readonly shotTimesMs: readonly number[];
}

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

const charactersOf = (text: string): string[] => [...graphemes.segment(text)].map(({ segment }) => segment);

// What East Asian fonts set a full square wide; JavaScript has no East_Asian_Width to ask. Pictures are as wide.
const wide =
  /^(?:[\u{3000}-\u{303F}\u{FF01}-\u{FF60}\u{FFE0}-\u{FFE6}]|(?![\u{FF61}-\u{FFDC}])[\p{sc=Han}\p{sc=Hangul}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Bopomofo}\p{Emoji_Presentation}])/u;

/** Whether East Asian fonts set a character a full square wide. */
export const isWide = (character: string): boolean => wide.test(character);

/** The length of a line in thousandths of a character. */
export const milliCharactersOf = (line: string, countsNarrowHalf: boolean): number =>
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
 * Measures a cue, which has a length, beside the one before it. Reading speed counts every character of the text, spaces
 * and punctuation too, and is rounded up, so that it passes a whole limit exactly when the real one does.
 */
export function measuresOf(
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
