import type { AnyMachineSnapshot, StateValue } from 'xstate';
import type { OwnedIngestStatus } from '../contract/owned-ingest.ts';
import type { RegisteredSource } from '../contract/source-session.ts';
import { sourceSessionRowOf } from '../contract/source-session-list.ts';
import type { OwnedIngestContext } from '../machines/owned-ingest.ts';
import type { Phase } from './actor-kind.ts';
import type { ActorRow } from './actor-row.ts';

type Status = OwnedIngestStatus['status'];

/** The state of an owned ingest as clients name it: its sub-states are not shown. */
export const ownedIngestState = (value: StateValue): Status =>
  (typeof value === 'string' ? value : Object.keys(value)[0]) as Status;

/** An ingest waits only once its media is there; probing and sealing take a worker. */
export function ownedIngestPhase(value: StateValue): Phase {
  const state = ownedIngestState(value);
  if (state === 'registered' || state === 'failed') return 'ended';
  if (state !== 'queued') return 'working';
  return typeof value === 'object' && value.queued === 'awaitingWorker' ? 'waiting' : 'idle';
}

/** The wire's status of an ingest from its row and, once registered, the revision that it led to. */
export function ownedIngestStatusOf(
  ingestId: string,
  row: ActorRow,
  source: RegisteredSource | undefined,
): OwnedIngestStatus {
  const { context } = row.snapshot as AnyMachineSnapshot & { context: OwnedIngestContext };
  return {
    schema: 'studio.owned-media-ingest.v1',
    ingestId,
    status: row.status as Status,
    updatedAt: new Date(row.updatedAt).toISOString(),
    source: source === undefined ? null : sourceSessionRowOf(source),
    failure: context.failure,
  };
}
