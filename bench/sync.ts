import { homedir } from 'node:os';
import path from 'node:path';
import type { Range } from '../contract/base/grammar.ts';
import type { Alignment } from '../contract/captions/caption-plan.ts';
import { resultOfSteps } from '../formats/steps.ts';
import { alignedBySteps } from '../rules/alignment.ts';
import { aloneFigure, type Figure, type Row } from './figure.ts';
import { distorted, nullCase, type SyncCase, sloppySubtitles, type TruthFilm, truthFilms } from './sync/cases.ts';
import { makeFilms } from './sync/films.ts';
import { type HeardFilm, speechIn } from './sync/heard.ts';
import { claimsSomething, errorOf, quantileOf } from './sync/scored.ts';

/** A folder of further films with known times, and how many cases belong to no film. */
const filmsVariable = 'MEDIA_STUDY_SYNC_FILMS';
const nullsVariable = 'MEDIA_STUDY_SYNC_NULLS';
const usualNulls = 3000;

/** Films that this bench makes are kept, with their speech: a run then compares subtitles only. */
const madeFolder = path.join(homedir(), '.cache', 'local-media-study-service', 'bench-sync');

interface Score {
  cases: number;
  within100: number;
  within400: number;
  wrong: number;
}

function add(score: Score, test: SyncCase, answer: Alignment): void {
  const { all, claimed } = errorOf(test, answer);
  score.cases += 1;
  if (all <= 100) score.within100 += 1;
  if (all <= 400) score.within400 += 1;
  if (claimed > 1000) score.wrong += 1;
}

const groups = {
  'unchanged, shifted, six rates': ['same', 'shift', 'rate'],
  'one break': ['one break'],
  'two breaks': ['two breaks'],
} as const;
type GroupName = keyof typeof groups;

/** What each group must reach, and within how many ms; null for a figure that is given for information. */
const goals: Readonly<
  Record<'clean' | 'sloppy', Readonly<Record<GroupName, { ms: 100 | 400; least: number | null }>>>
> = {
  clean: {
    'unchanged, shifted, six rates': { ms: 100, least: 0.98 },
    'one break': { ms: 100, least: 0.9 },
    'two breaks': { ms: 100, least: 0.8 },
  },
  sloppy: {
    'unchanged, shifted, six rates': { ms: 400, least: 0.85 },
    'one break': { ms: 400, least: 0.5 },
    'two breaks': { ms: 400, least: null },
  },
};

const mostCpuMs = 500;

/** Speech and subtitles of a film that is films one behind the other, cut at a length. */
interface LongFilm {
  readonly speech: readonly Range[];
  readonly cues: readonly Range[];
}

/** Films behind each other until `lengthMs`, again from the first one if they are too short. */
function longFilm(films: readonly TruthFilm[], heard: ReadonlyMap<string, HeardFilm>, lengthMs: number): LongFilm {
  const [speech, cues]: [Range[], Range[]] = [[], []];
  const spoken = films.filter(({ said }) => said.length > 0);
  const later = (spans: readonly Range[], byMs: number): Range[] =>
    spans
      .map(({ startMs, endMs }) => ({ startMs: startMs + byMs, endMs: endMs + byMs }))
      .filter(({ endMs }) => endMs <= lengthMs);
  for (let [at, nth] = [0, 0]; at < lengthMs && spoken.length > 0; nth += 1) {
    const film = spoken[nth % spoken.length];
    if (film === undefined) break;
    speech.push(...later(heard.get(film.name)?.speech ?? [], at));
    cues.push(...later(film.subtitles, at));
    at += film.lengthMs;
  }
  return { speech, cues };
}

/** Films with the speech that a study detects in them. */
interface FilmSet {
  readonly name: string;
  readonly films: readonly TruthFilm[];
  readonly heard: ReadonlyMap<string, HeardFilm>;
}

async function filmSets(folder: string): Promise<FilmSet[]> {
  const sets: FilmSet[] = [];
  const made = new Set(makeFilms(madeFolder));
  const films = (await truthFilms(madeFolder)).filter(({ name }) => made.has(name));
  if (films.length > 0) sets.push({ name: 'made', films, heard: await speechIn(films, folder) });
  const place = process.env[filmsVariable];
  if (place !== undefined && place !== '') {
    const further = await truthFilms(place);
    sets.push({ name: 'given', films: further, heard: await speechIn(further, folder) });
  }
  return sets;
}

/** Measures one comparison: its answer, and its processor time in ms. */
function compared(
  { speech }: HeardFilm,
  cues: readonly Range[],
  lengthMs: number,
): { answer: Alignment; cpuMs: number } {
  const before = process.cpuUsage();
  const answer = resultOfSteps(alignedBySteps(speech, cues, lengthMs));
  const { user, system } = process.cpuUsage(before);
  return { answer, cpuMs: (user + system) / 1000 };
}

const nobody: HeardFilm = { speech: [], unconfirmed: [] };

