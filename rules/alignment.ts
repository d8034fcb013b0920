import type { Range } from '../contract/base/grammar.ts';
import type { Alignment } from '../contract/captions/caption-plan.ts';
import type { Steps } from '../formats/steps.ts';
import {
  type CueFit,
  FitTables,
  highest,
  inHundredths,
  laterBy,
  type Placed,
  placedCues,
  type Rate,
  type ReferenceKind,
  someOf,
  stepMs,
} from './cue-fit.ts';

/** The version of this rule, which a caption plan states. */
export const alignmentVersion = 1;

const inSteps = (ms: number): number => Math.round(ms / stepMs);

/** Pictures a second of film and of television: 24000 / 1001, 24 and 25; each may be played as another. */
const rates: readonly Rate[] = [
  { numerator: 1, denominator: 1 },
  { numerator: 1001, denominator: 960 },
  { numerator: 960, denominator: 1001 },
  { numerator: 1001, denominator: 1000 },
  { numerator: 1000, denominator: 1001 },
  { numerator: 25, denominator: 24 },
  { numerator: 24, denominator: 25 },
];

/**
 * The aim: one in 4,000 unrelated files at most gets an answer. The chance is extrapolated: of 1,100 planted pairs none got one. There are
 * three ways to one: all cues at some place, all as they are, and cues in pieces. So each has one in `rarely`: the best score of shuffled cues is extrapolated to that chance, by a Gumbel law
 * through `draws` shuffles. The bound never is below what independent likelihood ratios give: their best of `n` places
 * exceeds ln(n · rarely) nats once in `rarely` files (Markov's inequality). The other figures are choices
 * that were made with planted tracks and synthetic speech (`test/cases`). Costs are in hundredths of a nat.
 */
const ALIGNMENT = {
  rarely: 12_000,
  draws: 42,
  pieceDraws: 21,
  /** Two pieces at least are proven, so that for each the root of `rarely` is enough. */
  pieceRarely: 110,
  leastGumbel: 50,
  sceneGap: inSteps(8000),
  /** Offsets of all cues, and of the cues between two breaks. */
  reach: inSteps(130_000),
  breakReach: inSteps(600_000),
  breakStride: inSteps(120),
  rateCost: 400,
  breakCost: 1400,
  leastPart: 12,
  /** A part that fits elsewhere by so much more contradicts the others. */
  betterElsewhere: 1400,
  leastJump: inSteps(600),
  /** Cues of one track that a break moves onto each other by no more. */
  overlap: inSteps(200),
  leastCues: 6,
  /** A stretch of less than a tenth of the cues that gains little by its own place. */
  weakShare: 0.1,
  weakGain: 4000,
  mostPieces: 6,
  /** Parts of the cues that show which rate broken cues have. */
  rateParts: 8,
  /** Of the answers that lie elsewhere, the next one is worse by so much at least. */
  leadLeast: 300,
  inSyncBelow: inSteps(250),
  proposals: 6,
  /** Pairs of edges that are counted for one rate; of more cues some are left out. */
  mostPairs: 3_000_000,
} as const;

/** Far places have a cost: files are usually right, or off by little. One second costs 0.7 nats, two minutes 4.8. */
const offsetCost = (offset: number): number => inHundredths(Math.log1p((Math.abs(offset) * stepMs) / 1000));

type UnknownReason = Extract<Alignment, { verdict: 'unknown' }>['reason'];

/** All cues at one place and rate, and the score less the costs. */
interface Answer extends CueFit {
  readonly rate: Rate;
  readonly cues: Placed;
}

interface Piece extends Answer {
  readonly from: number;
  readonly to: number;
}

/**
 * Numbers from 0 to `below` - 1 in an order without a pattern: the same for the same seed on every machine. Each number is the
 * finalizer of MurmurHash3 over a count (Appleby, public domain).
 */
function hashed(seed: number): (below: number) => number {
  let count = Math.imul(seed + 1, 0x9e3779b9);
  return (below) => {
    count = (count + 0x6d2b79f5) | 0;
    let mixed = count;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) % below;
  };
}

/**
 * The cues with their lengths and gaps in another order, each a quarter longer or shorter at most. Without that, cues of an even
 * pace would be the same in every order. Long gaps between scenes stay, so that most cues stay over the film.
 */
