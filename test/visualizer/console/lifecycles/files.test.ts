import { readFileSync } from 'node:fs';
import test from 'ava';
import type { JournalEvent } from '../../../../contract/journal/journal-event.ts';
import type { ListedActor } from '../../../../contract/lifecycles/actors.ts';
import { chartOf } from '../../../../machines/lifecycles/machine-chart.ts';
import { studyMachine } from '../../../../machines/study.ts';
import { readArchive } from '../../../../visualizer/console/lifecycles/files/archive.ts';
import { pathOfJournal } from '../../../../visualizer/console/lifecycles/files/journal-path.ts';
import { chartFromJson } from '../../../../visualizer/console/lifecycles/files/machine-file.ts';
import { supervised } from '../../../../visualizer/console/lifecycles/whole-host/supervision.ts';
import { parsedExposition } from '../../../../visualizer/console/operations/exposition.ts';
import { layoutOf } from '../../../../visualizer/drawing/layout.ts';
import { sampleMachine } from '../../../machines/lifecycles/sample-machine.ts';

const foreign = readFileSync(new URL('../../../../fixtures/foreign-machine.json', import.meta.url), 'utf8');

test('a foreign machine is read from its configuration and drawn, arrows into a region included', async (t) => {
  const chart = chartFromJson(foreign);
  t.is(chart.machineId, 'crossing');
  const drawing = await layoutOf(chart, 1);
  t.true(drawing.boxes.some(({ id, kind }) => id === 'crossing.red.people.hist' && kind === 'history'));
  const arrow = drawing.arrows.find(({ transitions }) => transitions[0]?.startsWith('crossing.blinking#POWER.BACK'));
  t.true((arrow?.points.length ?? 0) >= 2);
});

test('a machine is read from what its toJSON gives, and a saved chart as it was', (t) => {
  const chart = chartFromJson(JSON.stringify(sampleMachine));
  const own = chartOf(sampleMachine);
  const names = (root: typeof own.root): string[] => [root.id, ...root.states.flatMap(names)];
  t.deepEqual(names(chart.root), names(own.root));
  t.is(chart.root.initial, own.root.initial);
  t.deepEqual(chartFromJson(JSON.stringify(own)), own);
});

test('a file that is no machine says what is wrong with it', (t) => {
  t.is(t.throws(() => chartFromJson('no'))?.message, 'this file is no JSON');
  t.is(t.throws(() => chartFromJson('{"id":"x"}'))?.message, 'this file holds no states');
  t.regex(
    t.throws(() => chartFromJson('{"initial":"a","states":{"a":{"on":{"GO":"nowhere"}}}}'))?.message ?? '',
    /^XState does not take this machine: [\s\S]*nowhere/,
  );
});

test('an archive is refused where it is cut, and where it is none', async (t) => {
  await t.throwsAsync(readArchive(new Blob([new Uint8Array(512).fill(65)])), { message: /no archive/ });
  await t.throwsAsync(readArchive(new Blob([])), { message: 'the archive has no end' });
  t.is((await readArchive(new Blob([new Uint8Array(1024)]))).size, 0);
});

const event = (type: string, ms: number) =>
  ({ type, recordedAt: new Date(ms).toISOString(), data: {} }) as unknown as JournalEvent;

test('the path of a study follows from its journal, at the times of its commits', (t) => {
  const events = [
    event('task.created', 1_000),
    event('executor.started', 1_001),
    event('artifact.recorded', 2_000),
    event('media.operation_completed', 2_001),
    event('media.operation_completed', 3_000),
    event('evidence.read_completed', 4_000),
    event('analysis.evidence.assessment_completed', 5_000),
    event('publish.review.intake_completed', 6_000),
  ];
  const way = pathOfJournal(chartOf(studyMachine), events, 'terminal');
  t.deepEqual(
    way.map(({ states, at }) => [states[0]?.replace('runtime.', ''), Date.parse(at)]),
    [
      ['accepted', 1_000],
      ['initializing', 1_000],
      ['running.detect', 1_000],
      ['running.subtitles', 2_000],
      ['running.read', 3_000],
      ['running.assess', 4_000],
      ['running.admit', 5_000],
      ['terminal', 6_000],
    ],
  );
  const stopped = pathOfJournal(
    chartOf(studyMachine),
    [...events.slice(0, 4), event('executor.finished', 9_000)],
    'failed',
  );
  t.deepEqual([stopped.at(-1)?.states, stopped.at(-1)?.event], [['runtime.failed'], null]);
});

test('the supervised are grouped by kind with their queue, those at work first', (t) => {
  const actor = (actorId: string, phase: ListedActor['phase'], resumes: number) =>
    ({ actorId, kind: 'runtime', phase, restarts: 0, resumes }) as unknown as ListedActor;
  const metrics = parsedExposition(
    '# TYPE media_study_queue_waiting gauge\nmedia_study_queue_waiting{queue="studies"} 3\n',
  );
  const [studies, reviews] = supervised(
    ['runtime', 'publish-review'],
    [actor('a', 'waiting', 1), actor('b', 'live', 2), actor('c', 'ended', 9)],
    metrics,
  );
  t.deepEqual(
    studies?.actors.map(({ actorId }) => actorId),
    ['b', 'a'],
  );
  t.deepEqual(studies?.queue, { name: 'studies', waiting: 3, working: 0 });
  t.is(studies?.resumes, 3);
  t.is(reviews?.queue, null);
});
