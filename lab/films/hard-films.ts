import { between, type Chance, chanceOf, oneOf, whole } from '../../fixtures/chance.ts';
import type { FilmPlan } from './catalogue.ts';
import type { Join, Piece, Treatment } from './film.ts';
import { page, sceneryOf } from './scenery.ts';
import { type CameraMove, type Shot, shotOf } from './shot.ts';
import { streetOf } from './street.ts';

/** What makes a film hard for a finder of cuts and transitions. */
const hardKinds = [
  'ordinary',
  'dark',
  'montage',
  'flashes',
  'dips',
  'strobes',
  'restless',
  'drawings',
  'slides',
  'slates',
  'blends',
  'lamps',
  'street',
  'letterbox',
  'pillarbox',
  'changing bars',
  'dissolves',
  'fades',
  'wipes',
  'mixed',
] as const;
type HardKind = (typeof hardKinds)[number];

/** A hard film; `kind` is its name among the kinds of this file. */
export type HardFilm = Omit<FilmPlan, 'kind'> & { readonly kind: HardKind };

const calm = ['still', 'hand', 'pan', 'zoom'] as const satisfies readonly CameraMove[];

function movesOf(kind: HardKind): readonly CameraMove[] {
  if (kind === 'restless') return ['shake', 'whip', 'pan'];
  if (kind === 'slides' || kind === 'slates') return ['still'];
  if (kind === 'lamps') return ['still', 'hand'];
  return kind === 'montage' || kind === 'ordinary' ? [...calm, 'shake'] : calm;
}

const gradual: ReadonlySet<HardKind> = new Set(['dissolves', 'fades', 'wipes']);

function joinOf(kind: HardKind, chance: Chance, fps: number): Join {
  const frames = Math.round(between(chance, 0.3, 1.6) * fps);
  const mixes = ['cut', 'cut', 'dissolves', 'fades', 'wipes'] as const;
  const isMixed = ['mixed', 'letterbox', 'pillarbox', 'drawings'].includes(kind);
  switch (isMixed ? oneOf(chance, mixes) : kind) {
    case 'dissolves':
      return { form: 'dissolve', frames };
    case 'fades':
      return { form: 'fade', frames: Math.max(frames, Math.round(fps / 2)), over: chance() < 0.75 ? 0 : 255 };
    case 'wipes':
      return { form: 'wipe', frames, towards: oneOf(chance, ['left', 'right', 'down', 'centre'] as const) };
    case 'slates':
      return { form: 'slate', frames: Math.round(between(chance, 0.8, 2) * fps), over: chance() < 0.8 ? 0 : 255 };
    case 'blends':
      return { form: 'blend' };
    default:
      return { form: 'cut' };
  }
}

/** Places in a film, in frames, so many seconds from one another. */
function placesOf(chance: Chance, frames: number, fps: number, apart: readonly [number, number]): number[] {
  const places: number[] = [];
  for (let at = fps * between(chance, 0.5, 1.2); at < frames - fps; at += fps * between(chance, ...apart))
    places.push(Math.round(at));
  return places;
}

/** One to four frames from each place on; none covers a cut, whose frame nobody could see. */
function momentsOf(chance: Chance, pieces: readonly Piece[], places: readonly number[]): (readonly [number, number])[] {
  let end = 0;
  const cuts = pieces.map(({ frames }) => {
    end += frames;
    return end;
  });
  return places
    .map((at) => [at, at + whole(chance, 1, 4)] as const)
    .filter(([from, to]) => !cuts.some((cut) => cut >= from - 1 && cut <= to + 1));
}

const wideBars = [0.12, 0.24, 0.26, 0.25] as const;