function shuffled({ starts, ends }: Placed, seed: number): Placed {
  const next = hashed(seed);
  const inOtherOrder = (values: readonly number[]): number[] => {
    const order = [...values];
    for (let at = order.length - 1; at > 0; at -= 1) {
      const other = next(at + 1);
      [order[at], order[other]] = [order[other] ?? 0, order[at] ?? 0];
    }
    return order.map((steps) => Math.round((steps * (750 + next(501))) / 1000));
  };
  const isLong = (gap: number): boolean => gap > ALIGNMENT.sceneGap;
  const lengths = inOtherOrder(Array.from(starts, (start, at) => (ends[at] ?? 0) - start));
  const gaps = Array.from(starts.subarray(1), (start, at) => Math.max(start - (ends[at] ?? 0), 1));
  const shortGaps = inOtherOrder(gaps.filter((gap) => !isLong(gap)));
  const mixed: Placed = { starts: new Int32Array(starts.length), ends: new Int32Array(ends.length) };
  let [from, short] = [starts[0] ?? 0, 0];
  for (const [at, length] of lengths.entries()) {
    mixed.starts[at] = from;
    mixed.ends[at] = from + length;
    const gap = gaps[at] ?? 0;
    from += length + (isLong(gap) ? gap : (shortGaps[short] ?? 0));
    if (!isLong(gap)) short += 1;
  }
  return mixed;
}

/** The best places of cues, by proposals that the tables decide; the best first. */
function* placesOf(tables: FitTables, cues: Placed): Steps<CueFit[]> {
  const { reach, leastJump, proposals } = ALIGNMENT;
  const worth = yield* tables.proposals(cues, reach);
  for (let place = 0; place < worth.length; place += 1) worth[place] = (worth[place] ?? 0) - offsetCost(place - reach);
  yield;
  const fits: CueFit[] = [];
  // The usual place is always looked at.
  for (const offset of [0, ...highest(worth, leastJump / 2, proposals).map((place) => place - reach)]) {
    const { offset: refined } = tables.refined(cues, offset, inSteps(320), 2);
    const fit = tables.refined(cues, refined, 1);
    fits.push({ offset: fit.offset, score: fit.score - offsetCost(fit.offset) });
    yield;
  }
  return fits.sort((one, other) => other.score - one.score || Math.abs(one.offset) - Math.abs(other.offset));
}

interface Bound {
  readonly bound: number;
  readonly chance: number;
}

/** The best is taken of so many ways of looking: rates that each draw has one of, and places of independent cues. */
interface Tries {
  readonly rarely: number;
  readonly rates: number;
  readonly places: number;
}

/**
 * The score that unrelated cues exceed once in `rarely` files, by the best scores of shuffled ones. Their upper half gives a
 * Gumbel law: its mode is 0.3665 scales below the median. On average over all draws, scores exceed the median by 0.5894 scales.
 * The lower half has shuffles that leave the film; the tail does not depend on them. The best of several rates shifts the
 * law of one by `scale · ln(rates)`.
 */
function boundBy(best: readonly number[], { rarely, rates: tried, places }: Tries): Bound {
  const middle = best.toSorted((one, other) => one - other)[best.length >> 1] ?? 0;
  const excess = best.reduce((sum, score) => sum + Math.max(0, score - middle), 0) / best.length;
  const scale = Math.max(excess / 0.5894, ALIGNMENT.leastGumbel);
  const chance = middle + scale * Math.log(tried);
  const tail = chance - 0.3665 * scale - scale * Math.log(-Math.log1p(-1 / rarely));
  return { bound: Math.max(Math.round(tail), inHundredths(Math.log(places * rarely))), chance: Math.round(chance) };
}

/** The best scores of shuffled cues anywhere. */
function* shuffledScores(tables: FitTables, atRates: readonly Placed[], draws: number): Steps<number[]> {
  const best: number[] = [];
  for (let draw = 0; draw < draws; draw += 1) {
    const cues = atRates[draw % atRates.length];
    if (cues !== undefined) best.push((yield* placesOf(tables, shuffled(cues, draw)))[0]?.score ?? 0);
  }
  return best;
}

/** The score near no offset and no other rate, which is one place to look at and not a hundred thousand. */
const inPlace = (tables: FitTables, cues: Placed): CueFit => tables.refined(cues, 0, ALIGNMENT.inSyncBelow - 1);

