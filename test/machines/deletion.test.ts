import test from 'ava';
import { type DeletionEvent, type DeletionState, deletionAfter, deletionMachine } from '../../machines/deletion.ts';

const ways: Readonly<Record<DeletionState, Partial<Record<DeletionEvent['type'], DeletionState>>>> = {
  needed: { 'need.ended': 'unneeded' },
  unneeded: { 'need.began': 'needed', 'deletion.recorded': 'erasing' },
  erasing: { 'rest.erased': 'deleted' },
  deleted: {},
};

const events = [...new Set(Object.values(ways).flatMap((next) => Object.keys(next) as DeletionEvent['type'][]))];
const states = Object.keys(ways) as DeletionState[];

for (const state of states) {
  test(`a thing that is ${state} goes where its next event says, and takes no other`, (t) => {
    for (const event of events) t.is(deletionAfter(state, event), ways[state][event] ?? null, event);
  });
}

test('the chart of deletions has no other states and events, and only what is deleted is at its end', (t) => {
  t.deepEqual(Object.keys(deletionMachine.states).sort(), [...states].sort());
  t.deepEqual([...deletionMachine.events].sort(), [...events].sort());
  t.deepEqual(
    states.filter((value) => deletionMachine.resolveState({ value }).status === 'done'),
    ['deleted'],
  );
});
