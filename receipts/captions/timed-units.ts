import type { Range } from '../../contract/base/grammar.ts';
import type { TranscriptLineFact } from '../../contract/evidence/transcript.ts';
import type { CaptionRules } from './caption-rules.ts';
import { piecesOf } from './text-pieces.ts';

/** A piece of a recognised line that no cue divides: a word with its punctuation, or as little as a row divides of a script without spaces. */
export interface TimedUnit extends Range {
  readonly text: string;
  /** Whether a space stands before it. */
  readonly isSpaced: boolean;
  /** Whether it is a consonant that may belong to a syllable with what is beside it. */
  readonly isLone: boolean;
  /** The index of its line in the transcript. */
  readonly lineIndex: number;
}

/** A place of a text whose time is known. */
interface Anchor {
  readonly at: number;
  readonly ms: number;
}

/** The places of a line's words in its text, in order, each with its time; a word that is not found there gives none. */
function anchorsOf({ startMs, endMs, text, words }: TranscriptLineFact): Anchor[] {
  const anchors: Anchor[] = [{ at: 0, ms: startMs }];
  let from = 0;
  let reached = startMs;
  for (const word of words) {
    const spoken = word.text.trim();
    const at = spoken === '' ? -1 : text.indexOf(spoken, from);
    if (at === -1 || word.startMs < reached || word.endMs > endMs) continue;
    from = at + spoken.length;
    reached = word.endMs;
    anchors.push({ at, ms: word.startMs }, { at: from, ms: word.endMs });
  }
  return [...anchors, { at: text.length, ms: endMs }];
}

/** The time at a place between two anchors, as if everybody spoke evenly. */
function between(before: Anchor, after: Anchor, at: number): number {
  if (after.at === before.at) return before.ms;
  return Math.round(before.ms + ((after.ms - before.ms) * (at - before.at)) / (after.at - before.at));
}

/** Where a piece begins: by the last anchor that is not behind it. */
function startAt(anchors: readonly Anchor[], at: number): number {
  const index = anchors.findLastIndex((anchor) => anchor.at <= at);
  const before = anchors[index] ?? { at: 0, ms: 0 };
  return between(before, anchors[index + 1] ?? before, at);
}

/** Where a piece ends: by the first anchor that is not before its end. */
function endAt(anchors: readonly Anchor[], at: number): number {
  const index = anchors.findIndex((anchor) => anchor.at >= at);
  const after = anchors[index] ?? { at: 0, ms: 0 };
  return between(anchors[index - 1] ?? after, after, at);
}

/** The units of a recognised line in their order, in times that never run back; words without times share those of their line. */
export function timedUnits(line: TranscriptLineFact, rules: Pick<CaptionRules, 'keepsSyllables'>): TimedUnit[] {
  const anchors = anchorsOf(line);
  let reached = line.startMs;
  return piecesOf(line.text, rules).map(({ text, from, ...piece }) => {
    const startMs = Math.max(reached, startAt(anchors, from));
    reached = Math.max(startMs, endAt(anchors, from + text.length));
    return { text, ...piece, lineIndex: line.index, startMs, endMs: reached };
  });
}

/** The units of a text that was not spoken. */
export const untimedUnits = (text: string, rules: Pick<CaptionRules, 'keepsSyllables'>): TimedUnit[] =>
  piecesOf(text, rules).map(({ from, ...piece }) => ({ ...piece, lineIndex: 0, startMs: 0, endMs: 0 }));

/** Units as one text. */
export const textOfUnits = (units: readonly TimedUnit[]): string =>
  units.map(({ text, isSpaced }, at) => (at > 0 && isSpaced ? ` ${text}` : text)).join('');
