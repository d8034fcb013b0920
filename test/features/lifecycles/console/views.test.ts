import { readFileSync } from 'node:fs';
import test from 'ava';
import { createMachine, getStateNodes, initialTransition } from 'xstate';
import { routeOf } from '../../../../console/host/route.ts';
import { parsedExposition } from '../../../../console/operations/exposition.ts';
import type { JournalEvent } from '../../../../contract/journal.ts';
import type { ActorTransition, ActorTransitions, ListedActor } from '../../../../contract/lifecycles/actors.ts';
import { type ChartDrawing, chartDrawing, type StateBox } from '../../../../contract/lifecycles/charts.ts';
import {
  fitted,
  leastAcross,
  namesOn,
  revealing,
  scaled,
} from '../../../../features/lifecycles/console/chart-canvas.tsx';
import { statesWith } from '../../../../features/lifecycles/console/chart-explorer.tsx';
import { chartIndex, enteredBy, noMarks, withAncestors } from '../../../../features/lifecycles/console/chart-index.ts';
import { compared, partingWords } from '../../../../features/lifecycles/console/comparison.tsx';
import { coverageMarks, coveredParts } from '../../../../features/lifecycles/console/coverage-view.tsx';
import { mermaidOf } from '../../../../features/lifecycles/console/export-menu.tsx';
import { folded, keptOnWay, wayTo } from '../../../../features/lifecycles/console/folding.ts';
import { heatMarks, heatOf, percentile } from '../../../../features/lifecycles/console/heat-view.tsx';
import {
  pathMarks,
  recordsOf,
  type Step,
  stepsOf,
  takenBetween,
  takenIn,
} from '../../../../features/lifecycles/console/path.ts';
import {
  type LifecycleRoute,
  lifecycleAddress,
  lifecycleRouteOf,
  withStep,
} from '../../../../features/lifecycles/console/route.ts';
import { type Sandbox, sandbox, sandboxAt } from '../../../../features/lifecycles/console/sandbox.ts';
import { scrubber, shownPlace } from '../../../../features/lifecycles/console/scrub-bar.tsx';
import { sequenceOf } from '../../../../features/lifecycles/console/sequence-view.tsx';
import { type ActorFilter, filteredActors, subjectWords } from '../../../../features/lifecycles/console/subjects.ts';
import { drawnChartOf, releaseToCompare } from '../../../../features/lifecycles/console/versions-view.tsx';
import { supervised } from '../../../../features/lifecycles/console/whole-host-view.tsx';
import { actorWords, briefly, eventWords } from '../../../../features/lifecycles/console/words.ts';
import { machines } from '../../../../machines/catalogue.ts';
import { chartOf } from '../../../../machines/machine-chart.ts';
import { studyMachine } from '../../../../machines/study.ts';
import { fieldOf, fieldsOf } from '../../../fields.ts';
import { sampleMachine } from '../../../machines/lifecycles/sample-machine.ts';

const study = chartIndex(chartOf(studyMachine));
const sample = chartIndex(chartOf(sampleMachine));
const began = Date.parse('2026-01-01T00:00:00.000Z');

const transition = (
  seq: number,
  event: string | null,
  state: string,
  ms: number,
  cause: ActorTransition['cause'] = 'event',
): ActorTransition => ({
  seq,
  cause,
  event,
  value: state,
  states: [`runtime.${state}`],
  at: new Date(began + ms).toISOString(),
  commit: seq + 10,
});

const walk: readonly ActorTransition[] = [
  transition(1, 'xstate.init', 'accepted', 0),
  transition(2, 'worker.granted', 'initializing', 100),
  transition(3, 'xstate.done.actor.initialize', 'running.detect', 400),
  transition(4, null, 'running.detect', 5_000, 'resumed'),
  transition(5, 'xstate.error.actor.detect', 'failed', 6_000),
];

const page = (transitions: readonly ActorTransition[]): ActorTransitions => ({
  schema: 'studio.actor-transitions.v1',
  actorId: 'runtime:1',
  kind: 'runtime',
  isComplete: true,
  recordedFrom: null,
  transitions: [...transitions],
  nextCursor: transitions.at(-1)?.seq ?? 0,
  reachedHead: true,
});

