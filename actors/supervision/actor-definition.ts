import { type AnyMachineSnapshot, type AnyStateMachine, type EventObject, fromPromise, type StateValue } from 'xstate';
import type { Clock } from '../../contract/base/clock.ts';
import { StorageUnavailable } from '../../contract/base/errors.ts';
import { following, paused } from '../../formats/followed-signal.ts';
import type { ChartOf } from '../../machines/catalogue.ts';
import type { Write } from '../../storage/ledger/ledger.ts';
import type { RowOf, VersionedChart } from './actor-row.ts';
import type { WorkQueue } from './work-queue.ts';

const firstWaitMs = 1_000;
const longestWaitMs = 30_000;

/**
 * Runs work again, after a growing wait, as long as the storage refuses its reads: the work itself is not at fault. Rejects with
 * any other error of it, and with the reason of `signal` once that aborts.
 */
async function untilAvailable<Result>(clock: Clock, signal: AbortSignal, run: () => Promise<Result>): Promise<Result> {
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(2 * waitMs, longestWaitMs)) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) throw error;
    }
    await paused(clock, waitMs, signal);
  }
}

/**
 * The relation of an actor to its workers. A waiting one stays known to the supervisor, but has no interpreter until it gets a
 * worker or another event: its state invokes nothing. A passivated one is stored like an ended one, costs a start nothing, and
 * resumes with its next event.
 */
export type Phase = 'idle' | 'waiting' | 'working' | 'passivated' | 'ended';

/** One transition as it is about to be committed. */
export interface ActorChange<Kind extends string = string> {
  readonly id: string;
  readonly input: ChartOf<Kind>['input'];
  readonly emissions: readonly ChartOf<Kind>['emission'][];
  /** The state that was left; null for the first snapshot. */
  readonly before: StateValue | null;
  readonly after: AnyMachineSnapshot & { readonly context: ChartOf<Kind>['context'] };
}

/** A state of a chart, with what it carries. */
export interface ChartPosition {
  readonly value: StateValue;
  readonly context: object;
}

/** Everything that the supervisor needs of one kind of actor; the chart itself does not refer to it. */
export interface ActorDefinition<Kind extends string = string> extends VersionedChart {
  readonly name: Kind;
  /** The chart with its effects provided. */
  readonly machine: AnyStateMachine;
  readonly queue: WorkQueue;
  /** True if the actor's id names a journal, which has to be checked before the actor is resumed. */
  readonly hasJournal: boolean;
  phase(value: StateValue): Phase;
  /**
   * The event that ends an actor whose state must not be entered a second time, after a crash of the host or of the actor. Null
   * for a state that may. Kinds without such states leave it out.
   */
  cutShort?(value: StateValue): EventObject | null;
  /**
   * The state of an actor in terms of the present chart, by its durable record: its journal, or its row if it has none. Null for
   * one that is over. Called for a row that the chart cannot restore and no migration converts, such as one of a newer version.
   * Rejects when the record cannot be read.
   */
  storedPosition(row: RowOf<Kind>): Promise<ChartPosition | null>;
  /** Reads what the effects of a stored actor need to know of its journal, before it is taken up or ended. */
  recall?(id: string): Promise<void>;
  /** The writes that the facts of a transition add to its commit. */
  writes(change: ActorChange<Kind>): Write[];
  /** Called once the row of a transition is on disk. */
  committed(id: string, row: RowOf<Kind>): void;
}

/**
 * Makes the effect of an invoke. It starts only after the commit of the snapshot that invoked it, so that every snapshot on disk
 * lists the work that a crash leaves. `actorOf` names its actor, and `lifetime` ends with that actor, also when the actor fails.
 * It is run again while the storage refuses its reads; such a refusal comes before anything that must not be done twice.
 */
export function effect<Output, Input extends object>(
  barrier: {
    readonly clock: Clock;
    settled(id: string): Promise<void>;
    lifetime(id: string): AbortSignal;
    running<Result>(work: Promise<Result>): Promise<Result>;
  },
  actorOf: (input: Input) => string,
  run: (input: Input, signal: AbortSignal) => Promise<Output>,
) {
  return fromPromise<Output, Input>(async ({ input, signal }) => {
    // One microtask later the transition's own commit is under way; the barrier then waits for it.
    await Promise.resolve();
    const id = actorOf(input);
    await barrier.settled(id);
    return following([signal, barrier.lifetime(id)], async (until) => {
      until.throwIfAborted();
      return barrier.running(untilAvailable(barrier.clock, until, () => run(input, until)));
    });
  });
}

/** The last writes of an actor that is ended from outside; `rows` leaves out a journal that cannot be trusted. */
export type LastEntries = 'all' | 'rows' | 'none';

/** The last entries of an actor. It ends even when what it would write cannot be worked out. */
export function lastWrites(
  definition: ActorDefinition,
  change: ActorChange,
  entries: LastEntries,
  report: (line: string) => void,
): readonly Write[] {
  if (entries === 'none') return [];
  try {
    const writes = definition.writes(change);
    return entries === 'all' ? writes : writes.filter((write) => !('append' in write));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    report(`${definition.name} ${change.id} ends without its last entries: ${message}`);
    return [];
  }
}
