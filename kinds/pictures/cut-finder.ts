import { z } from 'zod';
import { AreaFinder, areaFinderState, type PictureArea, viewOf } from './picture-area.ts';
import {
  concentration,
  difference,
  keptPicture,
  likeness,
  likenessMoved,
  likenessOfBlocks,
  likenessOfDetail,
  restoredPicture,
  type SmallPicture,
} from './small-picture.ts';

/**
 * The rule for a picture that begins a shot. Its change is the mean distance to the picture before, of 255. Thresholds were tuned
 * on one half of the built films and tried on the other (lab/docs/evaluation-results.md).
 */
export const CUT_RULE = {
  /** A picture that changes less repeats the one before, and stands for no picture of its own. */
  repeatChange: 0.35,
  /** The least change: of any picture, and as a share of 48 + light where the pictures are alike in their drawing. */
  leastChange: 1.6,
  leastShare: 0.14,
  /** The change against the median of the four neighbors on each side. */
  neighbours: 4,
  neighbourRatio: 1.8,
  neighbourMs: 700,
  /** How much of the change may lie in a quarter of the picture. */
  mostConcentrated: 0.6,
  /** Pictures whose drawing is more alike than this are one shot in another light, or seen by a camera that moves. */
  mostAlike: 0.7,
  mostAlikeInDetail: 0.35,
  /** The same of a camera that moves. A still camera does not begin to move at full speed, so it needs more likeness. */
  mostAlikeMoved: 0.75,
  mostAlikeMovedAtOnce: 0.93,
  atOnceRatio: 8,
  /** Pictures whose drawing is less alike than this need no change of light. */
  unlike: 0.5,
  unlikeInDetail: 0.2,
  leastContrast: 0.8,
  /** If the picture before comes back, it was a flash; `returnShare` of the change may remain. */
  returnMs: 340,
  returnShare: 0.5,
  /** A camera that moves is back where the picture before is as alike as this when one is moved over the other. */
  leastAlikeBack: 0.8,
  /** The same of the means of blocks: fine texture that moves by a pixel is like nothing. */
  leastAlikeBlocks: 0.9,
  /** A picture between two shots is a mixture if the next one changes as much, and both changes go one way. */
  halfShare: 0.5,
  halvesShare: 0.8,
  /** A shot in which every picture is new: its cut is told by the calm shot beside it, if the pictures have nothing in common. */
  restless: { calmRatio: 4, leastShare: 0.2, mostAlike: 0.3, mostAlikeMoved: 0.4 },
} as const;

export interface FoundCut {
  readonly atMs: number;
  /** How often the change exceeds that of its neighbors, at most 100. */
  readonly ratio: number;
}

/** A picture that is not a repeat, and its difference from the one before. */
interface Distinct {
  readonly picture: SmallPicture;
  /** What is within these black bars. */
  view: { readonly area: PictureArea; readonly picture: SmallPicture };
  /** The time when it, or its last repeat, was shown. */
  lastMs: number;
  readonly change: number;
  /** By how much it is lighter than the one before; negative when it is darker. */
  readonly lighter: number;
}

/** A finder as it is kept between two windows of a pass. */
export const cutFinderState = z.strictObject({
  seen: z.array(z.strictObject({ picture: keptPicture, lastMs: z.number(), change: z.number(), lighter: z.number() })),
  next: z.number(),
  cutMs: z.number().nullable(),
  areas: areaFinderState,
});
type CutFinderState = z.infer<typeof cutFinderState>;

/** It is certain if a picture is a cut once pictures of this much later have come. */
export const DECIDED_AFTER_MS = 750;

/** Finds cuts in a stream of pictures; holds pictures of less than two seconds. */
export class CutFinder {
  readonly #onCut: (cut: FoundCut) => void;
  readonly #onFlash: (flash: { readonly startMs: number; readonly endMs: number }) => void;
  readonly #areas: AreaFinder;
  #seen: Distinct[] = [];
  #next = 1;
  /** The last cut: the next picture begins none. */
  #cutMs: number | null = null;

