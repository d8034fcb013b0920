import type { AnyMachineSnapshot } from 'xstate';
import type { CommitEmission } from '../../machines/emission.ts';
import type { IngestMedia, SourceRegisteredEmission } from '../../machines/ingest-tail.ts';
import type { Write } from '../../storage/ledger/ledger.ts';
import type { SourceRegistry } from '../sources/source-registry.ts';
import type { UnusedMedia } from '../sources/unused-media.ts';
import type { ActorChange, ActorDefinition } from '../supervision/actor-definition.ts';
import type { Supervisor } from '../supervision/supervisor.ts';
import { revisionKey } from './ingest-revision.ts';
import type { IngestSealing } from './ingest-sealing.ts';

/** What the charts of all ingests keep of their media. */
interface IngestContext {
  readonly ingestId: string;
  readonly media: IngestMedia | null;
}

const contextOf = (snapshot: unknown): IngestContext =>
  (snapshot as AnyMachineSnapshot & { context: IngestContext }).context;

export interface IngestCommitsOptions {
  readonly registry: SourceRegistry;
  readonly sealing: IngestSealing;
  readonly unused: UnusedMedia;
}

/** What a transition of an ingest adds to its commit, and what follows from the commit; the same for every kind. */
export function ingestCommits(options: IngestCommitsOptions): Pick<ActorDefinition, 'writes' | 'committed'> {
  const { registry, sealing, unused } = options;
  return {
    writes: (change) => [
      ...change.emissions.flatMap((emission) =>
        emissionWrites(registry, change.id, emission as CommitEmission | SourceRegisteredEmission),
      ),
      ...leftovers(options, change),
    ],
    committed: (ingestId, { status }) => {
      if (status === 'registered') registry.committed();
      if (status !== 'registered' && status !== 'failed') return;
      sealing.letGo(ingestId);
      unused.removeSoon();
    },
  };
}

/** Whether a live ingest of a kind holds an object; one of which that cannot be read holds all. */
export const isHeldByLive = (supervisor: Supervisor, sealing: IngestSealing, kindName: string) => (contentId: string) =>
  supervisor.liveRows(kindName).some(({ status, snapshot }) => {
    const { ingestId, media } = contextOf(snapshot);
    if (media?.contentId === contentId) return true;
    return status === 'sealing' && (sealing.written(ingestId)?.includes(contentId) ?? true);
  });

function emissionWrites(
  registry: SourceRegistry,
  ingestId: string,
  emission: CommitEmission | SourceRegisteredEmission,
): Write[] {
  if (emission.type === 'commit') return [...emission.writes];
  const { revisionId, writes } = registry.admitUpload(emission.source);
  return [...writes, { put: 'record', key: revisionKey(ingestId), value: { revisionId } }];
}

/** A failed ingest leaves its media and its records behind; the notes of them are part of the failure's own commit. */
function leftovers({ sealing, unused }: IngestCommitsOptions, { id, after }: ActorChange): Write[] {
  const { media } = contextOf(after);
  if (after.value !== 'failed' || media === null) return [];
  const records = (sealing.written(id) ?? []).map((contentId) => unused.note(contentId, null));
  return [unused.note(media.contentId, media.bytes), ...records];
}
