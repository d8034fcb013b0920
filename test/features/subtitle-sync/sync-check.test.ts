import test from 'ava';
import { exitOf } from '../../../features/subtitle-sync/check-command.ts';
import { checkedBySteps, type SyncCheck } from '../../../features/subtitle-sync/sync-check.ts';
import { resultOfSteps } from '../../../formats/steps.ts';
import type { TimedText } from '../../../rules/dialogue.ts';
import { plantedFilm, plantedHabit, plantedTrack } from '../../rules/planted-tracks.ts';

const lengthMs = 480_000;
const range = { startMs: 0, endMs: lengthMs };
const said = plantedTrack(plantedFilm(1, lengthMs), plantedHabit(1), 1);
/** Subtitles as people write them: a little before the voice, on the screen until after it. */
const right = said.map(({ startMs, endMs }, at): TimedText => {
  const untilMs = (said[at + 1]?.startMs ?? endMs + 2000) - 40;
  return { startMs: startMs - ((37 * at) % 110), endMs: Math.min(endMs + 150 + ((91 * at) % 400), untilMs), text: 'a' };
});
const texts = (cues: readonly { readonly startMs: number; readonly endMs: number }[]): TimedText[] =>
  cues.map(({ startMs, endMs }) => ({ startMs, endMs, text: 'a' }));
const moved = (cues: readonly TimedText[], rate: number, ms: number): TimedText[] =>
  cues.map(({ startMs, endMs, text }) => ({
    startMs: Math.round(startMs * rate + ms),
    endMs: Math.round(endMs * rate + ms),
    text,
  }));
const backwards = (cues: readonly TimedText[]): TimedText[] =>
  cues.map(({ startMs, endMs, text }) => ({ startMs: lengthMs - endMs, endMs: lengthMs - startMs, text })).reverse();
const checked = (cues: readonly TimedText[], of = range): SyncCheck =>
  resultOfSteps(
    checkedBySteps(
      said.filter(({ startMs }) => startMs >= of.startMs),
      cues,
      of,
    ),
  );
const verdictsOf = ({ stretches }: SyncCheck) => stretches.map(({ verdict }) => verdict);

test('subtitles in time with the speech are one stretch in sync, and exit with 0', (t) => {
  const check = checked(right);
  t.deepEqual(verdictsOf(check), ['in_sync']);
  t.like(check.stretches[0], { cues: { from: 1, to: right.length }, rate: 1, reason: null });
  t.is(exitOf([check]), 0);
});

test('subtitles that are late or early are shifted by what they lack, also by minutes', (t) => {
  for (const ms of [2300, -1500, 90_000, 300_000]) {
    const [stretch] = checked(moved(right, 1, ms)).stretches;
    t.is(stretch?.verdict, 'shifted');
    t.true(Math.abs((stretch?.offsetMs ?? 0) + ms) <= 150, `${ms}: ${JSON.stringify(stretch)}`);
  }
  t.is(exitOf([checked(moved(right, 1, 2300))]), 1);
});

test('the rates of film, and that of a tape, drift', (t) => {
  for (const rate of [1001 / 960, 960 / 1001, 25 / 24, 24 / 25, 1.006]) {
    const [stretch] = checked(moved(right, rate, 0)).stretches;
    t.is(stretch?.verdict, 'drifts', `${rate}: ${JSON.stringify(stretch)}`);
    t.true(Math.abs((stretch?.rate ?? 0) * rate - 1) < 0.0005, `${rate}: ${JSON.stringify(stretch)}`);
  }
});

test('behind a break the cues are another cut, and those before it are in sync', (t) => {
  const cut = right
    .filter(({ startMs }) => startMs < 238_000 || startMs > 262_000)
    .map((cue) => (cue.startMs < 240_000 ? cue : { ...cue, startMs: cue.startMs - 20_000, endMs: cue.endMs - 20_000 }));
  const check = checked(cut);
  t.is(check.verdict, 'other_cut');
  t.deepEqual(verdictsOf(check), ['in_sync', 'other_cut']);
  t.true(Math.abs((check.stretches[1]?.offsetMs ?? 0) - 20_000) <= 150, JSON.stringify(check.stretches[1]));
});

test('bug: cues of another film behind the right ones hid what is known of those', (t) => {
  const other = plantedTrack(plantedFilm(99, lengthMs), plantedHabit(2), 2);
  const check = checked([
    ...right.filter(({ startMs }) => startMs < 240_000),
    ...texts(other.filter(({ startMs }) => startMs > 242_000)),
  ]);
  t.is(check.stretches[0]?.verdict, 'in_sync', JSON.stringify(check));
  t.is(check.stretches.at(-1)?.verdict, 'unknown', JSON.stringify(check));
  t.is(check.verdict, 'unknown');
  t.is(exitOf([check]), 5);
});

test('subtitles of another film, backwards, or without speech are unknown with a reason, and exit with 5', (t) => {
  const other = texts(plantedTrack(plantedFilm(99, lengthMs), plantedHabit(2), 2));
  for (const cues of [other, backwards(right)]) {
    const check = checked(cues);
    t.like(check.stretches[0], { verdict: 'unknown', offsetMs: null, rate: null, reason: 'no_better_than_chance' });
    t.is(exitOf([check]), 5);
  }
  t.like(resultOfSteps(checkedBySteps([], right, range)).stretches[0], { reason: 'no_speech', score: null });
  t.like(checked(right.slice(0, 5)).stretches[0], { reason: 'too_few_cues' });
});

test('songs, notes on sounds and placed signs are not compared, and belong to the stretch around them', (t) => {
  const signs = Array.from(
    { length: 25 },
    (_, at): TimedText => ({
      startMs: 3000 + 17_311 * at,
      endMs: 5500 + 17_311 * at,
      text: ['♪ la la ♪', '(thunder)', '[door slams]'][at % 3] ?? null,
    }),
  );
  const check = checked([...right, ...signs].sort((one, other) => one.startMs - other.startMs));
  t.deepEqual(verdictsOf(check), ['in_sync']);
  t.is(check.stretches[0]?.cues.to, right.length + signs.length);
  t.deepEqual(check.stretches[0]?.score, checked(right).stretches[0]?.score);
});

test('of a study of a part, cues outside of it are unknown, and the offset is on the clock of the film', (t) => {
  const part = { startMs: 120_000, endMs: lengthMs };
  const check = checked(moved(right, 1, 2300), part);
  t.deepEqual(verdictsOf(check), ['unknown', 'shifted']);
  t.is(check.stretches[0]?.reason, 'no_speech');
  t.true(Math.abs((check.stretches[1]?.offsetMs ?? 0) + 2300) <= 150, JSON.stringify(check.stretches[1]));
});
