import { between, type Chance, chanceOf } from '../../fixtures/chance.ts';
import { type Picture, picture } from './picture.ts';
import { FILM_HEIGHT, FILM_WIDTH, type Shot } from './shot.ts';

type Form = 'dissolve' | 'fade' | 'wipe';

/** How a shot follows the one before: at once, or over some frames that lie between the two. */
export type Join =
  | { readonly form: 'cut' }
  | { readonly form: 'dissolve'; readonly frames: number }
  | { readonly form: 'fade'; readonly frames: number; readonly over: number }
  | { readonly form: 'wipe'; readonly frames: number; readonly towards: 'left' | 'right' | 'down' | 'centre' }
  /** Even pictures between two cuts. */
  | { readonly form: 'slate'; readonly frames: number; readonly over: number }
  /** One picture that is half of each shot, as a converter of rates leaves it. */
  | { readonly form: 'blend' };

export interface Piece {
  readonly shot: Shot;
  readonly frames: number;
  readonly join: Join;
}

/** Changes to every picture of a film. */
export interface Treatment {
  /** Light and contrast of all pictures, as a share. */
  readonly light?: number;
  /** Standard deviation of the grain, of 255. */
  readonly grain?: number;
  /** Every picture is shown this often. */
  readonly repeat?: number;
  /** Frames that are flooded with light: first, and one behind the last. */
  readonly flashes?: readonly (readonly [number, number])[];
  /** Frames between which the light goes on and off; `period` frames long. */
  readonly strobes?: readonly { readonly from: number; readonly to: number; readonly period: number }[];
  /** Frames that are black: first, and one behind the last. */
  readonly dips?: readonly (readonly [number, number])[];
  /** Light that changes evenly from the one before to this share of it; `side`: most of it on one side of the picture. */
  readonly lamps?: readonly {
    readonly from: number;
    readonly to: number;
    readonly light: number;
    readonly side?: -1 | 1;
  }[];
  /** Black bars from a frame on, as shares of the width (both sides together) and of the height. */
  readonly bars?: readonly { readonly from: number; readonly beside: number; readonly above: number }[];
}

export interface Film {
  readonly pieces: readonly Piece[];
  readonly treatment: Treatment;
  readonly framesPerSecond: number;
  readonly seed: number;
}

/** Labels of a film, in frames: a cut is the first frame of a shot, a transition all its frames. */
export interface FilmLabels {
  readonly frames: number;
  readonly cuts: readonly number[];
  readonly transitions: readonly { readonly form: Form; readonly from: number; readonly to: number }[];
}

function lengthOf(join: Join): number {
  if (join.form === 'cut') return 0;
  return join.form === 'blend' ? 1 : join.frames;
}

export function labelsOf({ pieces, treatment: { repeat = 1 } }: Film): FilmLabels {
  const cuts: number[] = [];
  const transitions: FilmLabels['transitions'][number][] = [];
  let frames = 0;
  const shown = (frame: number) => Math.ceil(frame / repeat) * repeat;
  for (const [index, { frames: length, join }] of pieces.entries()) {
    const between = index === 0 ? 0 : lengthOf(join);
    if (index > 0) {
      if (join.form === 'cut' || join.form === 'blend' || join.form === 'slate') cuts.push(shown(frames));
      if (join.form === 'slate') cuts.push(shown(frames + between));
      if (join.form === 'dissolve' || join.form === 'fade' || join.form === 'wipe')
        transitions.push({ form: join.form, from: shown(frames), to: shown(frames + between) });
    }
    frames += between + length;
  }
  return { frames, cuts, transitions };
}

/** True if the incoming picture already covers this pixel. */
function covers({ towards }: Extract<Join, { form: 'wipe' }>, x: number, y: number, share: number): boolean {
  switch (towards) {
    case 'right':
      return x < share * FILM_WIDTH;
    case 'left':
      return x >= (1 - share) * FILM_WIDTH;
    case 'down':
      return y < share * FILM_HEIGHT;
    case 'centre':
      return Math.hypot(x - FILM_WIDTH / 2, y - FILM_HEIGHT / 2) < (share * Math.hypot(FILM_WIDTH, FILM_HEIGHT)) / 2;
  }
}

function joined(
  join: Exclude<Join, { form: 'cut' }>,
  share: number,
  leaving: Uint8Array,
  coming: Uint8Array,
  into: Uint8Array,
): void {
  for (let at = 0; at < into.length; at += 1) {
    const [old, fresh] = [leaving[at] ?? 0, coming[at] ?? 0];
    if (join.form === 'dissolve' || join.form === 'blend') into[at] = old + (fresh - old) * share;
    else if (join.form === 'slate') into[at] = join.over;
    else if (join.form === 'fade')
      into[at] = share < 0.5 ? old + (join.over - old) * 2 * share : join.over + (fresh - join.over) * (2 * share - 1);
    else {
      const pixel = Math.floor(at / 3);
      into[at] = covers(join, pixel % FILM_WIDTH, Math.floor(pixel / FILM_WIDTH), share) ? fresh : old;
    }
  }
}

