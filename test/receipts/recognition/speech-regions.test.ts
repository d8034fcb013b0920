import test from 'ava';
import { speechRegions } from '../../../receipts/recognition/speech-regions.ts';
import { silencesAt, speechAt } from './transcripts.ts';

const regionsOf = (
  spoken: readonly (readonly [number, number])[],
  { silent = [], endMs = 100_000 }: { silent?: readonly (readonly [number, number])[]; endMs?: number } = {},
) =>
  speechRegions({ startMs: 0, endMs }, speechAt(spoken, endMs), silencesAt(silent, endMs)).map(
    ({ startMs, endMs }) => [startMs, endMs] as const,
  );

test('each stretch of speech is a region with 200 ms on both sides, inside the range', (t) => {
  t.deepEqual(
    regionsOf(
      [
        [100, 2_000],
        [5_000, 9_900],
      ],
      { endMs: 10_000 },
    ),
    [
      [0, 2_200],
      [4_800, 10_000],
    ],
  );
  t.deepEqual(regionsOf([]), []);
});

test('stretches whose padding touches are one region', (t) => {
  t.deepEqual(
    regionsOf([
      [1_000, 2_000],
      [2_400, 3_000],
      [3_401, 4_000],
    ]),
    [
      [800, 3_200],
      [3_201, 4_200],
    ],
  );
});

test('a stretch of more than 30 s is cut at the last pause within it, at a silence where there is none, else hard', (t) => {
  const paused = regionsOf([
    [1_000, 20_000],
    [20_300, 29_000],
    [29_200, 45_000],
  ]);
  t.deepEqual(paused, [
    [800, 29_100],
    [29_100, 45_200],
  ]);
  const silent = {
    silent: [
      [12_000, 12_400],
      [50_000, 50_300],
    ] as const,
  };
  t.deepEqual(regionsOf([[1_000, 40_000]], silent), [
    [800, 12_200],
    [12_200, 40_200],
  ]);
  t.deepEqual(regionsOf([[1_000, 40_000]]), [
    [800, 30_800],
    [30_800, 40_200],
  ]);
});

test('no region is longer than 30 s, and all speech lies in one', (t) => {
  const spoken = Array.from({ length: 40 }, (_, at) => [at * 2_100, at * 2_100 + 1_900] as const);
  const regions = regionsOf(spoken);
  t.true(regions.every(([startMs, endMs]) => endMs - startMs <= 30_000));
  for (const [from, to] of spoken) {
    const held = regions.reduce((sum, [start, end]) => sum + Math.max(0, Math.min(end, to) - Math.max(start, from)), 0);
    t.is(held, to - from);
  }
});
