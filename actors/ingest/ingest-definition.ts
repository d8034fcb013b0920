import type { StateValue } from 'xstate';
import { z } from 'zod';
import { contentId } from '../../contract/base/grammar.ts';
import type { EffectOutcome } from '../../machines/emission.ts';
import type { IngestEmission, IngestMedia, MediaInput } from '../../machines/ingest-tail.ts';
import type { Write } from '../../storage/ledger/ledger.ts';
import type { HostBasis } from '../host-basis.ts';
import type { SourceRegistry } from '../sources/source-registry.ts';
import type { UnusedMedia } from '../sources/unused-media.ts';
import { type ActorChange, type ActorDefinition, effect } from '../supervision/actor-definition.ts';
import type { ActorRow } from '../supervision/actor-row.ts';
import type { ProgressBoard } from '../supervision/progress-board.ts';
import type { Supervisor } from '../supervision/supervisor.ts';
import type { WorkQueue } from '../supervision/work-queue.ts';
import type { IngestSealing } from './ingest-sealing.ts';
import { type IngestKind, ingestState, revisionKey } from './ingest-service.ts';

interface IngestCommitsOptions {
  readonly registry: SourceRegistry;
  readonly sealing: IngestSealing;
  readonly unused: UnusedMedia;
}

/** The writes that a transition of an ingest adds to its commit, and the consequences of the commit; the same for every kind. */
function ingestCommits(options: IngestCommitsOptions): Pick<ActorDefinition<IngestKind>, 'writes' | 'committed'> {
  const { registry, sealing, unused } = options;
  return {
    writes: (change) => [
      ...change.emissions.flatMap((emission) => emissionWrites(registry, change.id, emission)),
      ...leftovers(options, change),
    ],
    committed: (ingestId, { status }) => {
      if (status === 'registered') registry.committed();
      if (status !== 'registered' && status !== 'failed') return;
      sealing.forget(ingestId);
      unused.removeSoon();
    },
  };
}

/** True if a live ingest of a kind holds an object; one whose row cannot be read holds all. */
export const isHeldByLive = (supervisor: Supervisor, sealing: IngestSealing, kind: IngestKind) => (contentId: string) =>
  supervisor.liveRows(kind).some(({ status, snapshot }) => {
    const { ingestId, media } = snapshot.context;
    if (media?.contentId === contentId) return true;
    return status === 'sealing' && (sealing.written(ingestId)?.includes(contentId) ?? true);
  });

function emissionWrites(registry: SourceRegistry, ingestId: string, emission: IngestEmission): Write[] {
  if (emission.type === 'commit') return [...emission.writes];
  const { revisionId, writes } = registry.admitUpload(emission.source);
  return [...writes, { put: 'record', key: revisionKey(ingestId), value: { revisionId } }];
}

/**
 * A failed ingest leaves its records behind; the notes of them are part of the failure's own commit. Its media has a note since
 * before it was stored, unless the bytes were there before: then they may be the object of a study.
 */
function leftovers({ sealing, unused }: IngestCommitsOptions, { id, after }: ActorChange<IngestKind>): Write[] {
  if (after.value !== 'failed') return [];
  return (sealing.written(id) ?? []).map((contentId) => unused.note(contentId, null));
}

/** The basis of the ingests of every kind. */
export interface IngestBasis extends Pick<HostBasis, 'ledger' | 'objectStore' | 'registry' | 'supervisor' | 'clock'> {
  readonly queue: WorkQueue;
  readonly sealing: IngestSealing;
  readonly unused: UnusedMedia;
  readonly progress: Pick<ProgressBoard, 'note' | 'forget'>;
  readonly newId: () => string;
}

export interface IngestDefinitionOptions extends IngestBasis {
  /** Seals the media under what is known of its origin. */
  readonly seal: (input: MediaInput, signal: AbortSignal) => Promise<EffectOutcome>;
}

type Own = 'name' | 'version' | 'migrations' | 'machine' | 'phase' | 'storedPosition';

/** The definition of one kind of ingest: what is its own, and what all have in common. */
export const ingestDefinition = <Kind extends IngestKind>(
  options: IngestDefinitionOptions,
  own: Pick<ActorDefinition<Kind>, Own>,
): Pick<ActorDefinition<Kind>, Own> & Omit<ActorDefinition<IngestKind>, Own> => ({
  ...own,
  queue: options.queue,
  hasJournal: false,
  status: ingestState,
  ...ingestCommits(options),
});

/** Makes an effect of an ingest, which starts once the snapshot that invoked it is on disk. */
export const ingestEffect = <Output, Input extends { readonly ingestId: string }>(
  supervisor: Supervisor,
  run: (input: Input, signal: AbortSignal) => Promise<Output>,
) => effect<Output, Input>(supervisor, ({ ingestId }) => ingestId, run);

/** The effects of the states that every ingest ends with. */
export const tailEffectsOf = ({ supervisor, sealing, seal }: IngestDefinitionOptions) => ({
  probe: ingestEffect(supervisor, (input: MediaInput, signal) => sealing.probe(input, signal)),
  seal: ingestEffect(supervisor, seal),
  register: ingestEffect(supervisor, (input: MediaInput) => sealing.register(input)),
});

const storedMedia = z.object({ context: z.object({ media: z.object({ contentId, bytes: z.number() }) }) });

/** The chart state in which a state that needs media begins again, by the state's name for clients. */
const tailStates: Readonly<Record<string, StateValue>> = { probing: 'probing', sealing: { sealing: 'writing' } };

/**
 * The position of an ingest by its row from any version of a chart, as it has no journal. It has the media, and the last state of
 * the tail that clients saw. Null for a value that the row lacks.
 */
export function ingestPositionOf({ snapshot, status }: ActorRow): {
  readonly media: IngestMedia | null;
  readonly tail: StateValue | null;
} {
  const held = storedMedia.safeParse(snapshot);
  if (!held.success) return { media: null, tail: null };
  return { media: held.data.context.media, tail: tailStates[status] ?? null };
}