/** The figures of subtitles with known faults on one set. */
function trueFigures({ name, films, heard }: FilmSet, cpu: number[]): Figure[] {
  const figures: Figure[] = [];
  for (const habit of ['clean', 'sloppy'] as const) {
    const scores = new Map<GroupName, Score>();
    for (const [nth, film] of films.entries()) {
      if (film.said.length === 0) continue;
      const subtitles = habit === 'clean' ? film.subtitles : sloppySubtitles(film, nth);
      for (const test of distorted(film, subtitles)) {
        const named = Object.entries(groups).find(([, kinds]) => (kinds as readonly string[]).includes(test.kind));
        const group = named?.[0] as GroupName | undefined;
        if (group === undefined) continue;
        const score = scores.get(group) ?? { cases: 0, within100: 0, within400: 0, wrong: 0 };
        scores.set(group, score);
        const { answer, cpuMs } = compared(heard.get(test.film) ?? nobody, test.cues, film.lengthMs);
        cpu.push(cpuMs);
        add(score, test, answer);
      }
    }
    let [cases, wrong] = [0, 0];
    for (const [group, score] of scores) {
      const { ms, least } = goals[habit][group];
      const share = (ms === 100 ? score.within100 : score.within400) / score.cases;
      cases += score.cases;
      wrong += score.wrong;
      const goal = least === null ? '-' : `at least ${least}`;
      const reached = least === null ? null : share >= least;
      figures.push(aloneFigure(`${name}, ${habit} cues, ${group}: within ${ms} ms`, share.toFixed(3), goal, reached));
    }
    const most = habit === 'clean' ? 0 : Math.ceil(cases / 120);
    const figure = `${name}, ${habit} cues: wrong by more than 1 s, of ${cases}`;
    figures.push(aloneFigure(figure, String(wrong), `at most ${most}`, wrong <= most));
  }
  return figures;
}

/** The figures of subtitles that belong to no film, over the films of all sets. */
function nullFigures(sets: readonly FilmSet[], cpu: number[]): Figure[] {
  const films = sets.flatMap((set) => set.films);
  const heard = new Map(sets.flatMap((set) => [...set.heard]));
  const nulls = Number(process.env[nullsVariable] ?? usualNulls);
  let claimed = 0;
  const shares: number[] = [];
  for (let seed = 0; seed < nulls; seed += 1) {
    const test = nullCase(films, seed);
    const film = films.find(({ name }) => name === test.film);
    const { answer, cpuMs } = compared(heard.get(test.film) ?? nobody, test.cues, film?.lengthMs ?? 0);
    cpu.push(cpuMs);
    if (claimsSomething(answer)) claimed += 1;
    if (answer.verdict === 'unknown' && answer.figures !== null) {
      shares.push(answer.figures.score / answer.figures.bound);
    }
  }
  const nearest = [0.5, 0.99, 1].map((share) => quantileOf(shares, share).toFixed(2));
  return [
    aloneFigure(`answered of ${nulls} that belong to no film`, String(claimed), '0', claimed === 0),
    aloneFigure('their score by the bound: median, 99 of 100, most', nearest.join(', '), '-', null),
  ];
}

const longLengths = [
  { name: '5 min', lengthMs: 300_000 },
  { name: '1 h', lengthMs: 3_600_000 },
  { name: '4 h', lengthMs: 14_400_000 },
] as const;

/** Memory in use, in bytes. */
const inUse = (): number => {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
};

/** Time and memory of films of several lengths: right subtitles that are late, and those of another film. */
function longFigures({ films, heard }: FilmSet): Figure[] {
  return longLengths.map(({ name, lengthMs }) => {
    const { speech, cues } = longFilm(films, heard, lengthMs);
    const late = cues.map(({ startMs, endMs }) => ({ startMs: startMs + 2300, endMs: endMs + 2300 }));
    const foreign = longFilm(films.toReversed(), heard, lengthMs).cues;
    const of = { speech, unconfirmed: [] };
    const right = compared(of, late, lengthMs);
    const wrong = compared(of, foreign, lengthMs);
    let most = 0;
    const before = inUse();
    for (const _ of alignedBySteps(speech, foreign, lengthMs)) most = Math.max(most, inUse() - before);
    const isRight = right.answer.verdict === 'shifted' && wrong.answer.verdict === 'unknown';
    return aloneFigure(
      `a film of ${name}, ${cues.length} cues: CPU if late, CPU of another film's, memory`,
      `${right.cpuMs.toFixed(0)} ms, ${wrong.cpuMs.toFixed(0)} ms, ${(most / 1e6).toFixed(0)} MB`,
      'shifted and unknown',
      isRight,
    );
  });
}

async function measure(folder: string): Promise<Figure[]> {
  const sets = await filmSets(folder);
  if (sets.length === 0) {
    const skipped = `skipped: no voices here, and ${filmsVariable} names no folder`;
    return [aloneFigure('subtitles against sound', skipped, 'films with known times', null)];
  }
  const cpu: number[] = [];
  const figures = sets.flatMap((set) => trueFigures(set, cpu));
  figures.push(...nullFigures(sets, cpu));
  const [middle, most] = [quantileOf(cpu, 0.5), quantileOf(cpu, 1)];
  figures.push(
    aloneFigure(
      'CPU of one comparison, median and most',
      `${middle.toFixed(0)} ms, ${most.toFixed(0)} ms`,
      `at most ${mostCpuMs} ms`,
      most <= mostCpuMs,
    ),
  );
  const [first] = sets;
  return first === undefined ? figures : [...figures, ...longFigures(first)];
}

/** Subtitles of films with known times, moved in known ways. */
export const sync: Row = {
  name: 'sync',
  measures: `Subtitles with known faults against detected speech. The films *made* are of voices of this machine: prompts of Asterisk, flite and espeak-ng. Those *given* are in the folder that \`${filmsVariable}\` names. \`${nullsVariable}\` is the number of cases that belong to no film.`,
  grows:
    'Processor time grows with the pairs of cues and windows of speech that lie within ten minutes, up to three million of them.',
  measure,
};
