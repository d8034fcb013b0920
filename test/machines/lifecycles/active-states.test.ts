import test from 'ava';
import { activeStatesOf, standsIn } from '../../../machines/lifecycles/active-states.ts';

test('the active states of a chart are its innermost ones, one for each region', (t) => {
  t.deepEqual(activeStatesOf('queued'), ['queued']);
  t.deepEqual(activeStatesOf({ sealing: 'writing' }), ['sealing.writing']);
  t.deepEqual(activeStatesOf({ checking: { left: 'a', right: {} } }), ['checking.left.a', 'checking.right']);
});

test('a chart stands in a state and in all around it, not in one whose name begins alike', (t) => {
  t.true(standsIn({ running: 'read' }, 'running'));
  t.true(standsIn({ running: 'read' }, 'running.read'));
  t.false(standsIn({ running: 'read' }, 'run'));
  t.false(standsIn('running', 'running.read'));
});
