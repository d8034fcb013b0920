import { between, type Chance, chanceOf, oneOf, whole } from '../../fixtures/chance.ts';
import type { Film, Join, Piece, Treatment } from './film.ts';
import { type FilmSet, page, sceneryOf } from './scenery.ts';
import { type CameraMove, shotOf } from './shot.ts';

const filmKinds = [
  'ordinary',
  'dark',
  'montage',
  'flashes',
  'strobes',
  'restless',
  'repeated',
  'dissolves',
  'fades',
  'wipes',
  'slides',
  'mixed',
] as const;
export type FilmKind = (typeof filmKinds)[number];

/** How the pictures of a film are stored: at a steady rate, with pictures left out, or as two fields each. */
type Timing = 'steady' | 'variable' | 'interlaced';

export interface FilmPlan {
  readonly name: string;
  readonly set: FilmSet;
  readonly kind: FilmKind;
  readonly rate: readonly [number, number];
  readonly timing: Timing;
  readonly film: Film;
}

const rates = [
  [24_000, 1001],
  [25, 1],
  [30_000, 1001],
  [60_000, 1001],
] as const;

const moves: Readonly<Record<FilmKind, readonly CameraMove[]>> = {
  ordinary: ['still', 'hand', 'pan', 'zoom', 'shake'],
  dark: ['still', 'hand', 'pan'],
  montage: ['still', 'hand', 'pan', 'zoom', 'shake'],
  flashes: ['still', 'hand', 'pan'],
  strobes: ['still', 'hand', 'pan'],
  restless: ['shake', 'whip', 'whip'],
  repeated: ['still', 'hand', 'pan', 'zoom'],
  dissolves: ['still', 'hand', 'pan', 'zoom'],
  fades: ['still', 'hand', 'pan', 'zoom'],
  wipes: ['still', 'hand', 'pan', 'zoom'],
  slides: ['still'],
  mixed: ['still', 'hand', 'pan', 'zoom', 'shake'],
};

function joinOf(kind: FilmKind, chance: Chance, fps: number): Join {
  const frames = Math.round(between(chance, 0.4, 1.6) * fps);
  const form = kind === 'mixed' ? oneOf(chance, ['cut', 'cut', 'dissolves', 'fades', 'wipes'] as const) : kind;
  switch (form) {
    case 'dissolves':
      return { form: 'dissolve', frames };
    case 'fades':
      return { form: 'fade', frames: Math.max(frames, Math.round(fps / 2)), over: chance() < 0.75 ? 0 : 255 };
    case 'wipes':
      return { form: 'wipe', frames, towards: oneOf(chance, ['left', 'right', 'down', 'centre'] as const) };
    default:
      return { form: 'cut' };
  }
}

function treatmentOf(kind: FilmKind, chance: Chance, fps: number, frames: number): Treatment {
  const grain = chance() < 0.4 ? between(chance, 1, 5) : 0;
  switch (kind) {
    case 'dark':
      return { light: between(chance, 0.06, 0.16), grain: between(chance, 0.5, 3) };
    case 'flashes': {
      const flashes: [number, number][] = [];
      for (let at = whole(chance, 10, 30); at < frames; at += whole(chance, Math.round(fps * 0.7), Math.round(fps * 2)))
        flashes.push([at, at + whole(chance, 1, 3)]);
      return { grain, flashes };
    }
    case 'strobes': {
      const period = Math.max(2, Math.round(fps / between(chance, 5, 11)));
      const strobes = [];
      for (let at = Math.round(fps); at < frames - 2 * fps; at += Math.round(5 * fps))
        strobes.push({ from: at, to: at + Math.round(between(chance, 1, 2.5) * fps), period });
      return { grain, strobes };
    }
    case 'repeated':
      return { grain, repeat: whole(chance, 2, 3) };
    default:
      return { grain };
  }
}

const shotSeconds = (kind: FilmKind, chance: Chance): number => {
  if (kind === 'montage') return between(chance, 0.2, 0.6);
  return kind === 'restless' ? between(chance, 2, 4) : between(chance, 1.2, 4);
};

/** A film of about this many seconds; the seed decides on everything else. */
export function planFilm({
  set,
  kind,
  rate,
  timing,
  seed,
  seconds = 18,
}: Omit<FilmPlan, 'name' | 'film'> & { readonly seed: number; readonly seconds?: number }): FilmPlan {
  const chance = chanceOf(seed);
  const fps = rate[0] / rate[1];
  const pieces: Piece[] = [];
  let frames = 0;
  while (frames < seconds * fps) {
    const scene = kind === 'slides' ? page(chance) : sceneryOf(set, chance);
    const plan = { move: oneOf(chance, moves[kind]), bodies: kind === 'slides' ? 0 : whole(chance, 0, 2) };
    const shot = shotOf(scene, plan, chance);
    const length = Math.max(3, Math.round(shotSeconds(kind, chance) * fps));
    // A cut between two fields would lie inside a frame.
    const even = timing === 'interlaced' ? length + (length % 2) : length;
    pieces.push({ shot, frames: even, join: joinOf(kind, chance, fps) });
    frames += even;
  }
  const treatment = treatmentOf(kind, chance, fps, frames);
  const name = `${set}-${kind}-${Math.round(fps * 100) / 100}-${timing}-${seed}`;
  return { name, set, kind, rate, timing, film: { pieces, treatment, framesPerSecond: fps, seed } };
}

/** All films of a set: every kind at two of the rates, and some of them with variable rate or interlaced. */
export function filmsOf(set: FilmSet): readonly FilmPlan[] {
  const first = set === 'tuned' ? 1 : 1001;
  const steady = filmKinds.flatMap((kind, at) =>
    [0, 1].map((half) => {
      const rate = rates[(at + 2 * half + (set === 'kept' ? 1 : 0)) % rates.length] ?? rates[1];
      return planFilm({ set, kind, rate, timing: 'steady', seed: first + 2 * at + half });
    }),
  );
  const others = (['ordinary', 'montage', 'dissolves', 'mixed'] as const).flatMap((kind, at) => [
    planFilm({ set, kind, rate: rates[2], timing: 'variable', seed: first + 100 + at }),
    planFilm({ set, kind, rate: [50, 1], timing: 'interlaced', seed: first + 200 + at }),
  ]);
  return [...steady, ...others];
}
