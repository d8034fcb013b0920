import { z } from 'zod';
import type { Range } from '../contract/base/grammar.ts';
import {
  type BlackFact,
  type FlashFact,
  type FrozenFact,
  type ShotFact,
  type StrobeFact,
  shotFact,
  type TransitionFact,
} from '../contract/evidence/evidence.ts';
import { CutFinder, cutFinderState, DECIDED_AFTER_MS, type FoundCut } from './pictures/cut-finder.ts';
import { PictureRuns, pictureRunsState } from './pictures/picture-runs.ts';
import type { SmallPicture } from './pictures/small-picture.ts';
import {
  type FoundTransition,
  foundTransition,
  TransitionFinder,
  transitionFinderState,
} from './pictures/transition-finder.ts';

/** Flashes that follow each other faster are one strobe, if there are enough; halves of a fade that meet are one fade. */
export const PICTURE_GROUPING = { strobeGapMs: 500, strobeFlashes: 3, fadeGapMs: 1000 } as const;

/** The facts as they are kept between two windows of a pass. */
export const pictureFactsState = z.strictObject({
  shots: z.array(shotFact),
  flashes: z.array(z.strictObject({ startMs: z.number(), endMs: z.number() })),
  transitions: z.array(foundTransition),
  pictures: z.number(),
  cuts: cutFinderState,
  changes: transitionFinderState,
  runs: pictureRunsState,
});
type PictureFactsState = z.infer<typeof pictureFactsState>;

/** Called with cuts as they are found. */
interface ShotListener {
  cut(atMs: number): void;
  /** No cut before `atMs` is still to come. */
  decided(atMs: number): void;
}

/**
 * Collects the facts of a range from its pictures, in the order of time. Pictures before and behind the range come too: those
 * at its ends are compared with them.
 */
export class PictureFacts {
  readonly #range: Range;
  readonly #listener: ShotListener | null;
  readonly #shots: ShotFact[];
  readonly #flashes: Range[];
  readonly #transitions: FoundTransition[];
  readonly #changes: TransitionFinder;
  readonly #cuts: CutFinder;
  readonly #runs: PictureRuns;
  #pictures: number;

  constructor(range: Range, listener: ShotListener | null = null, from: PictureFactsState | null = null) {
    this.#range = range;
    this.#listener = listener;
    this.#shots = from?.shots ?? [];
    this.#flashes = from?.flashes ?? [];
    this.#transitions = from?.transitions ?? [];
    this.#pictures = from?.pictures ?? 0;
    this.#changes = new TransitionFinder((found) => this.#addTransition(found), from?.changes);
    this.#cuts = new CutFinder(
      (cut) => this.#addCut(cut),
      (flash) => this.#flashes.push({ startMs: flash.startMs, endMs: flash.endMs }),
      from?.cuts,
    );
    this.#runs = new PictureRuns(from?.runs);
  }

  save(): PictureFactsState {
    return {
      shots: this.#shots,
      flashes: this.#flashes,
      transitions: this.#transitions,
      pictures: this.#pictures,
      cuts: this.#cuts.save(),
      changes: this.#changes.save(),
      runs: this.#runs.save(),
    };
  }

  add(picture: SmallPicture): void {
    if (this.#isInside(picture.atMs)) this.#pictures += 1;
    this.#cuts.add(picture);
    this.#changes.add(picture);
    this.#runs.add(picture);
    this.#listener?.decided(picture.atMs - DECIDED_AFTER_MS);
  }

  /** No picture comes any more. */
  end(): void {
    this.#cuts.end();
    this.#changes.end();
    this.#runs.end();
  }

  /** Null when no picture lies in the range: then there is no other fact either. */
  shots(): readonly ShotFact[] | null {
    return this.#pictures === 0 ? null : this.#shots;
  }

  transitions(): (TransitionFact | FlashFact | StrobeFact)[] {
    const gradual = this.#clipped(this.#transitions).map(
      ({ form, unexplained, ...span }, index): TransitionFact => ({
        kind: 'transition',
        index,
        ...span,
        form,
        unexplainedMilli: Math.round(unexplained * 1000),
      }),
    );
    const groups = grouped(this.#clipped(this.#flashes));
    const strobes = groups.filter((group) => group.length >= PICTURE_GROUPING.strobeFlashes);
    const lone = groups.filter((group) => group.length < PICTURE_GROUPING.strobeFlashes).flat();
    return [
      ...gradual,
      ...lone.map((span, index): FlashFact => ({ kind: 'flash', index, ...span })),
      ...strobes.map(
        (group, index): StrobeFact => ({ kind: 'strobe', index, ...hullOf(group), flashes: group.length }),
      ),
    ].sort((one, other) => one.startMs - other.startMs);
  }

  black(): BlackFact[] {
    return this.#clipped(this.#runs.black).map(({ measure, ...span }, index) => ({
      kind: 'black',
      index,
      ...span,
      blackMilli: Math.round(measure * 1000),
    }));
  }

  frozen(): FrozenFact[] {
    return this.#clipped(this.#runs.frozen).map(({ measure, ...span }, index) => ({
      kind: 'frozen',
      index,
      ...span,
      changeMilli: Math.round(measure * 1000),
    }));
  }

  #isInside(atMs: number): boolean {
    return atMs >= this.#range.startMs && atMs < this.#range.endMs;
  }

  #clipped<Span extends Range>(spans: readonly Span[]): Span[] {
    return spans
      .map((span) => ({
        ...span,
        startMs: Math.max(span.startMs, this.#range.startMs),
        endMs: Math.min(span.endMs, this.#range.endMs),
      }))
      .filter(({ startMs, endMs }) => startMs < endMs);
  }

  #addCut({ atMs, ratio }: FoundCut): void {
    this.#changes.cut(atMs);
    this.#listener?.cut(atMs);
    if (!this.#isInside(atMs)) return;
    this.#shots.push({ kind: 'shot_change', index: this.#shots.length, atMs, scoreMilli: Math.round(ratio * 1000) });
  }

  #addTransition(found: FoundTransition): void {
    const last = this.#transitions.at(-1);
    const isHalf =
      last?.form === 'fade' && found.form === 'fade' && found.startMs - last.endMs < PICTURE_GROUPING.fadeGapMs;
    if (last === undefined || !isHalf) this.#transitions.push(found);
    else {
      const unexplained = Math.max(last.unexplained, found.unexplained);
      this.#transitions.splice(-1, 1, { ...last, endMs: found.endMs, unexplained });
    }
  }
}

/** Flashes by what is near to each other. */
function grouped(flashes: readonly Range[]): Range[][] {
  const groups: Range[][] = [];
  for (const { startMs, endMs } of flashes) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    // The way back from one flash to the next does not count.
    if (startMs === last?.endMs) continue;
    if (group === undefined || last === undefined || startMs - last.endMs > PICTURE_GROUPING.strobeGapMs)
      groups.push([{ startMs, endMs }]);
    else group.push({ startMs, endMs });
  }
  return groups;
}

const hullOf = (group: readonly Range[]): Range => ({
  startMs: Math.min(...group.map(({ startMs }) => startMs)),
  endMs: Math.max(...group.map(({ endMs }) => endMs)),
});
