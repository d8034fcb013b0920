import type { Steps } from '../formats/steps.ts';
import { type FitTables, inSteps, offsetCost, type Placed, someOf } from './cue-fit.ts';

/** Breaks between cues: what is cut out of a film, or put in. The figures are choices; costs are in hundredths of a nat. */
export const BREAKS = {
  /** Offsets of the cues between two breaks. */
  breakReach: inSteps(600_000),
  breakStride: inSteps(120),
  breakCost: 1400,
  leastJump: inSteps(600),
  /** Cues of one track that a break moves onto each other by no more. */
  overlap: inSteps(200),
  leastCues: 6,
  /** A stretch of less than a tenth of the cues that gains little by its own place. */
  weakShare: 0.1,
  weakGain: 4000,
} as const;

/** The states that have a higher value than all before them, in order. */
function recordsOf(values: Int32Array): Int32Array {
  const states: number[] = [];
  let best = Number.NEGATIVE_INFINITY;
  for (let state = 0; state < values.length; state += 1) {
    const value = values[state] ?? best;
    if (value > best) states.push(state);
    if (value > best) best = value;
  }
  return Int32Array.from(states);
}

/** The last of some ascending numbers that is not above a limit. */
function lastUpTo(ascending: Int32Array, limit: number): number {
  let [low, high] = [0, ascending.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((ascending[middle] ?? limit) <= limit) low = middle;
    else high = middle - 1;
  }
  return ascending[low] ?? 0;
}

/**
 * The offsets of cues with the fewest breaks that are worth their cost, by dynamic programming over the cues. What is cut out or
 * put in never changes the order: no cue comes before the end of the one before it.
 */
export function* brokenOffsets(tables: FitTables, cues: Placed): Steps<Int32Array> {
  const { breakReach: reach, breakStride: stride, breakCost } = BREAKS;
  const states = 2 * Math.floor(reach / stride) + 1;
  const first = -Math.floor(reach / stride) * stride;
  const count = cues.starts.length;
  const value = Int32Array.from({ length: states }, (_, state) => -offsetCost(first + state * stride));
  const hasJumped = new Uint8Array(Math.ceil((count * states) / 8));
  const records: Int32Array[] = [];
  /** By so many states an offset may fall at a cue. */
  const falls = Array.from(cues.starts, (start, at) => {
    const gap = at === 0 ? 0 : start - (cues.ends[at - 1] ?? start);
    return Math.max(0, Math.floor((gap + BREAKS.overlap) / stride));
  });
  for (let at = 0; at < count; at += 1) {
    const best = at === 0 ? new Int32Array(0) : recordsOf(value);
    records.push(best);
    let [record, least] = [0, Number.NEGATIVE_INFINITY];
    for (let state = 0; state < states && at > 0; state += 1) {
      const limit = state + (falls[at] ?? 0);
      while (record < best.length && (best[record] ?? states) <= limit) {
        // A record is never overwritten: nothing before it comes near its value.
        least = (value[best[record] ?? 0] ?? 0) - breakCost;
        record += 1;
      }
      if ((value[state] ?? 0) >= least) continue;
      value[state] = least;
      const bit = at * states + state;
      hasJumped[bit >> 3] = (hasJumped[bit >> 3] ?? 0) | (1 << (bit & 7));
    }
    tables.addScores(cues, at, { first, stride }, value);
    if (at % 8 === 7) yield;
  }
  const offsets = new Int32Array(count);
  let state = 0;
  for (let other = 1; other < states; other += 1) if ((value[other] ?? 0) > (value[state] ?? 0)) state = other;
  for (let at = count - 1; at >= 0; at -= 1) {
    offsets[at] = first + state * stride;
    const bit = at * states + state;
    if (((hasJumped[bit >> 3] ?? 0) & (1 << (bit & 7))) === 0) continue;
    state = lastUpTo(records[at] ?? new Int32Array(0), state + (falls[at] ?? 0));
  }
  return offsets;
}

const middleOf = (values: Int32Array): number => values.toSorted()[values.length >> 1] ?? 0;

/** Stretches of cues with one offset. */
export interface CueStretch {
  from: number;
  to: number;
  offset: number;
}

/** Neighbors whose offsets no viewer can tell apart are one stretch. */
function unbroken(stretches: readonly CueStretch[]): CueStretch[] {
  const whole: CueStretch[] = [];
  for (const stretch of stretches) {
    const last = whole.at(-1);
    if (last !== undefined && Math.abs(last.offset - stretch.offset) < BREAKS.leastJump) last.to = stretch.to;
    else whole.push({ ...stretch });
  }
  return whole;
}

/** The place between two stretches that the cues of both together prefer. */
function divided(tables: FitTables, cues: Placed, { from, to }: CueStretch, before: number, after: number): number {
  let [sum, best, place] = [0, 0, from];
  for (let at = from; at < to; at += 1) {
    const one = someOf(cues, at, at + 1);
    sum += tables.scoreOf(one, before) - tables.scoreOf(one, after);
    if (sum > best) [best, place] = [sum, at + 1];
  }
  return place;
}

/** Stretches with breaks that are worth something. A few cues that fit elsewhere (signs, songs, chance) belong to their neighbors. */
export function* stretchesOf(tables: FitTables, cues: Placed, offsets: Int32Array): Steps<CueStretch[]> {
  const count = offsets.length;
  const isBreak = (at: number) => Math.abs((offsets[at] ?? 0) - (offsets[at - 1] ?? 0)) >= BREAKS.leastJump;
  const cuts = [0, ...Array.from({ length: count - 1 }, (_, at) => at + 1).filter(isBreak), count];
  let stretches = cuts.slice(1).map((to, at): CueStretch => {
    const from = cuts[at] ?? 0;
    return { from, to, offset: middleOf(offsets.subarray(from, to)) };
  });
  const isWeak = (at: number): boolean => {
    const { from, to, offset } = stretches[at] ?? { from: 0, to: 0, offset: 0 };
    if (to - from < BREAKS.leastCues) return true;
    if (to - from > BREAKS.weakShare * count) return false;
    const some = someOf(cues, from, to);
    const elsewhere = [stretches[at - 1], stretches[at + 1]].flatMap((other) =>
      other === undefined ? [] : [tables.scoreOf(some, other.offset)],
    );
    return tables.scoreOf(some, offset) - Math.max(...elsewhere) < BREAKS.weakGain;
  };
  while (stretches.length > 1) {
    yield;
    const shortest = stretches.map((_, at) => at).filter(isWeak);
    const lengths = shortest.map((at) => (stretches[at]?.to ?? 0) - (stretches[at]?.from ?? 0));
    const small = shortest[lengths.indexOf(Math.min(...lengths))];
    const stretch = stretches[small ?? count];
    if (small === undefined || stretch === undefined) break;
    const [before, after] = [stretches[small - 1], stretches[small + 1]];
    if (before !== undefined && after !== undefined) {
      const place = divided(tables, cues, stretch, before.offset, after.offset);
      before.to = place;
      after.from = place;
    } else if (before !== undefined) before.to = stretch.to;
    else if (after !== undefined) after.from = stretch.from;
    stretches.splice(small, 1);
    stretches = unbroken(stretches);
  }
  return stretches;
}
