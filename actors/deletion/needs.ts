import type { AnyMachineSnapshot } from 'xstate';
import { ServiceError } from '../../contract/base/errors.ts';
import type { IngestMedia } from '../../machines/ingest-tail.ts';
import type { HostBasis } from '../host-basis.ts';
import { ingestKindNames } from '../ingest/ingest-service.ts';
import type { SourceUses } from '../sources/source-uses.ts';
import { listedOf } from '../study/listed-runtimes.ts';

/** So many of those that need a source are named. */
const named = 3;

/** The kinds of actors that make something of a runtime that has ended. */
const productionKinds = ['caption-production', 'language-explanation'] as const;

export interface NeedsOptions extends Pick<HostBasis, 'ledger' | 'registry' | 'supervisor'> {
  readonly sourceUses: SourceUses;
}

/** Who needs a runtime or a source: the refusal of its deletion, or null. */
export class Needs {
  readonly #options: NeedsOptions;

  constructor(options: NeedsOptions) {
    this.#options = options;
  }

  /** Says it in the same turn. */
  ofRuntime(runtimeId: string): ServiceError | null {
    const { supervisor } = this.#options;
    if (supervisor.isLive(runtimeId)) return new ServiceError('runtime_live', 'the study runs or waits for a worker');
    const making = productionKinds
      .flatMap((kind) => supervisor.liveRows(kind))
      .filter(({ input }) => (input as { readonly runtimeId: string }).runtimeId === runtimeId);
    return making.length === 0
      ? null
      : new ServiceError('runtime_in_production', 'captions or explanations of the runtime are being made');
  }

  async ofSource(sessionId: string): Promise<ServiceError | null> {
    const runtimeIds = await listedOf(this.#options.ledger, sessionId);
    if (runtimeIds.length === 0) return this.ofLiveWork(sessionId);
    return inUse(runtimeIds.length === 1 ? '1 runtime needs it' : `${runtimeIds.length} runtimes need it`, runtimeIds);
  }

  /** The same for what is on its way to the ledger; says it in the same turn. */
  ofLiveWork(sessionId: string): ServiceError | null {
    const { supervisor, registry, sourceUses } = this.#options;
    if (sourceUses.isOpen(sessionId)) return inUse('a study of it is being started', []);
    const media = registry.revisionsOf(sessionId).map(({ session }) => session.source.contentId);
    const ingestIds = ingestKindNames
      .flatMap((kind) => supervisor.liveRows(kind))
      .map(({ snapshot }) => (snapshot as AnyMachineSnapshot & { context: LiveIngest }).context)
      .flatMap((ingest) => (media.includes(ingest.media?.contentId ?? '') ? [ingest.ingestId] : []));
    return ingestIds.length === 0 ? null : inUse(`${ingestIds.length} live ingests of its media need it`, ingestIds);
  }
}

interface LiveIngest {
  readonly ingestId: string;
  readonly media: IngestMedia | null;
}

function inUse(why: string, ids: readonly string[]): ServiceError {
  const more = ids.length > named ? [`and ${ids.length - named} more`] : [];
  const list = [...ids.slice(0, named), ...more];
  return new ServiceError('source_in_use', list.length === 0 ? why : `${why}: ${list.join(', ')}`);
}
