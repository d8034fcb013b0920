import type { StateValue } from 'xstate';
import type { MediaInput } from '../../../machines/ingest-tail.ts';
import { videohostIngestMigrations } from '../../../machines/migrations/videohost-ingest.ts';
import {
  type VideohostIngestContext,
  type VideohostIngestInput,
  videohostIngestMachine,
  videohostIngestVersion,
} from '../../../machines/videohost-ingest.ts';
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
import type { VideohostIngestEffects } from './videohost-ingest-effects.ts';

export interface VideohostIngestKindOptions {
  readonly supervisor: Supervisor;
  readonly registry: SourceRegistry;
  readonly queue: WorkQueue;
  readonly effects: VideohostIngestEffects;
  readonly sealing: IngestSealing;
  readonly unused: UnusedMedia;
}

/** Gives the chart of video-host ingests its effects, and the supervisor what it needs to know of them. */
export function videohostIngestDefinition(options: VideohostIngestKindOptions): ActorDefinition {
  const { supervisor, queue, effects, sealing } = options;
  const barrier = {
    clock: supervisor.clock,
    settled: (input: VideohostIngestInput) => supervisor.settled(input.ingestId),
    lifetime: (input: VideohostIngestInput) => supervisor.lifetime(input.ingestId),
  };
  return {
    name: 'videohost-ingest',
    version: videohostIngestVersion,
    migrations: videohostIngestMigrations,
    machine: videohostIngestMachine.provide({
      actors: {
        resolve: effect(barrier, (input: VideohostIngestInput, signal) => effects.resolve(input, signal)),
        download: effect(barrier, (input: VideohostIngestInput, signal) => effects.download(input, signal)),
        probe: effect(barrier, (input: MediaInput, signal) => sealing.probe(input, signal)),
        seal: effect(barrier, (input: MediaInput, signal) => effects.seal(input, signal)),
        register: effect(barrier, (input: MediaInput) => sealing.register(input)),
      },
    }),
    queue,
    hasJournal: false,
    status: ingestState,
    phase: videohostIngestPhase,
    standing: async (row) => videohostIngestStanding(row),
    ...ingestCommits(options),
  };
}

/** An ingest has no journal: what its clients were told last is where it stands. */
function videohostIngestStanding(row: ActorRow): Standing {
  const media = mediaOfRow(row);
  const { ingestId } = row.input as VideohostIngestInput;
  const before: Readonly<Record<string, StateValue>> = { resolving: 'resolving', downloading: 'downloading' };
  const after: Readonly<Record<string, StateValue>> = { probing: 'probing', sealing: { sealing: 'writing' } };
  const value = (media === null ? before[row.status] : after[row.status]) ?? (media === null ? 'queued' : 'probing');
  return { value, context: { ingestId, media, failure: null } satisfies VideohostIngestContext };
}

/** The worker that resolves an address stays with it to the end. */
function videohostIngestPhase(value: StateValue): Phase {
  const state = ingestState(value);
  if (state === 'registered' || state === 'failed') return 'ended';
  return state === 'queued' ? 'waiting' : 'working';
}