test('the arrow of a step is found by its event and both ends, wildcards and parents included', (t) => {
  const taken = (before: string, event: string, after: string) =>
    takenBetween(study, [`runtime.${before}`], event, [`runtime.${after}`]).map((id) => id.replace('runtime.', ''));
  t.deepEqual(taken('accepted', 'worker.granted', 'initializing'), ['accepted#worker.granted#0']);
  t.deepEqual(taken('running.read', 'xstate.error.actor.read', 'interrupted'), ['running#xstate.error.actor.*#0']);
  t.deepEqual(taken('running.read', 'xstate.error.actor.read', 'failed'), ['running#xstate.error.actor.*#1']);
  t.deepEqual(taken('running.subtitles', 'xstate.done.actor.subtitles', 'running.read'), [
    'running.subtitles#xstate.done.actor.subtitles#2',
  ]);
  t.deepEqual(taken('running.detect', 'study.cancel', 'interrupted'), ['runtime#study.cancel#0']);
  t.deepEqual(taken('accepted', 'nothing.known', 'failed'), []);
});

test('what follows at once belongs to the step, in every region of a parallel state', (t) => {
  const left = 'sample.working.checking.left';
  const right = 'sample.working.checking.right';
  const event = 'again.and.again.with.a.long.name';
  t.deepEqual(takenBetween(sample, ['sample.working.fetching'], event, [`${left}.b`, `${right}.a`]), [
    `sample.working.fetching#${event}#0`,
    `${left}.a##0`,
  ]);
});

test('steps have the time that was spent, arrows how often and after how long they were taken', (t) => {
  const steps = stepsOf(study, walk);
  t.deepEqual(fieldOf(steps, 'stayedMs'), [100, 300, 4_600, 1_000, null]);
  t.deepEqual(takenIn(steps).get('runtime.running#xstate.error.actor.*#1'), { count: 1, totalMs: 1_000 });
  t.deepEqual(steps[3]?.taken, [], 'a resumption takes no arrow');
  const marks = pathMarks(study, steps.slice(0, 3));
  t.is(marks.states.get('runtime.running.detect'), 'lit now');
  t.is(marks.states.get('runtime.running'), 'lit');
  t.is(marks.states.get('runtime.accepted'), 'passed');
  t.is(marks.notes.get('runtime.accepted#worker.granted#0'), '100 ms');
});

test('a scrubber follows what comes until it is moved back, and again from the end', (t) => {
  const model = scrubber();
  const now = () => shownPlace(model.getSnapshot().context);
  model.send({ type: 'received', page: page(walk.slice(0, 3)) });
  t.is(now(), 2);
  model.send({ type: 'stepped', by: -1 });
  model.send({ type: 'received', page: page(walk.slice(2)) });
  t.is(now(), 1, 'what comes does not move what is looked at');
  t.is(model.getSnapshot().context.transitions.length, 5, 'what is known already is not added again');
  model.send({ type: 'stepped', by: -5 });
  t.is(now(), 0);
  model.send({ type: 'movedTo', place: 4 });
  t.is(model.getSnapshot().context.at, null);
});

const actor = (kind: ListedActor['kind'], id: string, more: Partial<ListedActor> = {}): ListedActor => ({
  actorId: id,
  kind,
  chartId: kind,
  chartVersion: '1',
  runtimeId: 'runtime:1',
  value: 'running',
  states: [`${kind}.running`],
  phase: 'live',
  restarts: 0,
  resumes: 0,
  startedAt: new Date(began).toISOString(),
  updatedAt: new Date(began + 1_000).toISOString(),
  ...more,
});

test('an actor is named by the source and the range that it works on, or by its kind alone', (t) => {
  const subjects = new Map([['runtime:1', { label: 'Reading room', range: { startMs: 0, endMs: 50_000 } }]]);
  t.is(subjectWords(actor('runtime', 'runtime:1'), subjects), 'Study of Reading room, 0:00–0:50');
  t.is(subjectWords(actor('publish-review', 'intake:1'), subjects), 'Review of Reading room, 0:00–0:50');
  t.is(subjectWords(actor('owned-ingest', 'owned-ingest:1', { runtimeId: null }), subjects), 'Ingest of a file');
});

test('a list of actors shows the failed, slow and restarted ones, and those of the last day', (t) => {
  const rows = [
    actor('runtime', 'a'),
    actor('runtime', 'b', { updatedAt: new Date(began + 4_000).toISOString() }),
    actor('runtime', 'c', { phase: 'ended', states: ['runtime.failed'], restarts: 2 }),
  ];
  const shown = (filter: ActorFilter, now = began) => filteredActors(rows, filter, now).map(({ actorId }) => actorId);
  t.deepEqual(shown('failed'), ['c']);
  t.deepEqual(shown('slow'), ['b']);
  t.deepEqual(shown('restarted'), ['c']);
  t.deepEqual(shown('day', began + 25 * 3_600_000), []);
  t.deepEqual(shown('all'), ['a', 'b', 'c']);
});

