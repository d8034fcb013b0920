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
import type { VideoFetching } from './video-fetching.ts';
import type { VideoHosts } from './video-hosts.ts';
import { VideohostIngestEffects } from './videohost-ingest-effects.ts';
import { videohostIngestKind } from './videohost-ingest-kind.ts';
import { VideohostIngests } from './videohost-ingests.ts';

export interface OpenVideohostIngestsOptions {
  readonly ledger: Ledger;
  readonly vault: Vault;
  readonly registry: SourceRegistry;
  readonly supervisor: Supervisor;
  readonly sealing: IngestSealing;
  readonly unused: UnusedMedia;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly line: WorkerLine;
  readonly hosts: VideoHosts;
  readonly fetching: VideoFetching | null;
  readonly remark: string | null;
  readonly workFolder: string;
  readonly maximumRangeMs: number;
}

/** Puts the parts of video-host ingests together and registers their kind with the supervisor. */
export function openVideohostIngests(options: OpenVideohostIngestsOptions): VideohostIngests {
  const { supervisor, sealing, unused } = options;
  const effects = new VideohostIngestEffects({ ...options, isLive: (ingestId) => supervisor.isLive(ingestId) });
  const kind = videohostIngestKind({ ...options, effects });
  supervisor.register(kind);
  unused.heldBy((contentId) => effects.holds(contentId));
  unused.heldBy(isHeldByLive(supervisor, sealing, kind.name));
  const desk = new IngestDesk({ ...options, kind });
  return new VideohostIngests({ ...options, desk, progress: (ingestId) => effects.progress(ingestId) });
}
