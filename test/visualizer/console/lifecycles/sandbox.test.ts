import test from 'ava';
import { createMachine, getStateNodes, initialTransition } from 'xstate';
import { machines } from '../../../../machines/catalogue.ts';
import { chartOf } from '../../../../machines/lifecycles/machine-chart.ts';
import { studyMachine } from '../../../../machines/study.ts';
import { type Sandbox, sandbox, sandboxAt } from '../../../../visualizer/console/lifecycles/sandbox/sandbox.ts';
import { sampleMachine } from '../../../machines/lifecycles/sample-machine.ts';

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

test('a machine made of a chart begins where the machine itself begins', (t) => {
  for (const machine of machines) {
    const states = sandbox(chartOf(machine)).store.getSnapshot().context.standings[0]?.states;
    const chart = chartOf(machine);
    t.true(states?.every((id) => id.startsWith(`${chart.root.id}.`)));
    if (machine.id !== 'runtime') continue;
    const [begun] = initialTransition(studyMachine, { runtimeId: 'r', commandId: 'c' });
    const own = getStateNodes(studyMachine.root, begun.value).filter((node) => Object.keys(node.states).length === 0);
    t.deepEqual(
      states,
      own.map(({ id }) => id),
    );
  }
});

test('what could come next is that of the state and of all states around it, with the guards that it depends on', (t) => {
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