  constructor(
    onCut: (cut: FoundCut) => void,
    onFlash: (flash: { readonly startMs: number; readonly endMs: number }) => void,
    from: CutFinderState | null = null,
  ) {
    this.#onCut = onCut;
    this.#onFlash = onFlash;
    this.#areas = new AreaFinder(from?.areas);
    if (from === null) return;
    this.#seen = from.seen.map(({ picture: kept, ...rest }) => {
      const picture = restoredPicture(kept);
      return { picture, view: this.#viewed(picture), ...rest };
    });
    this.#next = from.next;
    this.#cutMs = from.cutMs;
  }

  save(): CutFinderState {
    const seen = this.#seen.map(({ picture: { atMs, rgb }, lastMs, change, lighter }) => ({
      picture: { atMs, rgb },
      lastMs,
      change,
      lighter,
    }));
    return { seen, next: this.#next, cutMs: this.#cutMs, areas: this.#areas.save() };
  }

  /** The part of the pictures within black bars. */
  get area(): PictureArea {
    return this.#areas.area;
  }

  add(picture: SmallPicture): void {
    this.#areas.add(picture);
    const view = this.#viewed(picture);
    const last = this.#seen.at(-1);
    const before = last === undefined ? null : this.#view(last);
    const change = before === null ? 0 : difference(before, view.picture);
    if (last !== undefined && change < CUT_RULE.repeatChange) last.lastMs = picture.atMs;
    else {
      const lighter = before === null ? 0 : view.picture.light - before.light;
      this.#seen.push({ picture, view, lastMs: picture.atMs, change, lighter });
    }
    this.#decideUntil(picture.atMs - DECIDED_AFTER_MS);
  }

  end(): void {
    this.#decideUntil(Number.POSITIVE_INFINITY);
  }

  #viewed(picture: SmallPicture): Distinct['view'] {
    const { area } = this.#areas;
    return { area, picture: viewOf(picture, area) };
  }

  /** A picture as it is seen within the present bars: those of two sizes do not compare. */
  #view(distinct: Distinct): SmallPicture {
    if (distinct.view.area !== this.#areas.area) distinct.view = this.#viewed(distinct.picture);
    return distinct.view.picture;
  }

  #decideUntil(untilMs: number): void {
    for (; this.#next < this.#seen.length; this.#next += 1) {
      const found = this.#seen[this.#next];
      if (found === undefined || found.picture.atMs > untilMs) break;
      this.#decide(this.#next, found);
    }
    // Before the next decision lie the neighbors and the pictures that may come back.
    const old = this.#seen.findIndex(({ picture }) => picture.atMs > untilMs - 2 * DECIDED_AFTER_MS);
    const surplus = Math.min(old === -1 ? 0 : old, this.#next - CUT_RULE.neighbours - 2);
    if (surplus > 0) {
      this.#seen = this.#seen.slice(surplus);
      this.#next -= surplus;
    }
  }

  #decide(at: number, found: Distinct): void {
    const { change } = found;
    const last = this.#seen[at - 1];
    if (last === undefined || change < CUT_RULE.leastChange) return;
    const sides = [this.#usual(at, -1), this.#usual(at, 1)] as const;
    const usual = Math.max(...sides);
    const [before, picture] = [this.#view(last), this.#view(found)];
    if (change < CUT_RULE.neighbourRatio * usual && !isIntoRestless(before, picture, change, Math.min(...sides)))
      return;
    const back = this.#cameBack(at, before, picture, change);
    if (back !== null && back > picture.atMs) {
      if (Math.abs(picture.light - before.light) > 0.14 * (48 + Math.min(before.light, picture.light))) {
        this.#onFlash({ startMs: picture.atMs, endMs: back });
      }
      return;
    }
    const isUsual = change >= CUT_RULE.neighbourRatio * usual;
    const ratio = Math.min(100, change / Math.max(isUsual ? usual : Math.min(...sides), 0.01));
    const isNextPicture = last.picture.atMs === this.#cutMs && last.lastMs === this.#cutMs;
    if (back !== null || isNextPicture) return;
    if (!isOtherShot(before, picture, change, ratio) && !this.#isHalf(at, before, change, ratio)) return;
    this.#cutMs = picture.atMs;
    this.#onCut({ atMs: picture.atMs, ratio });
  }

  /** True if the picture is a mixture of the shots of its neighbors. A cut has at most one of these. */
  #isHalf(at: number, before: SmallPicture, change: number, ratio: number): boolean {
    const [here, next] = [this.#seen[at], this.#seen[at + 1]];
    if (here === undefined || next === undefined) return false;
    if (Math.min(change, next.change) < CUT_RULE.halfShare * Math.max(change, next.change)) return false;
    // A picture that stands is no mixture: a title went before the cut.
    if (here.lastMs > here.picture.atMs) return false;
    // A fade has more such steps.
    const beside = Math.max(this.#seen[at - 1]?.change ?? 0, this.#seen[at + 2]?.change ?? 0);
    if (beside > CUT_RULE.halfShare * Math.min(change, next.change)) return false;
    const after = this.#view(next);
    const whole = difference(before, after);
    return whole >= CUT_RULE.halvesShare * (change + next.change) && isOtherShot(before, after, whole, ratio);
  }

  /** The median change of the neighbors on one side; what is missing there has not changed. */
  #usual(at: number, side: -1 | 1): number {
    const here = this.#seen[at]?.picture.atMs ?? 0;
    const beside: Distinct[] = [];
    for (let place = 1; place <= CUT_RULE.neighbours; place += 1) {
      const neighbor = this.#seen[at + side * place];
      if (neighbor === undefined || Math.abs(neighbor.picture.atMs - here) > CUT_RULE.neighbourMs) break;
      beside.push(neighbor);
    }
    // Light that goes up and down is a strobe, in which shots may change; light that goes one way is a fade.
    const whole = beside.reduce((sum, { lighter }) => sum + Math.abs(lighter), 0);
    const isToggling = Math.abs(beside.reduce((sum, { lighter }) => sum + lighter, 0)) < whole / 2;
    const changes = beside.map(({ change, lighter }) =>
      isToggling ? Math.max(0, change - Math.abs(lighter)) : change,
    );
    while (changes.length < CUT_RULE.neighbours) changes.push(0);
    changes.sort((one, other) => one - other);
    return ((changes[1] ?? 0) + (changes[2] ?? 0)) / 2;
  }

  /** The time when the picture before the change is back; the time of the change if the next picture was there before it. */
  #cameBack(at: number, before: SmallPicture, here: SmallPicture, change: number): number | null {
    const most = CUT_RULE.returnShare * change;
    for (const later of this.#seen.slice(at + 1)) {
      const { atMs } = later.picture;
      if (atMs - here.atMs > CUT_RULE.returnMs) break;
      if (isBack(before, this.#view(later), most)) return atMs;
    }
    for (let place = at - 2; place >= 0; place -= 1) {
      // It was gone from the next picture on. A picture that repeats stands as long: black for a second is no flash.
      const [gone, next] = [this.#seen[place], this.#seen[place + 1]];
      if (gone === undefined || next === undefined || here.atMs - next.picture.atMs > CUT_RULE.returnMs) break;
      if (isBack(this.#view(gone), here, most)) return here.atMs;
    }
    return null;
  }
}

/** True if a shot whose pictures hardly change adjoins one in which every picture is new, and nothing of the one is in the other. */
const isIntoRestless = (before: SmallPicture, after: SmallPicture, change: number, calm: number): boolean =>
  change >= CUT_RULE.restless.calmRatio * calm &&
  change >= CUT_RULE.restless.leastShare * (48 + Math.max(before.light, after.light)) &&
  Math.abs(likeness(before, after)) <= CUT_RULE.restless.mostAlike &&
  likenessMoved(before, after) <= CUT_RULE.restless.mostAlikeMoved;

/** True if a picture is back: light that floods two shots makes them differ less, and no more alike. */
const isBack = (gone: SmallPicture, come: SmallPicture, most: number): boolean =>
  difference(gone, come) <= most &&
  (Math.min(gone.contrast, come.contrast) < CUT_RULE.leastContrast ||
    (likeness(gone, come) >= CUT_RULE.unlike && likenessOfDetail(gone, come) >= CUT_RULE.unlikeInDetail) ||
    likenessOfBlocks(gone.blocks, come.blocks) >= CUT_RULE.leastAlikeBlocks ||
    likenessMoved(gone, come) >= CUT_RULE.leastAlikeBack);

/** True if two neighboring pictures are of two shots, by their content alone. */
function isOtherShot(before: SmallPicture, after: SmallPicture, change: number, ratio: number): boolean {
  const alike = likeness(before, after);
  if (alike > CUT_RULE.mostAlike && likenessOfDetail(before, after) > CUT_RULE.mostAlikeInDetail) return false;
  const light = Math.max(before.light, after.light);
  const isDrawn = Math.min(before.contrast, after.contrast) >= CUT_RULE.leastContrast;
  const isUnlike = isDrawn && (alike <= CUT_RULE.unlike || likenessOfDetail(before, after) <= CUT_RULE.unlikeInDetail);
  if (change < CUT_RULE.leastShare * (48 + light) && !isUnlike) return false;
  if (concentration(before, after) > CUT_RULE.mostConcentrated) return false;
  const most = ratio < CUT_RULE.atOnceRatio ? CUT_RULE.mostAlikeMoved : CUT_RULE.mostAlikeMovedAtOnce;
  return likenessMoved(before, after) <= most;
}
