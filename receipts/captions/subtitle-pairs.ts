import type { Range } from '../../contract/base/grammar.ts';

/** What one track says in one stretch of time; null where something is shown that could not be read. */
export interface TimedText extends Range {
  readonly text: string | null;
}

/** What two tracks say in one stretch of time; a side that has nothing to say there, or that could not be read, is null. */
export interface TextPair extends Range {
  readonly source: string | null;
  readonly target: string | null;
}

/** Two cues belong together when at least this share of the longer one is common to both. */
export const pairingOverlap = 0.5;

const byStart = (one: Range, other: Range): number => one.startMs - other.startMs || one.endMs - other.endMs;

/** Text under text; where one of them could not be read, the words of both together are not known. */
const under = (above: string | null, below: string | null): string | null =>
  above === null || below === null ? null : `${above}\n${below}`;

/**
 * Cues of one track that are shown together become one, their texts under each other in the order in which they appear.
 * One without a duration is never shown and falls away.
 */
export function joinedCues(cues: readonly TimedText[]): TimedText[] {
  const joined: TimedText[] = [];
  for (const cue of cues.filter(({ startMs, endMs }) => startMs < endMs).sort(byStart)) {
    const last = joined.at(-1);
    if (last === undefined || cue.startMs >= last.endMs) joined.push(cue);
    else joined.splice(-1, 1, { ...last, endMs: Math.max(last.endMs, cue.endMs), text: under(last.text, cue.text) });
  }
  return joined;
}

/** How long both are shown; not above 0 where they are not shown together. */
export const commonMs = (one: Range, other: Range): number =>
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
  const lengthOf = (stretch: Range): number => stretch.endMs - stretch.startMs;
  const [longest] = stretches.sort((one, other) => lengthOf(other) - lengthOf(one));
  return longest === undefined || lengthOf(longest) <= 0 ? null : longest;
}

/** The line that holds most of a cue, of those that meet it. */
function holderOf(cue: Range, lines: readonly TextPair[]): TextPair | undefined {
  return [...lines].sort((one, other) => commonMs(other, cue) - commonMs(one, cue))[0];
}

/**
 * Puts the cues of two tracks side by side, in order of time and disjoint. A pair has the times of its source cue. A target
 * cue without a partner stands alone where no source cue stands, cut to the longest such stretch. Where there is none its
 * words would be missing in silence: the line that holds most of it has no target then. Each cue is used once at most: a
 * longer half than `pairingOverlap` can be common with one cue only, and of two equal halves the earlier wins.
 */
export function pairedCues(source: readonly TimedText[], target: readonly TimedText[]): TextPair[] {
  const targets = joinedCues(target);
  const free = new Set(targets);
  const targetsMeeting = meeting(targets);
  const pairs: TextPair[] = joinedCues(source).map(({ startMs, endMs, text }) => {
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
