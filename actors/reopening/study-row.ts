import type { StateValue } from 'xstate';
import { z } from 'zod';
import { contentId, type Range } from '../../contract/base/grammar.ts';
import { capabilities, type OptionalGrantField, optionalStages, studyStages } from '../../contract/study/stages.ts';
import { runtimeStart } from '../../contract/study/start.ts';
import {
  type Lifecycle,
  lifecycle as lifecycleName,
  type RuntimeReason,
  runtimeReason,
} from '../../contract/study/status.ts';
import { studyMigrations } from '../../machines/migrations.ts';
import { studyMachine, studyMachineVersion } from '../../machines/study.ts';
import type { Ledger } from '../../storage/ledger/ledger.ts';
import type { Phase } from '../supervision/actor-definition.ts';
import { actorRow, type RowOf, snapshotValue, type VersionedChart } from '../supervision/actor-row.ts';

const optionalGrants = Object.fromEntries(
  optionalStages.map((name) => [studyStages[name].condition.idField, z.string().optional()]),
) as Record<OptionalGrantField, z.ZodOptional<z.ZodString>>;

/** The start of a runtime; committed with its first snapshot and never changed. */
export const studyRow = z.strictObject({
  record: runtimeStart,
  receiptContentId: contentId,
  requestContentId: contentId,
  ids: z.strictObject({
    taskId: z.string(),
    agentId: z.string(),
    claimId: z.string(),
    executionId: z.string(),
    grantIds: z.record(z.enum(capabilities), z.string()),
    ...optionalGrants,
  }),
});

export type StudyRow = z.infer<typeof studyRow>;

/** A study may use a minute, and three times the length of its range, while the host is up. */
export const studyBudgetMs = ({ startMs, endMs }: Range): number => 60_000 + 3 * (endMs - startMs);

/** Key of a study's row. */
export const studyKey = (runtimeId: string): string => `study/${runtimeId}`;

/** The row of a study that is known to exist; throws when it is damaged. */
export const readStudy = (ledger: Ledger, runtimeId: string): StudyRow =>
  studyRow.parse(ledger.get('record', studyKey(runtimeId)));

/** How often the actor of a study was taken up again. */
export function resumesOf(ledger: Ledger, runtimeId: string): number {
  const row = actorRow.safeParse(ledger.get('snapshot', runtimeId));
  return row.success ? row.data.totalResumes : 0;
}

/** A runtime's state as clients name it; the steps of a running one are not shown. */
export const lifecycleOf = (value: StateValue): Lifecycle =>
  (typeof value === 'string' ? value : Object.keys(value)[0]) as Lifecycle;

export function studyPhase(value: StateValue): Phase {
  const lifecycle = lifecycleOf(value);
  if (lifecycle === 'accepted') return 'waiting';
  return lifecycle === 'initializing' || lifecycle === 'running' ? 'working' : 'ended';
}

/** The chart of a runtime, without effects: enough to read a row that an earlier version of it left. */
export const studyChart: VersionedChart = {
  machine: studyMachine,
  version: studyMachineVersion,
  migrations: studyMigrations,
  status: lifecycleOf,
};

/** Why a runtime ended as it did; null while it is alive and when it is terminal. */
export const reasonOf = (row: RowOf<'runtime'>): RuntimeReason | null => row.snapshot.context.reason;

/** The part of a runtime's row that clients read, beside its state. */
const publicRow = z.looseObject({
  input: z.looseObject({ commandId: z.string() }),
  snapshot: z.looseObject({ context: z.looseObject({ reason: runtimeReason.nullable() }) }),
});

/** The row of a runtime that clients may read. Throws `ZodError` for a damaged one. */
export function checkedRuntimeRow(row: RowOf<'runtime'>): RowOf<'runtime'> {
  lifecycleName.parse(lifecycleOf(snapshotValue(row)));
  publicRow.parse(row);
  return row;
}
