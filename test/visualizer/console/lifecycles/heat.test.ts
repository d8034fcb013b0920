import test from 'ava';
import type { ActorTransition } from '../../../../contract/lifecycles/actor-transitions.ts';
import { chartOf } from '../../../../machines/lifecycles/machine-chart.ts';
import { studyMachine } from '../../../../machines/study.ts';
import { type Step, stepsOf } from '../../../../visualizer/console/lifecycles/actor/moves.ts';
import { chartIndex } from '../../../../visualizer/console/lifecycles/chart/chart-index.ts';
import { compared, partingWords } from '../../../../visualizer/console/lifecycles/comparison/comparison.ts';
import { heatMarks, heatOf, percentile } from '../../../../visualizer/console/lifecycles/heat/heat.ts';

const index = chartIndex(chartOf(studyMachine));

type Move = readonly [event: string | null, state: string, ms: number];

const walk = (...moves: readonly Move[]): readonly Step[] =>
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
const failed = walk(...begun, ['xstate.error.actor.initialize', 'failed', 400]);
const went = walk(...begun, ['xstate.done.actor.initialize', 'running.detect', 300], [null, 'running.detect', 900]);
const stopped = walk(...begun, ['study.cancel', 'interrupted', 200]);

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

test('heat counts arrows, measures visits that have ended, and says where actors left the main way', (t) => {
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
  t.deepEqual(
    heat.exits.map(({ transitionId, from }) => [transitionId, from]),
    [
      ['runtime.initializing#xstate.error.actor.*#1', [['runtime.initializing', 1]]],
      ['runtime#study.cancel#0', [['runtime.initializing', 1]]],
    ],
  );
  const marks = heatMarks(heat);
  t.is(marks.transitions.get('runtime.accepted#worker.granted#0'), 'taken thick-4');
  t.is(marks.transitions.get('runtime#study.cancel#0'), 'lost thick-2');
});

test('two ways are the same until they part, and a resumption is no parting', (t) => {
  const { shared, hasParted } = compared(failed, went);
  t.deepEqual([shared, hasParted], [2, true]);
  t.is(
    partingWords(compared(failed, stopped)),
    'They parted in initializing, after 2 steps: this one went to failed (error of initialize), the other to interrupted (study.cancel).',
  );
  t.is(partingWords(compared(went, went)), 'Both took the same 3 steps.');
  t.is(
    partingWords(compared(went, walk(...begun))),
    'Both took the same 2 steps; one has not gone on from initializing.',
  );
});
