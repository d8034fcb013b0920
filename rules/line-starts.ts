import type { Range } from '../contract/base/grammar.ts';
import { distanceBetween, hullOf, sharedMs, spansAround } from './time-spans.ts';

/**
 * The rule for the starts of recognized words. Recognizers begin a word in the padding, in the middle of a pause, or after its first
 * sound. Detected speech begins with speech. So the first word in a stretch of it begins with the stretch, also if the recognizer has
 * it up to so many ms later.
 */
export const START_RULE = { lineStarts: 'detected_speech', latestStartMs: 600 } as const;

interface StartedLine<Word extends Range> extends Range {
  readonly words: readonly Word[];
  /** False if the first word of the answer has no times, so that the start of the line counts. By default what the times say. */
  readonly startsWithWord?: boolean;
}

/** The stretch that a word belongs to: the one that holds most of it, else the nearest; the later of equal ones. */
function stretchOf(word: Range, speech: readonly Range[]): Range | undefined {
  const places = speech.map((stretch) => ({
    stretch,
    held: sharedMs(word, stretch),
    distance: distanceBetween(word, stretch),
  }));
  return places.sort(
    (one, other) =>
      other.held - one.held || one.distance - other.distance || other.stretch.startMs - one.stretch.startMs,
  )[0]?.stretch;
}

/**
 * The same for the first word of a line. One that begins with a stretch belongs to it, and one in a pause to the speech behind that. Recognizers often have the first word
 * of a sentence begin where the last one ended, half a second before anybody speaks. `untilMs` is the end of the line.
 */
function stretchOfFirst(word: Range, speech: readonly Range[], untilMs: number): Range | undefined {
  const next = speech.find((stretch) => stretch.endMs > word.startMs);
  const isNotBefore = next !== undefined && next.startMs >= word.startMs && next.startMs < untilMs;
  return isNotBefore ? next : stretchOf(word, speech);
}

/** The start of a line by its own time: where speech begins next, if nobody speaks at its start. */
function startOfText({ startMs, endMs }: Range, speech: readonly Range[]): number {
  const next = speech.find((stretch) => stretch.endMs > startMs);
  return next !== undefined && next.startMs > startMs && next.startMs < endMs ? next.startMs : startMs;
}

/**
 * The lines of one window, in order and apart, with their starts and those of their words at the starts of detected speech (joined). They
 * stay in order and apart: a line that reached into the pause ends where the next one begins. The rule leaves its own result as it is.
 */
export function startedWithSpeech<Word extends Range, Line extends StartedLine<Word>>(
  lines: readonly Line[],
  window: Range,
  speech: readonly Range[],
): Line[] {
  const within = spansAround(window, speech);
  if (within.length === 0) return [...lines];
  const started: Line[] = [];
  let current: Range | undefined;
  let reached = window.startMs;
  for (const line of lines) {
    const earliestMs = reached;
    const untilMs = Math.max(line.endMs, ...line.words.map((word) => word.endMs));
    const words = line.words.map((word, at) => {
      const found = at === 0 ? stretchOfFirst(word, within, untilMs) : stretchOf(word, within);
      // Words stay in order: those behind a first word that was in a pause are not before it.
      const stretch = current !== undefined && found !== undefined && found.startMs < current.startMs ? current : found;
      const isFirst = stretch !== current;
      current = stretch;
      const startMs = startOfWord(word, { stretch, isFirst, reached, window });
      const endMs = Math.max(word.endMs, startMs);
      reached = Math.max(reached, endMs);
      return { ...word, startMs, endMs };
    });
    const span = words.length === 0 ? null : hullOf(words);
    const startsWithWord = line.startsWithWord ?? line.startMs === Math.min(...line.words.map((word) => word.startMs));
    const own = Math.max(startOfText(line, within), earliestMs);
    const startMs = span === null ? own : startsWithWord ? span.startMs : Math.min(span.startMs, own);
    const endMs = Math.max(line.endMs, span?.endMs ?? startMs);
    const before = started.at(-1);
    if (before !== undefined) started[started.length - 1] = { ...before, endMs: Math.min(before.endMs, startMs) };
    started.push({ ...line, startMs, endMs, words });
    // A line without words has no end but its own.
    if (span === null) reached = endMs;
  }
  return started;
}

interface WordPlace {
  readonly stretch: Range | undefined;
  /** True for the first word of the stretch. */
  readonly isFirst: boolean;
  /** The end of the word before. */
  readonly reached: number;
  readonly window: Range;
}

function startOfWord({ startMs }: Range, { stretch, isFirst, reached, window }: WordPlace): number {
  // Speech that was cut by its window begins elsewhere.
  if (stretch === undefined || stretch.startMs < window.startMs) return startMs;
  const isLate = startMs > stretch.startMs && (!isFirst || startMs - stretch.startMs > START_RULE.latestStartMs);
  return isLate ? startMs : Math.max(stretch.startMs, Math.min(startMs, reached));
}
