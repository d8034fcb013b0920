import { type AnyActorRef, type AnyMachineSnapshot, type AnyStateMachine, createActor, type StateValue } from 'xstate';
import { type ChartMigrations, type StoredChart, stateNameOf } from '../../machines/migrations.ts';
import { type ActorRow, snapshotValue } from './actor-row.ts';

/** A chart in its present version, and what brings the rows of earlier versions to it. */
export interface VersionedChart {
  readonly machine: AnyStateMachine;
  readonly version: number;
  readonly migrations: ChartMigrations;
  /** The state as clients name it. */
  status(value: StateValue): string;
}

/**
 * The row as the present version of its chart would have left it, with the work of its state to be begun again. A row of
 * the present version, and one that no migration leads on, stays as it is.
 */
export function upgradedRow(chart: VersionedChart, row: ActorRow): ActorRow {
  if (row.machineId !== chart.machine.id || row.machineVersion >= chart.version) return row;
  try {
    const stored = migrated(chart, row);
    return stored === null ? row : rowOf(chart, row, stored);
  } catch {
    // What a row holds may be damaged; it must not stop the start of the others.
    return row;
  }
}

/** Follows the table from version to version; null where an entry lacks. */
function migrated({ version, migrations }: VersionedChart, row: ActorRow): StoredChart | null {
  const { context } = row.snapshot as Pick<StoredChart, 'context'>;
  let stored: StoredChart = { value: snapshotValue(row), context, input: row.input };
  for (let from = row.machineVersion; from < version; from += 1) {
    const migrate = migrations[from]?.[stateNameOf(stored.value)];
    if (migrate === undefined) return null;
    stored = migrate(stored);
  }
  return stored;
}

function rowOf({ machine, version, status }: VersionedChart, row: ActorRow, stored: StoredChart): ActorRow {
  const snapshot = machine.resolveState({ value: stored.value, context: stored.context });
  return {
    ...row,
    machineVersion: version,
    input: stored.input,
    status: status(snapshot.value),
    snapshot: {
      ...machine.getPersistedSnapshot(snapshot),
      children: childrenOf(snapshot, createActor(machine, { snapshot })),
    },
  };
}

/** What a state invokes, as a snapshot holds it before it has come to anything: a restored chart begins it. */
function childrenOf({ _nodes: nodes, context, status }: AnyMachineSnapshot, self: AnyActorRef): object {
  if (status !== 'active') return {};
  const invoked = nodes.flatMap((node) => node.invoke);
  const asked = { context, event: { type: 'xstate.init' }, self };
  return Object.fromEntries(
    invoked.map(({ id, src, input }) => {
      const given: unknown = typeof input === 'function' ? input(asked) : input;
      return [id, { snapshot: { status: 'active', input: given }, src, syncSnapshot: false }];
    }),
  );
}
