import type { Range } from '../contract/base/grammar.ts';
import { distanceBetween, sharedMs } from './time-spans.ts';

/**
 * The rule for the windows of a recognizer that gives times of words. Whisper ends a sentence with its sound, mishears words without
 * their sentence, and encodes 30 s however short a sound is. So neighbors are recognized together. At gaps of 3 s a window that began
 * in another language lost 13 sentences. 28 s leave room for the wider sound of a second run.
 */
export const WINDOW_RULE = { joinedGapMs: 1_000, longestWindowMs: 28_000 } as const;

export interface WindowRule {
  readonly joinedGapMs: number;
  readonly longestWindowMs: number;
}

/** Regions that are recognized together: the stretch from the first to the last of them. */
export interface RecognitionWindow extends Range {
  /** In order; at least one. */
  readonly regions: readonly Range[];
}

/** A region that is recognized by itself. */
export const windowAlone = ({ startMs, endMs }: Range): RecognitionWindow => ({
  startMs,
  endMs,
  regions: [{ startMs, endMs }],
});

/**
 * The windows of regions in order. Each takes its next neighbor while the gap between them and the whole are no longer than the
 * rule allows. A region that is longer than a window is one by itself.
 */
export function windowsOf(regions: readonly Range[], rule: WindowRule): RecognitionWindow[] {
  const windows: RecognitionWindow[] = [];
  for (const region of regions) {
    const last = windows.at(-1);
    const isJoined =
      last !== undefined &&
      region.startMs - last.endMs <= rule.joinedGapMs &&
      region.endMs - last.startMs <= rule.longestWindowMs;
    const alone = windowAlone(region);
    if (isJoined)
      windows[windows.length - 1] = { ...last, endMs: region.endMs, regions: [...last.regions, ...alone.regions] };
    else windows.push(alone);
  }
  return windows;
}

/** A line and the time of each of its words; without any, its own time counts. */
interface TimedLine extends Range {
  readonly words: readonly Range[];
}

/**
 * The place among the regions of a window of the one that holds most of a line, by its words. Of equal ones it is the first, and without
 * any it is the nearest.
 */
export function regionHolding(line: TimedLine, regions: readonly Range[]): number {
  const times = line.words.length > 0 ? line.words : [line];
  const held = regions.map((region) => times.reduce((sum, time) => sum + sharedMs(time, region), 0));
  const most = Math.max(...held);
  if (most > 0) return held.indexOf(most);
  const distances = regions.map((region) => distanceBetween(line, region));
  return distances.indexOf(Math.min(...distances));
}

/** Lines of an answer, with the times that their recognizer gave. */
interface AnsweredLines {
  readonly lines: readonly { readonly words: readonly { readonly startMs: number | null }[] }[];
}

/** True if no line of an answer has a word with a time, so that it cannot be divided among regions. */
export const isWithoutWordTimes = ({ lines }: AnsweredLines): boolean =>
  lines.length > 0 && lines.every(({ words }) => words.every(({ startMs }) => startMs === null));
