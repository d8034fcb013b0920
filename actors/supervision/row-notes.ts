import {
  type AnyEventObject,
  type AnyMachineSnapshot,
  type EventObject,
  initialTransition,
  type StateValue,
  transition,
} from 'xstate';
import type { Clock } from '../../contract/base/clock.ts';
import { takenIds } from '../../machines/machine-chart.ts';
import { type Ledger, LedgerError } from '../../storage/ledger/ledger.ts';
import type { ActorDefinition } from './actor-definition.ts';
import { type ActorRow, storedSnapshot } from './actor-row.ts';
import { restored } from './row-state.ts';
import type { SupervisedActor } from './supervised-actor.ts';
import type { TimeBudgets } from './time-budgets.ts';

/** The row of an actor that has just reached a snapshot of its own: all counts since the last one restart. */
export function nextRow(
  actor: SupervisedActor,
  snapshot: AnyMachineSnapshot,
  { clock, budgets }: { readonly clock: Clock; readonly budgets: TimeBudgets },
): ActorRow {
  const { definition, row } = actor;
  const status = definition.status(snapshot.value);
  return {
    kind: definition.name,
    machineId: definition.machine.id,
    machineVersion: definition.version,
    input: actor.input,
    status,
    updatedAt: row !== null && row.status === status ? row.updatedAt : clock.now(),
    ticket: definition.phase(snapshot.value) === 'waiting' ? (row?.ticket ?? definition.queue.nextPosition()) : null,
    resumes: 0,
    totalResumes: row?.totalResumes ?? 0,
    remainingMs: budgets.remaining(actor.id),
    snapshot: storedSnapshot.parse(actor.persisted()),
  };
}

interface EndedRow {
  readonly row: ActorRow;
  readonly emissions: EventObject[];
  readonly before: StateValue;
  readonly after: AnyMachineSnapshot;
  /** The ids of the transitions of the chart that the event took. */
  readonly taken: readonly string[];
}

/**
 * Computes, without starting an interpreter, where an event takes a chart that must not run any further. If the chart cannot
 * restore a snapshot, its first state replaces it, so that even then the actor ends in a state of its own. The consequences of
 * that must not be journaled, because the journal may have come further.
 */
export function endedRow(definition: ActorDefinition, row: ActorRow, event: AnyEventObject): EndedRow {
  const { input } = row;
  const current = restored(definition, row) ?? initialTransition(definition.machine, input)[0];
  const taken = takenIds(definition.machine, definition.machine.getTransitionData(current, event));
  const [after, actions] = transition(definition.machine, current, event);
  const emissions = actions.flatMap((action: { type: string; params?: unknown }) =>
    action.type === 'xstate.emit' ? [(action.params as { event: EventObject }).event] : [],
  );
  return {
    emissions,
    before: current.value,
    after,
    taken,
    row: {
      kind: definition.name,
      machineId: definition.machine.id,
      machineVersion: definition.version,
      input,
      status: definition.status(after.value),
      updatedAt: 0,
      ticket: null,
      resumes: row.resumes,
      totalResumes: row.totalResumes,
      remainingMs: null,
      snapshot: storedSnapshot.parse(definition.machine.getPersistedSnapshot(after)),
    },
  };
}

interface RowNotesOptions {
  readonly ledger: Ledger;
  readonly budgets: TimeBudgets;
  /** A commit failed: the host has to stop. */
  readonly fatal: (error: Error) => void;
}

/**
 * The changes of rows between two transitions: the rest of the time, and the mark that the work has come further. The state
 * stays, so nothing is recorded as a transition. A note is left out while a transition is on its way, whose row has the same.
 */
export class RowNotes {
  readonly #options: RowNotesOptions;
  readonly #actors: ReadonlyMap<string, SupervisedActor>;
  readonly #trusted: (id: string) => void;

  /** `trusted` is called with work that need not run alone any more. */
  constructor(options: RowNotesOptions, actors: ReadonlyMap<string, SupervisedActor>, trusted: (id: string) => void) {
    this.#options = options;
    this.#actors = actors;
    this.#trusted = trusted;
    options.budgets.onCharged((id) => void this.#keepTime(id));
  }

  /** Keeps what is left of the time of every actor; resolves when it is on disk. */
  async keepTimes(): Promise<void> {
    await Promise.all([...this.#actors.keys()].map((id) => this.#keepTime(id)));
  }

  /**
   * Work has kept something from which a next host continues: deaths of hosts before that do not count against it. It writes
   * nothing for work that no host has died over since it moved last.
   */
  async moved(id: string): Promise<void> {
    const row = this.#actors.get(id)?.row ?? null;
    if (row === null || (row.resumes === 0 && row.alone === undefined)) return;
    if (await this.#note(id, ({ alone: _, ...counted }) => ({ ...counted, resumes: 0 }))) this.#trusted(id);
  }

  async #keepTime(id: string): Promise<void> {
    const remainingMs = this.#options.budgets.remaining(id);
    if (remainingMs === (this.#actors.get(id)?.row?.remainingMs ?? null)) return;
    await this.#note(id, (row) => row);
  }

  /** Resolves to whether the note is on disk. */
  async #note(id: string, changed: (row: ActorRow) => ActorRow): Promise<boolean> {
    const { ledger, budgets, fatal } = this.#options;
    const actor = this.#actors.get(id);
    if (actor === undefined || actor.row === null || actor.row !== actor.durableRow) return false;
    const previous = actor.row;
    const row = { ...changed(previous), remainingMs: budgets.remaining(id) };
    actor.row = row;
    const written = ledger.commit([{ put: 'snapshot', key: id, value: row }]);
    actor.committed = written;
    try {
      await written;
      actor.durableRow = row;
      return true;
    } catch (error) {
      if (actor.row === row) actor.row = previous;
      if (error instanceof LedgerError) fatal(error);
      return false;
    }
  }
}