function* composed({ pieces, framesPerSecond }: Film): Generator<Picture> {
  const into = picture(FILM_WIDTH, FILM_HEIGHT);
  let leaving: { shot: Shot; frame: number } | null = null;
  for (const { shot, frames, join } of pieces) {
    let frame = 0;
    if (leaving !== null && join.form !== 'cut') {
      const length = lengthOf(join);
      for (; frame < length; frame += 1) {
        const old = leaving.shot((leaving.frame + frame) / framesPerSecond).rgb.slice();
        joined(join, (frame + 1) / (length + 1), old, shot(frame / framesPerSecond).rgb, into.rgb);
        yield into;
      }
    }
    const end = frame + frames;
    for (; frame < end; frame += 1) yield shot(frame / framesPerSecond);
    leaving = { shot, frame: end };
  }
}

function lightAt(frame: number, { flashes = [], strobes = [] }: Treatment): number {
  if (flashes.some(([from, to]) => frame >= from && frame < to)) return 0.85;
  const strobe = strobes.find(({ from, to }) => frame >= from && frame < to);
  return strobe !== undefined && (frame - strobe.from) % strobe.period < strobe.period / 2 ? 0.7 : 0;
}

/** The share of the light that is left at each column of a frame; null for all of it. */
function shadeAt(frame: number, { lamps = [] }: Treatment): Float32Array | null {
  if (!lamps.some(({ from }) => frame >= from)) return null;
  const columns = new Float32Array(FILM_WIDTH).fill(1);
  for (const { from, to, light, side } of lamps) {
    const reached = Math.max(0, Math.min(1, (frame - from) / (to - from)));
    for (let x = 0; x < FILM_WIDTH; x += 1) {
      const across = side === undefined ? 1 : side === 1 ? x / FILM_WIDTH : 1 - x / FILM_WIDTH;
      columns[x] = (columns[x] ?? 1) * (1 + (light - 1) * reached * across);
    }
  }
  return columns;
}

/** Lays the bars of a frame over it. */
function bar(rgb: Uint8Array, frame: number, { bars = [] }: Treatment): void {
  const laid = bars.findLast(({ from }) => frame >= from);
  if (laid === undefined) return;
  const [beside, above] = [(laid.beside * FILM_WIDTH) / 2, (laid.above * FILM_HEIGHT) / 2];
  for (let pixel = 0; pixel < FILM_WIDTH * FILM_HEIGHT; pixel += 1) {
    const [x, y] = [pixel % FILM_WIDTH, Math.floor(pixel / FILM_WIDTH)];
    const isInside = x >= beside && x < FILM_WIDTH - beside && y >= above && y < FILM_HEIGHT - above;
    if (!isInside) rgb.fill(0, pixel * 3, pixel * 3 + 3);
  }
}

const grainOf = (chance: Chance, size: number): Float32Array =>
  Float32Array.from({ length: 65_521 }, () => (chance() + chance() + chance() - 1.5) * 2 * size);

/** All pictures of a film, in their order; each is good until the next one. */
export function* picturesOf(film: Film): Generator<Picture> {
  const { treatment, seed } = film;
  const { light = 1, grain = 0, repeat = 1 } = treatment;
  const chance = chanceOf(seed);
  const grains = grainOf(chance, grain);
  const into = picture(FILM_WIDTH, FILM_HEIGHT);
  let frame = 0;
  for (const { rgb } of composed(film)) {
    const flood = lightAt(frame, treatment);
    const shade = shadeAt(frame, treatment);
    const isDipped = treatment.dips?.some(([from, to]) => frame >= from && frame < to) ?? false;
    const offset = Math.floor(between(chance, 0, grains.length));
    if (frame % repeat === 0) {
      for (let at = 0; at < rgb.length; at += 1) {
        const shown = shade === null ? light : light * (shade[Math.floor(at / 3) % FILM_WIDTH] ?? 1);
        const value = (rgb[at] ?? 0) * shown + (grains[(at * 7 + offset) % grains.length] ?? 0);
        into.rgb[at] = Math.max(0, Math.min(255, value + (255 - value) * flood));
      }
      if (isDipped) into.rgb.fill(0);
      bar(into.rgb, frame, treatment);
    }
    yield into;
    frame += 1;
  }
}
