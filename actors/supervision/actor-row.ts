import { type AnyActorRef, type AnyMachineSnapshot, type AnyStateMachine, createActor, type StateValue } from 'xstate';
import { z } from 'zod';
import { epochMs } from '../../contract/base/grammar.ts';
import type { ActorMachines, ChartOf } from '../../machines/catalogue.ts';
import { type ChartMigrations, type StoredChart, stateNameOf } from '../../machines/migrations.ts';

/** A chart's own snapshot, as far as it is read without the chart. */
interface StoredSnapshot {
  readonly value: StateValue;
  readonly status?: string;
  readonly context?: unknown;
}

const stateValue = z.looseObject({ value: z.union([z.string(), z.record(z.string(), z.unknown())]) });

/** XState types what it persists as the snapshot of any actor; that of a chart has a state. */
export const storedSnapshot = z.custom<StoredSnapshot>(
  (stored) => stateValue.safeParse(stored).success,
  'not the snapshot of a chart',
);

/** One actor as the ledger keeps it: the state of its chart, and the facts that the supervisor needs to resume it. */
export const actorRow = z.strictObject({
  kind: z.string(),
  machineId: z.string(),
  machineVersion: z.number().int(),
  input: z.unknown(),
  /** The state as clients name it, and when it last changed (epoch ms). */
  status: z.string(),
  updatedAt: epochMs,
  /** Position in the work queue, stored under this name since the first version; null outside of the queue. */
  ticket: z.number().int().nullable(),
  /** How often a host died while this was at work, since the last new commit. */
  resumes: z.number().int(),
  /** How often it was resumed in all. */
  totalResumes: z.number().int(),
  /**
   * Present for work that runs alone because hosts died too often during it. Counts the deaths of hosts since then while it was
   * the only work running, and shows if it runs now or waits for its turn.
   */
  alone: z.strictObject({ deaths: z.number().int(), isRunning: z.boolean() }).optional(),
  /**
   * The record of its transitions: the number and the time (epoch ms) of the newest, and the number of new starts after a
   * failure. Rows that an earlier version wrote last have none.
   */
  recorded: z.strictObject({ seq: z.number().int(), at: epochMs, restarts: z.number().int() }).optional(),
  /** The rest of the time that the actor may use, counted only while the host is up. */
  remainingMs: z.number().nullable(),
  /** The chart's own snapshot: at least a state value. */
  snapshot: storedSnapshot,
});

export type ActorRow = z.infer<typeof actorRow>;

/** The row of one kind of actor: its kind gives the types of its chart's input and context. */
export type RowOf<Kind extends string> = ActorRow &
  (Kind extends keyof ActorMachines
    ? {
        readonly input: ChartOf<Kind>['input'];
        readonly snapshot: { readonly context: ChartOf<Kind>['context'] };
      }
    : unknown);

export const isRowOf = <Kind extends string>(row: ActorRow | undefined, kind: Kind): row is RowOf<Kind> =>
  row?.kind === kind;

/** The state value inside a row's snapshot. */
export const snapshotValue = (row: ActorRow): StateValue => row.snapshot.value;

/** True if the chart that wrote a row had ended there; a state in which it rests does not count. */
export const isFinished = (row: ActorRow): boolean => row.snapshot.status === 'done';

/** The row of the live index: enough to find the definition of the actor without reading the actor. */
export const liveRow = z.strictObject({ kind: z.string() });

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
    // The content of a row may be damaged; it must not stop the start of the others.
    return row;
  }
}

/** Follows the table from version to version; null where an entry lacks. */
function migrated({ version, migrations }: VersionedChart, row: ActorRow): StoredChart | null {
  const { value, context } = row.snapshot as StoredChart;
  let stored: StoredChart = { value, context, input: row.input };
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
    snapshot: storedSnapshot.parse({
      ...machine.getPersistedSnapshot(snapshot),
      children: childrenOf(snapshot, createActor(machine, { snapshot })),
    }),
  };
}

/** The invokes of a state, as a snapshot holds them before any result: a restored chart begins them. */
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
