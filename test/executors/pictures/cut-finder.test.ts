import test from 'ava';
import { CutFinder } from '../../../executors/pictures/cut-finder.ts';
import { timedLabels } from '../../../scripts/films/build-film.ts';
import { planFilm } from '../../../scripts/films/catalogue.ts';
import { picturesOfFilm } from './films.ts';

function found(kind: Parameters<typeof planFilm>[0]['kind'], seed: number) {
  const plan = planFilm({ set: 'kept', kind, rate: [25, 1], timing: 'steady', seed, seconds: 3 });
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

test('flashes and strobes are no cuts', (t) => {
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
