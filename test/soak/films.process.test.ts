import path from 'node:path';
import test from 'ava';
import { type DetectedRange, detectRange } from '../../executors/evidence/detect.ts';
import { buildFilm, type TimedLabels } from '../../lab/films/build-film.ts';
import { type FilmPlan, filmsOf } from '../../lab/films/catalogue.ts';
import type { FilmSet } from '../../lab/films/scenery.ts';
import { type DetectionBench, openDetectionBench, sourceContentId } from '../executors/evidence/detection-for-tests.ts';

let bench: DetectionBench;
test.before(async () => {
  bench = await openDetectionBench();
});
test.after.always(() => bench.close());

interface Score {
  labelled: number;
  hits: number;
  wrong: number;
  gradual: number;
  found: number;
  bounded: number;
}

const nothing: Score = { labelled: 0, hits: 0, wrong: 0, gradual: 0, found: 0, bounded: 0 };

/** A film's part of the scores: a cut within one frame, a transition that overlaps, and one with both ends within four. */
function scoreOf({ detections, further }: DetectedRange, { cutsMs, transitions, frameMs }: TimedLabels): Score {
  const shots = detections.find(({ kind }) => kind === 'shot_changes');
  const cuts = shots?.state === 'available' ? shots.artifact.facts : [];
  const open = new Set(cutsMs);
  let hits = 0;
  for (const fact of cuts) {
    if (fact.kind !== 'shot_change') continue;
    const label = [...open].find((cut) => Math.abs(cut - fact.atMs) <= frameMs * 1.5 + 2);
    if (label === undefined) continue;
    open.delete(label);
    hits += 1;
  }
  const facts = further.find(({ kind }) => kind === 'transitions')?.facts ?? [];
  const near = (one: number, other: number) => Math.abs(one - other) <= 4 * frameMs + 2;
  const overlapping = transitions.map((label) =>
    facts.find((fact) => fact.kind === 'transition' && fact.startMs < label.endMs && label.startMs < fact.endMs),
  );
  return {
    labelled: cutsMs.length,
    hits,
    wrong: cuts.length - hits,
    gradual: transitions.length,
    found: overlapping.filter((fact) => fact !== undefined).length,
    bounded: transitions.filter((label, at) => {
      const fact = overlapping[at];
      return fact !== undefined && near(fact.startMs, label.startMs) && near(fact.endMs, label.endMs);
    }).length,
  };
}

async function scored(plan: FilmPlan): Promise<Score> {
  const file = path.join(bench.folder, `${plan.name}.mkv`);
  const labels = await buildFilm(bench.ffmpeg.path, plan, file);
  const found = await detectRange(bench, {
    path: file,
    sourceContentId,
    range: { startMs: 0, endMs: labels.durationMs },
    audioTrackIndex: null,
    videoTrackIndex: 0,
    signal: new AbortController().signal,
    keep: async () => undefined,
  });
  return scoreOf(found, labels);
}

const f1 = ({ labelled, hits, wrong }: Score): number => (2 * hits) / (labelled + hits + wrong);

for (const set of ['tuned', 'kept'] as const satisfies readonly FilmSet[]) {
  test.serial(`cuts and transitions of the ${set} films are found`, async (t) => {
    const whole = { ...nothing };
    const byKind = new Map<string, Score>();
    for (const plan of filmsOf(set)) {
      const score = await scored(plan);
      const sum = byKind.get(plan.kind) ?? { ...nothing };
      for (const name of Object.keys(whole) as (keyof Score)[]) {
        whole[name] += score[name];
        sum[name] += score[name];
      }
      byKind.set(plan.kind, sum);
    }
    for (const [kind, score] of [...byKind, ['all', whole] as const]) t.log(`${kind}: ${JSON.stringify(score)}`);
    t.true(f1(whole) >= 0.95, `F1 ${f1(whole)}`);
    for (const kind of ['flashes', 'strobes', 'dissolves', 'fades', 'restless']) t.is(byKind.get(kind)?.wrong, 0, kind);
    const dark = byKind.get('dark');
    t.true(dark !== undefined && dark.hits >= 0.9 * dark.labelled);
    t.true(whole.found >= 0.8 * whole.gradual, `${whole.found} of ${whole.gradual} transitions`);
    t.true(whole.bounded >= 0.75 * whole.gradual, `${whole.bounded} of ${whole.gradual} with their bounds`);
  });
}
