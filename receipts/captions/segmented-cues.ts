import type { Range } from '../../contract/base/grammar.ts';
import { type BreakCost, breakCosts, PAUSE } from './break-costs.ts';
import { rowsOf } from './cue-rows.ts';
import { type CueShape, cueShapeOf, fitsRow } from './cue-shape.ts';
import type { TimedUnit } from './timed-units.ts';

/** A cue that was cut from recognised lines. */
export interface SegmentedCue extends Range {
  readonly text: string;
  /** Indexes of the lines that its words come from, in order. */
  readonly lineIndexes: readonly number[];
}

export interface Segmentation {
  /** Cues lie inside it. */
  readonly range: Range;
  readonly language: string;
  /** Whether no cue may hold both of two units that follow each other. */
  readonly isWall: (before: TimedUnit, after: TimedUnit) => boolean;
}

/**
 * What makes one division worse than another, in the unit of `BREAK_COST`. A cue that is too fast to read costs
 * more than any bad break. The numbers are choices: no measurement of what viewers prefer stands behind them.
 */
const COST = {
  cue: 4,
  innerSentence: 5,
  innerPause: 1,
  innerFullPause: 8,
  short: 3,
  shortCharacters: 12,
  unreadable: 200,
};

const charactersOf = ({ text }: TimedUnit): number => [...text].length;

/** What the breaks inside of a cue cost: it should rather end there. */
function innerCost(before: TimedUnit, after: TimedUnit, costOf: BreakCost): number {
  const pauseMs = after.startMs - before.endMs;
  if (pauseMs >= PAUSE.fullMs) return COST.innerFullPause;
  return costOf(before, after) === 0 ? COST.innerSentence : pauseMs >= PAUSE.longMs ? COST.innerPause : 0;
}

/** Divides units into cues; each division is tried, and the cheapest wins. Units are in order of time. */
class Segmenter {
  readonly #units: readonly TimedUnit[];
  readonly #segmentation: Segmentation;
  readonly #shape: CueShape;
  readonly #costOf: BreakCost;

  constructor(units: readonly TimedUnit[], segmentation: Segmentation) {
    this.#units = units;
    this.#segmentation = segmentation;
    this.#shape = cueShapeOf(segmentation.language);
    this.#costOf = breakCosts(segmentation.language);
  }

  /** The places at which cues begin, and after the last of them the number of units. */
  places(): number[] {
    const units = this.#units;
    const best: { readonly cost: number; readonly from: number }[] = [{ cost: 0, from: 0 }];
    for (let to = 1; to <= units.length; to += 1) best.push(this.#cheapest(to, best));
    const places = [units.length];
    while ((places[0] ?? 0) > 0) places.unshift(best[places[0] ?? 0]?.from ?? 0);
    return places;
  }

  /** The cheapest cue that ends before the unit at `to`, with all that comes before it. */
  #cheapest(to: number, best: readonly { readonly cost: number }[]): { readonly cost: number; readonly from: number } {
    const last = this.#units[to - 1];
    let found = { cost: Number.POSITIVE_INFINITY, from: to - 1 };
    const space = this.#shape.sizeOf(' ');
    const sum = { rows: 1, row: 0, characters: 0, inner: 0 };
    for (let from = to - 1; from >= 0; from -= 1) {
      const [unit, next] = [this.#units[from], from + 1 < to ? this.#units[from + 1] : undefined];
      if (unit === undefined || last === undefined) break;
      if (next !== undefined) {
        if (this.#isWall(unit, next) || last.endMs - unit.startMs > this.#shape.maximumMs) break;
        sum.inner += innerCost(unit, next, this.#costOf);
      }
      const size = this.#shape.sizeOf(unit.text);
      const beside = sum.row + size + (next?.isSpaced ? space : 0);
      const fits = sum.row === 0 || fitsRow(beside);
      sum.row = sum.row === 0 || !fits ? size : beside;
      if (!fits) sum.rows += 1;
      if (next !== undefined && sum.rows > this.#shape.rows) break;
      sum.characters += charactersOf(unit) + (next?.isSpaced ? 1 : 0);
      const cost = (best[from]?.cost ?? 0) + sum.inner + this.#cueCost(unit, to, sum.characters);
      if (cost < found.cost) found = { cost, from };
    }
    return found;
  }

  #isWall(before: TimedUnit, after: TimedUnit): boolean {
    return after.startMs - before.endMs >= PAUSE.wallMs || this.#segmentation.isWall(before, after);
  }

  /** The latest that a cue may end whose last unit comes before `to`: in time for the next, and not beyond the range. */
  #latestEnd(startMs: number, to: number): number {
    const next = this.#units[to];
    const { range } = this.#segmentation;
    const room = next === undefined ? range.endMs : Math.min(range.endMs, next.startMs - this.#shape.gapMs);
    return Math.min(room, startMs + this.#shape.maximumMs);
  }

  #neededMs(characters: number): number {
    return Math.max(this.#shape.minimumMs, this.#shape.readingMs(characters));
  }

  #cueCost({ startMs }: TimedUnit, to: number, characters: number): number {
    const [last, next] = [this.#units[to - 1], this.#units[to]];
    const missingMs = this.#neededMs(characters) - (this.#latestEnd(startMs, to) - startMs);
    const unreadable = missingMs > 0 ? COST.unreadable + missingMs : 0;
    const short = characters < COST.shortCharacters ? COST.short : 0;
    const isEnd = last === undefined || next === undefined || this.#isWall(last, next);
    return COST.cue + unreadable + short + (isEnd ? 0 : this.#costOf(last, next));
  }

  /** The cue of the units from one place to another, after a cue that ends at `reachedMs`; null before the first. */
  cueOf(from: number, to: number, reachedMs: number | null): SegmentedCue | null {
    const units = this.#units.slice(from, to);
    const [first, last] = [units[0], units.at(-1)];
    if (first === undefined || last === undefined) return null;
    const text = rowsOf(units, this.#shape, this.#costOf);
    const neededMs = this.#neededMs([...text.replaceAll('\n', '')].length);
    const { range } = this.#segmentation;
    const earliestMs = reachedMs === null ? range.startMs : reachedMs + this.#shape.gapMs;
    const spokenMs = Math.max(first.startMs, reachedMs ?? range.startMs);
    const latestMs = this.#latestEnd(spokenMs, to);
    const endMs = Math.max(Math.min(latestMs, Math.max(last.endMs, spokenMs + neededMs)), spokenMs + 1);
    // Where there is no room behind the words, the cue comes before them.
    const startMs = Math.max(Math.min(spokenMs, endMs - neededMs), Math.min(spokenMs, earliestMs));
    return { startMs, endMs, text, lineIndexes: [...new Set(units.map(({ lineIndex }) => lineIndex))] };
  }
}

/**
 * Cues of recognised words, in order of time and apart: cut at the ends of sentences and phrases and where no speech is, of
 * at most two rows, each long enough to be read. They keep the guidelines for their language wherever the words leave
 * time for it.
 */
export function segmentedCues(units: readonly TimedUnit[], segmentation: Segmentation): SegmentedCue[] {
  const segmenter = new Segmenter(units, segmentation);
  const places = segmenter.places();
  const cues: SegmentedCue[] = [];
  for (const [at, from] of places.slice(0, -1).entries()) {
    const cue = segmenter.cueOf(from, places[at + 1] ?? from, cues.at(-1)?.endMs ?? null);
    if (cue !== null) cues.push(cue);
  }
  return cues;
}
