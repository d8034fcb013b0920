import { fromCallback, type StateValue } from 'xstate';
import { ownedIngestMigrations } from '../../../machines/migrations.ts';
import {
  type OwnedIngestContext,
  type OwnedIngestEvent,
  type OwnedIngestInput,
  ownedIngestMachine,
  ownedIngestVersion,
} from '../../../machines/owned-ingest.ts';
import type { ActorDefinition, ChartPosition, Phase } from '../../supervision/actor-definition.ts';
import type { ActorRow } from '../../supervision/actor-row.ts';
import {
  type IngestDefinitionOptions,
  ingestDefinition,
  ingestStandingOf,
  tailEffectsOf,
} from '../ingest-definition.ts';
import { ingestState } from '../ingest-service.ts';

/** Gives the chart of owned ingests its effects, and the supervisor what it needs to know of them. */
export function ownedIngestDefinition(options: IngestDefinitionOptions): ActorDefinition {
  const { clock } = options;
  const uploadDeadline = fromCallback<OwnedIngestEvent, { dueAt: number }>(({ input, sendBack }) => {
    const left = Math.max(0, input.dueAt - clock.now());
    const timer = clock.setTimeout(() => sendBack({ type: 'upload.expired' }), left);
    return () => clock.clearTimeout(timer);
  });
  return ingestDefinition(options, {
    name: 'owned-ingest',
    version: ownedIngestVersion,
    migrations: ownedIngestMigrations,
    machine: ownedIngestMachine.provide({ actors: { uploadDeadline, ...tailEffectsOf(options) } }),
    phase: ownedIngestPhase,
    standing: async (row) => ownedIngestStanding(row),
  });
}

function ownedIngestStanding(row: ActorRow): ChartPosition {
  const { media, tail } = ingestStandingOf(row);
  const { ingestId, uploadDueAt } = row.input as OwnedIngestInput;
  const value = tail ?? { queued: media === null ? 'awaitingMedia' : 'awaitingWorker' };
  return { value, context: { ingestId, uploadDueAt, media, failure: null } satisfies OwnedIngestContext };
}

/** An ingest waits only once its media is there; probing and sealing take a worker. */
function ownedIngestPhase(value: StateValue): Phase {
  const state = ingestState(value);
  if (state === 'registered' || state === 'failed') return 'ended';
  if (state !== 'queued') return 'working';
  return typeof value === 'object' && value.queued === 'awaitingWorker' ? 'waiting' : 'idle';
}
