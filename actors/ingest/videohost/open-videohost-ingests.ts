import { isHeldByLive } from '../ingest-commits.ts';
import type { IngestBasis, IngestDefinitionOptions } from '../ingest-definition.ts';
import { IngestService } from '../ingest-service.ts';
import type { VideoFetching } from './video-fetching.ts';
import type { VideoHosts } from './video-hosts.ts';
import { videohostIngestDefinition } from './videohost-ingest-definition.ts';
import { VideohostIngestEffects } from './videohost-ingest-effects.ts';
import { VideohostIngests } from './videohost-ingests.ts';

export interface OpenVideohostIngestsOptions extends IngestBasis {
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
  const seal: IngestDefinitionOptions['seal'] = (input, signal) => effects.seal(input, signal);
  const definition = videohostIngestDefinition({ ...options, effects, seal });
  supervisor.register(definition);
  unused.heldBy((contentId) => effects.holds(contentId));
  unused.heldBy(isHeldByLive(supervisor, sealing, definition.name));
  const service = new IngestService({ ...options, definition });
  return new VideohostIngests({ ...options, service });
}
