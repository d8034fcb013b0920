import type { Range } from '../contract/base/grammar.ts';
import type { AlignedStretch, Alignment } from '../contract/captions/caption-plan.ts';
import type { Steps } from '../formats/steps.ts';
import { BREAKS, brokenOffsets, stretchesOf } from './cue-breaks.ts';
import {
  binSteps,
  binsWithin,
  type CueFit,
  FitTables,
  highest,
  inHundredths,
  inSteps,
  laterBy,
  offsetCost,
  type Placed,
  placedCues,
  type Rate,
  type ReferenceKind,
  someOf,
  stepMs,
} from './cue-fit.ts';
import { lengthOf, sharedMs } from './time-spans.ts';

/** The version of this rule, which a caption plan states. */
export const alignmentVersion = 2;

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

/** How far and how surely cues are looked for against a kind of reference. */
interface Search {
  /** Offsets of all cues, in steps. */
  readonly reach: number;
  /** One unrelated file in so many gets an answer by one way. */
  readonly rarely: number;
  /** Two pieces at least are proven, so that for each the root of `rarely` is enough. */
  readonly pieceRarely: number;
  /** Pieces may be proven alone, and cues that fit nowhere are told apart. */
  readonly tellsStretches: boolean;
  /** Looked for if nothing is found nearer: offsets of all cues, in steps; null for no farther ones. */
  readonly farReach: number | null;
  /** The bound is at most so many times that of independent likelihood ratios. */
  readonly mostBound: number;
}

/**
 * The aim against speech: one in 100,000 unrelated files at most gets an answer. Answers are for all cues at a near place, as they
 * are, or at a far place. Others are for cues in pieces, and for some of the pieces. Of cues behind the end of the film four of these
 * ways are tried again without them. So each of at most ten ways has one in `rarely`.
 * Against cues one in 4,000 is the aim, by three ways: their agreement is measured besides (`pairing.ts`).
 */
const SEARCHES: Readonly<Record<ReferenceKind, Search>> = {
  speech: {
    reach: inSteps(130_000),
    farReach: inSteps(600_000),
    rarely: 1_000_000,
    pieceRarely: 1000,
    tellsStretches: true,
    mostBound: 2,
  },
  cues: {
    reach: inSteps(130_000),
    farReach: null,
    rarely: 12_000,
    pieceRarely: 110,
    tellsStretches: false,
    mostBound: Number.POSITIVE_INFINITY,
  },
};

/** Cues that lie less than this from the speech are in sync, in ms. */
export const inSyncBelowMs = 250;

/**
 * The best score of shuffled cues is extrapolated to one in `rarely`, by a Gumbel law through `draws` shuffles. The bound never is
 * below what independent likelihood ratios give: their best of `n` places exceeds ln(n · rarely) nats once in `rarely` files
 * (Markov's inequality). Nor is it above `mostBound` times that: a law through scores that spread widely would ask for more than any
 * file has. This limit follows from the tail of 3,000 unrelated files against films of two sets (`bench/sync.ts`). Take each score by what
 * independent ratios give. Of the near search, the 95th percentile is -0.79, and the scores above it exceed it by 0.257 on average. An
 * exponential tail reaches -0.79 + 0.257 · ln(0.05 · 1,000,000) = 1.99 once in a million files. Of the far search it reaches 1.77. The
 * highest score of all was 0.09. Beyond the 99th percentile the tail is lighter than that, so the figures err upwards. Too few scores in
 * place (38) and of pieces (26, up to 1.27) were counted for a tail of their own. The same limit is a choice there.
 * The other figures are choices that were made with planted tracks and synthetic speech (`test/cases`).
 * Costs are in hundredths of a nat.
 */
