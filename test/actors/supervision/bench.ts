import type { ExecutionContext } from 'ava';
import { assign, emit, fromCallback, fromPromise, setup } from 'xstate';
import { type ActorDefinition, effect, type Phase } from '../../../actors/supervision/actor-definition.ts';
import { type RecoveryReport, recover } from '../../../actors/supervision/recovery.ts';
import { Supervisor } from '../../../actors/supervision/supervisor.ts';
import { TimeBudgets } from '../../../actors/supervision/time-budgets.ts';
import { WorkQueue } from '../../../actors/supervision/work-queue.ts';
import { type CommitEmission, type EffectOutcome, emissionOf } from '../../../machines/emission.ts';
import type {
  EventDraft,
  JournalPage,
  Ledger,
  Space,
  StoredJournalHead,
  Write,
} from '../../../storage/ledger/ledger.ts';
import { draft, openScratchLedger, scratchFolder, startOfTest } from '../../storage/ledger/scratch.ts';
import { SimulatedClock } from './simulated-clock.ts';

/** A ledger whose commits wait while its gate is shut, and which records the requested commits. */
export class GatedLedger implements Ledger {
  readonly commits: (readonly Write[])[] = [];
  readonly #ledger: Ledger;
  #gate: Promise<void> = Promise.resolve();
  #open: () => void = () => undefined;
  #tail: Promise<unknown> = Promise.resolve();
  #refusal: Error | null = null;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  shut(): void {
    this.#gate = new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  open(): void {
    this.#open();
  }

  /** Fails every commit from now on. */
  refuse(error: Error): void {
    this.#refusal = error;
  }

  commit(writes: readonly Write[]): Promise<void> {
    if (this.#refusal !== null) return Promise.reject(this.#refusal);
    this.commits.push(writes);
    const committed = Promise.all([this.#gate, this.#tail]).then(() => this.#ledger.commit(writes));
    this.#tail = committed.catch(() => undefined);
    return committed;
  }

  stored(runId?: string) {
    return this.#ledger.stored(runId);
  }

  eraseEvents(runId: string, limit: number): Promise<number> {
    return this.#ledger.eraseEvents(runId, limit);
  }

  purge(signal?: AbortSignal) {
    return this.#ledger.purge(signal);
  }

  copyTo(directory: string) {
    return this.#ledger.copyTo(directory);
  }

  async durable(): Promise<void> {
    await this.#tail;
    await this.#ledger.durable();
  }

  demandInPlace(): void {
    this.#ledger.demandInPlace();
  }

  newestCommit(): number {
    return this.#ledger.newestCommit();
  }

  get(space: Space, key: string): unknown {
    return this.#ledger.get(space, key);
  }

  getMany(space: Space, keys: readonly string[]): Promise<unknown[]> {
    return this.#ledger.getMany(space, keys);
  }

  list(space: Space, prefix?: string): Promise<{ key: string; value: unknown }[]> {
    return this.#ledger.list(space, prefix);
  }

  keysAfter(space: Space, prefix: string, after: string, limit: number): Promise<string[]> {
    return this.#ledger.keysAfter(space, prefix, after, limit);
  }

  journalHead(runId: string): StoredJournalHead {
    return this.#ledger.journalHead(runId);
  }

  journalPage(runId: string, after: number, limit: number): Promise<JournalPage> {
    return this.#ledger.journalPage(runId, after, limit);
  }

  verifyJournal(runId: string): Promise<StoredJournalHead> {
    return this.#ledger.verifyJournal(runId);
  }

  close(): Promise<void> {
    this.open();
    return this.#tail.then(() => this.#ledger.close());
  }
}

interface Reports {
  /** Gets every failure that ends the process; if absent, a failure fails the test. */
  readonly fatal?: (error: Error) => void;
  readonly report?: (line: string) => void;
}

/** A supervisor over a ledger whose commits can wait, on a clock that the test moves. Both end with the test. */
export function openSupervisor(t: ExecutionContext, stored: Ledger, clock: SimulatedClock, reports: Reports = {}) {
  const { fatal = (error) => t.fail(error.message), report = (line) => t.log(line) } = reports;
  const ledger = new GatedLedger(stored);
  const budgets = new TimeBudgets(clock);
  const supervisor = new Supervisor({ ledger, clock, elapsed: clock.elapsed, budgets, fatal, report });
  let closed: Promise<void> | undefined;
  /** Ends the process: nothing more is written. */
  const close = (): Promise<void> => {
    supervisor.stop();
    closed ??= ledger.close();
    return closed;
  };
  t.teardown(close);
  return { clock, ledger, budgets, supervisor, report, close };
}

/** Waits until everything that was set off is on disk and has had its consequences. */
export async function quiet({ ledger }: { readonly ledger: Ledger }): Promise<void> {
  for (let round = 0; round < 5; round += 1) {
    await ledger.durable().catch(() => undefined);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

type ErrandInput = { readonly id: string };

interface ErrandContext extends ErrandInput {
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
interface RunningEffect {
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
          onDone: { target: 'done', actions: emit(({ event }) => emissionOf(event.output)) },
          onError: 'failed',
        },
        { id: 'deadline', src: 'deadline', input: ({ context }) => ({ id: context.id }) },
      ],
      on: { 'deadline.reached': 'failed' },
    },
    resting: { on: { call: 'waiting' } },
    done: { type: 'final' },
    failed: {
      type: 'final',
      entry: emit(({ context }) => emissionOf({ events: [draft(context.reason)], writes: [] })),
    },
  },
  on: {
    rest: '.resting',
    note: {
      actions: [
        assign({ notes: ({ context }) => context.notes + 1 }),
        emit(({ event }) => emissionOf({ events: event.events ?? [draft('note')], writes: event.writes ?? [] })),
      ],
    },
    poison: { actions: 'choke' },
    'content.damaged': { target: '.failed', actions: { type: 'remember', params: ({ event }) => event } },
    'supervision.exhausted': { target: '.failed', actions: { type: 'remember', params: ({ event }) => event } },
  },
});

