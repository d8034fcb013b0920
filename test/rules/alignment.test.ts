import test from 'ava';
import { resultOfSteps } from '../../formats/steps.ts';
import { alignedBySteps } from '../../rules/alignment.ts';
import { FitTables } from '../../rules/cue-fit.ts';
import { moved, outOfOrder, plantedFilm, plantedHabit, plantedTrack, withBreaks } from './planted-tracks.ts';

const lengthMs = 600_000;
const film = plantedFilm(1, lengthMs);
const english = plantedTrack(film, plantedHabit(1), 1);
const german = plantedTrack(film, plantedHabit(2), 2);
const aligned = (cues: typeof german) => resultOfSteps(alignedBySteps(english, cues, lengthMs, 'cues'));

test('two tracks of one film are in sync, though they split their lines differently', (t) => {
  t.is(aligned(german).verdict, 'in_sync');
});

test('tracks that are early or late are moved by what they lack', (t) => {
  for (const ms of [700, -2300, 31_000, -118_000]) {
    const answer = aligned(moved(german, 1, ms));
    t.true(answer.verdict === 'shifted' && Math.abs(answer.offsetMs + ms) <= 300, JSON.stringify(answer));
  }
});

test('each rate of film and television is found, with its offset', (t) => {
  for (const [numerator, denominator] of [
    [1001, 960],
    [960, 1001],
    [25, 24],
    [24, 25],
  ] as const) {
    const answer = aligned(moved(german, denominator / numerator, 4000));
    t.like(answer, { verdict: 'drifts', numerator, denominator });
  }
});

test('advertisements on one side make pieces, each at its own place', (t) => {
  const answer = aligned(withBreaks(german, [{ atMs: 200_000, lengthMs: 95_000 }]));
  t.true(answer.verdict === 'other_cut' && answer.pieces.length === 2, JSON.stringify(answer));
});

test('another film, and the same cues in another order, are unknown', (t) => {
  t.is(aligned(plantedTrack(plantedFilm(99, lengthMs), plantedHabit(2), 2)).verdict, 'unknown');
  t.is(aligned(outOfOrder(german, 5)).verdict, 'unknown');
});

test('without speech, or with few cues, nothing is claimed', (t) => {
  t.like(resultOfSteps(alignedBySteps([], german, lengthMs)), { verdict: 'unknown', reason: 'no_speech' });
  t.like(resultOfSteps(alignedBySteps(english, german.slice(0, 5), lengthMs)), { reason: 'too_few_cues' });
});

test('bug: the tables of a film of hours, and stretches of cues that fit nowhere, were one step each of 30 ms', (t) => {
  const hoursMs = 4 * 3_600_000;
  const long = plantedTrack(plantedFilm(3, hoursMs), plantedHabit(1), 1);
  const extent = { lengthMs: hoursMs, firstCueMs: 0, lastCueMs: hoursMs, reachSteps: 30_000 };
  let steps = 0;
  for (const _ of FitTables.of(long, 'cues', extent)) steps += 1;
  // Both kinds of edges in parts of 128, and the sums in parts of 65,536.
  t.true(steps >= (2 * long.length) / 128 + hoursMs / 20 / 65_536, String(steps));
});
