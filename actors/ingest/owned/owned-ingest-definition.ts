import { fromCallback, type StateValue } from 'xstate';
import { z } from 'zod';
import type { EffectOutcome } from '../../../machines/emission.ts';
import type { MediaInput } from '../../../machines/ingest-tail.ts';
import { ownedIngestMigrations } from '../../../machines/migrations.ts';
import {
  type OwnedIngestContext,
  type OwnedIngestEvent,
  ownedIngestMachine,
  ownedIngestVersion,
} from '../../../machines/owned-ingest.ts';
import { sealOwnedIngest } from '../../../receipts/sources/seal-source.ts';
import { localProcessingGrant } from '../../../receipts/sources/source-receipt.ts';
import type { Ledger } from '../../../storage/ledger/ledger.ts';
import type { ActorDefinition, ChartPosition, Phase } from '../../supervision/actor-definition.ts';
import { actorRow, type RowOf } from '../../supervision/actor-row.ts';
import {
  type IngestDefinitionOptions,
  ingestDefinition,
  ingestPositionOf,
  tailEffectsOf,
} from '../ingest-definition.ts';
import type { IngestSealing } from '../ingest-sealing.ts';
import { ingestState } from '../ingest-service.ts';

/** An ingest without media is given up after a day. */
export const uploadOpenMs = 24 * 60 * 60 * 1000;

/** The input of an ingest; `assertedAt` is UTC with milliseconds. */
export const ownedIngestInput = z.strictObject({
  ingestId: z.string(),
  uploadDueAt: z.number(),
  filename: z.string(),
  declaredBytes: z.number(),
  label: z.string(),
  rightsHolder: z.string(),
  assertedAt: z.string(),
});
export type OwnedIngestRowInput = z.infer<typeof ownedIngestInput>;

/** Seals the media of an owned ingest under the statements of its owner from its opening. */
export const ownedIngestSeal =
  (ledger: Ledger, sealing: IngestSealing) =>
  (input: MediaInput, signal: AbortSignal): Promise<EffectOutcome> => {
    const row = actorRow.parse(ledger.get('snapshot', input.ingestId));
    const { label, filename, rightsHolder, assertedAt } = ownedIngestInput.parse(row.input);
    const claim = { label, filename, rightsHolder, assertedAt, grant: localProcessingGrant };
    return sealing.seal(input, signal, (measured) => sealOwnedIngest({ ...measured, claim }));
  };

/** Gives the chart of owned ingests its effects, and the supervisor what it needs to know of them. */
export function ownedIngestDefinition(options: IngestDefinitionOptions): ActorDefinition<'owned-ingest'> {
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
    storedPosition: async (row) => ownedIngestPosition(row),
  });
}

function ownedIngestPosition(row: RowOf<'owned-ingest'>): ChartPosition {
  const { media, tail } = ingestPositionOf(row);
  const { ingestId, uploadDueAt } = row.input;
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
