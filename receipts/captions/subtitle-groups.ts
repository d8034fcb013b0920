import type { Range } from '../../contract/base/grammar.ts';
import { median } from '../core/median.ts';
import { hullOf } from '../core/time-spans.ts';
import { commonMs, joinedCues, pairedCues, type TextPair, type TimedText } from './subtitle-pairs.ts';

/**
 * How tracks are put side by side that split their sentences differently. Cues belong together that share 30 % of the
 * shorter one; the offset between two tracks is looked for within ten seconds, in steps of a tenth of one, and believed
 * where so many cues of the smaller track agree on it.
 */
export const GROUPING = { sharedOfShorter: 0.3, farthestMs: 10_000, stepMs: 100, agreeing: 0.25 } as const;

const lengthOf = ({ startMs, endMs }: Range): number => endMs - startMs;

/** By how many ms each time of one track comes after each of another, where that is no farther than an offset may be. */
function nearDifferences(ones: readonly number[], others: readonly number[]): number[] {
  const inOrder = others.toSorted((one, other) => one - other);
  const differences: number[] = [];
  let first = 0;
  for (const one of ones.toSorted((earlier, later) => earlier - later)) {
    while ((inOrder[first] ?? one) < one - GROUPING.farthestMs) first += 1;
    for (let at = first; at < inOrder.length; at += 1) {
      const difference = (inOrder[at] ?? one) - one;
      if (difference > GROUPING.farthestMs) break;
      differences.push(difference);
    }
  }
  return differences;
}

/**
 * By how many ms the cues of one track come later than those of the other throughout; 0 where they agree on none. Both start
 * and end of cues speak for an offset: tracks that split differently still begin and end sentences together.
 */
export function offsetBetween(source: readonly Range[], target: readonly Range[]): number {
  const near = (['startMs', 'endMs'] as const).flatMap((edge) =>
    nearDifferences(
      source.map((cue) => cue[edge]),
      target.map((cue) => cue[edge]),
    ),
  );
  const votes = new Map<number, number>();
  for (const ms of near) {
    const step = Math.round(ms / GROUPING.stepMs);
    for (const each of [step - 1, step, step + 1]) votes.set(each, (votes.get(each) ?? 0) + 1);
  }
  // Of equals the smallest offset: none is the usual one.
  const [best] = [...votes].sort(
    ([one, ones], [other, others]) => others - ones || Math.abs(one) - Math.abs(other) || one - other,
  );
  if (best === undefined || best[1] < 2 * GROUPING.agreeing * Math.min(source.length, target.length)) return 0;
  const around = best[0] * GROUPING.stepMs;
  return median(near.filter((ms) => Math.abs(ms - around) <= 1.5 * GROUPING.stepMs));
}

/** Cues of both tracks that belong together, however many; a cue without others is alone. */
interface Group {
  readonly source: TimedText[];
  readonly target: TimedText[];
}

function belongTogether(one: Range, other: Range): boolean {
  const common = commonMs(one, other);
  return common > 0 && common >= GROUPING.sharedOfShorter * Math.min(lengthOf(one), lengthOf(other));
}

/** Groups of two tracks, each in order of time and without overlaps. */
function groupsOf(source: readonly TimedText[], target: readonly TimedText[]): Group[] {
  const groups: Group[] = [];
  const free = new Set(target);
  for (const cue of source) {
    const last = groups.at(-1);
    const met = target.filter((other) => belongTogether(cue, other));
    const isJoined = last?.target.some((other) => met.includes(other)) ?? false;
    const fresh = met.filter((other) => free.delete(other));
    if (last !== undefined && isJoined) {
      last.source.push(cue);
      last.target.push(...fresh);
    } else groups.push({ source: [cue], target: fresh });
  }
  return [...groups, ...[...free].map((cue) => ({ source: [], target: [cue] }))];
}

/** Cues as one, over a stretch; a text that could not be read makes all of them unknown. */
function asOne(cues: readonly TimedText[], stretch: Range): TimedText[] {
  if (cues.length === 0) return [];
  const texts = cues.map(({ text }) => text);
  const text = texts.includes(null) ? null : texts.join('\n');
  return [{ startMs: stretch.startMs, endMs: stretch.endMs, text }];
}

function movedInto({ startMs, endMs, text }: TimedText, offsetMs: number, range: Range): TimedText {
  const within = (ms: number): number => Math.min(Math.max(ms - offsetMs, range.startMs), range.endMs);
  return { startMs: within(startMs), endMs: within(endMs), text };
}

/**
 * Puts two tracks side by side that split their sentences differently: the offset between them is removed, and cues that
 * belong together become one line in the time of the source. What has no counterpart stands alone, as in `pairedCues`.
 */
export function groupedCues(source: readonly TimedText[], target: readonly TimedText[], range: Range): TextPair[] {
  const spoken = joinedCues(source);
  const shown = joinedCues(target);
  const offsetMs = offsetBetween(spoken, shown);
  const groups = groupsOf(spoken, joinedCues(shown.map((cue) => movedInto(cue, offsetMs, range))));
  const stretchOf = (group: Group): Range => hullOf(group.source.length > 0 ? group.source : group.target);
  return pairedCues(
    groups.flatMap((group) => asOne(group.source, stretchOf(group))),
    groups.flatMap((group) => asOne(group.target, stretchOf(group))),
  );
}
