import test, { type ExecutionContext } from 'ava';
import type { Range } from '../../contract/base/grammar.ts';
import type { Alignment } from '../../contract/captions/caption-plan.ts';
import { resultOfSteps } from '../../formats/steps.ts';
import { alignedBySteps } from '../../rules/alignment.ts';
import { plantedSpeech } from './planted-speech.ts';
import { plantedFilm, plantedHabit, plantedTrack, type Sentence, seeded } from './planted-tracks.ts';

const lengthMs = 600_000;
const seeds = [1, 2, 3, 4];

/** A cue, and where it belongs in the film; null if nothing like it is said there. */
interface Placed extends Range {
  readonly trueMs: number | null;
}

const filmOf = (seed: number): Sentence[] => plantedFilm(seed, lengthMs);
const subtitlesOf = (film: readonly Sentence[], seed: number): Placed[] =>
  plantedTrack(film, plantedHabit(seed), seed).map(({ startMs, endMs }) => ({ startMs, endMs, trueMs: startMs }));

const movedBy = (cues: readonly Placed[], rate: number, ms: number): Placed[] =>
  cues
    .map(({ startMs, endMs, trueMs }) => ({
      startMs: Math.round(startMs * rate + ms),
      endMs: Math.round(endMs * rate + ms),
      trueMs,
    }))
    .filter(({ startMs }) => startMs >= 0);

/** What is shown in a part of the film that this copy lacks, and the rest earlier. */
const without = (cues: readonly Placed[], fromMs: number, toMs: number): Placed[] =>
  cues
    .filter(({ startMs }) => startMs < fromMs - 1500 || startMs > toMs)
    .map((cue) => (cue.startMs < fromMs ? cue : { ...movedOne(cue, fromMs - toMs) }));

const movedOne = ({ startMs, endMs, trueMs }: Placed, ms: number): Placed => ({
  startMs: startMs + ms,
  endMs: endMs + ms,
  trueMs,
});

const byTime = (cues: readonly Placed[]): Placed[] =>
  cues.toSorted((one, other) => one.startMs - other.startMs || one.endMs - other.endMs);

/** The starts that an answer claims, in the time of the film. */
function claimed(answer: Alignment, cues: readonly Placed[]): (readonly [cue: Placed, startMs: number])[] {
  const whole =
    answer.verdict === 'unknown'
      ? []
      : answer.verdict === 'other_cut'
        ? answer.pieces
        : [{ ...answer, from: 0, to: cues.length }];
  const told = answer.stretches?.flatMap((one) => (one.verdict === 'unknown' ? [] : [one]));
  return (told ?? whole).flatMap(({ from, to, numerator, denominator, offsetMs }) =>
    cues.slice(from, to).map((cue) => [cue, (cue.startMs * numerator) / denominator + offsetMs] as const),
  );
}

/** The answer for cues in order; fails if one in ten of its claims is wrong by more than a second. */
function checked(t: ExecutionContext, speech: readonly Range[], shown: readonly Placed[], ms = lengthMs): Alignment {
  const cues = byTime(shown);
  const answer = resultOfSteps(alignedBySteps(speech, cues, ms));
  const claims = claimed(answer, cues);
  const wrong = claims.filter(([{ trueMs }, startMs]) => trueMs !== null && Math.abs(startMs - trueMs) > 1000);
  t.true(10 * wrong.length <= claims.length, `${wrong.length} of ${claims.length}: ${JSON.stringify(answer)}`);
  return answer;
}

test('a dub with pauses of its own is in sync where it agrees, or unknown, and never elsewhere', (t) => {
  for (const seed of seeds) {
    const film = filmOf(seed);
    const chance = seeded(seed + 50);
    // The other voices say their lines in the same scenes, earlier or later by up to a second, faster or slower.
    const dub = film.map(({ startMs, endMs, words }) => {
      const from = startMs + chance.even(-1000, 1000);
      return { startMs: from, endMs: from + (endMs - startMs) * chance.even(0.7, 1.3), words };
    });
    checked(t, plantedSpeech(dub, seed), subtitlesOf(film, seed));
    checked(t, plantedSpeech(dub, seed), movedBy(subtitlesOf(film, seed), 1, 7000));
  }
});

test('bug: a file that has each cue in two languages counted each twice', (t) => {
  for (const seed of seeds) {
    const cues = subtitlesOf(filmOf(seed), seed);
    const once = checked(t, plantedSpeech(filmOf(seed), seed), movedBy(cues, 1, 2300));
    const both = checked(t, plantedSpeech(filmOf(seed), seed), movedBy([...cues, ...cues], 1, 2300));
    t.true(once.verdict === 'shifted' && both.verdict === 'shifted', `${seed}: ${JSON.stringify([once, both])}`);
    if (once.verdict === 'shifted' && both.verdict === 'shifted') t.is(both.score, once.score);
    const other = subtitlesOf(filmOf(seed + 90), seed);
    const answer = checked(t, plantedSpeech(filmOf(seed), seed), [...other, ...other, ...other, ...other]);
    t.is(answer.verdict, 'unknown', JSON.stringify(answer));
  }
});

test('descriptions of sounds between the cues hide no shift, and make none', (t) => {
  for (const seed of seeds) {
    const film = filmOf(seed);
    const chance = seeded(seed + 60);
    const notes = Array.from({ length: 40 }, (): Placed => {
      const startMs = Math.round(chance.even(0, lengthMs - 4000));
      return { startMs, endMs: startMs + 2200, trueMs: startMs };
    });
    const answer = checked(t, plantedSpeech(film, seed), movedBy([...subtitlesOf(film, seed), ...notes], 1, -1500));
    t.is(answer.verdict, 'shifted', `${seed}: ${JSON.stringify(answer)}`);
  }
});

