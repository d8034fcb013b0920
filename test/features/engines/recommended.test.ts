import test from 'ava';
import { publishedCatalogue } from '../../../features/engines/catalogue.ts';
import { recommended } from '../../../features/engines/recommended.ts';

const named = (language: string, cores: number, memoryBytes = 64e9) =>
  recommended(publishedCatalogue, language, { cores, memoryBytes })?.name ?? null;

test('the recommended engine keeps up with the speech on the cores of the machine', (t) => {
  const cores = [1, 2, 4, 8, 16];
  t.deepEqual(
    cores.map((each) => named('en', each)),
    ['whisper-tiny-q5_1', 'whisper-base-q5_1', 'whisper-base-q5_1', 'whisper-small-q5_1', 'whisper-medium-q5_0'],
  );
  t.deepEqual(
    cores.map((each) => named('es', each)),
    [
      'whisper-base-q5_1',
      'whisper-small-q5_1',
      'whisper-small-q5_1',
      'whisper-medium-q5_0',
      'whisper-large-v3-turbo-q5_0',
    ],
  );
});

test('the recommended engine takes at most half of the memory, and a machine that has too little gets none', (t) => {
  t.is(named('es', 16, 4e9), 'whisper-small-q5_1');
  t.is(named('es', 16, 1e9), 'whisper-base-q5_1');
  t.is(named('es', 16, 6e8), 'whisper-tiny-q5_1');
  t.is(named('es', 16, 5e8), null);
});
