import { between, type Chance, chanceOf } from '../../fixtures/chance.ts';
import { type Picture, picture } from './picture.ts';
import { FILM_HEIGHT, FILM_WIDTH, type Shot } from './shot.ts';

type Form = 'dissolve' | 'fade' | 'wipe';

/** How a shot follows the one before: at once, or over some frames that lie between the two. */
export type Join =
  | { readonly form: 'cut' }
  | { readonly form: 'dissolve'; readonly frames: number }
  | { readonly form: 'fade'; readonly frames: number; readonly over: number }
  | { readonly form: 'wipe'; readonly frames: number; readonly towards: 'left' | 'right' | 'down' | 'centre' };

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

const lengthOf = (join: Join): number => (join.form === 'cut' ? 0 : join.frames);

export function labelsOf({ pieces, treatment: { repeat = 1 } }: Film): FilmLabels {
  const cuts: number[] = [];
  const transitions: FilmLabels['transitions'][number][] = [];
  let frames = 0;
  const shown = (frame: number) => Math.ceil(frame / repeat) * repeat;
  for (const [index, { frames: length, join }] of pieces.entries()) {
    const between = index === 0 ? 0 : lengthOf(join);
    if (index > 0 && join.form === 'cut') cuts.push(shown(frames));
    if (index > 0 && join.form !== 'cut')
      transitions.push({ form: join.form, from: shown(frames), to: shown(frames + between) });
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
    if (join.form === 'dissolve') into[at] = old + (fresh - old) * share;
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
      for (; frame < join.frames; frame += 1) {
        const old = leaving.shot((leaving.frame + frame) / framesPerSecond).rgb.slice();
        joined(join, (frame + 1) / (join.frames + 1), old, shot(frame / framesPerSecond).rgb, into.rgb);
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
    const offset = Math.floor(between(chance, 0, grains.length));
    if (frame % repeat === 0) {
      for (let at = 0; at < rgb.length; at += 1) {
        const value = (rgb[at] ?? 0) * light + (grains[(at * 7 + offset) % grains.length] ?? 0);
        into.rgb[at] = Math.max(0, Math.min(255, value + (255 - value) * flood));
      }
    }
    yield into;
    frame += 1;
  }
}