test('a sequence orders the steps of all actors, and names the step whose records another one rests on', (t) => {
  const journal = (seq: number, data: object) => ({ seq, data }) as unknown as JournalEvent;
  const studied = walk.map((each, at) => ({ ...each, journal: { fromSeq: at + 1, toSeq: at + 1 } }));
  const review = [{ ...transition(1, 'xstate.init', 'queued', 6_500), journal: { fromSeq: 6, toSeq: 6 } }];
  const rows = sequenceOf(
    [
      { actorId: 'runtime:1', kind: 'runtime', transitions: studied },
      { actorId: 'intake:1', kind: 'publish-review', transitions: review },
    ],
    [
      ...[1, 2, 3, 4, 5].map((seq) => journal(seq, { artifact: { id: `artifact:${seq}` } })),
      journal(6, { request: { from: [{ artifactId: 'artifact:2' }, { artifactId: 'artifact:4' }] } }),
    ],
  );
  t.deepEqual(fieldOf(rows, 'lane'), [0, 0, 0, 0, 0, 1]);
  t.deepEqual(fieldOf(rows, 'restsOn'), [null, null, null, null, null, 3]);
  t.is(rows.at(-1)?.sinceMs, 6_500);
});

test('the address of an actor names the step that is looked at', (t) => {
  const hash = lifecycleAddress({ view: 'actor', actorId: 'runtime:1', besideId: null, step: 3 });
  t.like(lifecycleRouteOf(hash), { view: 'actor', step: 3 });
  t.is(withStep(hash, 5), lifecycleAddress({ view: 'actor', actorId: 'runtime:1', besideId: null, step: 5 }));
  t.like(lifecycleRouteOf(withStep(hash, null)), { step: null });
  t.like(lifecycleRouteOf('#/lifecycles/actors/a?step=x'), { step: null });
});

test('every view of lifecycles has an address that leads back to it', (t) => {
  const routes: readonly LifecycleRoute[] = [
    { view: 'lifecycles', kind: 'runtime', state: null, show: 'failed' },
    { view: 'chart', chartId: 'runtime', mode: 'versions', from: null, against: '0.2.0' },
    { view: 'actor', actorId: 'runtime:1', besideId: 'runtime:2', step: null },
    { view: 'sequence', runtimeId: 'runtime:1' },
    { view: 'whole-host' },
  ];
  for (const route of routes) {
    const address = lifecycleAddress(route);
    t.deepEqual(lifecycleRouteOf(address), route);
    t.deepEqual(routeOf(address), { view: 'further', path: 'lifecycles', address });
  }
  t.is(lifecycleRouteOf('#/lifecycles/nowhere'), null);
});

test('a step has the records of its commit, and not those of a later commit of the same study', (t) => {
  const event = (seq: number, ms: number, data: object = {}) =>
    ({
      seq,
      type: 'artifact.recorded',
      recordedAt: new Date(began + ms).toISOString(),
      data,
    }) as unknown as JournalEvent;
  const events = [
    event(1, 401, { artifact: { id: 'artifact:1', kind: 'source-media' } }),
    event(2, 402, { receipt: { receiptId: 'receipt:2' } }),
    event(3, 900),
    event(4, 6_000),
    event(5, 60_000),
  ];
  const ranges = [null, null, { fromSeq: 1, toSeq: 2 }, null, { fromSeq: 4, toSeq: 4 }];
  const steps = stepsOf(
    study,
    walk.map((each, at) => ({ ...each, taken: [], journal: ranges[at] ?? null })),
  );
  const recordsAt = (place: number) => {
    const step = steps[place];
    return step === undefined ? null : recordsOf(events, step);
  };
  t.deepEqual(recordsAt(0)?.events, []);
  const { events: found, receipts } = recordsAt(2) ?? { events: [], receipts: [] };
  t.deepEqual(fieldOf(found, 'seq'), [1, 2]);
  t.deepEqual(fieldOf(receipts, 'id'), ['artifact:1', 'receipt:2']);
  t.deepEqual(fieldOf(recordsAt(4)?.events ?? [], 'seq'), [4]);
  const [earlier] = stepsOf(study, walk);
  t.is(earlier && recordsOf(events, earlier), null, 'a row of an earlier version');
});

