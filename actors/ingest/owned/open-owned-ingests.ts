import type { Clock } from '../../../contract/base/clock.ts';
import type { Ledger } from '../../../storage/ledger/ledger.ts';
import type { Vault } from '../../../storage/objects/vault.ts';
import type { SourceRegistry } from '../../sources/source-registry.ts';
import type { UnusedMedia } from '../../sources/unused-media.ts';
import type { Supervisor } from '../../supervision/supervisor.ts';
import type { WorkerLine } from '../../supervision/worker-line.ts';
import { isHeldByLive } from '../ingest-commits.ts';
import { IngestDesk } from '../ingest-desk.ts';
import type { IngestSealing } from '../ingest-sealing.ts';
import { ownedIngestKind } from './owned-ingest-kind.ts';
import { ownedIngestSeal } from './owned-ingest-seal.ts';
import { OwnedIngests } from './owned-ingests.ts';

export interface OpenOwnedIngestsOptions {
  readonly ledger: Ledger;
  readonly vault: Vault;
  readonly registry: SourceRegistry;
  readonly supervisor: Supervisor;
  readonly sealing: IngestSealing;
  readonly unused: UnusedMedia;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly line: WorkerLine;
  readonly maximumBytes: number;
}

/** Puts the parts of owned ingests together and registers their kind with the supervisor. */
export function openOwnedIngests(options: OpenOwnedIngestsOptions): OwnedIngests {
  const { ledger, supervisor, sealing, unused } = options;
  const kind = ownedIngestKind({ ...options, seal: ownedIngestSeal(ledger, sealing) });
  supervisor.register(kind);
  const service = new OwnedIngests({
    ...options,
    desk: new IngestDesk({ ...options, kind }),
    unneeded: ({ contentId, bytes }) => ledger.commit([unused.note(contentId, bytes)]),
    released: () => unused.removeSoon(),
  });
  unused.heldBy(() => service.isStoring);
  unused.heldBy(isHeldByLive(supervisor, sealing, kind.name));
  return service;
}