test('forced subtitles of five cues are too few', (t) => {
  const film = filmOf(1);
  const answer = checked(t, plantedSpeech(film, 1), subtitlesOf(film, 1).slice(20, 25));
  t.like(answer, { verdict: 'unknown', reason: 'too_few_cues' });
});

test('cues that all have one time, or follow each other without a pause, say nothing', (t) => {
  const speech = plantedSpeech(filmOf(1), 1);
  const atStart = Array.from({ length: 200 }, (): Placed => ({ startMs: 0, endMs: 2000, trueMs: -10_000 }));
  t.like(checked(t, speech, atStart), { verdict: 'unknown', reason: 'too_few_cues' });
  for (const ms of [100, 1000, 3000]) {
    const row = Array.from(
      { length: 180 },
      (_, at): Placed => ({ startMs: at * ms, endMs: (at + 1) * ms, trueMs: null }),
    );
    t.like(checked(t, speech, row), { verdict: 'unknown', reason: 'no_better_than_chance' }, String(ms));
  }
});

test('cues of the first minutes alone are placed, or unknown', (t) => {
  for (const seed of seeds) {
    const film = filmOf(seed);
    const first = subtitlesOf(film, seed).filter(({ startMs }) => startMs < 180_000);
    checked(t, plantedSpeech(film, seed), movedBy(first, 1, 4000));
  }
});

test('without an advertisement, and at another rate besides, the cues have two places', (t) => {
  for (const seed of seeds) {
    const film = filmOf(seed);
    const cut = without(subtitlesOf(film, seed), 280_000, 320_000);
    const answer = checked(t, plantedSpeech(film, seed), cut);
    t.is(answer.verdict, 'other_cut', `${seed}: ${JSON.stringify(answer)}`);
    const both = checked(t, plantedSpeech(film, seed), movedBy(cut, 24 / 25, 0));
    t.is(both.verdict, 'other_cut', `${seed}: ${JSON.stringify(both)}`);
  }
});

test('cues that overlap keep their place', (t) => {
  for (const seed of seeds) {
    const film = filmOf(seed);
    const cues = subtitlesOf(film, seed).map((cue) => ({ ...cue, endMs: cue.endMs + 2500 }));
    const answer = checked(t, plantedSpeech(film, seed), movedBy(cues, 1, 3000));
    t.is(answer.verdict, 'shifted', `${seed}: ${JSON.stringify(answer)}`);
  }
});

test('cues of a longer film are placed as far as this one goes', (t) => {
  for (const seed of seeds) {
    const film = plantedFilm(seed, 2 * lengthMs);
    const speech = plantedSpeech(film, seed).filter(({ endMs }) => endMs < lengthMs);
    const answer = checked(t, speech, movedBy(subtitlesOf(film, seed), 1, 1500));
    const stretch = answer.stretches?.[0] ?? answer;
    t.is(stretch.verdict, 'shifted', `${seed}: ${JSON.stringify(answer)}`);
    t.is(answer.stretches?.at(-1)?.verdict, 'unknown', `${seed}: ${JSON.stringify(answer)}`);
  }
});

test('speech without pauses, as of a film with music throughout, proves nothing', (t) => {
  for (const seed of seeds) {
    const cues = movedBy(subtitlesOf(filmOf(seed), seed), 1, 2300);
    t.is(checked(t, [{ startMs: 0, endMs: lengthMs }], cues).verdict, 'unknown');
    // 95 % of the film, in parts of a minute.
    const parts = Array.from({ length: 10 }, (_, at) => ({ startMs: at * 60_000, endMs: at * 60_000 + 57_000 }));
    t.is(checked(t, parts, cues).verdict, 'unknown');
  }
});

test('a film of 20 s is unknown, or right', (t) => {
  for (const seed of [...seeds, 5, 6, 7, 8]) {
    const chance = seeded(seed);
    let atMs = chance.even(300, 1500);
    const said: Sentence[] = [];
    while (atMs < 18_000) {
      const endMs = atMs + chance.even(600, 2200);
      said.push({ startMs: atMs, endMs, words: 4 });
      atMs = endMs + chance.even(300, 1500);
    }
    const cues = said.map(
      ({ startMs, endMs }): Placed => ({ startMs: startMs - 50, endMs: endMs + 300, trueMs: startMs - 50 }),
    );
    checked(t, plantedSpeech(said, seed), cues, 20_000);
    checked(t, plantedSpeech(said, seed), movedBy(cues, 1, 3000), 20_000);
  }
});

test('of subtitles of another episode, of another film, and backwards nothing is claimed', (t) => {
  for (let seed = 1; seed <= 12; seed += 1) {
    const speech = plantedSpeech(filmOf(seed), seed);
    const cues = subtitlesOf(filmOf(seed + 200), seed).map((cue) => ({ ...cue, trueMs: -100_000 }));
    const last = Math.max(...cues.map(({ endMs }) => endMs));
    const own = subtitlesOf(filmOf(seed), seed);
    const backwards = own.map(({ startMs, endMs }) => ({ startMs: last - endMs, endMs: last - startMs, trueMs: null }));
    for (const none of [cues, backwards]) {
      const answer = checked(t, speech, none);
      t.is(claimed(answer, byTime(none)).length, 0, `${seed}: ${JSON.stringify(answer)}`);
    }
  }
});
