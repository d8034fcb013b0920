import { isHeldByLive } from '../ingest-commits.ts';
import type { IngestOptions } from '../ingest-definition.ts';
import { IngestService } from '../ingest-service.ts';
import { ownedIngestDefinition } from './owned-ingest-definition.ts';
import { ownedIngestSeal } from './owned-ingest-seal.ts';
import { OwnedIngests } from './owned-ingests.ts';

export interface OpenOwnedIngestsOptions extends IngestOptions {
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
