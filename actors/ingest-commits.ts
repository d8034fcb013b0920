import type { AnyMachineSnapshot } from 'xstate';
import type { CommitFact } from '../machines/commit-fact.ts';
import type { IngestMedia, SourceRegisteredFact } from '../machines/ingest-effects.ts';
import type { Write } from '../storage/ledger.ts';
import type { ActorKind, Change } from './actor-kind.ts';
import { revisionKey } from './ingest-revision.ts';
import type { SourceRegistry } from './source-registry.ts';
import type { Supervisor } from './supervisor.ts';
import type { UnusedMedia } from './unused-media.ts';

/** What the charts of all ingests keep of their media. */
interface IngestContext {
  readonly media: IngestMedia | null;
}

const mediaOf = ({ context }: AnyMachineSnapshot): IngestMedia | null => (context as IngestContext).media;

/** What a transition of an ingest adds to its commit, and what follows from the commit; the same for every kind. */
export function ingestCommits(registry: SourceRegistry, unused: UnusedMedia): Pick<ActorKind, 'writes' | 'committed'> {
  return {
    writes: (change) => [
      ...change.facts.flatMap((fact) => factWrites(registry, change.id, fact as CommitFact | SourceRegisteredFact)),
      ...leftovers(unused, change),
    ],
    committed: (_, row) => {
      if (row.status === 'registered') registry.committed();
      if (row.status === 'registered' || row.status === 'failed') unused.removeSoon();
    },
  };
}

/** Whether a live ingest of a kind holds an object. */
export const isHeldByLive = (supervisor: Supervisor, kindName: string) => (contentId: string) =>
  supervisor.liveRows(kindName).some((row) => mediaOf(row.snapshot as AnyMachineSnapshot)?.contentId === contentId);

function factWrites(registry: SourceRegistry, ingestId: string, fact: CommitFact | SourceRegisteredFact): Write[] {
  if (fact.type === 'commit') return [...fact.writes];
  const { revisionId, writes } = registry.admitUpload(fact.source);
  return [...writes, { put: 'record', key: revisionKey(ingestId), value: { revisionId } }];
}

/** A failed ingest leaves its media behind; the note of it is part of the failure's own commit. */
function leftovers(unused: UnusedMedia, { after }: Change): Write[] {
  const media = mediaOf(after);
  return after.value === 'failed' && media !== null ? [unused.note(media.contentId, media.bytes)] : [];
}
