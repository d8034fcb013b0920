import test from 'ava';
import type { AnyStateMachine } from 'xstate';
import {
  type Chart,
  type ChartState,
  type ChartTransition,
  chart as chartSchema,
} from '../../../contract/lifecycles/charts.ts';
import { machines } from '../../../machines/catalogue.ts';
import { activeStatesOf, chartOf, isInState, mainWayOf } from '../../../machines/machine-chart.ts';
import { publishReviewMachine } from '../../../machines/publish-review.ts';
import { sampleMachine, unversionedMachine } from './sample-machine.ts';

const everyMachine: readonly AnyStateMachine[] = [...machines, sampleMachine];

const allStates = (state: ChartState): ChartState[] => [state, ...state.states.flatMap(allStates)];

const stateNamed = (chart: Chart, id: string): ChartState => {
  const found = allStates(chart.root).find((state) => state.id === id);
  if (found === undefined) throw new Error(`no state ${id}`);
  return found;
};

const transitionNamed = (chart: Chart, id: string): ChartTransition => {
  const found = allStates(chart.root)
    .flatMap(({ transitions }) => transitions)
    .find((transition) => transition.id === id);
  if (found === undefined) throw new Error(`no transition ${id}`);
  return found;
};

interface Written {
  readonly on?: Readonly<Record<string, unknown>>;
  readonly always?: unknown;
  readonly onDone?: unknown;
  readonly onError?: unknown;
  readonly invoke?: unknown;
  readonly states?: Readonly<Record<string, unknown>>;
}

const listed = (value: unknown): unknown[] => (value === undefined ? [] : [value].flat());

/** Counts in the source of a machine, without the help of XState: [states, transitions, invokes]. */
const counted = (written: Written): readonly [number, number, number] => {
  const invokes = listed(written.invoke) as Written[];
  const own = [
    ...Object.values(written.on ?? {}).flatMap(listed),
    ...listed(written.always),
    ...listed(written.onDone),
    ...invokes.flatMap(({ onDone, onError }) => [...listed(onDone), ...listed(onError)]),
  ];
  return Object.values(written.states ?? {})
    .map((child) => counted(child as Written))
    .reduce(([a, b, c], [x, y, z]) => [a + x, b + y, c + z], [1, own.length, invokes.length]);
};

for (const machine of everyMachine) {
  test(`the chart of ${machine.id} is plain data that its schema accepts`, (t) => {
    const chart = chartOf(machine);
    t.deepEqual(chartSchema.parse(JSON.parse(JSON.stringify(chart))), chart);
  });

  test(`the chart of ${machine.id} holds all written states, transitions and invokes`, (t) => {
    const states = allStates(chartOf(machine).root);
    const transitions = states.reduce((count, state) => count + state.transitions.length, 0);
    const invokes = states.reduce((count, state) => count + state.invokes.length, 0);
    t.deepEqual([states.length, transitions, invokes], [...counted(machine.config as Written)]);
  });

  test(`the chart of ${machine.id} names each thing once and only things that exist`, (t) => {
    const { root, mainWay } = chartOf(machine);
    const states = allStates(root);
    const stateIds = new Set(states.map(({ id }) => id));
    const transitionIds = states.flatMap(({ transitions }) => transitions.map(({ id }) => id));
    t.is(stateIds.size, states.length);
    t.is(new Set(transitionIds).size, transitionIds.length);
    for (const { targets } of states.flatMap(({ transitions }) => transitions))
      for (const target of targets) t.true(stateIds.has(target), target);
    for (const id of mainWay) t.true(transitionIds.includes(id), id);
    for (const state of states) t.is(machine.getStateNodeById(state.id).type, state.kind);
  });
}

test('the main ways of the machines run from the first state to where the work is done', (t) => {
  const ways = machines.map((machine) => chartOf(machine).mainWay.map((id) => id.slice(0, id.indexOf('#'))));
  t.deepEqual(ways, [
    ['caption-production.producing', 'caption-production.checking'],
    ['language-explanation.started'],
    [
      'owned-ingest.queued.awaitingMedia',
      'owned-ingest.queued.awaitingWorker',
      'owned-ingest.probing',
      'owned-ingest.sealing.writing',
      'owned-ingest.sealing.registering',
    ],
    ['publish-review.queued', 'publish-review.deciding'],
    [
      'runtime.accepted',
      'runtime.initializing',
      'runtime.running.detect',
      'runtime.running.subtitles',
      'runtime.running.read',
      'runtime.running.assess',
      'runtime.running.decide',
      'runtime.running.admit',
    ],
    [
      'videohost-ingest.queued',
      'videohost-ingest.resolving',
      'videohost-ingest.downloading',
      'videohost-ingest.probing',
      'videohost-ingest.sealing.writing',
      'videohost-ingest.sealing.registering',
    ],
  ]);
});

