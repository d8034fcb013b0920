import type { Range } from '../../contract/base/grammar.ts';
import type { AlignedStretch, Alignment } from '../../contract/captions/caption-plan.ts';
import type { Steps } from '../../formats/steps.ts';
import { alignedBySteps, inSyncBelowMs } from '../../rules/alignment.ts';
import { dialogueOf, type TimedText } from '../../rules/dialogue.ts';
import { voicedLines } from '../../rules/voiced-lines.ts';

/** A stretch of subtitles with its verdict. Of an unknown one nothing is claimed: its place is null. */
export interface CheckedStretch extends Range {
  /** The first and the last cue, counted from 1 in order of time. */
  readonly cues: { readonly from: number; readonly to: number };
  readonly verdict: AlignedStretch['verdict'];
  /** Its times, multiplied by the rate, become right if so many ms are added. */
  readonly offsetMs: number | null;
  readonly rate: number | null;
  /** The rate as a fraction. */
  readonly numerator: number | null;
  readonly denominator: number | null;
  /** In hundredths of a nat; null if nothing was counted. */
  readonly score: number | null;
  readonly bound: number | null;
  readonly chance: number | null;
  /** Null unless the verdict is `unknown`. */
  readonly reason: Extract<AlignedStretch, { verdict: 'unknown' }>['reason'] | null;
}

/** Subtitles against the sound of a studied range. */
export interface SyncCheck {
  readonly verdict: Alignment['verdict'];
  readonly cues: number;
  readonly stretches: readonly CheckedStretch[];
}

const partsPerMillion = 1_000_000;
const rateOf = (numerator: number, denominator: number): number =>
  Math.round((partsPerMillion * numerator) / denominator) / partsPerMillion;

/** The answer for all of `count` lines as stretches. */
function stretchesIn(answer: Alignment, count: number): AlignedStretch[] {
  const { stretches, ...whole } = answer;
  if (stretches !== undefined) return stretches;
  if (whole.verdict !== 'other_cut') return [{ from: 0, to: count, ...whole }];
  return whole.pieces.map((piece): AlignedStretch => {
    const isInPlace = piece.numerator === piece.denominator && Math.abs(piece.offsetMs) < inSyncBelowMs;
    return { verdict: isInPlace ? 'in_sync' : 'other_cut', ...piece };
  });
}

/**
 * Compares cues with the windows of speech that a study detected in its range. All cues belong to a stretch by the time of their start;
 * those that begin outside of the range are unknown, since nobody listened there.
 */
export function* checkedBySteps(windows: readonly Range[], cues: readonly TimedText[], range: Range): Steps<SyncCheck> {
  const shown = cues
    .filter(({ startMs, endMs }) => startMs < endMs)
    .toSorted((one, other) => one.startMs - other.startMs || one.endMs - other.endMs);
  // The clock of the aligner begins with the range.
  const earlier = <Span extends Range>(span: Span): Span => ({
    ...span,
    startMs: span.startMs - range.startMs,
    endMs: span.endMs - range.startMs,
  });
  const isHeard = ({ startMs }: Range): boolean => startMs >= range.startMs && startMs < range.endMs;
  const isWhole = range.startMs === 0;
  // Of a whole film, cues may come after its end: they are late then.
  const inside = shown.filter((cue) => isHeard(cue) || isWhole);
  const lines = dialogueOf(voicedLines(inside)).lines;
  yield;
  const answer = yield* alignedBySteps(windows.map(earlier), lines.map(earlier), range.endMs - range.startMs);
  const firstInside = shown.findIndex((cue) => inside.includes(cue));
  const stretches: CheckedStretch[] = [];
  let from = Math.max(firstInside, 0);
  const end = from + inside.length;
  const unheard = (first: number, to: number): CheckedStretch[] =>
    first >= to ? [] : [{ ...spanOf(shown, first, to), ...nothing, reason: 'no_speech' }];
  stretches.push(...unheard(0, from));
  const found = stretchesIn(answer, lines.length);
  for (const [at, stretch] of found.entries()) {
    const nextMs = lines[stretch.to]?.startMs;
    const next = nextMs === undefined ? -1 : shown.findIndex((cue) => cue.startMs >= nextMs);
    const to = at === found.length - 1 || next < 0 ? end : next;
    if (to > from) stretches.push({ ...spanOf(shown, from, to), ...verdictIn(stretch, range.startMs) });
    from = Math.max(from, to);
  }
  stretches.push(...unheard(end, shown.length));
  return { verdict: answer.verdict, cues: shown.length, stretches };
}

const nothing = {
  verdict: 'unknown',
  offsetMs: null,
  rate: null,
  numerator: null,
  denominator: null,
  score: null,
  bound: null,
  chance: null,
} as const;

function spanOf(cues: readonly Range[], from: number, to: number): Range & Pick<CheckedStretch, 'cues'> {
  const some = cues.slice(from, to);
  return {
    cues: { from: from + 1, to },
    startMs: some[0]?.startMs ?? 0,
    endMs: some.reduce((last, { endMs }) => Math.max(last, endMs), 0),
  };
}

/** A verdict on the clock of the film: with a rate, the beginning of the range counts. */
function verdictIn(stretch: AlignedStretch, beginsMs: number): Omit<CheckedStretch, 'cues' | keyof Range> {
  if (stretch.verdict === 'unknown') return { ...nothing, ...stretch.figures, reason: stretch.reason };
  const { verdict, numerator, denominator, offsetMs, score, bound, chance } = stretch;
  const moved = offsetMs + beginsMs - Math.round((beginsMs * numerator) / denominator);
  return {
    verdict,
    offsetMs: moved,
    rate: rateOf(numerator, denominator),
    ...{ numerator, denominator, score, bound, chance },
    reason: null,
  };
}
