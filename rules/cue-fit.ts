import type { Range } from '../contract/base/grammar.ts';
import type { Steps } from '../formats/steps.ts';
import { joined, totalLengthOf } from './time-spans.ts';

/** The things that cues are compared with: the windows of detected speech, or the cues of another track. */
export type ReferenceKind = 'speech' | 'cues';

/** All places are counted in steps of so many ms. */
export const stepMs = 20;

/** A time in steps. */
export const inSteps = (ms: number): number => Math.round(ms / stepMs);

/** Hundredths of a nat: figures of an alignment are integers, so that every machine finds the same. */
export const inHundredths = (nats: number): number => Math.round(100 * nats);

/** Far places have a cost: files are usually right, or off by little. One second costs 0.7 nats, two minutes 4.8. */
export function offsetCost(offset: number): number {
  const apart = Math.abs(offset);
  if (apart >= costs.length) return costAt(apart);
  // A cost is above 0 but for the usual place, so that 0 is one that nobody asked for yet.
  costs[apart] ||= costAt(apart);
  return costs[apart] ?? 0;
}

const costAt = (apart: number): number => inHundredths(Math.log1p((apart * stepMs) / 1000));

/** Costs are asked for again and again: by each draw, at all places of ten minutes. */
const costs = new Int16Array(inSteps(600_000) + 1);

/** Edges fall near those of the reference by a mixture of normal laws: parts of 1, and their widths in seconds. */
interface EdgeModel {
  /** The share of edges that belong to one of the reference; the others fall anywhere. */
  readonly share: number;
  /** An edge of a cue comes so many seconds after that of the reference. */
  readonly lag: number;
  readonly widths: readonly (readonly [part: number, sigma: number])[];
}

/**
 * Where starts and ends of cues fall. Against speech: values that were fitted to human and synthetic voices of
 * eight films. An end stays on the screen 0.45 s after the speech. Against cues the values are choices, not
 * measured: starts within 0.1 s, or 0.35 s if a line was split or joined. Ends follow the length of the text, and are wider.
 */
export const MODELS: Readonly<Record<ReferenceKind, { readonly start: EdgeModel; readonly end: EdgeModel }>> = {
  speech: {
    start: { share: 0.6, lag: -0.05, widths: [[1, 0.2]] },
    end: { share: 0.5, lag: 0.45, widths: [[1, 0.6]] },
  },
  cues: {
    start: {
      share: 0.7,
      lag: 0,
      widths: [
        [0.6, 0.1],
        [0.4, 0.35],
      ],
    },
    end: {
      share: 0.6,
      lag: 0,
      widths: [
        [0.5, 0.15],
        [0.5, 0.6],
      ],
    },
  },
};

/**
 * Neighboring steps are not independent: one look at each 0.8 s counts. A cue is over speech with at least three quarters. The
 * share of speech is taken between 2 and 98 %, so that no single step proves anything. An edge outside of the film costs 0.7 nats.
 * Shares, and edges for each second, are counted in thousandths, so the number of tables is finite. No value of them lies near a half.
 * Every library of logarithms rounds them alike: a test tries all.
 */
export const FIT = {
  lookSteps: 40,
  coveredLeast: 0.75,
  leastShare: 20,
  fewestEdges: 1,
  mostEdges: 4000,
  outside: -0.7,
  farSigma: 4,
  coverage: 10_000,
} as const;

/** Proposals are counted in bins of so many steps, and are looked at more closely afterwards. */
export const binSteps = 4;
const binBits = Math.log2(binSteps);

/** The bin of a place. */
const binOf = (place: number): number => (place + binSteps / 2) >> binBits;

/** So many bins lie on each side of the usual place. */
export const binsWithin = (reach: number): number => Math.ceil(reach / binSteps);

/** Cues whose times are counted in steps, in order of their starts. */
export interface Placed {
  readonly starts: Int32Array;
  readonly ends: Int32Array;
}

/** A rate: the time of a cue times `numerator` by `denominator` runs as the reference does. */
export interface Rate {
  readonly numerator: number;
  readonly denominator: number;
}

