import test from 'ava';
import { PictureFacts } from '../../../executors/evidence/picture-facts.ts';
import { SMALL_BYTES, smallPicture } from '../../../executors/pictures/small-picture.ts';
import { timedLabels } from '../../../scripts/films/build-film.ts';
import { type FilmKind, planFilm } from '../../../scripts/films/catalogue.ts';
import { picturesOfFilm } from './films.ts';

function factsOf(kind: FilmKind, seed: number, seconds: number) {
  const plan = planFilm({ set: 'tuned', kind, rate: [25, 1], timing: 'steady', seed, seconds });
  const labels = timedLabels(plan);
  const facts = new PictureFacts({ startMs: 0, endMs: labels.durationMs });
  for (const picture of picturesOfFilm(plan)) facts.add(picture);
  facts.end();
  return { facts, labels };
}

for (const kind of ['dissolves', 'fades'] as const) {
  test(`${kind} are ranges with their bounds, and no cuts`, (t) => {
    const { facts, labels } = factsOf(kind, 51, 5);
    t.deepEqual(facts.shots(), []);
    const found = facts.transitions().flatMap((fact) => (fact.kind === 'transition' ? [fact] : []));
    t.is(found.length, labels.transitions.length);
    for (const [at, { form, startMs, endMs }] of labels.transitions.entries()) {
      t.is(found[at]?.form, form as 'dissolve');
      t.true(Math.abs((found[at]?.startMs ?? 0) - startMs) <= 160);
      t.true(Math.abs((found[at]?.endMs ?? 0) - endMs) <= 160);
    }
  });
}

const even = (value: number): Uint8Array => new Uint8Array(SMALL_BYTES).fill(value);

/** Four seconds of pictures from the second second on; what is not said is grey, and never quite the same. */
function shown(valueAt: (ms: number) => number | null, range = { startMs: 1000, endMs: 5000 }): PictureFacts {
  const facts = new PictureFacts(range);
  for (let ms = 0; ms < 6000; ms += 40) facts.add(smallPicture(ms, even(valueAt(ms) ?? 120 + ((ms / 40) % 2))));
  facts.end();
  return facts;
}

test('black pictures are a range with their share, cut to the range that is studied', (t) => {
  const facts = shown((ms) => (ms < 1400 || (ms >= 2000 && ms < 2160) ? 10 : null));
  t.deepEqual(facts.black(), [{ kind: 'black', index: 0, startMs: 1000, endMs: 1400, blackMilli: 1000 }]);
});

test('pictures that do not change for two seconds are frozen', (t) => {
  const facts = shown((ms) => (ms >= 2000 && ms < 4200 ? 90 : null));
  t.deepEqual(facts.frozen(), [{ kind: 'frozen', index: 0, startMs: 2000, endMs: 4200, changeMilli: 0 }]);
  t.deepEqual(shown((ms) => (ms >= 2000 && ms < 3900 ? 90 : null)).frozen(), []);
});

test('a flash is a fact of its own, and flashes that follow each other are one strobe', (t) => {
  const once = shown((ms) => (ms >= 2000 && ms < 2080 ? 250 : null));
  t.deepEqual(once.transitions(), [{ kind: 'flash', index: 0, startMs: 2000, endMs: 2080 }]);
  const strobe = shown((ms) => (ms >= 2000 && ms < 2800 && ms % 200 < 80 ? 250 : null));
  t.deepEqual(strobe.transitions(), [{ kind: 'strobe', index: 0, startMs: 2000, endMs: 2680, flashes: 4 }]);
  for (const facts of [once, strobe]) t.deepEqual(facts.shots(), []);
});