function treatmentOf(kind: HardKind, chance: Chance, fps: number, pieces: readonly Piece[]): Treatment {
  const frames = pieces.reduce((sum, piece) => sum + piece.frames, 0);
  const grain = chance() < 0.4 ? between(chance, 1, 5) : 0;
  switch (kind) {
    case 'dark':
      return { light: between(chance, 0.06, 0.16), grain: between(chance, 0.5, 3) };
    case 'flashes':
      return { grain, flashes: momentsOf(chance, pieces, placesOf(chance, frames, fps, [0.7, 2])) };
    case 'dips':
      return { grain, dips: momentsOf(chance, pieces, placesOf(chance, frames, fps, [0.8, 2])) };
    case 'strobes': {
      const period = Math.max(2, Math.round(fps / between(chance, 5, 11)));
      const lengthOf = () => Math.round(between(chance, 1, 2.5) * fps);
      const strobes = placesOf(chance, frames, fps, [4, 6]).map((from) => ({ from, to: from + lengthOf(), period }));
      return { grain, strobes };
    }
    case 'drawings':
      return { repeat: 2 };
    case 'lamps':
    case 'street': {
      const lamps = placesOf(chance, frames, fps, kind === 'lamps' ? [1.5, 3] : [4, 7]).map((from) => ({
        from,
        to: from + Math.max(1, Math.round(fps * oneOf(chance, [0.04, 0.3, 0.8, 1.5]))),
        light: oneOf(chance, [0.45, 0.7, 1.4, 1.8]),
        ...(chance() < 0.5 ? { side: oneOf(chance, [-1, 1] as const) } : {}),
      }));
      return { grain, lamps };
    }
    case 'letterbox':
      return { grain, bars: [{ from: 0, beside: 0, above: oneOf(chance, wideBars) }] };
    case 'pillarbox':
      return { grain, bars: [{ from: 0, beside: oneOf(chance, [0.25, 0.44]), above: chance() < 0.3 ? 0.2 : 0 }] };
    case 'changing bars': {
      let from = 0;
      const bars = pieces.flatMap((piece, at) => {
        const here = from;
        from += piece.frames;
        const forms = [
          { beside: 0, above: 0 },
          { beside: 0, above: 0.25 },
          { beside: 0.25, above: 0 },
        ];
        return at % 3 === 0 ? [{ from: here, ...oneOf(chance, forms) }] : [];
      });
      return { grain, bars };
    }
    default:
      return { grain };
  }
}

function secondsOf(kind: HardKind, chance: Chance): number {
  if (kind === 'montage') return between(chance, 0.2, 0.6);
  if (kind === 'street') return between(chance, 5, 8);
  if (kind === 'restless' || gradual.has(kind)) return between(chance, 1.6, 3.2);
  return between(chance, 0.9, 3);
}

interface HardPlan {
  readonly kind: HardKind;
  readonly seed: number;
  readonly rate: FilmPlan['rate'];
  readonly timing: FilmPlan['timing'];
  readonly seconds: number;
}

function hardFilm({ kind, seed, rate, timing, seconds }: HardPlan): HardFilm {
  const chance = chanceOf(seed);
  const fps = rate[0] / rate[1];
  const set = chance() < 0.5 ? 'tuned' : 'kept';
  const pieces: Piece[] = [];
  let before: Shot | null = null;
  for (let frames = 0; frames < seconds * fps; frames += pieces.at(-1)?.frames ?? 1) {
    const scene = kind === 'slides' ? page(chance) : sceneryOf(set, chance);
    const length = Math.max(3, Math.round(secondsOf(kind, chance) * fps));
    const plan = { move: oneOf(chance, movesOf(kind)), bodies: kind === 'slides' ? 0 : whole(chance, 0, 2) };
    // Behind a slate the same view comes back most of the time.
    const isBack: boolean = kind === 'slates' && before !== null && chance() < 0.7;
    const shot: Shot =
      isBack && before !== null
        ? before
        : kind === 'street'
          ? streetOf(scene, length / fps, chance)
          : shotOf(scene, plan, chance);
    before = shot;
    // A cut between two fields would lie inside a frame, one between two repeats inside a drawing.
    const isPaired = timing === 'interlaced' || kind === 'drawings';
    const join = joinOf(kind, chance, fps);
    const even = (count: number): number => (isPaired ? count + (count % 2) : count);
    pieces.push({
      shot,
      frames: even(length),
      join: 'frames' in join ? { ...join, frames: even(join.frames) } : join,
    });
  }
  const name = `hard-${kind.replaceAll(' ', '-')}-${Math.round(fps * 100) / 100}-${timing}-${seed}`;
  const treatment = treatmentOf(kind, chance, fps, pieces);
  return { name, set, kind, rate, timing, film: { pieces, treatment, framesPerSecond: fps, seed } };
}

const rates = [
  [24_000, 1001],
  [25, 1],
  [30_000, 1001],
  [24, 1],
] as const;

/** Forty films, two of each kind; every fifth is interlaced or has a variable rate. `set` gives others of the same kinds. */
export function hardFilms(set = 1): readonly HardFilm[] {
  return hardKinds.flatMap((kind, at) =>
    [0, 1].map((half) => {
      const place = 2 * at + half;
      const timing = place % 10 === 3 ? 'interlaced' : place % 10 === 8 ? 'variable' : 'steady';
      const isPair = timing === 'interlaced' || kind === 'drawings';
      const rate = isPair ? ([50, 1] as const) : (rates[place % rates.length] ?? rates[1]);
      // Drawings on twos come at a rate of films; only fields come at fifty.
      const shown = kind === 'drawings' ? ([24, 1] as const) : rate;
      const seconds = gradual.has(kind) ? 26 : kind === 'montage' ? 9 : 16;
      return hardFilm({ kind, seed: 10_000 * set + place, rate: shown, timing, seconds });
    }),
  );
}