/** Cues at a rate, in steps. */
export function placedCues(cues: readonly Range[], { numerator, denominator }: Rate): Placed {
  const inSteps = (ms: number): number => Math.round((ms * numerator) / (denominator * stepMs));
  return {
    starts: Int32Array.from(cues, ({ startMs }) => inSteps(startMs)),
    ends: Int32Array.from(cues, ({ endMs }) => inSteps(endMs)),
  };
}

/** Some of the cues, counted from 0: `from` included, `to` not. */
export const someOf = ({ starts, ends }: Placed, from: number, to: number): Placed => ({
  starts: starts.subarray(from, to),
  ends: ends.subarray(from, to),
});

/** The cues so many steps later. */
export const laterBy = ({ starts, ends }: Placed, steps: number): Placed => ({
  starts: starts.map((start) => start + steps),
  ends: ends.map((end) => end + steps),
});

/** A place of cues, in steps, with its score in hundredths of a nat. */
export interface CueFit {
  readonly offset: number;
  readonly score: number;
}

/** Scores of an edge by its distance to the next one of the reference, from `-reach` steps on, in nats; and far from each. */
export function edgeNats({ share, lag, widths }: EdgeModel, edgesPerMille: number) {
  const farthest = Math.max(...widths.map(([, sigma]) => FIT.farSigma * sigma)) + Math.abs(lag);
  const reach = Math.ceil((farthest * 1000) / stepMs);
  const nats = Array.from({ length: 2 * reach + 1 }, (_, at) => {
    const apart = ((at - reach) * stepMs) / 1000 - lag;
    let density = 0;
    for (const [part, sigma] of widths) {
      density += (part * Math.exp(-0.5 * (apart / sigma) ** 2)) / (sigma * Math.sqrt(2 * Math.PI));
    }
    return Math.log((1000 * share * density) / edgesPerMille + 1 - share);
  });
  return { reach, nats, far: Math.log(1 - share) };
}

function edgeScores(model: EdgeModel, edgesPerMille: number) {
  const { reach, nats, far } = edgeNats(model, edgesPerMille);
  return { reach, scores: Int16Array.from(nats, inHundredths), far: inHundredths(far) };
}

/** The worth of a step over the reference and beside it, in parts of `FIT.coverage` of a nat, by the share of it in thousandths. */
export function coverageWorths(share: number): { readonly over: number; readonly beside: number } {
  const covered = Math.max(1000 * FIT.coveredLeast, (1000 + share) / 2);
  const worth = (ratio: number): number => (FIT.coverage * Math.log(ratio)) / FIT.lookSteps;
  return { over: worth(covered / share), beside: worth((1000 - covered) / (1000 - share)) };
}

type EdgeScores = ReturnType<typeof edgeScores>;

/** How much of the tables is written in one turn of the event loop. */
const EDGES_OF_TURN = 128;
const STEPS_OF_TURN = 65_536;

/** Adds up a row over `2 * half + 1` places around each. */
function smoothed(row: Int32Array, half: number): Int32Array {
  const sums = new Int32Array(row.length);
  let sum = 0;
  for (let at = -half; at < row.length; at += 1) {
    sum += (row[at + half] ?? 0) - (row[at - half - 1] ?? 0);
    if (at >= 0) sums[at] = sum;
  }
  return sums;
}

/** How far tables go: over the film and over all cues, and so far beside both. */
export interface FitExtent {
  readonly lengthMs: number;
  /** 0, or the start of a cue that begins before the film. */
  readonly firstCueMs: number;
  readonly lastCueMs: number;
  readonly reachSteps: number;
}

/**
 * The reference as integer tables over time. Each start and end of a cue at a step, and the time between them, has a log likelihood
 * ratio against chance. The score of cues at a place is the sum over all of them.
 */