test('a badge names the state of an actor once', (t) => {
  const words = (phase: ListedActor['phase'], state: string) => actorWords({ phase, states: [`runtime.${state}`] });
  t.is(words('ended', 'terminal'), 'ended');
  t.is(words('ended', 'failed'), 'failed');
  t.is(words('waiting', 'queued'), 'waiting');
  t.is(words('waiting', 'approved'), 'approved', 'the captions of an approved review need no further decision');
  t.is(words('waiting', 'uploading'), 'uploading, waiting');
  t.is(words('live', 'running.detect'), 'running.detect, at work');
});

test('times and events have short forms', (t) => {
  t.deepEqual([12.4, 1_240, 45_000, 59_999.9, 125_000, 12_000_000].map(briefly), [
    '12 ms',
    '1.2 s',
    '45 s',
    '60 s',
    '2 min 05 s',
    '3 h 20 min',
  ]);
  t.is(eventWords('xstate.done.actor.read'), 'read done');
  t.is(eventWords('xstate.error.actor.read'), 'error of read');
  t.is(eventWords('worker.granted'), 'worker.granted');
});

test('a state is inside those around it, and entering one enters what it begins with', (t) => {
  t.deepEqual(withAncestors(study, 'runtime.running.detect'), ['runtime.running.detect', 'runtime.running', 'runtime']);
  t.deepEqual(enteredBy(study, 'runtime.running'), ['runtime.running.detect']);
  t.deepEqual(enteredBy(sample, 'sample.working.checking'), [
    'sample.working.checking.left.a',
    'sample.working.checking.right.a',
  ]);
});

test('a search finds states by names, events, guards, effects and descriptions, by all words', (t) => {
  t.deepEqual(statesWith(study, 'worker.granted'), ['runtime.accepted']);
  t.deepEqual(statesWith(study, 'hasClaims ASSESS'), ['runtime.running.assess']);
  t.deepEqual(statesWith(study, 'worker nothing'), []);
  t.is(statesWith(study, 'reco')[0], 'runtime.running.recognize', 'a name comes before what mentions it');
});

test('the shortest way to a state is found through the states around it', (t) => {
  t.deepEqual(wayTo(study, 'runtime.accepted'), []);
  t.is(wayTo(study, 'runtime.terminal').length, study.chart.mainWay.length - 1);
  t.is(wayTo(study, 'runtime.failed').length, 1);
});

test('a folded drawing has the way alone, takes less room, and keeps order and straight lines', (t) => {
  const file = new URL('../../../../docs/charts/runtime.drawing.json', import.meta.url);
  const whole = chartDrawing.parse(JSON.parse(readFileSync(file, 'utf8')));
  const kept = keptOnWay(study, study.chart.mainWay);
  const drawing: ChartDrawing = folded(whole, kept);
  t.false(drawing.boxes.some(({ id }) => id === 'runtime.failed'));
  t.true(drawing.width < whole.width);
  t.true(drawing.height < whole.height);
  t.is(drawing.dots.length, 2);
  for (const { points } of drawing.arrows) {
    points.slice(1).forEach(({ x, y }, at) => {
      t.true(Math.abs(x - (points[at]?.x ?? 0)) < 0.01 || Math.abs(y - (points[at]?.y ?? 0)) < 0.01);
    });
  }
  for (const box of drawing.boxes.filter(({ kind }) => kind === 'atomic')) {
    const before = whole.boxes.find(({ id }) => id === box.id);
    t.is(Math.round(box.width), Math.round(before?.width ?? 0), `${box.id} has the room of its text`);
  }
});

test('a view opens with the whole chart, zooms around a place, moves only to what is out of sight', (t) => {
  const box = { width: 800, height: 600 };
  t.is(fitted({ width: 945, height: 2845 }, box).down, 568 / 2845);
  const view = { x: 0, y: 0, across: 1, down: 1 };
  t.deepEqual(scaled(view, 2, { x: 100, y: 50 }), { x: -100, y: -50, across: 2, down: 2 });
  t.deepEqual(revealing(view, { x: 100, y: 100, width: 50, height: 50 }, box), view);
  t.is(revealing(view, { x: 100, y: 1000, width: 50, height: 50 }, box).y, 275 - 1000);
});

