import { mkdtemp, rm } from 'node:fs/promises';
import { basename, delimiter } from 'node:path';
import type { Range } from '../contract/base/grammar.ts';
import { buildFilm } from '../lab/films/build-film.ts';
import { hardFilms } from '../lab/films/hard-films.ts';
import { cutCounts, transitionCounts } from '../rules/evaluation/detection.ts';
import { type Claims, type Finder, otherFinders, run, studyFinder } from './cut-finders.ts';
import type { Figure, Row } from './figure.ts';
import { labeledFilms } from './labeled-films.ts';

/** Folders of films with label files, and the number of drawn films. */
const filmsVariable = 'MEDIA_STUDY_FILMS';
const drawnVariable = 'MEDIA_STUDY_DRAWN_FILMS';

/** A film to be searched, with its labels in ms of its time line. */
interface TruthFilm {
  readonly name: string;
  readonly file: string;
  readonly group: 'given' | 'drawn';
  readonly lengthMs: number;
  readonly pictures: number;
  readonly frameRate: { readonly numerator: number; readonly denominator: number };
  readonly cutsMs: readonly number[];
  readonly gradual: readonly Range[];
  readonly optional: readonly Range[];
}

/** The times of all pictures of a film, in ms, as its packets state them. */
async function pictureTimes(file: string): Promise<number[]> {
  const entries = ['-select_streams', 'v:0', '-show_entries', 'packet=pts_time', '-of', 'csv=p=0'];
  const text = await run('ffprobe', ['-v', 'error', ...entries, file]);
  return text
    .split('\n')
    .map((line) => Number.parseFloat(line))
    .filter(Number.isFinite)
    .map((seconds) => 1000 * seconds)
    .sort((one, other) => one - other);
}

/** The films of the folders that a person named. */
async function* givenFilms(): AsyncGenerator<TruthFilm> {
  const folders = (process.env[filmsVariable] ?? '').split(delimiter).filter((folder) => folder !== '');
  for (const folder of folders) {
    for (const { file, cuts, gradual, optional } of await labeledFilms(folder)) {
      const times = await pictureTimes(file);
      const first = times[0] ?? 0;
      const frameMs = ((times.at(-1) ?? 0) - first) / Math.max(1, times.length - 1);
      const at = (picture: number): number => Math.round(times[picture] ?? first + picture * frameMs);
      const spans = (all: readonly (readonly [number, number])[]): Range[] =>
        all.map(([from, to]) => ({ startMs: at(from), endMs: at(to + 1) }));
      yield {
        name: basename(file),
        file,
        group: 'given',
        lengthMs: at(times.length),
        pictures: times.length,
        frameRate: { numerator: Math.round(1_000_000 / frameMs), denominator: 1000 },
        cutsMs: cuts.map(at),
        gradual: spans(gradual),
        optional: spans(optional),
      };
    }
  }
}

/** Films that are drawn and encoded here; each is removed after its turn. */
async function* drawnFilms(folder: string): AsyncGenerator<TruthFilm> {
  for (const plan of hardFilms().slice(0, Number(process.env[drawnVariable] ?? 40))) {
    const file = `${folder}/${plan.name}.mkv`;
    const { cutsMs, transitions, durationMs, frameMs } = await buildFilm('ffmpeg', plan, file);
    const pictures = (await pictureTimes(file)).length;
    const frameRate = { numerator: Math.round(1_000_000 / frameMs), denominator: 1000 };
    const labels = { cutsMs, gradual: transitions, optional: [] };
    yield { name: plan.name, file, group: 'drawn', lengthMs: durationMs, pictures, frameRate, ...labels };
    await rm(file);
  }
}

/** Counts over films; what is uncertain is claimed like the rest. */
interface Score {
  films: number;
  pictures: number;
  cpuMs: number;
  cuts: number;
  cutsClaimed: number;
  cutsRight: number;
  cutsRightCertain: number;
  gradual: number;
  gradualClaimed: number;
  gradualRight: number;
  gradualRightCertain: number;
}

const emptyScore = (): Score => ({
  films: 0,
  pictures: 0,
  cpuMs: 0,
  cuts: 0,
  cutsClaimed: 0,
  cutsRight: 0,
  cutsRightCertain: 0,
  gradual: 0,
  gradualClaimed: 0,
  gradualRight: 0,
  gradualRightCertain: 0,
});

/** A cut counts within one picture, a transition if it overlaps the labeled one. */
const toleranceFrames = 1;

function add(score: Score, film: TruthFilm, claims: Claims): void {
  const { cutsMs, frameRate, gradual, optional } = film;
  const isFree = ({ startMs, endMs }: Range): boolean =>
    optional.some((range) => startMs <= range.endMs && range.startMs <= endMs);
  const cuts = claims.cuts.filter(({ atMs }) => !isFree({ startMs: atMs, endMs: atMs }));
  const changes = claims.transitions.filter((claim) => !isFree(claim));
  const right = (among: Claims['cuts']): number =>
    cutCounts(
      { atMs: [...cutsMs], frameRate },
      among.map(({ atMs }) => atMs),
      toleranceFrames,
    ).matched;
  const rightChanges = (among: Claims['transitions']): number =>
    transitionCounts({ spans: [...gradual], frameRate }, among).matched;
  score.films += 1;
  score.pictures += film.pictures;
  score.cpuMs += claims.cpuMs;
  score.cuts += cutsMs.length;
  score.cutsClaimed += cuts.length;
  score.cutsRight += right(cuts);
  score.cutsRightCertain += right(cuts.filter(({ isUncertain }) => !isUncertain));
  score.gradual += gradual.length;
  score.gradualClaimed += changes.length;
  score.gradualRight += rightChanges(changes);
  score.gradualRightCertain += rightChanges(changes.filter(({ isUncertain }) => !isUncertain));
}

