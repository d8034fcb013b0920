import type { StateValue } from 'xstate';
import { videohostIngestMigrations } from '../../../machines/migrations.ts';
import {
  type VideohostIngestContext,
  type VideohostIngestInput,
  videohostIngestMachine,
  videohostIngestVersion,
} from '../../../machines/videohost-ingest.ts';
import type { ActorDefinition, ChartPosition, Phase } from '../../supervision/actor-definition.ts';
import type { ActorRow } from '../../supervision/actor-row.ts';
import {
  type IngestDefinitionOptions,
  ingestDefinition,
  ingestEffect,
  ingestStandingOf,
  tailEffectsOf,
} from '../ingest-definition.ts';
import { ingestState } from '../ingest-service.ts';
import type { VideohostIngestEffects } from './videohost-ingest-effects.ts';

export interface VideohostIngestDefinitionOptions extends IngestDefinitionOptions {
  readonly effects: Pick<VideohostIngestEffects, 'resolve' | 'download'>;
}

/** Gives the chart of video-host ingests its effects, and the supervisor what it needs to know of them. */
export function videohostIngestDefinition(options: VideohostIngestDefinitionOptions): ActorDefinition {
  const { supervisor, effects } = options;
  const resolve = ingestEffect(supervisor, (input: VideohostIngestInput, signal) => effects.resolve(input, signal));
  const download = ingestEffect(supervisor, (input: VideohostIngestInput, signal) => effects.download(input, signal));
  return ingestDefinition(options, {
    name: 'videohost-ingest',
    version: videohostIngestVersion,
    migrations: videohostIngestMigrations,
    machine: videohostIngestMachine.provide({ actors: { resolve, download, ...tailEffectsOf(options) } }),
    phase: videohostIngestPhase,
    standing: async (row) => videohostIngestStanding(row),
  });
}

function videohostIngestStanding(row: ActorRow): ChartPosition {
  const { media, tail } = ingestStandingOf(row);
  const { ingestId } = row.input as VideohostIngestInput;
  const before: Readonly<Record<string, StateValue>> = { resolving: 'resolving', downloading: 'downloading' };
  const value = tail ?? (media === null ? (before[row.status] ?? 'queued') : 'probing');
  return { value, context: { ingestId, media, failure: null } satisfies VideohostIngestContext };
}

/** The worker that resolves an address stays with it to the end. */
function videohostIngestPhase(value: StateValue): Phase {
  const state = ingestState(value);
  if (state === 'registered' || state === 'failed') return 'ended';
  return state === 'queued' ? 'waiting' : 'working';
}