export class FitTables {
  readonly #starts: Int32Array;
  readonly #ends: Int32Array;
  readonly #on: Int16Array;
  readonly #off: Int16Array;
  /** Sums from the first step on, in parts of `FIT.coverage` of a nat. */
  readonly #heard: Int32Array;
  readonly #pad: number;
  /** The film, in steps. */
  readonly #steps: number;
  readonly #scores: { readonly on: EdgeScores; readonly off: EdgeScores };
  /** Of a step over the reference, and beside it, in parts of `FIT.coverage` of a nat. */
  readonly #worth: { readonly over: number; readonly beside: number };
  /** Peaks of the two kernels, and the worth of a covered step, for proposals. */
  readonly #weights: { readonly on: number; readonly off: number; readonly step: number };
  readonly #lag: { readonly on: number; readonly off: number };

  private constructor(
    spans: readonly Range[],
    kind: ReferenceKind,
    { lengthMs, firstCueMs, lastCueMs, reachSteps }: FitExtent,
  ) {
    const whole = joined(spans);
    const lastMs = Math.max(lengthMs, ...whole.slice(-1).map(({ endMs }) => endMs));
    // Density and share count where the reference is: a track may cover a part of the film.
    const hullMs = Math.max(1000, (whole.at(-1)?.endMs ?? 0) - (whole[0]?.startMs ?? 0));
    const perMille = (part: number, least: number, most: number): number =>
      Math.min(Math.max(Math.round(1000 * part), least), most);
    const edges = perMille((1000 * Math.max(1, spans.length)) / hullMs, FIT.fewestEdges, FIT.mostEdges);
    const share = perMille(totalLengthOf(whole) / hullMs, FIT.leastShare, 1000 - FIT.leastShare);
    const { starts, ends } = placedCues(spans, { numerator: 1, denominator: 1 });
    this.#starts = starts;
    this.#ends = ends.toSorted();
    this.#pad = reachSteps + Math.ceil((10_000 - firstCueMs) / stepMs);
    const steps = Math.ceil(lastMs / stepMs) + 1;
    const size = Math.max(steps, Math.ceil(lastCueMs / stepMs)) + 2 * this.#pad;
    this.#on = new Int16Array(size).fill(inHundredths(FIT.outside));
    this.#off = new Int16Array(size);
    const { over, beside } = coverageWorths(share);
    this.#worth = { over: Math.round(over), beside: Math.round(beside) };
    this.#heard = new Int32Array(size + 1);
    this.#steps = steps;
    const { start, end } = MODELS[kind];
    this.#scores = { on: edgeScores(start, edges), off: edgeScores(end, edges) };
    const peak = ({ scores, far }: EdgeScores): number => Math.max(...scores) - far;
    this.#weights = {
      on: peak(this.#scores.on),
      off: peak(this.#scores.off),
      step: (this.#worth.over - this.#worth.beside) / (FIT.coverage / 100),
    };
    const inSteps = (seconds: number): number => Math.round((seconds * 1000) / stepMs);
    this.#lag = { on: inSteps(start.lag), off: inSteps(end.lag) };
  }

  /** Tables of a reference in order of time. */
  static *of(spans: readonly Range[], kind: ReferenceKind, extent: FitExtent): Steps<FitTables> {
    const tables = new FitTables(spans, kind, extent);
    yield;
    yield* tables.#draw(tables.#on, tables.#starts, tables.#scores.on);
    yield* tables.#draw(tables.#off, tables.#ends, tables.#scores.off);
    yield* tables.#hear(joined(spans));
    if (kind === 'speech') yield* tables.#levelOutside();
    return tables;
  }

  /**
   * Outside of the film, a cue counts as one at any place of it does on average. So cues of another film gain nothing where they leave
   * it, and shuffled ones have one law.
   */
  *#levelOutside(): Steps<void> {
    const [first, end] = [this.#pad, this.#pad + this.#steps];
    for (const table of [this.#on, this.#off]) {
      let sum = 0;
      for (let at = first; at < end; at += 1) sum += table[at] ?? 0;
      const level = Math.round(sum / this.#steps);
      table.fill(level, 0, first).fill(level, end);
      yield;
    }
    const heard = this.#heard;
    const step = Math.round(((heard[end] ?? 0) - (heard[first] ?? 0)) / this.#steps);
    for (let at = end; at + 1 < heard.length; at += 1) heard[at + 1] = (heard[at] ?? 0) + step;
    for (let at = first; at > 0; at -= 1) heard[at - 1] = (heard[at] ?? 0) - step;
    yield;
  }

  /** Writes the sums of time over the reference and beside it. */
  *#hear(whole: readonly Range[]): Steps<void> {
    const { over, beside } = this.#worth;
    const isOver = new Uint8Array(this.#heard.length - 1);
    for (const { startMs, endMs } of whole) {
      isOver.fill(1, Math.round(startMs / stepMs) + this.#pad, Math.round(endMs / stepMs) + this.#pad);
    }
    let sum = 0;
    for (let at = 0; at < isOver.length; at += 1) {
      const isInside = at >= this.#pad && at < this.#pad + this.#steps;
      if (isInside) sum += isOver[at] === 1 ? over : beside;
      this.#heard[at + 1] = sum;
      if (at % STEPS_OF_TURN === 0) yield;
    }
  }

  /** Writes the scores around each edge; between two edges the better one counts. */
  *#draw(table: Int16Array, edges: Int32Array, { reach, scores, far }: EdgeScores): Steps<void> {
    const steps = this.#steps;
    table.fill(far, this.#pad, this.#pad + steps);
    for (const [nth, edge] of edges.entries()) {
      if (nth % EDGES_OF_TURN === 0) yield;
      for (let at = -reach; at <= reach; at += 1) {
        const place = this.#pad + edge + at;
        const score = scores[at + reach] ?? far;
        if (place >= this.#pad && place < this.#pad + steps && score > (table[place] ?? 0)) table[place] = score;
      }
    }
  }

  /** The score of cues that come by `offset` steps later, in hundredths of a nat. */
  scoreOf({ starts, ends }: Placed, offset: number): number {
    const [on, off, heard, shift] = [this.#on, this.#off, this.#heard, this.#pad + offset];
    let [edges, over] = [0, 0];
    for (let at = 0; at < starts.length; at += 1) {
      const from = (starts[at] ?? 0) + shift;
      const to = (ends[at] ?? 0) + shift;
      edges += (on[from] ?? 0) + (off[to] ?? 0);
      over += (heard[to] ?? 0) - (heard[from] ?? 0);
    }
    return edges + Math.round(over / (FIT.coverage / 100));
  }

  /** Adds the scores of one cue to a row: at offsets from `first` on, every `stride` steps. */
  addScores(
    { starts, ends }: Placed,
    at: number,
    { first, stride }: { first: number; stride: number },
    row: Int32Array,
  ) {
    const [on, off, heard] = [this.#on, this.#off, this.#heard];
    let from = (starts[at] ?? 0) + first + this.#pad;
    const length = (ends[at] ?? 0) - (starts[at] ?? 0);
    for (let state = 0; state < row.length; state += 1) {
      const to = from + length;
      const over = ((heard[to] ?? 0) - (heard[from] ?? 0)) / (FIT.coverage / 100);
      row[state] = (row[state] ?? 0) + (on[from] ?? 0) + (off[to] ?? 0) + (over | 0);
      from += stride;
    }
  }

  /** The best place within some steps around one; of equals the nearest. */
  refined(cues: Placed, around: number, within: number, stride = 1): CueFit {
    let best: CueFit = { offset: around, score: this.scoreOf(cues, around) };
    for (let apart = stride; apart <= within; apart += stride) {
      for (const offset of [around - apart, around + apart]) {
        const score = this.scoreOf(cues, offset);
        if (score > best.score) best = { offset, score };
      }
    }
    return best;
  }

  /**
   * Proposes places: for each bin of offsets within `reach` steps, how often starts, ends and covered time meet, less the cost of the
   * place. Sums of counts alone, without a transform, so that a film of hours takes milliseconds. The tables decide.
   */
  *proposals({ starts, ends }: Placed, reach: number): Steps<Float64Array> {
    const side = binsWithin(reach);
    const bins = 2 * side + 1;
    const within = side * binSteps;
    const [on, off, turns] = [new Int32Array(bins), new Int32Array(bins), new Int32Array(bins)];
    let [firstOn, firstOff, firstSpan, slope, covered] = [0, 0, 0, 0, 0];
    for (let at = 0; at < starts.length; at += 1) {
      const [start, end] = [starts[at] ?? 0, ends[at] ?? 0];
      firstOn = count(on, this.#starts, start - this.#lag.on - within, firstOn);
      firstOff = count(off, this.#ends, end - this.#lag.off - within, firstOff);
      // Both lists are in order of time; a cue that ends late may reach back, so that a few spans are looked at in vain.
      while (firstSpan < this.#ends.length && (this.#ends[firstSpan] ?? 0) < start - within) firstSpan += 1;
      for (let span = firstSpan; span < this.#starts.length; span += 1) {
        const [from, to] = [this.#starts[span] ?? 0, this.#ends[span] ?? 0];
        if (from > end + within) break;
        // Common time over the offset: it rises, stays and falls again. Its second difference has four places.
        const rises = binOf(from - end + within);
        const leaves = binOf(to - start + within);
        const [one, other] = [binOf(from - start + within), binOf(to - end + within)];
        if (rises >= 0 && leaves < bins) {
          turns[rises] = (turns[rises] ?? 0) + 1;
          turns[one] = (turns[one] ?? 0) - 1;
          turns[other] = (turns[other] ?? 0) - 1;
          turns[leaves] = (turns[leaves] ?? 0) + 1;
          continue;
        }
        for (const [bin, sign] of [
          [rises, 1],
          [one, -1],
          [other, -1],
          [leaves, 1],
        ] as const) {
          if (bin >= bins) continue;
          if (bin >= 0) turns[bin] = (turns[bin] ?? 0) + sign;
          else {
            slope += sign;
            covered -= sign * bin;
          }
        }
      }
      if (at % 32 === 31) yield;
    }
    const peaks = (row: Int32Array, half: number): Int32Array => smoothed(smoothed(row, half), half);
    const [onPeaks, offPeaks] = [peaks(on, PROPOSED.startHalf), peaks(off, PROPOSED.endHalf)];
    yield;
    const onWorth = this.#weights.on / (2 * PROPOSED.startHalf + 1);
    const offWorth = this.#weights.off / (2 * PROPOSED.endHalf + 1);
    const worth = new Float64Array(bins);
    for (let bin = 0; bin < bins; bin += 1) {
      const over = this.#weights.step * binSteps * covered;
      const cost = offsetCost((bin - side) * binSteps);
      worth[bin] = onWorth * (onPeaks[bin] ?? 0) + offWorth * (offPeaks[bin] ?? 0) + over - cost;
      slope += turns[bin] ?? 0;
      covered += slope;
    }
    yield;
    return worth;
  }
}

/** Bins on each side over which starts and ends are added up, twice: 240 and 400 ms in all. */
const PROPOSED = { startHalf: 1, endHalf: 2 } as const;

/** Counts in bins how far each edge of the reference lies behind a place; gives the first one that does. */
function count(row: Int32Array, edges: Int32Array, place: number, first: number): number {
  let from = first;
  while (from > 0 && (edges[from - 1] ?? 0) >= place) from -= 1;
  while (from < edges.length && (edges[from] ?? 0) < place) from += 1;
  for (let at = from; at < edges.length; at += 1) {
    const bin = binOf((edges[at] ?? 0) - place);
    if (bin >= row.length) break;
    row[bin] = (row[bin] ?? 0) + 1;
  }
  return from;
}

/** The highest places of a row that are apart by at least some places, the best first. */
export function highest(row: Float64Array, apart: number, most: number): number[] {
  const rest = row.slice();
  const found: number[] = [];
  while (found.length < most) {
    let best = 0;
    for (let at = 1; at < rest.length; at += 1) if ((rest[at] ?? 0) > (rest[best] ?? 0)) best = at;
    if (rest[best] === Number.NEGATIVE_INFINITY) break;
    found.push(best);
    rest.fill(Number.NEGATIVE_INFINITY, Math.max(0, best - apart), best + apart + 1);
  }
  return found;
}
