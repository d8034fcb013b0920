import type { AnyMachineSnapshot } from 'xstate';
import type { Clock } from '../../contract/base/clock.ts';
import type { ActorRow } from './actor-row.ts';
import type { SupervisedActor } from './supervised-actor.ts';
import type { TimeBudgets } from './time-budgets.ts';

/** The row of an actor that has just reached a snapshot of its own: whatever was counted since the last one starts anew. */
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
    snapshot: actor.persisted(),
  };
}
