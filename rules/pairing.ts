import type { Range } from '../contract/base/grammar.ts';
import type { Alignment, CaptionPlan } from '../contract/captions/caption-plan.ts';
import type { Steps } from '../formats/steps.ts';
import { alignedBySteps } from './alignment.ts';
import { byStart, dialogueOf, type TimedText } from './dialogue.ts';
import { hullOf, intersection, joined, lengthOf, totalLengthOf } from './time-spans.ts';

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
 * Lines side by side, in order of time and disjoint; both sides are so. A pair has the times of its source line. A target line
 * without a partner is alone if it has a stretch without a source line, and is cut to the longest such stretch. Without one its
 * words would be missing in silence: the line that holds most of it has no target then. Each line is used once at most. A longer
 * half than `pairingOverlap` can be common with one line only, and of two equal halves the earlier wins.
 */
export function pairedLines(source: readonly TimedText[], targets: readonly TimedText[]): TextPair[] {
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

/** The rule for tracks that split their sentences differently: lines belong together that share 30 % of the shorter one. */
const GROUPING = { sharedOfShorter: 0.3 } as const;

/**
 * A line of the smaller side meets the other if it starts or ends with one of its lines, within `edgeMs`. After a proven alignment,
 * half of the lines must. In 42 accepted planted pairs that belong together, at least 68 % did, with a median of 90 %. Pieces have more
 * freedom to meet: of them 70 % must. Of pairs by a second generator, 57 % of a foreign one met in four pieces, and at least 82 % of
 * the right ones. Without a proof the sides have to agree as they are. Nearly all lines must meet, by 3.5 deviations more than chance
 * (one in 4,000). The chance follows from the times of the other side. If it asks for more than all lines, no share is enough. A dense dialogue meets much by chance. So lines may also
 * both start and end with one, within `equalMs`, as in a translation that kept the times. Of fewer lines than an alignment needs,
 * half is enough; they may share half of their time instead.
 */
const AGREEMENT = {
  edgeMs: 300,
  equalMs: 100,
  leastMilli: 500,
  leastInPiecesMilli: 700,
  unprovenMilli: 900,
  deviations: 3.5,
  neverMilli: 1001,
} as const;

/** How well two sides agree in time. */
export type Agreement = NonNullable<CaptionPlan['agreement']>;

/** Two tracks side by side. Nothing is paired if they do not agree; then there are the lines of the source alone. */
export interface TrackPairing {
  readonly pairs: readonly TextPair[];
  /** How the target lies against the source. Null if a side has no line. */
  readonly alignment: Alignment | null;
  /** Null if a side has no line. */
  readonly agreement: Agreement | null;
}

/** True if two sides belong together, or there is one alone. */
export const sidesAgree = ({ agreement }: Pick<TrackPairing, 'agreement'>): boolean =>
  agreement === null || agreement.agreeMilli >= agreement.leastMilli;

/** The place of the first of some ascending times that is not before another. */
function firstFrom(times: readonly number[], ms: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? ms) < ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

const isNear = (times: readonly number[], ms: number, withinMs: number): boolean =>
  (times[firstFrom(times, ms - withinMs)] ?? Number.POSITIVE_INFINITY) <= ms + withinMs;

/** The starts and the ends of lines, each in order of time, and the stretch that they fill. */
interface Edges {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  readonly hull: Range;
}

const edgesOf = (lines: readonly Range[]): Edges => ({
  starts: lines.map(({ startMs }) => startMs),
  ends: lines.map(({ endMs }) => endMs).sort((one, other) => one - other),
  hull: hullOf(lines),
});

/** The share of the time that is near one of some times. */
function nearShare(times: readonly number[], hull: Range, withinMs: number): number {
  const near = times.map((ms) => ({ startMs: ms - withinMs, endMs: ms + withinMs }));
  return totalLengthOf(intersection(joined(near), [hull])) / Math.max(1, lengthOf(hull));
}

const milliOf = (agreeing: readonly Range[], all: readonly Range[]): number =>
  Math.floor((1000 * agreeing.length) / all.length);

/** The least agreement of lines that chance alone does not reach. */
function leastBeyond(chance: number, lines: number): number {
  const above = AGREEMENT.deviations * Math.sqrt((chance * (1 - chance)) / lines);
  const needed = Math.max(AGREEMENT.unprovenMilli, Math.ceil(1000 * (chance + above)));
  return Math.min(needed, AGREEMENT.neverMilli);
}

/** How well lines agree with others; both in order of time, and neither is empty. */
function agreementOf(source: readonly Range[], target: readonly Range[], alignment: Alignment): Agreement {
  const [some, others] = source.length <= target.length ? [source, target] : [target, source];
  const { starts, ends, hull } = edgesOf(others);
  const isShort = alignment.verdict === 'unknown' && alignment.reason === 'too_few_cues';
  const othersMeeting = meeting(others);
  const { edgeMs, equalMs } = AGREEMENT;
  const meets = some.filter((line) => {
    const met = othersMeeting(line);
    const isWith = isShort && met.some((other) => belongTogether(line, other));
    return isWith || isNear(starts, line.startMs, edgeMs) || isNear(ends, line.endMs, edgeMs);
  });
  if (alignment.verdict !== 'unknown' || isShort) {
    const inPieces = alignment.verdict === 'other_cut';
    const leastMilli = inPieces ? AGREEMENT.leastInPiecesMilli : AGREEMENT.leastMilli;
    return { agreeMilli: milliOf(meets, some), leastMilli };
  }
  const chanceToMeet = 1 - (1 - nearShare(starts, hull, edgeMs)) * (1 - nearShare(ends, hull, edgeMs));
  const loose = { agreeMilli: milliOf(meets, some), leastMilli: leastBeyond(chanceToMeet, some.length) };
  if (sidesAgree({ agreement: loose })) return loose;
  const equals = some.filter(({ startMs, endMs }) => isNear(starts, startMs, equalMs) && isNear(ends, endMs, equalMs));
  const chanceToEqual = nearShare(starts, hull, equalMs) * nearShare(ends, hull, equalMs);
  const strict = { agreeMilli: milliOf(equals, some), leastMilli: leastBeyond(chanceToEqual, some.length) };
  return sidesAgree({ agreement: strict }) ? strict : loose;
}

/** The lines of a side as an alignment moves them. Those that are in sync, or of which nothing is known, stay. */
function* movedBy(lines: readonly TimedText[], alignment: Alignment, range: Range): Steps<TimedText[]> {
  if (alignment.verdict === 'unknown' || alignment.verdict === 'in_sync') return [...lines];
  const pieces = alignment.verdict === 'other_cut' ? alignment.pieces : [{ ...alignment, from: 0, to: lines.length }];
  const moved: TimedText[] = [];
  for (const { from, to, numerator, denominator, offsetMs } of pieces) {
    const within = (ms: number): number =>
      Math.min(Math.max(Math.round((ms * numerator) / denominator) + offsetMs, range.startMs), range.endMs);
    for (const { startMs, endMs, text } of lines.slice(from, to)) {
      moved.push({ startMs: within(startMs), endMs: within(endMs), text });
    }
    yield;
  }
  return moved;
}

/** The lines of two tracks, those of the target moved to the times of the source. */
interface Sides extends Pick<TrackPairing, 'alignment' | 'agreement'> {
  readonly source: readonly TimedText[];
  readonly target: readonly TimedText[];
}

function* sidesOf(source: readonly TimedText[], target: readonly TimedText[], range: Range): Steps<Sides> {
  const spoken = dialogueOf(source).lines;
  yield;
  const shown = target === source ? spoken : dialogueOf(target).lines;
  yield;
  // One track for both sides needs no proof.
  if (spoken.length === 0 || shown.length === 0 || target === source) {
    return { source: spoken, target: shown, alignment: null, agreement: null };
  }
  const alignment = yield* alignedBySteps(spoken, shown, range.endMs, 'cues');
  const moved = joinedLines(yield* movedBy(shown, alignment, range));
  yield;
  return {
    source: spoken,
    target: moved,
    alignment,
    agreement:
      moved.length === 0 ? { agreeMilli: 0, leastMilli: AGREEMENT.leastMilli } : agreementOf(spoken, moved, alignment),
  };
}

const sourceAlone = (lines: readonly TimedText[]): TextPair[] =>
  lines.map(({ startMs, endMs, text }) => ({ startMs, endMs, source: text, target: null }));

/**
 * Puts the dialogue of two tracks side by side, line by line: a pair shares half of the longer one. The offset, the rate and the
 * breaks between the tracks are removed first; if the sides do not agree then, nothing is paired.
 */
export function* pairedCues(
  source: readonly TimedText[],
  target: readonly TimedText[],
  range: Range,
): Steps<TrackPairing> {
  const { alignment, agreement, ...sides } = yield* sidesOf(source, target, range);
  const pairs = sidesAgree({ agreement }) ? pairedLines(sides.source, sides.target) : sourceAlone(sides.source);
  return { pairs, alignment, agreement };
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

/** The same for tracks that split their sentences differently: lines that belong together become one, in the time of the source. */
export function* groupedCues(
  source: readonly TimedText[],
  target: readonly TimedText[],
  range: Range,
): Steps<TrackPairing> {
  const { alignment, agreement, ...sides } = yield* sidesOf(source, target, range);
  if (!sidesAgree({ agreement })) return { pairs: sourceAlone(sides.source), alignment, agreement };
  const groups = groupsOf(sides.source, sides.target);
  yield;
  const stretchOf = (group: Group): Range => hullOf(group.source.length > 0 ? group.source : group.target);
  const pairs = pairedLines(
    joinedLines(groups.flatMap((group) => asOne(group.source, stretchOf(group)))),
    joinedLines(groups.flatMap((group) => asOne(group.target, stretchOf(group)))),
  );
  return { pairs, alignment, agreement };
}
