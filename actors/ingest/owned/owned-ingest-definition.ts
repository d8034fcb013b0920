import { fromCallback, type StateValue } from 'xstate';
import type { Clock } from '../../../contract/base/clock.ts';
import type { EffectOutcome } from '../../../machines/commit-emission.ts';
import type { MediaInput } from '../../../machines/ingest-tail.ts';
import { ownedIngestMigrations } from '../../../machines/migrations/owned-ingest.ts';
import {
  type OwnedIngestContext,
  type OwnedIngestEvent,
  type OwnedIngestInput,
  ownedIngestMachine,
  ownedIngestVersion,
} from '../../../machines/owned-ingest.ts';
import type { SourceRegistry } from '../../sources/source-registry.ts';
import type { UnusedMedia } from '../../sources/unused-media.ts';
import { type ActorDefinition, effect, type Phase, type Standing } from '../../supervision/actor-definition.ts';
import type { ActorRow } from '../../supervision/actor-row.ts';
import type { Supervisor } from '../../supervision/supervisor.ts';
import type { WorkQueue } from '../../supervision/work-queue.ts';
import { ingestCommits } from '../ingest-commits.ts';
import type { IngestSealing } from '../ingest-sealing.ts';
import { ingestState } from '../ingest-service.ts';
import { mediaOfRow } from '../ingest-standing.ts';

export interface OwnedIngestKindOptions {
  readonly supervisor: Supervisor;
  readonly registry: SourceRegistry;
  readonly clock: Clock;
  readonly queue: WorkQueue;
  readonly sealing: IngestSealing;
  readonly seal: (input: MediaInput, signal: AbortSignal) => Promise<EffectOutcome>;
  readonly unused: UnusedMedia;
}

/** Gives the chart of owned ingests its effects, and the supervisor what it needs to know of them. */
export function ownedIngestDefinition(options: OwnedIngestKindOptions): ActorDefinition {
  const { supervisor, clock, queue, sealing, seal } = options;
  const barrier = {
    clock: supervisor.clock,
    settled: (input: MediaInput) => supervisor.settled(input.ingestId),
    lifetime: (input: MediaInput) => supervisor.lifetime(input.ingestId),
  };
  return {
    name: 'owned-ingest',
    version: ownedIngestVersion,
    migrations: ownedIngestMigrations,
    machine: ownedIngestMachine.provide({
      actors: {
        uploadDeadline: fromCallback<OwnedIngestEvent, { dueAt: number }>(({ input, sendBack }) => {
          const left = Math.max(0, input.dueAt - clock.now());
          const timer = clock.setTimeout(() => sendBack({ type: 'upload.expired' }), left);
          return () => clock.clearTimeout(timer);
        }),
        probe: effect(barrier, (input: MediaInput, signal) => sealing.probe(input, signal)),
        seal: effect(barrier, (input: MediaInput, signal) => seal(input, signal)),
        register: effect(barrier, (input: MediaInput) => sealing.register(input)),
      },
    }),
    queue,
    hasJournal: false,
    status: ingestState,
    phase: ownedIngestPhase,
    standing: async (row) => ownedIngestStanding(row),
    ...ingestCommits(options),
  };
}

/** An ingest has no journal: what its clients were told last is where it stands. */
function ownedIngestStanding(row: ActorRow): Standing {
  const media = mediaOfRow(row);
  const { ingestId, uploadDueAt } = row.input as OwnedIngestInput;
  const states: Readonly<Record<string, StateValue>> = { probing: 'probing', sealing: { sealing: 'writing' } };
  const queued = { queued: media === null ? 'awaitingMedia' : 'awaitingWorker' };
  const value = media === null ? queued : (states[row.status] ?? queued);
  return { value, context: { ingestId, uploadDueAt, media, failure: null } satisfies OwnedIngestContext };
}

/** An ingest waits only once its media is there; probing and sealing take a worker. */
function ownedIngestPhase(value: StateValue): Phase {
  const state = ingestState(value);
  if (state === 'registered' || state === 'failed') return 'ended';
  if (state !== 'queued') return 'working';
  return typeof value === 'object' && value.queued === 'awaitingWorker' ? 'waiting' : 'idle';
}
