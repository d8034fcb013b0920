import test from 'ava';
import { resultOfSteps } from '../../formats/steps.ts';
import { groupedCues, sidesAgree, type TrackPairing } from '../../rules/pairing.ts';
import {
  moved,
  outOfOrder,
  type PlantedCue,
  plantedFilm,
  plantedHabit,
  plantedTrack,
  seeded,
  withBreaks,
} from '../rules/planted-tracks.ts';
import { firstSound, type NumberedCue, pairCount, trackPair } from '../rules/second-planted-tracks.ts';

const lengthsMs = [240_000, 480_000, 900_000, 1_500_000] as const;
const rates = [1001 / 960, 960 / 1001, 1001 / 1000, 1000 / 1001, 25 / 24, 24 / 25] as const;

/** Two tracks of one film by two subtitlers, and a track of another film by the second one. */
function plantedPair(seed: number) {
  const lengthMs = lengthsMs[Math.floor(seed / treatments.length) % lengthsMs.length] ?? lengthsMs[0];
  const film = plantedFilm(seed, lengthMs);
  const other = plantedFilm(seed + 50_000, lengthMs);
  const [first, second] = [plantedHabit(2 * seed), plantedHabit(2 * seed + 1)];
  return {
    lengthMs,
    source: plantedTrack(film, first, 3 * seed),
    target: plantedTrack(film, second, 3 * seed + 1),
    foreign: plantedTrack(other, second, 3 * seed + 2),
  };
}

type Planted = ReturnType<typeof plantedPair>;

/** Changes of the second track, and if it still belongs to the first. */
const treatments: readonly {
  readonly belongs: boolean;
  readonly of: (planted: Planted, seed: number) => readonly PlantedCue[];
}[] = [
  { belongs: true, of: ({ target }) => target },
  { belongs: true, of: ({ target }, seed) => moved(target, 1, offsetOf(seed)) },
  { belongs: true, of: ({ target }, seed) => moved(target, rates[seed % rates.length] ?? 1, 0) },
  { belongs: true, of: ({ target }, seed) => moved(target, rates[seed % rates.length] ?? 1, offsetOf(seed)) },
  { belongs: true, of: ({ target, lengthMs }, seed) => withBreaks(target, advertisements(seed, lengthMs)) },
  { belongs: false, of: ({ foreign }) => foreign },
  { belongs: false, of: ({ target }, seed) => outOfOrder(target, seed) },
  // Another episode begins with the same titles.
  {
    belongs: false,
    of: ({ target, foreign }) => [...target.slice(0, 8), ...foreign.slice(8)].sort((a, b) => a.startMs - b.startMs),
  },
];

/** From 0.2 to 120 s, early or late. */
function offsetOf(seed: number): number {
  const chance = seeded(seed + 900);
  return (chance.happens(0.5) ? 1 : -1) * Math.round(Math.exp(chance.even(Math.log(200), Math.log(120_000))));
}

/** One break of a short film, up to three of a longer one. */
function advertisements(seed: number, lengthMs: number) {
  const chance = seeded(seed + 1800);
  const count = lengthMs < 600_000 ? 1 : 1 + (seed % 3);
  return Array.from({ length: count }, (_, at) => ({
    atMs: (lengthMs * (at + 1)) / (count + 1) + chance.even(-20_000, 20_000),
    lengthMs: chance.even(15_000, 180_000),
  }));
}

const text = (name: string, cues: readonly PlantedCue[]) =>
  cues.map(({ startMs, endMs, said }) => ({ startMs, endMs, text: said.map((at) => `${name}${at}`).join(' ') }));

const numbersIn = (side: string): number[] => (side.match(/\d+/g) ?? []).map(Number);

/** The share of lines with both texts that have no sentence in common, nor neighbors. */
function wrongShare({ pairs }: TrackPairing): number {
  const both = pairs.flatMap(({ source, target }) =>
    source === null || target === null ? [] : [[source, target] as const],
  );
  const wrong = both.filter(([source, target]) => {
    const there = numbersIn(target);
    return !numbersIn(source).some((said) => there.some((other) => Math.abs(said - other) <= 1));
  });
  return both.length === 0 ? 0 : wrong.length / both.length;
}

test('bug: lines of tracks at another rate or place got the translations of other lines', (t) => {
  const found = { right: 0, refusedRight: 0, refused: 0, wrong: 0 };
  for (let seed = 0; seed < 200; seed += 1) {
    const treatment = treatments[seed % treatments.length];
    if (treatment === undefined) continue;
    const planted = plantedPair(seed);
    const cues = treatment.of(planted, seed);
    const range = { startMs: 0, endMs: planted.lengthMs };
    const pairing = resultOfSteps(groupedCues(text('s', planted.source), text('t', cues), range));
    const isAccepted = sidesAgree(pairing);
    if (isAccepted && (!treatment.belongs || wrongShare(pairing) > 0.02)) {
      found.wrong += 1;
      t.log(seed, treatment.of.toString(), JSON.stringify(pairing.alignment), wrongShare(pairing));
    } else if (isAccepted) found.right += 1;
    else if (treatment.belongs) {
      found.refusedRight += 1;
      t.log(seed, treatment.of.toString(), JSON.stringify(pairing.alignment), JSON.stringify(pairing.agreement));
    } else found.refused += 1;
  }
  t.log(found);
  t.is(found.wrong, 0);
  t.true(found.refusedRight <= 0.02 * (found.right + found.refusedRight), JSON.stringify(found));
});

/** Each cue with its numbers as text, and the sounds in brackets. */
const numbered = (name: string, cues: readonly NumberedCue[]) =>
  cues.map(({ startMs, endMs, carries }) => ({
    startMs,
    endMs,
    text:
      carries.map((at) => (at % 100_000 < firstSound ? `${name}${at}` : `[${name}${at}]`)).join(' ') ||
      `Subtitles by ${name}`,
  }));

/** The share of lines with both texts that have no number in common. Neighbors count as wrong here. */
function strangeShare({ pairs }: TrackPairing): number {
  const both = pairs.flatMap(({ source, target }) =>
    source === null || target === null ? [] : [[numbersIn(source), new Set(numbersIn(target))] as const],
  );
  return both.filter(([said, there]) => !said.some((at) => there.has(at))).length / Math.max(1, both.length);
}

test('tracks by a second generator are paired if they belong to one film, and refused if they do not', (t) => {
  const found = { right: 0, refusedRight: 0, refusedWithBreaks: 0, refused: 0, wrong: 0 };
  for (let seed = 0; seed < pairCount; seed += 1) {
    const { kind, belongs, lengthMs, source, target } = trackPair(seed);
    const range = { startMs: 0, endMs: lengthMs };
    const pairing = resultOfSteps(groupedCues(numbered('s', source), numbered('t', target), range));
    const isWrong = sidesAgree(pairing) && (!belongs || strangeShare(pairing) > 0.02);
    if (isWrong) found.wrong += 1;
    else if (sidesAgree(pairing)) found.right += 1;
    else if (!belongs) found.refused += 1;
    else if (kind === 'advertisements') found.refusedWithBreaks += 1;
    else found.refusedRight += 1;
    if (isWrong || (belongs && !sidesAgree(pairing))) {
      t.log(seed, kind, JSON.stringify(pairing.alignment), JSON.stringify(pairing.agreement), strangeShare(pairing));
    }
  }
  t.log(found);
  t.is(found.wrong, 0);
  t.true(found.refusedRight <= 0.02 * (found.right + found.refusedRight), JSON.stringify(found));
});
