import type { Range } from '../../contract/base/grammar.ts';
import type { Alignment } from '../../contract/captions/caption-plan.ts';
import type { SyncCase } from './cases.ts';

/** The start of each cue in the time of the film by an answer, in ms; null where it claims nothing. */
export function startsBy(answer: Alignment, cues: readonly Range[]): (number | null)[] {
  const starts: (number | null)[] = cues.map(() => null);
  const whole = (): Alignment['stretches'] =>
    answer.verdict === 'unknown' || answer.verdict === 'other_cut' ? [] : [{ ...answer, from: 0, to: cues.length }];
  const pieces =
    answer.verdict === 'other_cut'
      ? answer.pieces.map((piece) => ({ verdict: 'shifted' as const, ...piece }))
      : whole();
  for (const stretch of answer.stretches ?? pieces ?? []) {
    if (stretch.verdict === 'unknown') continue;
    const { numerator, denominator, offsetMs } = stretch;
    for (let at = stretch.from; at < Math.min(stretch.to, cues.length); at += 1) {
      starts[at] = Math.round(((cues[at]?.startMs ?? 0) * numerator) / denominator) + offsetMs;
    }
  }
  return starts;
}

/** True if the answer claims something of at least one cue. */
export const claimsSomething = ({ verdict, stretches = [] }: Alignment): boolean =>
  verdict !== 'unknown' || stretches.some((stretch) => stretch.verdict !== 'unknown');

/** The value below which a share of some values lies. */
export function quantileOf(values: readonly number[], share: number): number {
  const inOrder = values.toSorted((one, other) => one - other);
  return inOrder[Math.min(inOrder.length - 1, Math.floor(share * inOrder.length))] ?? Number.POSITIVE_INFINITY;
}

/** How far nine of ten starts lie from the truth at most, in ms: of all cues, and of those that the answer places. */
export function errorOf({ starts, cues }: SyncCase, answer: Alignment): { all: number; claimed: number } {
  const found = startsBy(answer, cues);
  const errors = (starts ?? []).map((start, at) => {
    const by = found[at];
    return by == null ? Number.POSITIVE_INFINITY : Math.abs(by - start);
  });
  const claimed = errors.filter(Number.isFinite);
  return { all: quantileOf(errors, 0.9), claimed: claimed.length === 0 ? 0 : quantileOf(claimed, 0.9) };
}