const f1 = ({ cuts, cutsClaimed, cutsRight }: Score): number =>
  cuts + cutsClaimed === 0 ? 1 : (2 * cutsRight) / (cuts + cutsClaimed);

const perThousand = ({ cpuMs, pictures }: Score): number => cpuMs / Math.max(1, pictures);

const percent = (part: number, all: number): number => (all === 0 ? 0 : (100 * part) / all);

/** The figures of this program over a group, beside those of the others. */
function figuresOf(group: TruthFilm['group'], own: Score, others: readonly (readonly [string, Score])[]): Figure[] {
  const isDrawn = group === 'drawn';
  const line = (figure: string, measured: string, mustReach: string, reached: boolean | null): Figure => ({
    figure: `${own.films} ${group} films: ${figure}`,
    measured,
    reference: '-',
    ratio: null,
    mustReach,
    reached,
  });
  const [missed, wrong] = [own.cuts - own.cutsRight, own.cutsClaimed - own.cutsRight];
  const wrongChanges = own.gradualClaimed - own.gradualRight;
  const uncertainCuts = percent(own.cutsRight - own.cutsRightCertain, own.cutsRight);
  const uncertainChanges = percent(own.gradualRight - own.gradualRightCertain, own.gradualRight);
  const peers = others.map(([name, score]) => `${name} ${f1(score).toFixed(3)}`).join(', ');
  const costs = others.map(([name, score]) => `${name} ${perThousand(score).toFixed(1)} s`).join(', ');
  const share = f1(own);
  return [
    { ...line('hard cuts, F1', share.toFixed(3), '>= 0.975', share >= 0.975), reference: peers },
    line(
      `hard cuts missed, wrong, of ${own.cuts}`,
      `${missed}, ${wrong}`,
      isDrawn ? 'at most 5 wrong' : '0, 0',
      isDrawn ? wrong <= 5 : missed + wrong === 0,
    ),
    line(
      `transitions found of ${own.gradual}`,
      String(own.gradualRight),
      isDrawn ? '>= 90 %' : '-',
      isDrawn ? percent(own.gradualRight, own.gradual) >= 90 || own.gradual === 0 : null,
    ),
    line(
      `transitions wrong of ${own.gradualClaimed} claimed`,
      String(wrongChanges),
      isDrawn ? 'at most 2' : '0',
      wrongChanges <= (isDrawn ? 2 : 0),
    ),
    line('right cuts that are uncertain', `${uncertainCuts.toFixed(1)} %`, 'at most 3 %', uncertainCuts <= 3),
    line(
      'right transitions that are uncertain',
      `${uncertainChanges.toFixed(1)} %`,
      'at most 15 %',
      uncertainChanges <= 15,
    ),
    {
      ...line(
        'CPU for a thousand pictures, whole study',
        `${perThousand(own).toFixed(2)} s`,
        'at most 1.9 s',
        perThousand(own) <= 1.9,
      ),
      reference: costs,
    },
  ];
}

/** The claims about each film by each finder, added up; a line for each film goes to standard error. */
async function searched(
  films: AsyncIterable<TruthFilm>,
  finders: readonly Finder[],
): Promise<(readonly [string, Score])[]> {
  const scores = finders.map(({ name }) => [name, emptyScore()] as const);
  for await (const film of films) {
    for (const [at, finder] of finders.entries()) {
      const score = scores[at]?.[1];
      if (score === undefined) continue;
      const claims = await finder.find(film.file, film.lengthMs);
      add(score, film, claims);
      if (at > 0) continue;
      const alone = emptyScore();
      add(alone, film, claims);
      const { cuts, cutsClaimed, cutsRight, gradual, gradualClaimed, gradualRight } = alone;
      const shown = `cuts ${cutsRight} of ${cuts}, ${cutsClaimed - cutsRight} wrong; transitions ${gradualRight} of ${gradual}, ${gradualClaimed - gradualRight} wrong`;
      process.stderr.write(`  ${film.name}: ${shown}\n`);
    }
  }
  return scores;
}

async function measure(folder: string): Promise<Figure[]> {
  const study = await studyFinder(folder);
  const finders = [study, ...(await otherFinders())];
  try {
    const figures: Figure[] = [];
    const drawn = await mkdtemp(`${folder}/drawn-`);
    for (const [group, films] of [
      ['given', givenFilms()],
      ['drawn', drawnFilms(drawn)],
    ] as const) {
      const [own, ...others] = await searched(films, finders);
      if (own !== undefined && own[1].films > 0) figures.push(...figuresOf(group, own[1], others));
    }
    return figures;
  } finally {
    for (const finder of finders) await finder.close();
  }
}

/** Cuts and transitions of films with labels. */
export const cuts: Row = {
  name: 'cuts',
  measures: `Cuts and transitions against labels, on forty drawn films (\`${drawnVariable}\` sets fewer) and on the films of the folders in \`${filmsVariable}\`. A folder has films and their label files: those of this project, of ClipShots, of BBC Planet Earth or of RAI. A cut counts within one picture, a transition if it overlaps. Beside it stand other programs that are installed.`,
  grows: 'Linear in the pictures.',
  measure,
};
