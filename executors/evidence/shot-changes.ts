import type { Range } from '../../contract/base/grammar.ts';
import type { ShotFact } from '../../contract/evidence/evidence.ts';
import { CutFinder, type FoundCut } from '../pictures/cut-finder.ts';
import type { SmallPicture } from '../pictures/small-picture.ts';

/**
 * Collects the cuts of a range from its pictures, in the order of time. Pictures before and behind the range come too: those
 * at its ends are compared with them.
 */
export class ShotChanges {
  readonly #range: Range;
  readonly #facts: ShotFact[] = [];
  readonly #cuts = new CutFinder(
    (cut) => this.#add(cut),
    () => undefined,
  );
  #pictures = 0;
  #firstMs: number | null = null;

  constructor(range: Range) {
    this.#range = range;
  }

  add(picture: SmallPicture): void {
    this.#firstMs ??= picture.atMs;
    if (this.#isInside(picture.atMs)) this.#pictures += 1;
    this.#cuts.add(picture);
  }

  /** No picture comes any more. */
  end(): void {
    this.#cuts.end();
  }

  /** Whether pictures came from before the range on: only then is it sure that none of the range is missing. */
  get beganBefore(): boolean {
    return this.#firstMs !== null && this.#firstMs < this.#range.startMs;
  }

  /** Null when no picture lies in the range. */
  facts(): readonly ShotFact[] | null {
    return this.#pictures === 0 ? null : this.#facts;
  }

  #isInside(atMs: number): boolean {
    return atMs >= this.#range.startMs && atMs < this.#range.endMs;
  }

  #add({ atMs, ratio }: FoundCut): void {
    if (!this.#isInside(atMs)) return;
    const scoreMilli = Math.round(ratio * 1000);
    this.#facts.push({ kind: 'shot_change', index: this.#facts.length, atMs, scoreMilli });
  }
}
