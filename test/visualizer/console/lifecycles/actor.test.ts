import test from 'ava';
import type { JournalEvent } from '../../../../contract/journal/journal-event.ts';
import type { ActorTransition, ActorTransitions } from '../../../../contract/lifecycles/actor-transitions.ts';
import { chartOf } from '../../../../machines/lifecycles/machine-chart.ts';
import { studyMachine } from '../../../../machines/study.ts';
import { stepsOf, takenBetween } from '../../../../visualizer/console/lifecycles/actor/moves.ts';
import { pathMarks, takenIn } from '../../../../visualizer/console/lifecycles/actor/path.ts';
import { recordsOf } from '../../../../visualizer/console/lifecycles/actor/records.ts';
import { scrubber, shownPlace } from '../../../../visualizer/console/lifecycles/actor/scrubber.ts';
import { chartIndex } from '../../../../visualizer/console/lifecycles/chart/chart-index.ts';
import { briefly, eventWords } from '../../../../visualizer/console/lifecycles/words.ts';
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

test('the arrow that a step took is found by its event and both ends, wildcards and states around it included', (t) => {
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

test('steps have the time that was spent, and arrows how often they were taken and after how long', (t) => {
  const steps = stepsOf(study, walk);
  t.deepEqual(
    steps.map(({ stayedMs }) => stayedMs),
    [100, 300, 4_600, 1_000, null],
  );
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
  model.send({ type: 'heard', page: page(walk.slice(0, 3)) });
  t.is(now(), 2);
  model.send({ type: 'stepped', by: -1 });
  model.send({ type: 'heard', page: page(walk.slice(2)) });
  t.is(now(), 1, 'what comes does not move what is looked at');
  t.is(model.getSnapshot().context.transitions.length, 5, 'what is known already is not added again');
  model.send({ type: 'stepped', by: -5 });
  t.is(now(), 0);
  model.send({ type: 'movedTo', place: 4 });
  t.is(model.getSnapshot().context.at, null);
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
  const steps = stepsOf(study, walk);
  t.deepEqual(recordsOf(events, steps, 0).events, []);
  const { events: found, receipts } = recordsOf(events, steps, 2);
  t.deepEqual(
    found.map(({ seq }) => seq),
    [1, 2],
  );
  t.deepEqual(
    receipts.map(({ id }) => id),
    ['artifact:1', 'receipt:2'],
  );
  t.deepEqual(
    recordsOf(events, steps, 4).events.map(({ seq }) => seq),
    [4],
  );
});

test('times and events are said briefly', (t) => {
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
