import test from 'ava';
import { type DetectionBench, openDetectionBench } from '../evidence/detection-for-tests.ts';
import { filmsWithoutText } from './films-without-text.ts';
import { filmOf, openFilmReader } from './read-film.ts';

let bench: DetectionBench;
test.before(async () => {
  bench = await openDetectionBench();
});
test.after.always(() => bench.close());

// The others keep the engine for minutes.
const cheap = ['bars', 'gradients', 'noise', 'checks', 'bricks'] as const;

test('in films without a letter no text passes', async (t) => {
  const reader = await openFilmReader(bench, ['eng', 'kor']);
  for (const name of cheap) {
    const { pictures, texts } = await reader.read(await filmOf(bench, name, filmsWithoutText[name] ?? '', 2), 2);
    t.true(pictures.length > 0, name);
    t.deepEqual(
      texts.filter(({ outcome }) => outcome === 'passed'),
      [],
      name,
    );
  }
  await reader.close();
});