test('a chart too small for its texts uses the width of its box, until they can be read', (t) => {
  const [drawing, box] = [
    { width: 945, height: 2845 },
    { width: 390, height: 450 },
  ];
  const whole = fitted(drawing, box);
  t.is(whole.across, (390 - 32) / 945);
  t.deepEqual([Math.round(whole.x), Math.round(whole.y)], [16, 16]);
  const least = leastAcross(drawing, box);
  const closer = scaled(whole, 2, { x: 0, y: 0 }, least);
  t.deepEqual([closer.across, closer.down], [whole.across, whole.down * 2]);
  const close = scaled(whole, 5, { x: 0, y: 0 }, least);
  t.is(close.across, close.down, 'texts are drawn in their own proportions');
  t.is(leastAcross({ width: 400, height: 2000 }, { width: 1600, height: 500 }), 0.5);
});

for (const width of [390, 700, 970, 1600]) {
  test(`in no whole chart of ${width} px a name leaves its state or covers another one`, (t) => {
    for (const { id: machineId } of machines) {
      const file = new URL(`../../../../docs/charts/${machineId}.drawing.json`, import.meta.url);
      const drawing = chartDrawing.parse(JSON.parse(readFileSync(file, 'utf8')));
      const view = fitted(drawing, { width, height: 480 });
      const notes = new Map(drawing.boxes.map(({ id }) => [id, '± changed']));
      // A wide typeface: DejaVu Sans Bold has 0.7 em for a letter.
      const names = namesOn(drawing, { notes, states: new Map() }, view, (name) => name.length * 0.7);
      t.true(names.length > drawing.boxes.length / 2, machineId);
      names.forEach((one, at) => {
        t.true(one.size >= 9, `${one.name} can be read`);
        const box = drawing.boxes.find(({ id }) => id === one.id);
        if (box === undefined) throw new Error(one.id);
        t.true(one.x >= box.x * view.across && one.x + one.width <= (box.x + box.width) * view.across, one.name);
        for (const other of names.slice(at + 1)) {
          const isBeside = one.x + one.width <= other.x || other.x + other.width <= one.x;
          t.true(isBeside || Math.abs(one.y - other.y) >= one.size, `${one.name} over ${other.name}`);
        }
      });
    }
  });
}

for (const width of [390, 1440]) {
  test(`bug: in a chart of ${width} px the state that an actor is in had no name`, (t) => {
    for (const { id: machineId } of machines) {
      const file = new URL(`../../../../docs/charts/${machineId}.drawing.json`, import.meta.url);
      const drawing = chartDrawing.parse(JSON.parse(readFileSync(file, 'utf8')));
      const view = fitted(drawing, { width, height: 240 });
      for (const { id } of drawing.boxes.filter(({ kind }) => kind !== 'compound' && kind !== 'parallel')) {
        const marks = { notes: new Map(), states: new Map([[id, 'now']]) };
        const [first, ...others] = namesOn(drawing, marks, view, (name) => name.length * 0.7);
        if (first === undefined) throw new Error(id);
        t.is(first.id, id);
        t.true(first.x >= 0, id);
        for (const other of others) {
          const isBeside = first.x + first.width <= other.x || other.x + other.width <= first.x;
          t.true(isBeside || Math.abs(first.y - other.y) >= first.size, `${id} under ${other.name}`);
        }
      }
    }
  });
}

test('a name that is wider than its state is cut, or left out if little would remain', (t) => {
  const box = (id: string, width: number) => ({ id, kind: 'atomic', x: 0, y: 0, width, height: 40, lines: [] });
  const named = (width: number) =>
    namesOn(
      { boxes: [box('a.awaitingWorker', width)] as unknown as StateBox[] },
      noMarks,
      { across: 1, down: 1 },
      (name) => name.length,
    ).map(({ name }) => name);
  t.deepEqual([named(400), named(100), named(30)], [['awaitingWorker'], ['awaitingW…'], []]);
});

