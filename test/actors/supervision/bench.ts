import type { ExecutionContext } from 'ava';
import type { ActorDefinition } from '../../../actors/supervision/actor-definition.ts';
import { type RecoveryReport, recover } from '../../../actors/supervision/recovery.ts';
import { Supervisor } from '../../../actors/supervision/supervisor.ts';
import { TimeBudgets } from '../../../actors/supervision/time-budgets.ts';
import { WorkQueue } from '../../../actors/supervision/work-queue.ts';
import type { Write } from '../../../storage/ledger/ledger.ts';
import { openScratchLedger, startOfTest } from '../../storage/ledger/scratch.ts';
import { type ErrandContext, errandDefinition, type RunningEffect } from './errand.ts';
import { GatedLedger } from './gated-ledger.ts';
import { SimulatedClock } from './simulated-clock.ts';

/** A supervisor over a real store, as one process would have it. */
export interface Bench {
  readonly clock: SimulatedClock;
  readonly ledger: GatedLedger;
  readonly supervisor: Supervisor;
  readonly queue: WorkQueue;
  readonly definition: ActorDefinition;
  /** Effects in the order in which they started. */
  readonly effects: RunningEffect[];
  readonly reports: string[];
  readonly fatal: Error[];
  recover(): Promise<RecoveryReport>;
  /** What an errand carries, as far as it is on disk. */
  context(id: string): ErrandContext;
  spawn(id: string, writes?: readonly Write[], budgetMs?: number): Promise<void>;
  /** Spawns an errand, calls it and lets it work. */
  work(id: string, budgetMs?: number): Promise<void>;
  /** Ends the process: nothing more is written. */
  close(): Promise<void>;
}

export interface BenchOptions {
  readonly workers?: number;
  readonly now?: number;
  readonly definition?: Partial<ActorDefinition>;
}

export async function openBench(t: ExecutionContext, directory: string, options: BenchOptions = {}): Promise<Bench> {
  const clock = new SimulatedClock(options.now ?? startOfTest);
  const ledger = new GatedLedger(await openScratchLedger(t, directory, { clock }));
  const budgets = new TimeBudgets(clock);
  const reports: string[] = [];
  const fatal: Error[] = [];
  const supervisor = new Supervisor({
    ledger,
    clock,
    elapsed: clock.elapsed,
    budgets,
    fatal: (error) => fatal.push(error),
    report: (text) => reports.push(text),
  });
  const queue = new WorkQueue(options.workers ?? 1, (id) => void supervisor.send(id, { type: 'worker.granted' }));
  const effects: RunningEffect[] = [];
  const definition = errandDefinition({ supervisor, budgets, queue }, effects, options.definition);
  supervisor.register(definition);
  const close = async () => {
    supervisor.stop();
    await ledger.close();
  };
  t.teardown(close);
  const spawn = (id: string, writes: readonly Write[] = [], budgetMs?: number) =>
    supervisor.spawn(definition, id, { id }, writes, budgetMs);
  return {
    clock,
    ledger,
    supervisor,
    queue,
    definition,
    effects,
    reports,
    fatal,
    recover: () => recover(supervisor, ledger),
    context: (id) => {
      const row = supervisor.read(id);
      if (row === undefined) throw new Error(`there is no errand ${id}`);
      return (row.snapshot as { context: ErrandContext }).context;
    },
    spawn,
    work: async (id, budgetMs) => {
      await spawn(id, [], budgetMs);
      await supervisor.send(id, { type: 'call' });
      await supervisor.send(id, { type: 'worker.granted' });
    },
    close,
  };
}

/** Waits until everything that was set off is on disk and has had its consequences. */
export async function quiet({ ledger }: Pick<Bench, 'ledger'>): Promise<void> {
  for (let round = 0; round < 5; round += 1) {
    await ledger.durable().catch(() => undefined);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