const phases: Record<string, Phase> = { idle: 'idle', waiting: 'waiting', working: 'working', resting: 'passivated' };

/** A definition of actors made for tests: it can wait, work under a deadline, rest, take notes and choke on an event. */
function errandDefinition(
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
    storedPosition: async ({ input }) => ({
      value: 'idle',
      context: { ...(input as ErrandInput), notes: 0, reason: null },
    }),
    writes: ({ id, emissions }) =>
      emissions.flatMap((emission) => {
        const { events, writes } = emission as CommitEmission;
        return events.length === 0 ? [...writes] : [{ append: id, events }, ...writes];
      }),
    committed: () => undefined,
    ...changes,
  };
}

export interface BenchOptions {
  readonly workers?: number;
  readonly now?: number;
  readonly definition?: Partial<ActorDefinition>;
}

export type Bench = Awaited<ReturnType<typeof openBench>>;

/** A supervisor of errands over a real store, as one process would have it. */
export async function openBench(t: ExecutionContext, directory: string, options: BenchOptions = {}) {
  const clock = new SimulatedClock(options.now ?? startOfTest);
  const reports: string[] = [];
  const fatal: Error[] = [];
  const opened = openSupervisor(t, await openScratchLedger(t, directory, { clock }), clock, {
    fatal: (error) => fatal.push(error),
    report: (text) => reports.push(text),
  });
  const { ledger, supervisor, budgets, close } = opened;
  const queue = new WorkQueue(options.workers ?? 1, (id) => void supervisor.send(id, { type: 'worker.granted' }));
  const effects: RunningEffect[] = [];
  const definition = errandDefinition({ supervisor, budgets, queue }, effects, options.definition);
  supervisor.register(definition);
  const spawn = (id: string, writes: readonly Write[] = [], budgetMs?: number) =>
    supervisor.spawn(definition, id, { id }, writes, budgetMs);
  const settled = () => quiet({ ledger });
  return {
    clock,
    ledger,
    supervisor,
    queue,
    definition,
    reports,
    fatal,
    spawn,
    close,
    /** Effects in the order in which they started. */
    effects,
    recover: (): Promise<RecoveryReport> => recover(supervisor, ledger),
    /** The content of an errand on disk. */
    context: (id: string): ErrandContext => {
      const row = supervisor.read(id);
      if (row === undefined) throw new Error(`there is no errand ${id}`);
      return (row.snapshot as { context: ErrandContext }).context;
    },
    status: (id: string) => supervisor.read(id)?.status,
    /** Spawns an errand and calls it. */
    call: async (id: string): Promise<boolean> => {
      await spawn(id);
      return supervisor.send(id, { type: 'call' });
    },
    /** Spawns an errand, calls it and lets it work. */
    work: async (id: string, budgetMs?: number): Promise<void> => {
      await spawn(id, [], budgetMs);
      await supervisor.send(id, { type: 'call' });
      await supervisor.send(id, { type: 'worker.granted' });
    },
    /** Lets time pass, and what then happens come to its end. */
    advance: (ms: number): Promise<void> => {
      clock.advance(ms);
      return settled();
    },
    /** Ends the nth effect with an event, and lets what then happens come to its end. */
    finish: (nth: number, outcome: EffectOutcome = { events: [draft('found')], writes: [] }): Promise<void> => {
      effects.at(nth)?.resolve(outcome);
      return settled();
    },
    /** Waits until everything that was set off is on disk and has had its consequences. */
    settled,
  };
}

/** The same over a new store. */
export const newBench = async (t: ExecutionContext, options?: BenchOptions): Promise<Bench> =>
  openBench(t, await scratchFolder(t), options);
