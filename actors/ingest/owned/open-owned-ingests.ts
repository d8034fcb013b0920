import type { ObjectRef } from '../../../storage/objects/object-store.ts';
import { isHeldByLive } from '../ingest-commits.ts';
import type { IngestBasis } from '../ingest-definition.ts';
import { IngestService } from '../ingest-service.ts';
import { ownedIngestDefinition } from './owned-ingest-definition.ts';
import { ownedIngestSeal } from './owned-ingest-seal.ts';
import { OwnedIngests } from './owned-ingests.ts';
import { ResumableUploads } from './resumable-uploads.ts';

export interface OpenOwnedIngestsOptions extends IngestBasis {
  readonly maximumBytes: number;
  /** Lines for people. */
  readonly report: (line: string) => void;
}

/** Puts the parts of owned ingests together and registers their kind with the supervisor. */
export function openOwnedIngests(options: OpenOwnedIngestsOptions): OwnedIngests {
  const { ledger, supervisor, sealing, unused } = options;
  const unneeded = ({ contentId, bytes }: ObjectRef) => ledger.commit([unused.note(contentId, bytes)]);
  const released = () => unused.removeSoon();
  const uploads = new ResumableUploads({ ...options, unneeded, released });
  const definition = uploads.following(ownedIngestDefinition({ ...options, seal: ownedIngestSeal(ledger, sealing) }));
  supervisor.register(definition);
  const service = new OwnedIngests({
    ...options,
    service: new IngestService({ ...options, definition }),
    uploads,
    unneeded,
    released,
  });
  unused.heldBy(() => service.isStoring);
  unused.heldBy(isHeldByLive(supervisor, sealing, definition.name));
  return service;
}
