import { bytesOfFloats, floatsOfBytes } from '../detector/packed-state.ts';
import { explain, type Moment, TRANSITION_RULE } from './explained-transition.ts';
import type { SmallPicture } from './small-picture.ts';
import type { FoundTransition, TransitionFinderState } from './transition-state.ts';

const KEPT_MS = 6000;

// Two halves of a fade meet at its even moment.
const OVERLAP_MS = 80;

// A better candidate ends at most half a window later. Restless pictures may never settle.
const SETTLED_MS = 1200;
const MOST_CANDIDATES = 200;

const timeOrNull = (ms: number): number | null => (ms === Number.NEGATIVE_INFINITY ? null : ms);

/** Finds gradual transitions in a stream of pictures; holds the blocks of six seconds of pictures. */
export class TransitionFinder {
  readonly #onTransition: (found: FoundTransition) => void;
  #moments: Moment[] = [];
  #cuts: number[] = [];
  #candidates: FoundTransition[] = [];
  #turn = false;
  #handedMs = Number.NEGATIVE_INFINITY;
  #foundMs = Number.NEGATIVE_INFINITY;

  constructor(onTransition: (found: FoundTransition) => void, from: TransitionFinderState | null = null) {
    this.#onTransition = onTransition;
    if (from === null) return;
    this.#moments = from.moments.map(({ blocks, ...rest }) => ({ blocks: floatsOfBytes(blocks), ...rest }));
    this.#cuts = from.cuts;
    this.#candidates = from.candidates;
    this.#turn = from.turn;
    this.#handedMs = from.handedMs ?? Number.NEGATIVE_INFINITY;
    this.#foundMs = from.foundMs ?? Number.NEGATIVE_INFINITY;
  }

  save(): TransitionFinderState {
    return {
      moments: this.#moments.map(({ blocks, ...rest }) => ({ blocks: bytesOfFloats(blocks), ...rest })),
      cuts: this.#cuts,
      candidates: this.#candidates,
      turn: this.#turn,
      handedMs: timeOrNull(this.#handedMs),
      foundMs: timeOrNull(this.#foundMs),
    };
  }

  /** A cut lies in no transition; it must be told before pictures that come a second later. */
  cut(atMs: number): void {
    this.#cuts.push(atMs);
  }

  add({ atMs, blocks, light, contrast }: SmallPicture): void {
    const last = this.#moments.at(-1);
    if (last !== undefined && atMs - last.atMs < TRANSITION_RULE.stepMs - 8) return;
    this.#moments.push({ atMs, blocks, light, contrast });
    const from = this.#moments.findIndex((moment) => moment.atMs > atMs - KEPT_MS);
    if (from > 0) this.#moments = this.#moments.slice(from);
    this.#cuts = this.#cuts.filter((cut) => cut > atMs - KEPT_MS);
    // Cuts are decided a little later than pictures come.
    this.#turn = !this.#turn;
    if (this.#turn) this.#search(this.#moments.findLastIndex((moment) => moment.atMs <= atMs - 1500));
  }

  end(): void {
    const last = this.#moments.at(-1)?.atMs ?? 0;
    for (const [at, { atMs }] of this.#moments.entries()) if (atMs > last - 1500) this.#search(at);
    this.#hand();
  }

  /** Of candidates that overlap, the one that explains the pictures best. */
  #hand(): void {
    const chosen: FoundTransition[] = [];
    for (const each of this.#candidates.sort((one, other) => one.unexplained - other.unexplained)) {
      if (each.startMs >= this.#handedMs - OVERLAP_MS && !chosen.some((one) => overlap(one, each))) chosen.push(each);
    }
    this.#candidates = [];
    for (const each of chosen.sort((one, other) => one.startMs - other.startMs)) {
      this.#handedMs = each.endMs;
      this.#onTransition(each);
    }
  }

  #search(last: number): void {
    const end = this.#moments[last];
    if (end === undefined) return;
    const isOver = end.atMs - this.#foundMs > SETTLED_MS;
    if (this.#candidates.length > 0 && (isOver || this.#candidates.length > MOST_CANDIDATES)) this.#hand();
    for (const windowMs of TRANSITION_RULE.windowsMs) {
      const first = this.#moments.findIndex(({ atMs }) => atMs >= end.atMs - windowMs);
      const start = this.#moments[first];
      if (start === undefined || end.atMs - start.atMs < windowMs - 100) break;
      if (this.#cuts.some((cut) => cut > start.atMs && cut <= end.atMs)) break;
      const found = explain(this.#moments.slice(first, last + 1));
      if (found === null) continue;
      this.#candidates.push(found);
      this.#foundMs = end.atMs;
    }
  }
}

const overlap = (one: FoundTransition, other: FoundTransition): boolean =>
  one.startMs < other.endMs - OVERLAP_MS && other.startMs < one.endMs - OVERLAP_MS;