const ALIGNMENT = {
  draws: 42,
  pieceDraws: 21,
  leastGumbel: 50,
  sceneGap: inSteps(8000),
  rateCost: 400,
  leastPart: 12,
  /** A part that fits elsewhere by so much more contradicts the others. */
  betterElsewhere: 1400,
  mostPieces: 6,
  /** Parts of the cues that show which rate broken cues have. */
  rateParts: 8,
  /** Of the answers that lie elsewhere, the next one is worse by so much at least. */
  leadLeast: 300,
  inSyncBelow: inSteps(inSyncBelowMs),
  proposals: 6,
  /** Pairs of edges that are counted for one rate; of more cues some are left out. */
  mostPairs: 3_000_000,
  /** Cues that fit nowhere begin or end where that is worth so much. */
  unfitCost: 2500,
  /** The same in a piece that is proven alone: some of its cues may belong to a neighbor that is not. */
  unfitCostAlone: 1000,
  /** Cues beside an unknown piece are doubtful up to the last one at which the known place has gained less than this. */
  edgeGain: 800,
  /** With more of its cues unknown, a whole answer is. */
  unknownShare: 0.1,
} as const;

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

/** Shuffled cues end at most so many times as late. */
const MOST_SHUFFLED = 1.26;

/** The best places of cues, by proposals that the tables decide; the best first. */
function* placesOf(tables: FitTables, cues: Placed, reach: number): Steps<CueFit[]> {
  const { proposals } = ALIGNMENT;
  const { leastJump } = BREAKS;
  const worth = yield* tables.proposals(cues, reach);
  const proposed = highest(worth, Math.floor(leastJump / (2 * binSteps)), proposals);
  yield;
  const fits: CueFit[] = [];
  // The usual place is always looked at.
  for (const offset of [0, ...proposed.map((bin) => (bin - binsWithin(reach)) * binSteps)]) {
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
  readonly mostBound: number;
}

/**
 * The score that unrelated cues exceed once in `rarely` files, by the best scores of shuffled ones. Their upper half gives a
 * Gumbel law: its mode is 0.3665 scales below the median. On average over all draws, scores exceed the median by 0.5894 scales.
 * The lower half has shuffles that leave the film; the tail does not depend on them. The best of several rates shifts the
 * law of one by `scale · ln(rates)`.
 */
function boundBy(best: readonly number[], { rarely, rates: tried, places, mostBound }: Tries): Bound {
  const middle = best.toSorted((one, other) => one - other)[best.length >> 1] ?? 0;
  const excess = best.reduce((sum, score) => sum + Math.max(0, score - middle), 0) / best.length;
  const scale = Math.max(excess / 0.5894, ALIGNMENT.leastGumbel);
  const chance = middle + scale * inThousandths(Math.log(tried));
  const tail = chance - 0.3665 * scale + scale * inThousandths(Math.log(rarely));
  const least = leastBound({ rarely, places });
  const bound = Math.min(Math.max(Math.round(tail), least), mostBound * least);
  return { bound, chance: Math.round(chance) };
}

/** So many digits are the same in every library of logarithms. */
const inThousandths = (value: number): number => Math.round(1000 * value) / 1000;

/** What independent likelihood ratios exceed once in `rarely` files. */
const leastBound = ({ rarely, places }: Pick<Tries, 'rarely' | 'places'>): number =>
  inHundredths(Math.log(places * rarely));

/** The best scores of shuffled cues anywhere. */
function* shuffledScores(
  tables: FitTables,
  atRates: readonly Placed[],
  { draws, reach }: { readonly draws: number; readonly reach: number },
): Steps<number[]> {
  const best: number[] = [];
  for (let draw = 0; draw < draws; draw += 1) {
    const cues = atRates[draw % atRates.length];
    if (cues !== undefined) best.push((yield* placesOf(tables, shuffled(cues, draw), reach))[0]?.score ?? 0);
  }
  return best;
}

/** The score near no offset and no other rate, which is one place to look at and not a hundred thousand. */
const inPlace = (tables: FitTables, cues: Placed): CueFit => tables.refined(cues, 0, ALIGNMENT.inSyncBelow - 1);

/** The bound of that score. */
function* inPlaceBound(tables: FitTables, cues: Placed, { rarely, mostBound }: Search): Steps<Bound> {
  const scores: number[] = [];
  for (let draw = 0; draw < ALIGNMENT.draws; draw += 1) {
    scores.push(inPlace(tables, shuffled(cues, draw)).score);
    yield;
  }
  return boundBy(scores, { rarely, rates: 1, places: 1, mostBound });
}

/** True if two answers put some cue at places that a viewer would tell apart. */
function liesElsewhere(one: Answer, other: Answer): boolean {
  const last = one.cues.starts.length - 1;
  return [0, last].some((at) => {
    const apart = (one.cues.starts[at] ?? 0) + one.offset - (other.cues.starts[at] ?? 0) - other.offset;
    return Math.abs(apart) >= BREAKS.leastJump;
  });
}

/**
 * Claims about all cues need each part of them: a third has no place elsewhere that is better than chance makes it. Gives the thirds
 * of the cues that have one, each with its first cue and the one after its last.
 */
function* contradictions(tables: FitTables, cues: Placed, offset: number, reach: number): Steps<[number, number][]> {
  const placed = laterBy(cues, offset);
  const found: [number, number][] = [];
  let from = 0;
  for (const part of partsOf(placed, Math.min(3, Math.max(1, Math.floor(cues.starts.length / ALIGNMENT.leastPart))))) {
    const to = from + part.starts.length;
    const [best] = yield* placesOf(tables, part, reach);
    const here = tables.refined(part, 0, inSteps(200)).score;
    if (best !== undefined && best.score - here > ALIGNMENT.betterElsewhere) found.push([from, to]);
    from = to;
  }
  return found;
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
  const cost = (pieces.length - 1) * BREAKS.breakCost + (rate === rates[0] ? 0 : ALIGNMENT.rateCost);
  return { pieces, score: pieces.reduce((sum, { score }) => sum + score, 0) - cost };
}

/** Cues in some parts of about equal numbers. */
function partsOf(cues: Placed, parts: number): Placed[] {
  const count = cues.starts.length;
  const cut = (part: number): number => Math.floor((part * count) / parts);
  return Array.from({ length: parts }, (_, part) => someOf(cues, cut(part), cut(part + 1)));
}

/** The rate at which parts of the cues fit best, each at its own place. */
function* rateOfParts(tables: FitTables, atRates: readonly Placed[], reach: number): Steps<Rate> {
  let [best, rate] = [Number.NEGATIVE_INFINITY, rates[0] as Rate];
  for (const [index, cues] of atRates.entries()) {
    const parts = Math.min(ALIGNMENT.rateParts, Math.floor(cues.starts.length / BREAKS.leastCues));
    let sum = index === 0 ? 0 : -ALIGNMENT.rateCost;
    for (const part of partsOf(cues, parts)) sum += Math.max(0, (yield* placesOf(tables, part, reach))[0]?.score ?? 0);
    if (sum > best) [best, rate] = [sum, rates[index] ?? rate];
  }
  return rate;
}

const nothingBroken: Broken = { pieces: [], score: Number.NEGATIVE_INFINITY };

/** The best of the broken cues, as they run and at one other rate. Without an answer for all cues, parts of them show that. */
function* bestBroken(tables: FitTables, atRates: readonly Placed[], known: Rate | null, reach: number): Steps<Broken> {
  const likely = known ?? (yield* rateOfParts(tables, atRates, reach));
  let best: Broken | undefined;
  for (const [index, rate] of rates.entries()) {
    const cues = atRates[index];
    if (cues === undefined || (rate !== likely && (index > 0 || known !== null))) continue;
    const broken = yield* brokenOf(tables, { rate, cues });
    if (best === undefined || broken.score > best.score) best = broken;
  }
  return best ?? nothingBroken;
}

/**
 * The rates of tapes. Parts of the cues show one by a line through their places: some `leastParts` lie within `nearSteps` of it. It
 * differs from those of film by more than `leastDrift` over the film, and by at most `most` from 1. `grid` are the parts of a second
 * that are told apart; each rate has the chance of all that the film tells apart, twice.
 */
const TAPES = {
  leastParts: 4,
  mostParts: 12,
  nearSteps: inSteps(300),
  leastDrift: inSteps(300),
  most: 0.015,
  grid: 1_000_000,
  climb: 4,
} as const;

/** The answers at the rate of a tape: all cues at a place, if parts of them lie on one line. */
function* tapeAnswers(tables: FitTables, counted: readonly Range[], lengthMs: number, reach: number): Steps<Answer[]> {
  const cues = placedCues(counted, { numerator: 1, denominator: 1 });
  const parts = partsOf(cues, Math.min(TAPES.mostParts, Math.floor(counted.length / ALIGNMENT.leastPart)));
  if (parts.length < TAPES.leastParts) return [];
  const points: (CueFit & { readonly at: number })[] = [];
  for (const part of parts) {
    const [best] = yield* placesOf(tables, part, reach);
    if (best !== undefined) points.push({ ...best, at: part.starts[part.starts.length >> 1] ?? 0 });
  }
  const filmSteps = Math.max(1, inSteps(lengthMs));
  let [slope, met] = [0, 0];
  for (const one of points) {
    for (const other of points) {
      if (other.at <= one.at) continue;
      const rise = (other.offset - one.offset) / (other.at - one.at);
      const isNear = ({ at, offset }: (typeof points)[number]): boolean =>
        Math.abs(one.offset + rise * (at - one.at) - offset) <= TAPES.nearSteps;
      const score = points.filter(isNear).reduce((sum, point) => sum + point.score, 0);
      if (points.filter(isNear).length >= TAPES.leastParts && score > met) [slope, met] = [rise, score];
    }
  }
  const drift = (rate: number): number => Math.abs(1 + slope - rate) * filmSteps;
  const isFilm = rates.some(({ numerator, denominator }) => drift(numerator / denominator) < TAPES.leastDrift);
  if (met === 0 || Math.abs(slope) > TAPES.most || isFilm) return [];
  const told = (2 * TAPES.most * filmSteps) / inSteps(200);
  const cost = ALIGNMENT.rateCost + 2 * inHundredths(Math.log(Math.max(told, 1)));
  const answers: Answer[] = [];
  // Each step moves the last cue by a tenth of a second.
  const stride = Math.max(1, Math.round((TAPES.grid * inSteps(100)) / filmSteps));
  for (let nth = -TAPES.climb; nth <= TAPES.climb; nth += 1) {
    const rate = { numerator: Math.round(TAPES.grid * (1 + slope)) + nth * stride, denominator: TAPES.grid };
    const atRate = placedCues(counted, rate);
    const [best] = yield* placesOf(tables, atRate, reach);
    if (best !== undefined) answers.push({ rate, cues: atRate, offset: best.offset, score: best.score - cost });
  }
  return answers;
}

/** Cues at one place, or cues of which nothing is known; counted as the search counts them. */
interface JudgedStretch extends Bound {
  readonly from: number;
  readonly to: number;
  readonly score: number;
  readonly place: Pick<Answer, 'rate' | 'offset'> | null;
  /** Why nothing is known of them. */
  readonly reason: UnknownReason;
}

/** So many places are looked at for a piece. */
const placesOfPiece = ({ cues }: Piece): number => ((2 * BREAKS.breakReach) / BREAKS.breakStride) * cues.starts.length;

/** One unrelated piece in so many is proven. */
const oddsOfPiece = ({ rarely, pieceRarely }: Search, isAlone: boolean): number =>
  isAlone ? rarely * ALIGNMENT.mostPieces : pieceRarely;

/** True if some pieces may be proven, whatever the draws say: all of them together, or one alone. */
function mayBeProven(pieces: readonly Piece[], search: Search, isAlone: boolean): boolean {
  const rarely = oddsOfPiece(search, isAlone);
  const mayBe = (piece: Piece): boolean => piece.score > leastBound({ rarely, places: placesOfPiece(piece) });
  return isAlone ? pieces.some(mayBe) : pieces.every(mayBe);
}

/** The verdicts for cues in pieces; each needs a proof of its own. `isAlone` asks for one that needs no other piece. */
function* judgedPieces(
  tables: FitTables,
  pieces: readonly Piece[],
  search: Search,
  isAlone: boolean,
): Steps<JudgedStretch[]> {
  const { reach, mostBound } = search;
  const judged: JudgedStretch[] = [];
  for (const piece of pieces) {
    const { from, to, cues, offset, score } = piece;
    const best = yield* shuffledScores(tables, [cues], { draws: ALIGNMENT.pieceDraws, reach });
    const rarely = oddsOfPiece(search, isAlone);
    const bound = boundBy(best, { rarely, rates: 1, places: placesOfPiece(piece), mostBound });
    const isAbove = score > bound.bound;
    const isProven = isAbove && (yield* contradictions(tables, cues, offset, reach)).length === 0;
    const reason = isAbove ? 'part_does_not_fit' : 'pieces_unproven';
    judged.push({ from, to, score, ...bound, place: isProven ? piece : null, reason });
  }
  return judged;
}

/**
 * Parts a stretch where its cues fit nowhere near its place. A cue there has a log likelihood ratio, and one that fits nowhere has 0;
 * the best sequence of both is found by dynamic programming. Fewer cues than prove something belong to their neighbors.
 */
function withoutUnfit(
  tables: FitTables,
  cues: Placed,
  stretch: JudgedStretch,
  unfitCost: number = ALIGNMENT.unfitCost,
): JudgedStretch[] {
  const { from, to, place } = stretch;
  if (place === null) return [stretch];
  let [fits, unfit] = [0, 0];
  const cameFrom: (readonly [fits: boolean, unfit: boolean])[] = [];
  for (let at = from; at < to; at += 1) {
    const score = tables.scoreOf(someOf(cues, at, at + 1), place.offset);
    const [stays, turns] = [fits, unfit];
    cameFrom.push([stays >= turns - unfitCost, stays - unfitCost > turns]);
    fits = Math.max(stays, turns - unfitCost) + score;
    unfit = Math.max(turns, stays - unfitCost);
  }
  const isFit: boolean[] = [];
  let state = fits >= unfit;
  for (let at = to - 1; at >= from; at -= 1) {
    isFit[at - from] = state;
    const [fitsBefore, unfitBefore] = cameFrom[at - from] ?? [true, false];
    state = state ? fitsBefore : unfitBefore;
  }
  const runs: { from: number; to: number; isFit: boolean }[] = [];
  for (const [at, fit] of isFit.entries()) {
    const last = runs.at(-1);
    if (last !== undefined && last.isFit === fit) last.to = from + at + 1;
    else runs.push({ from: from + at, to: from + at + 1, isFit: fit });
  }
  const told: JudgedStretch[] = [];
  for (const run of runs) {
    const isKnown = run.isFit || run.to - run.from < BREAKS.leastCues;
    const last = told.at(-1);
    if (last !== undefined && (last.place !== null) === isKnown) told.splice(-1, 1, { ...last, to: run.to });
    else {
      const { from: first, to: end } = run;
      told.push({ ...stretch, from: first, to: end, ...(!isKnown && { place: null, reason: 'part_does_not_fit' }) });
    }
  }
  return told;
}

/**
 * Where a proven piece meets one that is not, the break may lie earlier than where the cues prefer it. Cues belong to the unknown piece
 * as long as its place suits them all nearly as well.
 */
function withoutDoubtfulEdges(
  tables: FitTables,
  pieces: readonly Piece[],
  judged: readonly JudgedStretch[],
): JudgedStretch[] {
  const told = judged.map((stretch) => ({ ...stretch }));
  for (const [at, stretch] of told.entries()) {
    const piece = pieces[at];
    if (stretch.place === null || piece === undefined) continue;
    const count = piece.to - piece.from;
    const doubtful = (other: Piece, isLast: boolean): number => {
      let [sum, some] = [0, 0];
      for (let nth = 0; nth < count; nth += 1) {
        const place = isLast ? count - 1 - nth : nth;
        const cue = someOf(piece.cues, place, place + 1);
        sum += tables.scoreOf(cue, piece.offset) - tables.scoreOf(cue, other.offset);
        if (sum < ALIGNMENT.edgeGain) some = nth + 1;
      }
      return some;
    };
    const [before, after] = [told[at - 1], told[at + 1]];
    const [pieceBefore, pieceAfter] = [pieces[at - 1], pieces[at + 1]];
    if (before?.place === null && pieceBefore !== undefined) {
      stretch.from = Math.min(stretch.from + doubtful(pieceBefore, false), stretch.to);
      before.to = stretch.from;
    }
    if (after?.place === null && pieceAfter !== undefined) {
      stretch.to = Math.max(stretch.to - doubtful(pieceAfter, true), stretch.from);
      after.from = stretch.to;
    }
  }
  return told.filter(({ from, to }) => from < to);
}

const isInPlace = ({ rate, offset }: Pick<Answer, 'rate' | 'offset'>): boolean =>
  rate === rates[0] && Math.abs(offset) < ALIGNMENT.inSyncBelow;

/** What a place means for cues that all have it. */
const verdictAt = (place: Pick<Answer, 'rate' | 'offset'>): 'in_sync' | 'shifted' | 'drifts' =>
  place.rate !== rates[0] ? 'drifts' : isInPlace(place) ? 'in_sync' : 'shifted';

/** True if places that follow each other are another cut. */
const areApart = (places: readonly Pick<Answer, 'rate' | 'offset'>[]): boolean =>
  places.some((place, at) => at > 0 && place !== places[at - 1]);

const figuresIn = ({ score, bound, chance }: JudgedStretch) => ({ score, bound, chance });

/** Judged stretches in the words of an answer. `places` has the place of each counted cue among all `count` of them. */
function answerOf(found: readonly JudgedStretch[], { places: among, count, beyond, figures }: Counts): Alignment {
  const end = found.at(-1)?.to ?? 0;
  const unheard = { from: end, to: end + beyond, place: null, reason: 'part_does_not_fit', ...figures } as const;
  const judged = beyond === 0 ? found : [...found, unheard];
  const known = judged.flatMap(({ place, ...stretch }) => (place === null ? [] : [{ ...stretch, place }]));
  const places = known.map(({ place }) => place);
  const hasBreaks = areApart(places);
  const spanOf = ({ from, to }: JudgedStretch) => ({
    from: from === 0 ? 0 : (among[from] ?? count),
    to: among[to] ?? count,
  });
  const stretches = judged.map((stretch): AlignedStretch => {
    const { place, reason } = stretch;
    if (place === null) return { ...spanOf(stretch), verdict: 'unknown', reason, figures: figuresIn(stretch) };
    const verdict = hasBreaks && !isInPlace(place) ? 'other_cut' : verdictAt(place);
    return { ...spanOf(stretch), verdict, ...placeOf(place), ...figuresIn(stretch) };
  });
  const lost = judged.reduce((sum, { from, to, place }) => sum + (place === null ? to - from : 0), 0);
  const told = lost === 0 ? {} : { stretches };
  const [first] = known;
  const total = judged.at(-1)?.to ?? 0;
  if (first === undefined || lost > ALIGNMENT.unknownShare * total) {
    const reason = judged.find(({ place }) => place === null)?.reason ?? 'no_better_than_chance';
    return { verdict: 'unknown', reason, figures, ...(known.length > 0 && told) };
  }
  if (!hasBreaks) return { verdict: verdictAt(first.place), ...placeOf(first.place), ...figuresIn(first), ...told };
  const pieces = known.map((stretch) => ({ ...spanOf(stretch), ...placeOf(stretch.place), ...figuresIn(stretch) }));
  return { verdict: 'other_cut', pieces, ...told };
}

interface Counts extends Pick<Compared, 'places' | 'count' | 'beyond'> {
  readonly figures: ReturnType<typeof figuresOf>;
}

/**
 * The places of the cues that are counted, in order: the first of those that are shown together. A file in two languages has each cue
 * twice, and one edge is no proof for another of the same time.
 */
function placesOfFirst(cues: readonly Range[]): number[] {
  const places: number[] = [];
  let last: Range | undefined;
  for (const [at, cue] of cues.entries()) {
    const common = last === undefined ? 0 : sharedMs(last, cue);
    const isCopy =
      last !== undefined &&
      (cue.startMs - last.startMs < COPIES.startsWithinMs ||
        common >= COPIES.share * Math.max(lengthOf(last), lengthOf(cue)));
    if (isCopy) continue;
    places.push(at);
    last = cue;
  }
  return places;
}

/** Cues are shown together if they start within so many ms, or if both have so much of their time in common. */
const COPIES = { startsWithinMs: 300, share: 0.8 } as const;

/** Only every so manieth of very many cues is counted, so that the time of the computation has a bound. */
function strideOf(
  reference: readonly Range[],
  cues: number,
  { lengthMs, reach }: { readonly lengthMs: number; readonly reach: number },
): number {
  const reachMs = 2 * reach * stepMs;
  const pairs = cues * reference.length * Math.min(1, reachMs / Math.max(lengthMs, 1));
  return Math.max(1, Math.ceil(pairs / ALIGNMENT.mostPairs));
}

const inOrder = (spans: readonly Range[]): Range[] =>
  spans
    .filter(({ startMs, endMs }) => startMs < endMs)
    .sort((one, other) => one.startMs - other.startMs || one.endMs - other.endMs);

/**
 * How cues lie against a reference: windows of detected speech, or the cues of another track. The answer holds for the cues in order
 * of time that have a duration. `lengthMs` is the length of the film. Against speech, offsets of ten minutes are looked for; against
 * cues of two, and of ten between breaks. An answer has a score above its bound, and lies where no third of the cues disagrees.
 * Everything else is `unknown`. Against speech a part may be: `stretches` has the verdict of each then. All figures are hundredths of
 * a nat, and follow from integer tables.
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
  const leastSpans = kind === 'speech' ? 1 : BREAKS.leastCues;
  const firsts = placesOfFirst(shown);
  if (firsts.length < BREAKS.leastCues || spans.length < leastSpans) {
    return { verdict: 'unknown', reason: 'too_few_cues', figures: null };
  }
  const fastest = Math.max(...rates.map((rate) => rate.numerator / rate.denominator));
  const lastMs = shown.reduce((most, { endMs }) => Math.max(most, endMs), 0);
  const lastCueMs = fastest * MOST_SHUFFLED * lastMs;
  const firstCueMs = Math.min(0, fastest * (shown[0]?.startMs ?? 0));
  const tables = yield* FitTables.of(spans, kind, { lengthMs, firstCueMs, lastCueMs, reachSteps: BREAKS.breakReach });
  const search = SEARCHES[kind];
  const every = strideOf(spans, firsts.length, { lengthMs, reach: search.farReach ?? search.reach });
  const places = firsts.filter((_, at) => at % every === 0);
  const counted = places.flatMap((at) => shown[at] ?? []);
  const compared = { tables, counted, places, count: shown.length, lengthMs, beyond: 0 };
  const near = yield* alignedWithin(compared, search);
  const { farReach } = search;
  if (farReach === null || near.verdict !== 'unknown' || near.reason !== 'no_better_than_chance') return near;
  const far = yield* alignedWithin(compared, { ...search, reach: farReach, farReach: null }, true);
  if (far.verdict !== 'unknown') return far;
  const inside = counted.filter(({ startMs }) => startMs < lengthMs);
  const beyond = counted.length - inside.length;
  if (inside.length < ALIGNMENT.leastPart || beyond < BREAKS.leastCues) return near;
  const part = yield* alignedWithin({ ...compared, counted: inside, beyond }, search);
  return part.verdict === 'unknown' && part.stretches === undefined ? near : part;
}

/** Cues and the tables of their reference. */
interface Compared {
  readonly tables: FitTables;
  readonly counted: readonly Range[];
  /** The place of each counted cue among all of them. */
  readonly places: readonly number[];
  /** So many cues come after those that are counted, behind the end of the film. */
  readonly beyond: number;
  readonly count: number;
  readonly lengthMs: number;
}

/** The answer of one search. With `isWhole` only answers for all cues are looked for. */
function* alignedWithin(
  { tables, counted, places, count, lengthMs, beyond }: Compared,
  search: Search,
  isWhole = false,
): Steps<Alignment> {
  const { reach, rarely } = search;
  const atRates = rates.map((rate) => placedCues(counted, rate));
  const answers: Answer[] = [];
  for (const [index, rate] of rates.entries()) {
    const cuesAtRate = atRates[index] ?? placedCues(counted, rate);
    const cost = index === 0 ? 0 : ALIGNMENT.rateCost;
    for (const { offset, score } of yield* placesOf(tables, cuesAtRate, reach)) {
      answers.push({ rate, cues: cuesAtRate, offset, score: score - cost });
    }
  }
  if (search.tellsStretches && !isWhole) answers.push(...(yield* tapeAnswers(tables, counted, lengthMs, reach)));
  answers.sort((one, other) => other.score - one.score);
  const [best] = answers;
  if (best === undefined) return { verdict: 'unknown', reason: 'too_few_cues', figures: null };
  const tries = {
    rarely,
    rates: rates.length,
    places: rates.length * (2 * reach + 1),
    mostBound: search.mostBound,
  };
  // No draw of shuffled cues makes the bound lower than this.
  if (isWhole && best.score <= leastBound(tries)) {
    return { verdict: 'unknown', reason: 'no_better_than_chance', figures: null };
  }
  const bound = boundBy(yield* shuffledScores(tables, atRates, { draws: ALIGNMENT.draws, reach }), tries);
  const figures = figuresOf(best.score, bound);
  const unknown = (reason: UnknownReason): Alignment => ({ verdict: 'unknown', reason, figures });
  const counts = { places, count, beyond, figures };
  const isKnownRate = rates.includes(best.rate);
  const likely = best.score > bound.bound && isKnownRate ? best.rate : null;
  if (isWhole && best.score <= bound.bound) return unknown('no_better_than_chance');
  const broken = isWhole ? nothingBroken : yield* bestBroken(tables, atRates, likely, reach);
  if (broken.pieces.length > 1 && broken.score > best.score) {
    const because = best.score > bound.bound ? 'pieces_unproven' : 'no_better_than_chance';
    if (broken.pieces.length > ALIGNMENT.mostPieces) return unknown(because);
    const together = mayBeProven(broken.pieces, search, false)
      ? yield* judgedPieces(tables, broken.pieces, search, false)
      : null;
    const cuesAtRate = atRates[rates.indexOf(broken.pieces[0]?.rate ?? best.rate)] ?? best.cues;
    if (together?.every(({ place }) => place !== null)) {
      const told = search.tellsStretches
        ? together.flatMap((stretch) => withoutUnfit(tables, cuesAtRate, stretch))
        : together;
      return answerOf(told, counts);
    }
    if (!search.tellsStretches || !mayBeProven(broken.pieces, search, true)) return unknown(because);
    const alone = yield* judgedPieces(tables, broken.pieces, search, true);
    if (alone.every(({ place }) => place === null)) return unknown(because);
    return answerOf(
      withoutDoubtfulEdges(tables, broken.pieces, alone).flatMap((stretch) =>
        withoutUnfit(tables, cuesAtRate, stretch, ALIGNMENT.unfitCostAlone),
      ),
      counts,
    );
  }
  let [answer, proof] = [best, bound];
  if (best.score <= bound.bound) {
    const here = { rate: best.rate, cues: best.cues, ...inPlace(tables, best.cues) };
    const isHere = best.rate === rates[0] && !liesElsewhere(here, best);
    const hereBound = isHere ? yield* inPlaceBound(tables, best.cues, search) : null;
    if (hereBound === null || here.score <= hereBound.bound) return unknown('no_better_than_chance');
    [answer, proof] = [here, hereBound];
  } else {
    const rival = answers.find((other) => liesElsewhere(best, other));
    if (rival !== undefined && best.score - rival.score < ALIGNMENT.leadLeast) return unknown('no_better_than_chance');
  }
  const contradicted = yield* contradictions(tables, answer.cues, answer.offset, reach);
  const [from, to] = [0, counted.length];
  const whole: JudgedStretch = { from, to, place: answer, score: answer.score, ...proof, reason: 'part_does_not_fit' };
  if (contradicted.length === 0) {
    return answerOf(search.tellsStretches ? withoutUnfit(tables, answer.cues, whole) : [whole], counts);
  }
  if (!search.tellsStretches) return unknown('part_does_not_fit');
  return answerOf(withoutParts(tables, answer, whole, contradicted), counts);
}

/** A stretch without the parts that lie elsewhere, as far as the rest proves its place alone. */
function withoutParts(
  tables: FitTables,
  { cues, offset }: Answer,
  whole: JudgedStretch,
  parts: readonly (readonly [number, number])[],
): JudgedStretch[] {
  const told: JudgedStretch[] = [];
  let from = 0;
  for (const [first, end] of [...parts, [whole.to, whole.to] as const]) {
    if (first > from) told.push({ ...whole, from, to: first });
    if (end > first) told.push({ ...whole, from: first, to: end, place: null });
    from = end;
  }
  const rest = told.filter(({ place }) => place !== null);
  const score = rest.reduce((sum, part) => sum + tables.scoreOf(someOf(cues, part.from, part.to), offset), 0);
  if (score - offsetCost(offset) <= whole.bound) return [{ ...whole, place: null }];
  return told.flatMap((stretch) => withoutUnfit(tables, cues, stretch));
}
