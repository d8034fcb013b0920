import type { Range } from '../../contract/base/grammar.ts';
import { intersection, joined, lengthOf } from '../core/time-spans.ts';
import { spokenLength } from './line-tokens.ts';

/**
 * What detected speech has to be for a line to rest on it. At least half of its time: regions are padded by 200 ms on both
 * sides, so that a word of 400 ms still has half. Not more than 30 letters in a second of speech, which is faster than
 * auctioneers speak (about 6 words a second); not fewer than one in a second of a line, which is slower than any speech.
 */
export const SPEECH_SUPPORT = { share: 0.5, lettersPerSecond: 30, fewestLettersPerSecond: 1, judgedMs: 2000 } as const;

/** How near to the edge of its region a line lies as a whole, in ms: the padding, and what detected edges err by. */
export const BOUNDARY_MS = 300;

interface PlacedLine extends Range {
  readonly text: string;
  readonly words: readonly Range[];
}

/** The time that a line fills: that of its words where they have times. */
const timeOf = ({ startMs, endMs, words }: PlacedLine): Range[] => {
  const spoken = joined(words);
  return spoken.length > 0 ? spoken : joined([{ startMs, endMs }]);
};

/** Whether detected speech (joined spans) carries a line: enough of its time, and enough time for its text. */
export function isCarriedBySpeech(line: PlacedLine, speech: readonly Range[]): boolean {
  const time = timeOf(line);
  const lengthMs = lengthOf(time);
  const spokenMs = lengthOf(intersection(time, speech));
  if (lengthMs === 0 || spokenMs < SPEECH_SUPPORT.share * lengthMs) return false;
  const letters = spokenLength(line.text);
  if (letters > (SPEECH_SUPPORT.lettersPerSecond * spokenMs) / 1000) return false;
  const isSlow = letters < (SPEECH_SUPPORT.fewestLettersPerSecond * lengthMs) / 1000;
  return !(isSlow && lengthMs >= SPEECH_SUPPORT.judgedMs);
}

/** Whether a line lies at the first or the last edge of its region alone, while the region goes on without it. */
export function isAtBoundary(line: PlacedLine, region: Range): boolean {
  const time = timeOf(line);
  const startMs = time[0]?.startMs ?? line.startMs;
  const endMs = time.at(-1)?.endMs ?? line.endMs;
  if (region.endMs - region.startMs < 3 * BOUNDARY_MS) return false;
  return endMs <= region.startMs + BOUNDARY_MS || startMs >= region.endMs - BOUNDARY_MS;
}
