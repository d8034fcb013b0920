import { and, assign, createMachine, fromPromise, not, raise, setup } from 'xstate';

/** A machine with every kind of thing that a chart can hold; it is drawn and never run. */
export const sampleMachine = setup({
  types: { events: {} as { type: 'begin' | 'retry' | 'loop' | 'stay' | 'again.and.again.with.a.long.name' | 'stop' } },
  actors: { fetch: fromPromise(async () => undefined) },
  guards: { isEarly: () => true, isTired: () => false },
  actions: { count: assign({}), note: () => undefined },
}).createMachine({
  id: 'sample',
  version: '7',
  description: 'Shows every kind of thing that a chart can hold, with a text that needs more than one line',
  meta: {
    mainWays: [
      ['idle', 'working.fetching', 'working.checking', 'working.settled', 'finished'],
      ['working.checking.left.a', 'working.checking.left.b'],
      ['working.checking.right.a', 'working.checking.right.b'],
    ],
  },
  initial: 'idle',
  states: {
    idle: { on: { begin: 'working', stay: { actions: 'note', description: 'nothing moves' } }, exit: 'note' },
    working: {
      initial: 'fetching',
      invoke: { id: 'download', src: 'fetch', onError: 'broken' },
      states: {
        fetching: {
          on: {
            loop: { target: 'fetching', reenter: true },
            'again.and.again.with.a.long.name': { guard: and(['isEarly', not('isTired')]), target: 'checking' },
          },
        },
        checking: {
          type: 'parallel',
          states: {
            left: { initial: 'a', states: { a: { always: 'b' }, b: { type: 'final' } } },
            right: { initial: 'a', states: { a: { on: { '*': 'b' } }, b: { type: 'final' } } },
          },
          onDone: { target: 'settled', actions: raise({ type: 'stay' }) },
        },
        settled: { type: 'final' },
      },
      on: { retry: { target: '.fetching', actions: ['count', 'note'] } },
      onDone: 'finished',
    },
    finished: { type: 'final' },
    broken: { on: { retry: 'idle' } },
  },
  on: { stop: '.broken' },
});

/** The same without a version. */
export const unversionedMachine = createMachine({ id: 'plain', initial: 'only', states: { only: {} } });