/** The bound of that score. */
function* inPlaceBound(tables: FitTables, cues: Placed): Steps<Bound> {
  const scores: number[] = [];
  for (let draw = 0; draw < ALIGNMENT.draws; draw += 1) {
    scores.push(inPlace(tables, shuffled(cues, draw)).score);
    yield;
  }
  return boundBy(scores, { rarely: ALIGNMENT.rarely, rates: 1, places: 1 });
}

/** True if two answers put some cue at places that a viewer would tell apart. */
function liesElsewhere(one: Answer, other: Answer): boolean {
  const last = one.cues.starts.length - 1;
  return [0, last].some((at) => {
    const apart = (one.cues.starts[at] ?? 0) + one.offset - (other.cues.starts[at] ?? 0) - other.offset;
    return Math.abs(apart) >= ALIGNMENT.leastJump;
  });
}

/** Claims about all cues need each part of them: a third has no place elsewhere that is better than chance makes it. */
function* isEven(tables: FitTables, cues: Placed, offset: number): Steps<boolean> {
  const placed = laterBy(cues, offset);
  for (const part of partsOf(placed, Math.min(3, Math.max(1, Math.floor(cues.starts.length / ALIGNMENT.leastPart))))) {
    const [best] = yield* placesOf(tables, part);
    const here = tables.refined(part, 0, inSteps(200)).score;
    if (best !== undefined && best.score - here > ALIGNMENT.betterElsewhere) return false;
  }
  return true;
}

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
function* brokenOffsets(tables: FitTables, cues: Placed): Steps<Int32Array> {
  const { breakReach: reach, breakStride: stride, breakCost } = ALIGNMENT;
  const states = 2 * Math.floor(reach / stride) + 1;
  const first = -Math.floor(reach / stride) * stride;
  const count = cues.starts.length;
  const value = Int32Array.from({ length: states }, (_, state) => -offsetCost(first + state * stride));
  const hasJumped = new Uint8Array(Math.ceil((count * states) / 8));
  const records: Int32Array[] = [];
  /** By so many states an offset may fall at a cue. */
  const falls = Array.from(cues.starts, (start, at) => {
    const gap = at === 0 ? 0 : start - (cues.ends[at - 1] ?? start);
    return Math.max(0, Math.floor((gap + ALIGNMENT.overlap) / stride));
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
interface Stretch {
  from: number;
  to: number;
  offset: number;
}

/** Neighbors whose offsets no viewer can tell apart are one stretch. */
function unbroken(stretches: readonly Stretch[]): Stretch[] {
  const whole: Stretch[] = [];
  for (const stretch of stretches) {
    const last = whole.at(-1);
    if (last !== undefined && Math.abs(last.offset - stretch.offset) < ALIGNMENT.leastJump) last.to = stretch.to;
    else whole.push({ ...stretch });
  }
  return whole;
}

/** The place between two stretches that the cues of both together prefer. */
function divided(tables: FitTables, cues: Placed, { from, to }: Stretch, before: number, after: number): number {
  let [sum, best, place] = [0, 0, from];
  for (let at = from; at < to; at += 1) {
    const one = someOf(cues, at, at + 1);
    sum += tables.scoreOf(one, before) - tables.scoreOf(one, after);
    if (sum > best) [best, place] = [sum, at + 1];
  }
  return place;
}

/** Stretches with breaks that are worth something. A few cues that fit elsewhere (signs, songs, chance) belong to their neighbors. */
function* stretchesOf(tables: FitTables, cues: Placed, offsets: Int32Array): Steps<Stretch[]> {
  const count = offsets.length;
  const isBreak = (at: number) => Math.abs((offsets[at] ?? 0) - (offsets[at - 1] ?? 0)) >= ALIGNMENT.leastJump;
  const cuts = [0, ...Array.from({ length: count - 1 }, (_, at) => at + 1).filter(isBreak), count];
  let stretches = cuts.slice(1).map((to, at): Stretch => {
    const from = cuts[at] ?? 0;
    return { from, to, offset: middleOf(offsets.subarray(from, to)) };
  });
  const isWeak = (at: number): boolean => {
    const { from, to, offset } = stretches[at] ?? { from: 0, to: 0, offset: 0 };
    if (to - from < ALIGNMENT.leastCues) return true;
    if (to - from > ALIGNMENT.weakShare * count) return false;
    const some = someOf(cues, from, to);
    const elsewhere = [stretches[at - 1], stretches[at + 1]].flatMap((other) =>
      other === undefined ? [] : [tables.scoreOf(some, other.offset)],
    );
    return tables.scoreOf(some, offset) - Math.max(...elsewhere) < ALIGNMENT.weakGain;
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

const figuresOf = (score: number, { bound, chance }: Bound) => ({ score, bound, chance });

const placeOf = ({ rate, offset }: Pick<Answer, 'rate' | 'offset'>) => ({ ...rate, offsetMs: offset * stepMs });

/** The cues at one rate in stretches, and their score less the breaks. */
interface Broken {
  readonly score: number;
  readonly pieces: readonly Piece[];
}

function* brokenOf(tables: FitTables, { rate, cues }: Pick<Answer, 'rate' | 'cues'>): Steps<Broken> {
  const pieces: Piece[] = [];
  for (const { from, to, offset } of yield* stretchesOf(tables, cues, yield* brokenOffsets(tables, cues))) {
    const some = someOf(cues, from, to);
    pieces.push({ from, to, rate, cues: some, ...tables.refined(some, offset, inSteps(300)) });
    yield;
  }
  const cost = (pieces.length - 1) * ALIGNMENT.breakCost + (rate === rates[0] ? 0 : ALIGNMENT.rateCost);
  return { pieces, score: pieces.reduce((sum, { score }) => sum + score, 0) - cost };
}

/** Cues in some parts of about equal numbers. */
function partsOf(cues: Placed, parts: number): Placed[] {
  const count = cues.starts.length;
  const cut = (part: number): number => Math.floor((part * count) / parts);
  return Array.from({ length: parts }, (_, part) => someOf(cues, cut(part), cut(part + 1)));
}

/** The rate at which parts of the cues fit best, each at its own place. */
function* rateOfParts(tables: FitTables, atRates: readonly Placed[]): Steps<Rate> {
  let [best, rate] = [Number.NEGATIVE_INFINITY, rates[0] as Rate];
  for (const [index, cues] of atRates.entries()) {
    const parts = Math.min(ALIGNMENT.rateParts, Math.floor(cues.starts.length / ALIGNMENT.leastCues));
    let sum = index === 0 ? 0 : -ALIGNMENT.rateCost;
    for (const part of partsOf(cues, parts)) sum += Math.max(0, (yield* placesOf(tables, part))[0]?.score ?? 0);
    if (sum > best) [best, rate] = [sum, rates[index] ?? rate];
  }
  return rate;
}

/** The best of the broken cues, as they run and at one other rate. Without an answer for all cues, parts of them show that. */
function* bestBroken(tables: FitTables, atRates: readonly Placed[], known: Rate | null): Steps<Broken> {
  const likely = known ?? (yield* rateOfParts(tables, atRates));
  let best: Broken | undefined;
  for (const [index, rate] of rates.entries()) {
    const cues = atRates[index];
    if (cues === undefined || (rate !== likely && (index > 0 || known !== null))) continue;
    const broken = yield* brokenOf(tables, { rate, cues });
    if (best === undefined || broken.score > best.score) best = broken;
  }
  return best ?? { pieces: [], score: Number.NEGATIVE_INFINITY };
}

/** The verdict for cues in pieces; each needs a proof of its own. Of all cues, in order, every so manieth was counted. */
function* judgedPieces(
  tables: FitTables,
  pieces: readonly Piece[],
  { every, count }: { readonly every: number; readonly count: number },
): Steps<Alignment | null> {
  const judged = [];
  const { pieceDraws: draws, pieceRarely: rarely } = ALIGNMENT;
  const states = (2 * ALIGNMENT.breakReach) / ALIGNMENT.breakStride;
  for (const piece of pieces) {
    const { from, to, cues, offset } = piece;
    const best = yield* shuffledScores(tables, [cues], draws);
    const bound = boundBy(best, { rarely, rates: 1, places: states * cues.starts.length });
    const { score } = piece;
    if (score <= bound.bound || !(yield* isEven(tables, cues, offset))) return null;
    judged.push({ from: from * every, to: Math.min(to * every, count), ...placeOf(piece), ...figuresOf(score, bound) });
  }
  return { verdict: 'other_cut', pieces: judged };
}

/** Only every so manieth of very many cues is counted, so that the time of the computation has a bound. */
function strideOf(reference: readonly Range[], cues: readonly Range[], lengthMs: number): number {
  const reachMs = 2 * ALIGNMENT.reach * stepMs;
  const pairs = cues.length * reference.length * Math.min(1, reachMs / Math.max(lengthMs, 1));
  return Math.max(1, Math.ceil(pairs / ALIGNMENT.mostPairs));
}

const inOrder = (spans: readonly Range[]): Range[] =>
  spans
    .filter(({ startMs, endMs }) => startMs < endMs)
    .sort((one, other) => one.startMs - other.startMs || one.endMs - other.endMs);

/**
 * How cues lie against a reference: windows of detected speech, or the cues of another track. The answer holds for the cues in order
 * of time. `lengthMs` is the length of the film. Offsets of two minutes are looked for at seven rates, and of ten minutes
 * between breaks. An answer has a score above its bound, and lies where no third of the cues disagrees; everything else is
 * `unknown`. All figures are hundredths of a nat, and follow from integer tables.
 */
export function* alignedBySteps(
  reference: readonly Range[],
  cues: readonly Range[],
  lengthMs: number,
  kind: ReferenceKind = 'speech',
): Steps<Alignment> {
  const spans = inOrder(reference);
  const shown = inOrder(cues);
  if (spans.length === 0 && kind === 'speech') return { verdict: 'unknown', reason: 'no_speech', figures: null };
  const leastSpans = kind === 'speech' ? 1 : ALIGNMENT.leastCues;
  if (shown.length < ALIGNMENT.leastCues || spans.length < leastSpans) {
    return { verdict: 'unknown', reason: 'too_few_cues', figures: null };
  }
  const lastCueMs = Math.max(...rates.map((rate) => rate.numerator / rate.denominator)) * (shown.at(-1)?.endMs ?? 0);
  const tables = yield* FitTables.of(spans, kind, { lengthMs, lastCueMs, reachSteps: ALIGNMENT.breakReach });
  const every = strideOf(spans, shown, lengthMs);
  const counted = shown.filter((_, at) => at % every === 0);
  const answers: Answer[] = [];
  for (const rate of rates) {
    const cuesAtRate = placedCues(counted, rate);
    const cost = rate === rates[0] ? 0 : ALIGNMENT.rateCost;
    for (const { offset, score } of yield* placesOf(tables, cuesAtRate)) {
      answers.push({ rate, cues: cuesAtRate, offset, score: score - cost });
    }
  }
  answers.sort((one, other) => other.score - one.score);
  const [best] = answers;
  if (best === undefined) return { verdict: 'unknown', reason: 'too_few_cues', figures: null };
  const atRates = rates.map((rate) => placedCues(counted, rate));
  const bound = boundBy(yield* shuffledScores(tables, atRates, ALIGNMENT.draws), {
    rarely: ALIGNMENT.rarely,
    rates: rates.length,
    places: rates.length * (2 * ALIGNMENT.reach + 1),
  });
  const figures = figuresOf(best.score, bound);
  const unknown = (reason: UnknownReason): Alignment => ({ verdict: 'unknown', reason, figures });
  const broken = yield* bestBroken(tables, atRates, best.score > bound.bound ? best.rate : null);
  if (broken.pieces.length > 1 && broken.score > best.score) {
    const isFew = broken.pieces.length <= ALIGNMENT.mostPieces;
    const verdict = isFew ? yield* judgedPieces(tables, broken.pieces, { every, count: shown.length }) : null;
    return verdict ?? unknown(best.score > bound.bound ? 'pieces_unproven' : 'no_better_than_chance');
  }
  if (best.score <= bound.bound) {
    const here = { rate: best.rate, cues: best.cues, ...inPlace(tables, best.cues) };
    const hereBound =
      best.rate === rates[0] && !liesElsewhere(here, best) ? yield* inPlaceBound(tables, best.cues) : null;
    if (hereBound === null || here.score <= hereBound.bound) return unknown('no_better_than_chance');
    if (!(yield* isEven(tables, here.cues, here.offset))) return unknown('part_does_not_fit');
    return { verdict: 'in_sync', ...placeOf(here), ...figuresOf(here.score, hereBound) };
  }
  const rival = answers.find((answer) => liesElsewhere(best, answer));
  if (rival !== undefined && best.score - rival.score < ALIGNMENT.leadLeast) return unknown('no_better_than_chance');
  if (!(yield* isEven(tables, best.cues, best.offset))) return unknown('part_does_not_fit');
  const isInPlace = Math.abs(best.offset) < ALIGNMENT.inSyncBelow;
  const verdict = best.rate !== rates[0] ? 'drifts' : isInPlace ? 'in_sync' : 'shifted';
  return { verdict, ...placeOf(best), ...figures };
}
