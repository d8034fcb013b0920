import { randomUUID } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { systemClock } from '../actors/supervision/system-clock.ts';
import type { Range } from '../contract/base/grammar.ts';
import type { Alignment } from '../contract/captions/caption-plan.ts';
import { openDetector } from '../executors/detector/detector.ts';
import { detectRange } from '../executors/evidence/detect.ts';
import { openLauncher } from '../executors/process/launcher.ts';
import { resolveTools } from '../executors/process/tools.ts';
import { resultOfSteps } from '../formats/steps.ts';
import { alignedBySteps } from '../rules/alignment.ts';
import { speechOf } from '../rules/recognition.ts';
import type { Figure, Row } from './figure.ts';
import { distorted, nullCase, type SyncCase, sloppySubtitles, type TruthFilm, truthFilms } from './sync-cases.ts';

/** The folder of films with known times, and how many cases belong to no film. */
const filmsVariable = 'MEDIA_STUDY_SYNC_FILMS';
const nullsVariable = 'MEDIA_STUDY_SYNC_NULLS';
const usualNulls = 300;

/** The windows of speech in each film, as a study detects them. */
async function speechIn(films: readonly TruthFilm[], folder: string): Promise<Map<string, readonly Range[]>> {
  const launcher = await openLauncher({ workRoot: await mkdtemp(`${folder}/work-`), newId: randomUUID });
  const tools = await resolveTools(launcher, process.env);
  const detector = openDetector({ launcher, clock: systemClock, idleMs: 60_000 });
  const windows = new Map<string, readonly Range[]>();
  for (const { name, file, lengthMs } of films) {
    const { detections } = await detectRange(
      { launcher, ...tools, detector },
      {
        path: file,
        sourceContentId: `sha256:${'0'.repeat(64)}`,
        range: { startMs: 0, endMs: lengthMs },
        audioTrackIndex: file.endsWith('.mp4') || file.endsWith('.mkv') ? 1 : 0,
        videoTrackIndex: null,
        signal: new AbortController().signal,
        keep: async () => undefined,
      },
    );
    const speech = detections.find(({ kind }) => kind === 'speech_activity');
    windows.set(name, speech?.state === 'available' ? speechOf(speech.artifact) : []);
  }
  await detector.close();
  await launcher.close();
  return windows;
}

/** The start of each cue in the time of the film by an answer; null where it claims nothing. */
function startsBy(answer: Alignment, cues: readonly Range[]): (number | null)[] {
  const starts: (number | null)[] = cues.map(() => null);
  const whole = (): Alignment['stretches'] =>
    answer.verdict === 'unknown' || answer.verdict === 'other_cut' ? [] : [{ ...answer, from: 0, to: cues.length }];
  const pieces =
    answer.verdict === 'other_cut'
      ? answer.pieces.map((piece) => ({ verdict: 'shifted' as const, ...piece }))
      : whole();
  for (const stretch of answer.stretches ?? pieces ?? []) {
    if (stretch.verdict === 'unknown') continue;
    const { numerator, denominator, offsetMs } = stretch;
    for (let at = stretch.from; at < Math.min(stretch.to, cues.length); at += 1) {
      starts[at] = Math.round(((cues[at]?.startMs ?? 0) * numerator) / denominator) + offsetMs;
    }
  }
  return starts;
}

/** The value below which nine of ten lie. */
function ninetieth(values: readonly number[]): number {
  const inOrder = values.toSorted((one, other) => one - other);
  return inOrder[Math.min(inOrder.length - 1, Math.floor(0.9 * inOrder.length))] ?? Number.POSITIVE_INFINITY;
}

interface Score {
  cases: number;
  within100: number;
  within400: number;
  wrong: number;
}

function add(score: Score, { starts }: SyncCase, found: readonly (number | null)[]): void {
  const errors = (starts ?? []).map((start, at) => {
    const by = found[at];
    return by == null ? Number.POSITIVE_INFINITY : Math.abs(by - start);
  });
  const claimed = errors.filter(Number.isFinite);
  const error = ninetieth(errors);
  score.cases += 1;
  if (error <= 100) score.within100 += 1;
  if (error <= 400) score.within400 += 1;
  if (claimed.length > 0 && ninetieth(claimed) > 1000) score.wrong += 1;
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

const figureOf = (figure: string, measured: string, mustReach: string, reached: boolean | null): Figure => ({
  figure,
  measured,
  reference: '-',
  ratio: null,
  mustReach,
  reached,
});

/** Without films there is nothing to measure, and the figure says so. */
const skipped = (): Figure =>
  figureOf('subtitles against sound', `skipped: ${filmsVariable} names no folder`, 'films with known times', null);

async function measure(folder: string): Promise<Figure[]> {
  const place = process.env[filmsVariable];
  if (place === undefined || place === '') return [skipped()];
  const films = await truthFilms(place);
  const speech = await speechIn(films, folder);
  const figures: Figure[] = [];
  const cpu: number[] = [];
  const answered = (test: SyncCase): Alignment => {
    const film = films.find(({ name }) => name === test.film);
    const before = process.cpuUsage();
    const answer = resultOfSteps(alignedBySteps(speech.get(test.film) ?? [], test.cues, film?.lengthMs ?? 0));
    const { user, system } = process.cpuUsage(before);
    cpu.push((user + system) / 1000);
    return answer;
  };
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
        add(score, test, startsBy(answered(test), test.cues));
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
      figures.push(figureOf(`${habit} cues, ${group}: within ${ms} ms`, share.toFixed(3), goal, reached));
    }
    const most = habit === 'clean' ? 0 : Math.ceil(cases / 120);
    figures.push(
      figureOf(`${habit} cues: wrong by more than 1 s, of ${cases}`, String(wrong), `at most ${most}`, wrong <= most),
    );
  }
  const nulls = Number(process.env[nullsVariable] ?? usualNulls);
  let claimed = 0;
  for (let seed = 0; seed < nulls; seed += 1) {
    const { verdict, stretches = [] } = answered(nullCase(films, seed));
    if (verdict !== 'unknown' || stretches.some((stretch) => stretch.verdict !== 'unknown')) claimed += 1;
  }
  figures.push(figureOf(`answered of ${nulls} that belong to no film`, String(claimed), '0', claimed === 0));
  const [middle, most] = [cpu.toSorted((one, other) => one - other)[cpu.length >> 1] ?? 0, Math.max(...cpu)];
  figures.push(
    figureOf(
      'CPU of one comparison, median and most',
      `${middle.toFixed(0)} ms, ${most.toFixed(0)} ms`,
      `median at most ${mostCpuMs} ms`,
      middle <= mostCpuMs,
    ),
  );
  return figures;
}

/** Subtitles of films with known times, moved in known ways. */
export const sync: Row = {
  name: 'sync',
  measures: `Subtitles with known faults against detected speech, on the films of the folder in \`${filmsVariable}\`. \`${nullsVariable}\` is the number of cases that belong to no film.`,
  grows:
    'Processor time grows with the pairs of cues and windows of speech that lie within ten minutes, up to three million of them.',
  measure,
};
