import type { Range } from '../contract/base/grammar.ts';
import type { Steps } from '../formats/steps.ts';
import { byStart, dialogueOf, type TimedText } from './dialogue.ts';
import { hullOf, lengthOf } from './time-spans.ts';

/** The texts of two tracks in one stretch of time; a side without text there, or with an unreadable one, is null. */
export interface TextPair extends Range {
  readonly source: string | null;
  readonly target: string | null;
}

/** Two cues belong together when at least this share of the longer one is common to both. */
const pairingOverlap = 0.5;

/** Text under text; where one of them could not be read, the words of both together are not known. */
const under = (above: string | null, below: string | null): string | null =>
  above === null || below === null ? null : `${above}\n${below}`;

/** Lines of one side that overlap become one, their texts under each other. One without a duration falls away. */
function joinedLines(cues: readonly TimedText[]): TimedText[] {
  const joined: TimedText[] = [];
  for (const cue of cues.filter(({ startMs, endMs }) => startMs < endMs).sort(byStart)) {
    const last = joined.at(-1);
    if (last === undefined || cue.startMs >= last.endMs) joined.push(cue);
    else joined.splice(-1, 1, { ...last, endMs: Math.max(last.endMs, cue.endMs), text: under(last.text, cue.text) });
  }
  return joined;
}

/** The time that both are shown; not above 0 if they are not shown together. */
const commonMs = (one: Range, other: Range): number =>
  Math.min(one.endMs, other.endMs) - Math.max(one.startMs, other.startMs);

function belongTogether(one: Range, other: Range): boolean {
  const common = commonMs(one, other);
  return common > 0 && common >= pairingOverlap * Math.max(one.endMs - one.startMs, other.endMs - other.startMs);
}

/** Gives for each range, asked in order of time, those of a disjoint list in order of time that meet it. */
function meeting<Part extends Range>(parts: readonly Part[]): (range: Range) => Part[] {
  let next = 0;
  return ({ startMs, endMs }) => {
    while ((parts[next]?.endMs ?? endMs) <= startMs) next += 1;
    let last = next;
    while ((parts[last]?.startMs ?? endMs) < endMs) last += 1;
    return parts.slice(next, last);
  };
}

/** The longest stretch of a cue that none of the lines that meet it holds yet; null when there is none. */
function freeStretch(cue: Range, lines: readonly Range[]): Range | null {
  const ends = [cue.startMs, ...lines.map(({ endMs }) => endMs)];
  const starts = [...lines.map(({ startMs }) => startMs), cue.endMs];
  const stretches = ends.map((startMs, at) => ({ startMs, endMs: starts[at] ?? startMs }));
  const [longest] = stretches.sort((one, other) => lengthOf(other) - lengthOf(one));
  return longest === undefined || lengthOf(longest) <= 0 ? null : longest;
}

/** The line that holds most of a cue, of those that meet it. */
function holderOf(cue: Range, lines: readonly TextPair[]): TextPair | undefined {
  return [...lines].sort((one, other) => commonMs(other, cue) - commonMs(one, cue))[0];
}

/**
 * Puts the dialogue of two tracks side by side, in order of time and disjoint. A pair has the times of its source cue. A target cue
 * without a partner is alone if it has a stretch without a source cue, and is cut to the longest such stretch. Without one its
 * words would be missing in silence: the line that holds most of it has no target then. Each cue is used once at most. A longer
 * half than `pairingOverlap` can be common with one cue only, and of two equal halves the earlier wins.
 */
export const pairedCues = (source: readonly TimedText[], target: readonly TimedText[]): TextPair[] =>
  pairedLines(dialogueOf(source).lines, dialogueOf(target).lines);

/** The same for lines in order of time that do not overlap. */
function pairedLines(source: readonly TimedText[], targets: readonly TimedText[]): TextPair[] {
  const free = new Set(targets);
  const targetsMeeting = meeting(targets);
  const pairs: TextPair[] = source.map(({ startMs, endMs, text }) => {
    const partner = targetsMeeting({ startMs, endMs }).find(
      (cue) => free.has(cue) && belongTogether({ startMs, endMs }, cue),
    );
    if (partner !== undefined) free.delete(partner);
    return { startMs, endMs, source: text, target: partner?.text ?? null };
  });
  const pairsMeeting = meeting(pairs);
  const incomplete = new Set<TextPair | undefined>();
  const alone = [...free].flatMap((cue): TextPair[] => {
    const met = pairsMeeting(cue);
    const stretch = freeStretch(cue, met);
    if (stretch !== null) return [{ ...stretch, source: null, target: cue.text }];
    incomplete.add(holderOf(cue, met));
    return [];
  });
  const whole = pairs.map((pair) => (incomplete.has(pair) ? { ...pair, target: null } : pair));
  return [...whole, ...alone].sort(byStart);
}

/**
 * The rule for putting tracks side by side that split their sentences differently. Cues belong together that share 30 % of the
 * shorter one. The offset between two tracks is searched for within ten seconds, in steps of a tenth of one. It is believed if so
 * many cues of the smaller track agree on it.
 */
