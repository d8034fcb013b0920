import test from 'ava';
import type { AnyEventObject } from 'xstate';
import { studyMachine } from '../../machines/study.ts';
import type { StudyContext } from '../../machines/study-types.ts';
import { type Ending, testPaths } from './path-tests.ts';
import { runsOf } from './run.ts';
import type { Scenario } from './scenario.ts';

const input = { runtimeId: 'runtime:one', commandId: 'command:one' };
const budgetMs = 60_000;

const outcome = (step: string) => ({
  events: [{ producer: { kind: 'study', id: step }, causationId: null, correlationId: null, type: step, data: {} }],
  writes: [{ put: 'record', key: step, value: { step } }],
});

const interruption = { lifecycle: 'interrupted', code: 'executor_interrupted', message: 'the host is stopping' };
const damage = { lifecycle: 'failed', code: 'stored_content_inconsistent', message: 'an object fails its hash' };
const errors = [new Error('it went wrong'), interruption, damage];

const effect = (...outputs: readonly unknown[]) => ({ input, outputs, errors });

const scenario: Scenario = {
  machine: studyMachine,
  input,
  effects: {
    initialize: effect(outcome('initialize')),
    detect: effect(outcome('detect')),
    subtitles: effect(
      { ...outcome('subtitles'), recognizes: false, readsScreen: false },
      { ...outcome('subtitles'), recognizes: true, readsScreen: false },
      { ...outcome('subtitles'), recognizes: false, readsScreen: true },
    ),
    recognize: effect({ ...outcome('recognize'), readsScreen: false }, { ...outcome('recognize'), readsScreen: true }),
    readScreen: effect(outcome('readScreen')),
    read: effect(outcome('read')),
    assess: effect({ ...outcome('assess'), claimCount: 2 }, { ...outcome('assess'), claimCount: 0 }),
    decide: effect(outcome('decide')),
    admit: effect(outcome('admit')),
  },
  timers: { deadline: { input, event: { type: 'deadline.reached' }, dueAt: (now) => now + budgetMs } },
  outside: [
    { type: 'worker.granted' },
    { type: 'study.cancel' },
    { type: 'content.damaged', message: 'the source changed' },
    { type: 'supervision.exhausted', message: 'it crashed again and again' },
  ],
  distinguish: (context) => (context as StudyContext).reason?.code,
};

const nextAnnounced: Readonly<Record<string, string>> = { initialize: 'detect', detect: 'subtitles' };

/** What is committed when an effect has ended, and the step that is announced next. */
const emissionsAfter = ({ type, output }: AnyEventObject): unknown[] => {
  if (!type.startsWith('xstate.done.actor.')) return [];
  const done = type.slice('xstate.done.actor.'.length);
  const ofEngines = output.recognizes ? 'recognize' : output.readsScreen ? 'readScreen' : undefined;
  const next = ofEngines ?? nextAnnounced[done];
  return [
    { type: 'commit', events: output.events, writes: output.writes },
    ...(next === undefined ? [] : [{ type: 'step.started', step: next }]),
  ];
};

const faultOf = ({ type, message, error, actorId }: AnyEventObject) => {
  if (type === 'supervision.exhausted') return { lifecycle: 'interrupted', code: 'executor_interrupted', message };
  if (type === 'study.cancel')
    return { lifecycle: 'interrupted', code: 'executor_interrupted', message: 'canceled: a client canceled the study' };
  if (type === 'content.damaged') return { lifecycle: 'failed', code: 'stored_content_inconsistent', message };
  if (type === 'deadline.reached')
    return { lifecycle: 'failed', code: 'executor_failed', message: 'deadline: the study used up its time' };
  const code = actorId === 'initialize' ? 'initialization_failed' : 'executor_failed';
  return error instanceof Error ? { lifecycle: 'failed', code, message: error.message } : error;
};

const endingOf = (events: readonly AnyEventObject[]): Ending => {
  const last = events.at(-1) ?? { type: 'nothing' };
  const committed = events.flatMap(emissionsAfter);
  if (last.type === 'xstate.done.actor.admit')
    return { value: 'terminal', context: { ...input, reason: null }, emissions: committed };
  const { lifecycle, code, message } = faultOf(last);
  const reason = { code, message };
  return {
    value: lifecycle,
    context: { ...input, reason },
    emissions: [...committed, { type: 'runtime.stopped', lifecycle, reason }],
  };
};

testPaths(scenario, endingOf);

test('of two failures in one turn the first one gives the reason, and a late result changes nothing', async (t) => {
  const run = runsOf(scenario)();
  await run.happen({ type: 'worker.granted' });
  const late = run.happen({ type: 'xstate.done.actor.initialize', output: outcome('initialize') });
  run.send({ type: 'content.damaged', message: 'the source changed' });
  run.send({ type: 'supervision.exhausted', message: 'it crashed again and again' });
  await late;
  const reason = { code: 'stored_content_inconsistent', message: 'the source changed' };
  t.is(run.snapshot().value, 'failed');
  t.deepEqual(run.snapshot().context, { ...input, reason });
  t.deepEqual(run.emissions, [{ type: 'runtime.stopped', lifecycle: 'failed', reason }]);
  t.deepEqual(run.errors, []);
});
