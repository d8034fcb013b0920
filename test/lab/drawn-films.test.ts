import test from 'ava';
import { transitionFact } from '../../contract/evidence/evidence.ts';
import { CutFinder } from '../../kinds/pictures/cut-finder.ts';
import {
  SMALL_BYTES,
  SMALL_HEIGHT,
  SMALL_WIDTH,
  type SmallPicture,
  smallPicture,
} from '../../kinds/pictures/small-picture.ts';
import { type BuiltFilm, timedLabels } from '../../lab/films/build-film.ts';
import { type FilmKind, planFilm } from '../../lab/films/catalogue.ts';
import { type Film, picturesOf } from '../../lab/films/film.ts';
import { hardFilms } from '../../lab/films/hard-films.ts';
import type { Picture } from '../../lab/films/picture.ts';
import { metersOver } from '../kinds/meters-for-tests.ts';

/** A quarter of the pixels, each the mean of four: a built picture is twice as wide and as high. */
function reduced({ width, rgb }: Picture): Uint8Array {
  const small = new Uint8Array(SMALL_BYTES);
  for (let y = 0; y < SMALL_HEIGHT; y += 1) {
    for (let x = 0; x < SMALL_WIDTH * 3; x += 1) {
      const at = 2 * y * width * 3 + Math.floor(x / 3) * 6 + (x % 3);
      const below = at + width * 3;
      const sum = (rgb[at] ?? 0) + (rgb[at + 3] ?? 0) + (rgb[below] ?? 0) + (rgb[below + 3] ?? 0);
      small[y * SMALL_WIDTH * 3 + x] = Math.round(sum / 4);
    }
  }
  return small;
}

/** The pictures of a film as a pass would hand them over, without an encoder in between. */
function* picturesOfFilm({ film }: BuiltFilm): Generator<SmallPicture> {
  let frame = 0;
  for (const picture of picturesOf(film)) {
    yield smallPicture(Math.round((frame * 1000) / film.framesPerSecond), reduced(picture));
    frame += 1;
  }
}

function found(kind: FilmKind, seed: number, changed: (film: Film) => Film = (film) => film) {
  const drawn = planFilm({ set: 'kept', kind, rate: [25, 1], timing: 'steady', seed, seconds: 3 });
  const plan = { ...drawn, film: changed(drawn.film) };
  const cuts: number[] = [];
  let flashes = 0;
  const finder = new CutFinder(
    ({ atMs }) => cuts.push(atMs),
    () => {
      flashes += 1;
    },
  );
  for (const picture of picturesOfFilm(plan)) finder.add(picture);
  finder.end();
  return { cuts, flashes, labels: timedLabels(plan) };
}

test('cuts of dark and short shots and of slides are found on their frames, and no others', (t) => {
  let hits = 0;
  let labelled = 0;
  for (const kind of ['dark', 'montage', 'slides'] as const) {
    const { cuts, labels } = found(kind, 31);
    labelled += labels.cutsMs.length;
    hits += cuts.length;
    t.deepEqual(
      cuts.filter((cut) => !labels.cutsMs.includes(cut)),
      [],
      kind,
    );
  }
  t.true(hits >= 0.85 * labelled, `${hits} of ${labelled}`);
});

test('flashes and strobes do not count as cuts', (t) => {
  for (const kind of ['flashes', 'strobes'] as const) {
    const { cuts, flashes, labels } = found(kind, 34);
    t.true(flashes > 0, kind);
    t.deepEqual(
      cuts.filter((cut) => !labels.cutsMs.includes(cut)),
      [],
      kind,
    );
  }
});

test('a camera that shakes or swings makes no cuts, and a fade none', (t) => {
  for (const kind of ['restless', 'fades'] as const) {
    const { cuts, labels } = found(kind, 33);
    t.deepEqual(cuts, labels.cutsMs, kind);
  }
});

async function factsOf(kind: FilmKind, seed: number, seconds: number) {
  const plan = planFilm({ set: 'tuned', kind, rate: [25, 1], timing: 'steady', seed, seconds });
  const labels = timedLabels(plan);
  const { meters } = metersOver({ startMs: 0, endMs: labels.durationMs });
  for (const picture of picturesOfFilm(plan)) meters.picture(picture);
  await meters.end();
  return { meters, labels };
}

