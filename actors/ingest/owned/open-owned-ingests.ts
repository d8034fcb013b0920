import type { Clock } from '../../../contract/base/clock.ts';
import type { Ledger } from '../../../storage/ledger/ledger.ts';
import type { ObjectStore } from '../../../storage/objects/object-store.ts';
import type { SourceRegistry } from '../../sources/source-registry.ts';
import type { UnusedMedia } from '../../sources/unused-media.ts';
import type { Supervisor } from '../../supervision/supervisor.ts';
import type { WorkQueue } from '../../supervision/work-queue.ts';
import { isHeldByLive } from '../ingest-commits.ts';
import type { IngestSealing } from '../ingest-sealing.ts';
import { IngestService } from '../ingest-service.ts';
import { ownedIngestDefinition } from './owned-ingest-definition.ts';
import { ownedIngestSeal } from './owned-ingest-seal.ts';
import { OwnedIngests } from './owned-ingests.ts';

export interface OpenOwnedIngestsOptions {
  readonly ledger: Ledger;
  readonly objectStore: ObjectStore;
  readonly registry: SourceRegistry;
  readonly supervisor: Supervisor;
  readonly sealing: IngestSealing;
  readonly unused: UnusedMedia;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly queue: WorkQueue;
  readonly maximumBytes: number;
}

/** Puts the parts of owned ingests together and registers their kind with the supervisor. */
export function openOwnedIngests(options: OpenOwnedIngestsOptions): OwnedIngests {
  const { ledger, supervisor, sealing, unused } = options;
  const definition = ownedIngestDefinition({ ...options, seal: ownedIngestSeal(ledger, sealing) });
  supervisor.register(definition);
  const service = new OwnedIngests({
    ...options,
    service: new IngestService({ ...options, definition }),
    unneeded: ({ contentId, bytes }) => ledger.commit([unused.note(contentId, bytes)]),
    released: () => unused.removeSoon(),
  });
  unused.heldBy(() => service.isStoring);
  unused.heldBy(isHeldByLive(supervisor, sealing, definition.name));
  return service;
}
