import { captionProfilesOf } from './caption-profiles.ts';
import { isWide } from './cue-measures.ts';

/** What every guideline for a language allows of a cue at once. */
export interface CueShape {
  readonly rows: number;
  readonly minimumMs: number;
  readonly maximumMs: number;
  readonly gapMs: number;
  /** The shortest time in which a text of so many characters can be read, in ms; 0 where no guideline asks for one. */
  readingMs(characters: number): number;
  /** How much of a row a text fills; sizes add up, and a row of more than 1 is too long. */
  sizeOf(text: string): number;
}

/** The slowest frame rate at which a gap in frames is kept, in frames per second: that of film on video. */
const SLOWEST_FRAME_RATE = 24_000 / 1001;

/** What sums of fractions may be off by. */
const TOLERANCE = 1e-9;

/** Whether texts of this size fit a row together. */
export const fitsRow = (size: number): boolean => size <= 1 + TOLERANCE;

/** At least as wide as a guideline measures: code points are never fewer than what it counts as characters. */
function widthOf(text: string, countsNarrowHalf: boolean): number {
  let width = 0;
  for (const character of text) width += countsNarrowHalf && !isWide(character) ? 0.5 : 1;
  return width;
}

/** The tightest of what the guidelines for a language ask: a cue of this shape passes all of them. */
export function cueShapeOf(language: string): CueShape {
  const profiles = captionProfilesOf(language);
  const speeds = profiles.flatMap(({ readingSpeedCps }) => (readingSpeedCps === null ? [] : [readingSpeedCps]));
  const frames = profiles.map(({ minimumGapFrames }) => minimumGapFrames ?? 0);
  return {
    rows: Math.min(...profiles.map(({ lines }) => lines)),
    minimumMs: Math.max(...profiles.map(({ minimumDurationMs }) => minimumDurationMs)),
    maximumMs: Math.min(...profiles.map(({ maximumDurationMs }) => maximumDurationMs)),
    gapMs: Math.ceil((Math.max(...frames) * 1000) / SLOWEST_FRAME_RATE),
    readingMs: (characters) => Math.max(0, ...speeds.map((speed) => Math.ceil((characters * 1000) / speed))),
    sizeOf: (text) =>
      Math.max(
        0,
        ...profiles.map(({ lineCharacters, countsNarrowHalf }) =>
          lineCharacters === null ? 0 : widthOf(text, countsNarrowHalf) / lineCharacters,
        ),
      ),
  };
}