const GROUPING = { sharedOfShorter: 0.3, farthestMs: 10_000, stepMs: 100, agreeing: 0.25 } as const;

/**
 * How often one time of a track comes after one of another by so many ms, within the largest possible offset: counted from
 * `-farthestMs` on. Pairs are only counted, as tracks that change every few ms have tens of millions of them.
 */
class NearDifferences {
  readonly counts = new Uint32Array(2 * GROUPING.farthestMs + 1);

  *add(ones: readonly number[], others: readonly number[]): Steps<void> {
    const inOrder = Int32Array.from(others).sort();
    let first = 0;
    for (const one of ones.toSorted((earlier, later) => earlier - later)) {
      const [earliest, latest] = [one - GROUPING.farthestMs, one + GROUPING.farthestMs];
      while ((inOrder[first] ?? earliest) < earliest) first += 1;
      for (let at = first; at < inOrder.length; at += 1) {
        const other = inOrder[at] ?? earliest;
        if (other > latest) break;
        const place = other - earliest;
        this.counts[place] = (this.counts[place] ?? 0) + 1;
      }
      yield;
    }
  }

  /** The differences that occur, in order, each with its count. */
  *entries(): Generator<readonly [ms: number, count: number], void, undefined> {
    for (const [place, count] of this.counts.entries()) if (count > 0) yield [place - GROUPING.farthestMs, count];
  }

  /** The median of those that are near an offset; of two in the middle the upper one. */
  medianNear(aroundMs: number, withinMs: number): number {
    const near = [...this.entries()].filter(([ms]) => Math.abs(ms - aroundMs) <= withinMs);
    let left = near.reduce((sum, [, count]) => sum + count, 0) >> 1;
    for (const [ms, count] of near) {
      left -= count;
      if (left < 0) return ms;
    }
    return 0;
  }
}

/**
 * By how many ms the cues of one track come later than those of the other throughout; 0 where they agree on none. Both start
 * and end of cues speak for an offset: tracks that split differently still begin and end sentences together.
 */
export function* offsetBetween(source: readonly Range[], target: readonly Range[]): Steps<number> {
  const near = new NearDifferences();
  for (const edge of ['startMs', 'endMs'] as const) {
    yield* near.add(
      source.map((cue) => cue[edge]),
      target.map((cue) => cue[edge]),
    );
  }
  const votes = new Map<number, number>();
  for (const [ms, count] of near.entries()) {
    const step = Math.round(ms / GROUPING.stepMs);
    for (const each of [step - 1, step, step + 1]) votes.set(each, (votes.get(each) ?? 0) + count);
  }
  // Of equals the smallest offset: none is the usual one.
  const [best] = [...votes].sort(
    ([one, ones], [other, others]) => others - ones || Math.abs(one) - Math.abs(other) || one - other,
  );
  if (best === undefined || best[1] < 2 * GROUPING.agreeing * Math.min(source.length, target.length)) return 0;
  const around = best[0] * GROUPING.stepMs;
  return near.medianNear(around, 1.5 * GROUPING.stepMs);
}

/** Cues of both tracks that belong together, however many; a cue without others is alone. */
interface Group {
  readonly source: TimedText[];
  readonly target: TimedText[];
}

function shareEnough(one: Range, other: Range): boolean {
  const common = commonMs(one, other);
  return common > 0 && common >= GROUPING.sharedOfShorter * Math.min(lengthOf(one), lengthOf(other));
}

/** Groups of two tracks, each in order of time and without overlaps. */
function groupsOf(source: readonly TimedText[], target: readonly TimedText[]): Group[] {
  const groups: Group[] = [];
  const free = new Set(target);
  const targetsMeeting = meeting(target);
  const groupOf = new Map<TimedText, Group>();
  for (const cue of source) {
    const met = targetsMeeting(cue).filter((other) => shareEnough(cue, other));
    const last = groups.at(-1);
    const isJoined = last !== undefined && met.some((other) => groupOf.get(other) === last);
    const group = isJoined ? last : { source: [], target: [] };
    if (!isJoined) groups.push(group);
    group.source.push(cue);
    for (const other of met) {
      if (!free.delete(other)) continue;
      group.target.push(other);
      groupOf.set(other, group);
    }
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
 * Puts two tracks side by side that split their sentences differently. The offset between them is removed, and cues that belong
 * together become one line in the time of the source. Cues without a counterpart are alone, as in `pairedCues`.
 */
export function* groupedCues(
  source: readonly TimedText[],
  target: readonly TimedText[],
  range: Range,
): Steps<TextPair[]> {
  const spoken = dialogueOf(source).lines;
  yield;
  const shown = dialogueOf(target).lines;
  yield;
  const offsetMs = yield* offsetBetween(spoken, shown);
  const groups = groupsOf(spoken, joinedLines(shown.map((cue) => movedInto(cue, offsetMs, range))));
  const stretchOf = (group: Group): Range => hullOf(group.source.length > 0 ? group.source : group.target);
  return pairedLines(
    joinedLines(groups.flatMap((group) => asOne(group.source, stretchOf(group)))),
    joinedLines(groups.flatMap((group) => asOne(group.target, stretchOf(group)))),
  );
}
