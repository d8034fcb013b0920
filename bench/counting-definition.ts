import { assign, emit, setup } from 'xstate';
import type { ActorDefinition } from '../actors/supervision/actor-definition.ts';
import { WorkQueue } from '../actors/supervision/work-queue.ts';
import { type CommitEmission, emissionOf } from '../machines/emission.ts';
import type { EventDraft } from '../storage/ledger/ledger.ts';

interface Counted {
  readonly runtimeId: string;
  readonly count: number;
}

const draft = (from: string, to: string): EventDraft => ({
  producer: { kind: 'scheduler', id: 'studio.task-scheduler' },
  causationId: null,
  correlationId: null,
  type: 'task.transitioned',
  data: { taskId: '00000000-0000-4000-8000-000000000000', from, to, attempt: 1 },
});

const machine = setup({
  types: {
    context: {} as Counted,
    input: {} as { runtimeId: string },
    events: {} as { type: 'step' },
    emitted: {} as CommitEmission,
  },
  actions: {
    count: assign({ count: ({ context }) => context.count + 1 }),
    record: emit((_, { from, to }: { from: string; to: string }) =>
      emissionOf({ events: [draft(from, to)], writes: [] }),
    ),
  },
}).createMachine({
  id: 'counting',
  context: ({ input }) => ({ runtimeId: input.runtimeId, count: 0 }),
  initial: 'even',
  states: {
    even: {
      on: { step: { target: 'odd', actions: ['count', { type: 'record', params: { from: 'even', to: 'odd' } }] } },
    },
    odd: {
      on: { step: { target: 'even', actions: ['count', { type: 'record', params: { from: 'odd', to: 'even' } }] } },
    },
  },
});

/** The smallest actor that does what every transition of a study does: move, and add an event to a journal. */
export const countingKind: ActorDefinition = {
  name: 'counting',
  version: 1,
  migrations: {},
  machine,
  queue: new WorkQueue(1, () => undefined),
  hasJournal: true,
  status: String,
  phase: () => 'idle',
  storedPosition: async () => null,
  writes: ({ id, emissions }) =>
    (emissions as CommitEmission[]).flatMap(({ events }) => (events.length === 0 ? [] : [{ append: id, events }])),
  committed: () => undefined,
};