test('a chart is written for Mermaid with its nested and parallel states', (t) => {
  const text = mermaidOf(sample.chart);
  t.true(text.startsWith('stateDiagram-v2\n'));
  t.regex(text, /state sample_working_checking \{\n(?:.*\n)*? +--\n/);
  t.regex(text, /sample_idle --> sample_working: begin/);
  t.regex(text, /\[\*\] --> sample_idle/);
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

const index = chartIndex(chartOf(studyMachine));

type Move = readonly [event: string | null, state: string, ms: number];

const stepsWalked = (...moves: readonly Move[]): readonly Step[] =>
  stepsOf(
    index,
    moves.map(
      ([event, state, ms], at): ActorTransition => ({
        seq: at + 1,
        cause: event === null ? 'resumed' : 'event',
        event,
        value: state,
        states: [`runtime.${state}`],
        at: new Date(ms).toISOString(),
        commit: at,
      }),
    ),
  );

const begun: readonly Move[] = [
  ['xstate.init', 'accepted', 0],
  ['worker.granted', 'initializing', 100],
];
const failed = stepsWalked(...begun, ['xstate.error.actor.initialize', 'failed', 400]);
const went = stepsWalked(
  ...begun,
  ['xstate.done.actor.initialize', 'running.detect', 300],
  [null, 'running.detect', 900],
);
const stopped = stepsWalked(...begun, ['study.cancel', 'interrupted', 200]);

test('each part of a chart is covered by tests, by the actors of this host, by both or by neither', (t) => {
  const id = 'runtime.accepted#worker.granted#0';
  const tests = { states: [{ id: 'runtime.terminal', walks: 4 }], transitions: [{ id, walks: 9 }] };
  const parts = coveredParts(study, tests, [stepsOf(study, walk), stepsOf(study, walk.slice(0, 2))]);
  const by = (part: string) => parts.find((each) => each.id === part)?.by;
  t.like(
    parts.find((each) => each.id === id),
    { tests: 9, actors: 2, by: 'both' },
  );
  t.is(by('runtime.terminal'), 'tests');
  t.is(by('runtime.running'), 'host', 'a state around one that was visited was visited');
  t.is(by('runtime#study.cancel#0'), 'never');
  t.is(by('runtime'), undefined, 'the machine itself is always active');
  const { notes, states, transitions } = coverageMarks(parts);
  t.deepEqual([notes.get(id), transitions.get(id)], ['● tests 9 here 2', 'cover-both']);
  t.deepEqual([notes.get('runtime.terminal'), states.get('runtime.terminal')], ['◐', 'cover-tests']);
});

test('a chart is compared with the newest release in which it was another one', (t) => {
  const release = (name: string, isSame: boolean) => ({ release: name, machineVersion: '1', isSame });
  t.is(releaseToCompare([release('0.3.0', true), release('0.2.0', false), release('0.1.0', false)]), '0.2.0');
  t.is(releaseToCompare([release('0.3.0', true), release('0.2.0', true)]), '0.3.0');
  t.is(releaseToCompare([]), null);
});

test('a file is compared if it is a chart with its drawing, as a host answers', (t) => {
  const drawing = { schema: 'studio.chart-drawing.v1' };
  const drawn = { schema: 'studio.drawn-chart.v1', chart: study.chart, drawing };
  t.deepEqual(drawnChartOf(JSON.stringify(drawn)) as unknown, drawn);
  for (const text of ['', 'null', '{}', JSON.stringify(study.chart), JSON.stringify({ ...drawn, drawing: {} })])
    t.is(drawnChartOf(text), null);
});

test('percentiles are the nearest rank', (t) => {
  t.is(percentile([], 0.5), 0);
  t.is(percentile([30, 10, 20], 0.5), 20);
  t.is(
    percentile(
      Array.from({ length: 100 }, (_, at) => at + 1),
      0.95,
    ),
    95,
  );
});

test('heat counts arrows, measures ended visits, and shows departures from the main way', (t) => {
  const heat = heatOf(index, [failed, went, stopped]);
  t.is(heat.actors, 3);
  t.is(heat.arrows.get('runtime.accepted#worker.granted#0'), 3);
  t.deepEqual(
    heat.states.find(({ stateId }) => stateId === 'runtime.initializing'),
    {
      stateId: 'runtime.initializing',
      visits: 3,
      medianMs: 200,
      p95Ms: 300,
    },
  );
  t.is(
    heat.states.find(({ stateId }) => stateId === 'runtime.running.detect'),
    undefined,
    'it is still there',
  );
  t.deepEqual(fieldsOf(heat.exits, 'transitionId', 'from'), [
    ['runtime.initializing#xstate.error.actor.*#1', [['runtime.initializing', 1]]],
    ['runtime#study.cancel#0', [['runtime.initializing', 1]]],
  ]);
  const marks = heatMarks(heat);
  t.is(marks.transitions.get('runtime.accepted#worker.granted#0'), 'taken thick-4');
  t.is(marks.transitions.get('runtime#study.cancel#0'), 'lost thick-2');
});

test('two ways are the same until they part, and a resumption does not part them', (t) => {
  const { shared, hasParted } = compared(failed, went);
  t.deepEqual([shared, hasParted], [2, true]);
  t.is(
    partingWords(compared(failed, stopped)),
    'They parted in initializing, after 2 steps: this one went to failed (error of initialize), the other to interrupted (study.cancel).',
  );
  t.is(partingWords(compared(went, went)), 'Both took the same 3 steps.');
  t.is(
    partingWords(compared(went, stepsWalked(...begun))),
    'Both took the same 2 steps; one has not gone on from initializing.',
  );
});

const now = (box: Sandbox) => box.store.getSnapshot().context.standings.at(-1);

const offers = (box: Sandbox): readonly string[] => {
  const standing = now(box);
  return standing === undefined ? [] : box.possible(standing).map(({ transition }) => transition.id);
};

const choose = (box: Sandbox, id: string): readonly string[] => {
  const standing = now(box);
  const choice = standing && box.possible(standing).find(({ transition }) => transition.id === id);
  if (choice === undefined) throw new Error(`${id} cannot come next`);
  box.store.send({ type: 'chose', choice });
  return now(box)?.states ?? [];
};

test('a machine made of a chart has the initial state of the machine itself', (t) => {
  for (const machine of machines) {
    const states = sandbox(chartOf(machine)).store.getSnapshot().context.standings[0]?.states;
    const chart = chartOf(machine);
    t.true(states?.every((id) => id.startsWith(`${chart.root.id}.`)));
    if (machine.id !== 'runtime') continue;
    const [begun] = initialTransition(studyMachine, { runtimeId: 'r', commandId: 'c' });
    const own = getStateNodes(studyMachine.root, begun.value).filter((node) => Object.keys(node.states).length === 0);
    t.deepEqual(states, fieldOf(own, 'id'));
  }
});

test('what could come next is that of the state and all around it, with their guards', (t) => {
  const box = sandbox(chartOf(studyMachine), { running: 'assess' });
  t.deepEqual(offers(box), [
    'runtime.running.assess#xstate.done.actor.assess#0',
    'runtime.running.assess#xstate.done.actor.assess#1',
    'runtime.running#deadline.reached#0',
    'runtime.running#xstate.error.actor.*#0',
    'runtime.running#xstate.error.actor.*#1',
    'runtime#study.cancel#0',
    'runtime#content.damaged#0',
    'runtime#supervision.exhausted#0',
  ]);
});

test('a choice takes its guard to hold, goes there, and can be taken back', (t) => {
  const box = sandbox(chartOf(studyMachine), { running: 'assess' });
  t.deepEqual(choose(box, 'runtime.running.assess#xstate.done.actor.assess#0'), ['runtime.running.decide']);
  t.deepEqual(now(box)?.assumed, ['hasClaims']);
  box.store.send({ type: 'wentBack' });
  t.deepEqual(choose(box, 'runtime.running.assess#xstate.done.actor.assess#1'), ['runtime.running.admit']);
  t.deepEqual(choose(box, 'runtime.running#xstate.error.actor.*#0'), ['runtime.interrupted']);
  t.deepEqual(offers(box), [], 'an end can go nowhere');
  box.store.send({ type: 'beganAgain' });
  t.deepEqual(now(box)?.states, ['runtime.running.assess']);
});

test('regions move together, what follows at once is followed, and the end of all parts leads on', (t) => {
  const box = sandbox(chartOf(sampleMachine));
  choose(box, 'sample.idle#begin#0');
  // The end of the left region is an event for the right one, which takes any.
  t.deepEqual(choose(box, 'sample.working.fetching#again.and.again.with.a.long.name#0'), ['sample.finished']);
});

test('a state that the chart does not have begins nothing', (t) => {
  t.is(sandboxAt(chartOf(studyMachine), 'nowhere'), null);
});

test('a delay passes when a person says so', (t) => {
  const machine = createMachine({ id: 'm', initial: 'a', states: { a: { after: { 1000: 'b' } }, b: {} } });
  const box = sandbox(chartOf(machine));
  t.deepEqual(now(box)?.states, ['m.a']);
  t.deepEqual(choose(box, 'm.a#xstate.after.1000.m.a#0'), ['m.b']);
});
