import { assign, emit, fromCallback, fromPromise, setup } from 'xstate';
import { type ActorDefinition, effect, type Phase } from '../../../actors/supervision/actor-definition.ts';
import type { Supervisor } from '../../../actors/supervision/supervisor.ts';
import type { TimeBudgets } from '../../../actors/supervision/time-budgets.ts';
import type { WorkQueue } from '../../../actors/supervision/work-queue.ts';
import { type CommitEmission, commitOf, type EffectOutcome } from '../../../machines/commit-emission.ts';
import type { EventDraft, Write } from '../../../storage/ledger/ledger.ts';
import { draft } from '../../storage/ledger/scratch.ts';

type ErrandInput = { readonly id: string };

export interface ErrandContext extends ErrandInput {
  readonly notes: number;
  readonly reason: string | null;
}

type ErrandEvent =
  | { readonly type: 'call' }
  | { readonly type: 'worker.granted' }
  | { readonly type: 'note'; readonly events?: readonly EventDraft[]; readonly writes?: readonly Write[] }
  | { readonly type: 'poison' }
  | { readonly type: 'rest' }
  | { readonly type: 'deadline.reached' }
  | { readonly type: 'content.damaged'; readonly message: string }
  | { readonly type: 'supervision.exhausted'; readonly message: string };

/** The effect of an errand, as a test sees it: it ends when the test says so. */
export interface RunningEffect {
  readonly id: string;
  readonly signal: AbortSignal;
  resolve(outcome: EffectOutcome): void;
  reject(error: unknown): void;
}

const machine = setup({
  types: {
    context: {} as ErrandContext,
    events: {} as ErrandEvent,
    input: {} as ErrandInput,
    emitted: {} as CommitEmission,
  },
  actors: {
    work: fromPromise<EffectOutcome, ErrandInput>(() => Promise.reject(new Error('not provided'))),
    deadline: fromCallback<ErrandEvent, ErrandInput>(() => undefined),
  },
  actions: {
    choke: () => {
      throw new Error('the event is poison');
    },
    remember: assign({ reason: (_, { message }: { message: string }) => message }),
  },
}).createMachine({
  id: 'errand',
  version: '1',
  context: ({ input }) => ({ id: input.id, notes: 0, reason: null }),
  initial: 'idle',
  states: {
    idle: { on: { call: 'waiting' } },
    waiting: { on: { 'worker.granted': 'working' } },
    working: {
      entry: emit({ type: 'commit', events: [draft('working')], writes: [] }),
      invoke: [
        {
          id: 'work',
          src: 'work',
          input: ({ context }) => ({ id: context.id }),
          onDone: { target: 'done', actions: emit(({ event }) => commitOf(event.output)) },
          onError: 'failed',
        },
        { id: 'deadline', src: 'deadline', input: ({ context }) => ({ id: context.id }) },
      ],
      on: { 'deadline.reached': 'failed' },
    },
    resting: { on: { call: 'waiting' } },
    done: { type: 'final' },
    failed: { type: 'final', entry: emit(({ context }) => commitOf({ events: [draft(context.reason)], writes: [] })) },
  },
  on: {
    rest: '.resting',
    note: {
      actions: [
        assign({ notes: ({ context }) => context.notes + 1 }),
        emit(({ event }) => commitOf({ events: event.events ?? [draft('note')], writes: event.writes ?? [] })),
      ],
    },
    poison: { actions: 'choke' },
    'content.damaged': { target: '.failed', actions: { type: 'remember', params: ({ event }) => event } },
    'supervision.exhausted': { target: '.failed', actions: { type: 'remember', params: ({ event }) => event } },
  },
});

const phases: Record<string, Phase> = { idle: 'idle', waiting: 'waiting', working: 'working', resting: 'passivated' };

/** A definition of actors made for tests: it can wait, work under a deadline, rest, take notes and choke on an event. */
export function errandDefinition(
  port: { readonly supervisor: Supervisor; readonly budgets: TimeBudgets; readonly queue: WorkQueue },
  effects: RunningEffect[],
  changes: Partial<ActorDefinition> = {},
): ActorDefinition {
  const { supervisor, budgets, queue } = port;
  return {
    name: 'errand',
    version: 1,
    migrations: {},
    machine: machine.provide({
      actors: {
        work: effect(
          supervisor,
          ({ id }: ErrandInput) => id,
          ({ id }, signal) =>
            new Promise<EffectOutcome>((resolve, reject) => effects.push({ id, signal, resolve, reject })),
        ),
        deadline: fromCallback<ErrandEvent, ErrandInput>(({ input, sendBack }) =>
          budgets.run(input.id, () => sendBack({ type: 'deadline.reached' })),
        ),
      },
    }),
    queue,
    hasJournal: true,
    status: String,
    phase: (value) => phases[String(value)] ?? 'ended',
    standing: async ({ input }) => ({ value: 'idle', context: { ...(input as ErrandInput), notes: 0, reason: null } }),
    writes: ({ id, emissions }) =>
      emissions.flatMap((emission) => {
        const { events, writes } = emission as CommitEmission;
        return events.length === 0 ? [...writes] : [{ append: id, events }, ...writes];
      }),
    committed: () => undefined,
    ...changes,
  };
}