for (const kind of ['dissolves', 'fades'] as const) {
  test(`${kind} are ranges with their bounds, and no cuts`, async (t) => {
    const { meters, labels } = await factsOf(kind, 51, 5);
    t.deepEqual(meters.facts('shot_changes'), []);
    const found = transitionFact.array().parse(meters.facts('transitions'));
    t.is(found.length, labels.transitions.length);
    for (const [at, { form, startMs, endMs }] of labels.transitions.entries()) {
      t.is(found[at]?.form, form as 'dissolve');
      t.true(Math.abs((found[at]?.startMs ?? 0) - startMs) <= 160);
      t.true(Math.abs((found[at]?.endMs ?? 0) - endMs) <= 160);
    }
  });
}

/** The same film with black bars, as shares of both sides. */
const barred =
  (beside: number, above: number) =>
  (film: Film): Film => ({ ...film, treatment: { ...film.treatment, bars: [{ from: 0, beside, above }] } });

test('bug: a film with black bars lost cuts', (t) => {
  for (const [beside, above] of [
    [0, 0.26],
    [0.44, 0],
    [0.25, 0.2],
  ] as const) {
    const { cuts, labels } = found('montage', 31, barred(beside, above));
    const wrong = cuts.filter((cut) => !labels.cutsMs.includes(cut));
    t.deepEqual(wrong, [], `${beside} beside, ${above} above`);
    // A bar also hides what tells two shots apart.
    t.true(cuts.length >= found('montage', 31).cuts.length - 1, `${beside} beside, ${above} above`);
  }
});

test('bars that begin or end at a cut hide none', (t) => {
  const { cuts, labels } = found('ordinary', 31, (film) => {
    const [first] = film.pieces;
    const bars = [
      { from: 0, beside: 0, above: 0.25 },
      { from: first?.frames ?? 0, beside: 0.25, above: 0 },
    ];
    return { ...film, treatment: { ...film.treatment, bars } };
  });
  t.deepEqual(cuts, labels.cutsMs);
});

/** A picture, a second of one color, and the same view again. */
const slated =
  (over: number, frames: number) =>
  (film: Film): Film => {
    const [first] = film.pieces;
    if (first === undefined) return film;
    const piece = { ...first, frames: 40 };
    return { ...film, pieces: [piece, { ...piece, join: { form: 'slate', frames, over } }] };
  };

test('bug: the way back from a black picture that stayed for a second was no cut', (t) => {
  for (const over of [0, 255]) {
    for (const seed of [31, 33]) {
      const { cuts, labels } = found('ordinary', seed, slated(over, 25));
      t.is(labels.cutsMs.length, 2);
      t.deepEqual(cuts, labels.cutsMs, `${over}, seed ${seed}`);
    }
  }
});

test('a few black pictures are a flash, also in front of a camera that moves', (t) => {
  const dipped = (film: Film): Film => ({ ...film, treatment: { ...film.treatment, dips: [[14, 18]] } });
  for (const seed of [31, 33, 35]) t.deepEqual(found('dissolves', seed, dipped).cuts, [], `seed ${seed}`);
});

test('bug: a cut with a picture that is half of each shot was none, or two', (t) => {
  const blended = (film: Film): Film => {
    const pieces = film.pieces.slice(0, 3).map((piece) => ({ ...piece, frames: 20, join: { form: 'blend' } as const }));
    return { ...film, pieces };
  };
  for (const seed of [31, 33, 35]) {
    const { cuts, labels } = found('dissolves', seed, blended);
    t.is(labels.cutsMs.length, cuts.length, `seed ${seed}`);
    for (const [at, cut] of cuts.entries()) t.true(Math.abs(cut - (labels.cutsMs[at] ?? 0)) <= 40, `seed ${seed}`);
  }
});

test('bug: vehicles in front of a camera that does not move, and light that changes, were dissolves and wipes', async (t) => {
  for (const kind of ['street', 'lamps']) {
    const plan = hardFilms().find((film) => film.kind === kind && film.timing === 'steady');
    if (plan === undefined) throw new Error(`no film of the kind ${kind}`);
    const [first] = plan.film.pieces;
    const film = { ...plan.film, pieces: first === undefined ? [] : [{ ...first, frames: 150 }] };
    const { meters } = metersOver({ startMs: 0, endMs: 6000 });
    for (const picture of picturesOfFilm({ ...plan, film })) meters.picture(picture);
    await meters.end();
    t.deepEqual(meters.facts('shot_changes'), [], kind);
    t.deepEqual(transitionFact.array().parse(meters.facts('transitions')), [], kind);
  }
});