test('a main way completes a nested state, and goes through each region of a parallel one', (t) => {
  t.deepEqual(chartOf(sampleMachine).mainWay, [
    'sample.idle#begin#0',
    'sample.working.fetching#again.and.again.with.a.long.name#0',
    'sample.working.checking#xstate.done.state.sample.working.checking#0',
    'sample.working#xstate.done.state.sample.working#0',
    'sample.working.checking.left.a##0',
    'sample.working.checking.right.a#*#0',
  ]);
});

test('a machine that declares no main way has none, and one without a version says so', (t) => {
  const chart = chartOf(unversionedMachine);
  t.deepEqual(chart.mainWay, []);
  t.is(chart.machineVersion, 'unversioned');
});

test("XState's own events are described in words", (t) => {
  const chart = chartOf(sampleMachine);
  const label = (id: string): string => transitionNamed(chart, id).label;
  t.is(label('sample.working#xstate.error.actor.download#0'), 'error of download');
  t.is(label('sample.working#xstate.done.state.sample.working#0'), 'working done');
  t.is(label('sample.working.checking#xstate.done.state.sample.working.checking#0'), 'every part done');
  t.is(label('sample.working.checking.left.a##0'), 'at once');
  t.is(label('sample.working.checking.right.a#*#0'), 'any event');
  t.is(label('sample#stop#0'), 'stop');
  const runtime = machines.map(chartOf).find(({ machineId }) => machineId === 'runtime');
  if (runtime === undefined) throw new Error('no chart of the runtime');
  t.is(transitionNamed(runtime, 'runtime.running#xstate.error.actor.*#1').label, 'error of any effect');
  t.is(transitionNamed(runtime, 'runtime.running.read#xstate.done.actor.read#0').label, 'read done');
});

test('guards, actions, invokes and descriptions appear by their names', (t) => {
  const chart = chartOf(sampleMachine);
  t.is(
    transitionNamed(chart, 'sample.working.fetching#again.and.again.with.a.long.name#0').guard,
    '(isEarly and not isTired)',
  );
  t.deepEqual(transitionNamed(chart, 'sample.working#retry#0').actions, ['count', 'note']);
  t.deepEqual(transitionNamed(chart, 'sample.working.checking#xstate.done.state.sample.working.checking#0').actions, [
    'raise stay',
  ]);
  t.like(transitionNamed(chart, 'sample.idle#stay#0'), { targets: [], description: 'nothing moves' });
  t.true(transitionNamed(chart, 'sample.working.fetching#loop#0').reenter);
  t.deepEqual(stateNamed(chart, 'sample.working').invokes, [{ id: 'download', actor: 'fetch' }]);
  t.deepEqual(stateNamed(chart, 'sample.idle').exit, ['note']);
  t.regex(chart.root.description ?? '', /^Shows every kind/);
});

for (const machine of machines) {
  test(`every state of ${machine.id} is described in sentences`, (t) => {
    for (const { id, description } of allStates(chartOf(machine).root)) {
      t.regex(description ?? '', /^\p{L}[^\n]*\.$/u, id);
    }
  });
}

test('a main way over an unknown state, or where no transition leads, is refused', (t) => {
  const { root } = chartOf(publishReviewMachine);
  t.throws(() => mainWayOf(root, [['deciding', 'forgotten']]), { message: /names the state forgotten/ });
  t.throws(() => mainWayOf(root, [['rejected', 'approved']]), { message: /no transition leads/ });
});

test('the active states of a chart are its innermost ones, one for each region', (t) => {
  t.deepEqual(activeStatesOf('queued'), ['queued']);
  t.deepEqual(activeStatesOf({ sealing: 'writing' }), ['sealing.writing']);
  t.deepEqual(activeStatesOf({ checking: { left: 'a', right: {} } }), ['checking.left.a', 'checking.right']);
});

test('a chart is in a state and in all around it, not in one with a similar name', (t) => {
  t.true(isInState({ running: 'read' }, 'running'));
  t.true(isInState({ running: 'read' }, 'running.read'));
  t.false(isInState({ running: 'read' }, 'run'));
  t.false(isInState('running', 'running.read'));
});
