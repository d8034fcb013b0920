import { isDeepStrictEqual } from 'node:util';
import { ServiceError } from '../../contract/base/errors.ts';
import type { DeletionList, DeletionPreview, DeletionReceipt } from '../../contract/deletion.ts';
import { type DeletionFacts, deletionReceiptOf } from '../../receipts/deletion.ts';
import type { Write } from '../../storage/ledger/ledger.ts';
import { refusedIfPassing } from '../../storage/patience.ts';
import type { HostBasis } from '../host-basis.ts';
import type { SourceUses } from '../sources/source-registry.ts';
import type { UnusedMedia } from '../sources/unused-media.ts';
import {
  absentRuntime,
  absentSource,
  deletionOf,
  deletionScope,
  readReceipt,
  receiptWrites,
  refuseDeleted,
} from '../supervision/deletion-rows.ts';
import { newestFirst, type PageRequest } from '../supervision/reads.ts';
import { DeletionFigures, DeletionMeasure } from './deletion-measure.ts';
import { deletes, Needs, RowsOf } from './deletion-scope.ts';
import { DiskUsage } from './disk-usage.ts';
import { Erasure, type ErasureNote, ReachedObjects } from './erasure.ts';
import { Garbage } from './garbage.ts';

interface DeletionsOptions extends Pick<HostBasis, 'ledger' | 'registry' | 'mutex' | 'clock'> {
  readonly sourceUses: SourceUses;
  readonly needs: Needs;
  readonly measure: DeletionMeasure;
  readonly figures: Pick<DeletionFigures, 'deleted'>;
  readonly erasure: Erasure;
  /** Called after the commit that deletes a runtime: nothing of it may be remembered. */
  readonly runtimeDeleted: (runtimeId: string) => void;
  /** Called after the commit with every actor that is gone: a follower learns that from its next read. */
  readonly actorsDeleted: (actorIds: readonly string[]) => void;
}

/**
 * The service behind deletions. A deletion is a command. It looks up the item and its users, derives a receipt, and puts that in
 * the place of all rows in one commit. Whatever does not fit into the commit is erased after it.
 */
export class DeletionService {
  readonly #options: DeletionsOptions;

  constructor(options: DeletionsOptions) {
    this.#options = options;
  }

  /**
   * Deletes a runtime that has ended, be it damaged; one that was deleted before is answered with its receipt. Throws
   * `unknown_runtime`, `runtime_live` and `runtime_in_production`.
   */
  runtime(runtimeId: string, operator: string | null): Promise<DeletionReceipt> {
    const { ledger, mutex, needs, measure, runtimeDeleted, actorsDeleted } = this.#options;
    const deletion = mutex.take(runtimeId, async () => {
      const earlier = deletionOf(ledger, 'runtime', runtimeId);
      if (earlier !== null) return earlier;
      demandUnneeded(needs.ofRuntime(runtimeId));
      const found = await measure.runtime(runtimeId);
      if (found === null) throw absentRuntime(ledger, runtimeId);
      // The turn of the commit sees work that began meanwhile.
      demandUnneeded(needs.ofRuntime(runtimeId));
      const { deleted, rows, actorIds, erased, objects } = found;
      const receipt = await this.#record(
        { deleted, operator, erased },
        {
          ids: [runtimeId],
          note: { journals: [runtimeId], objects },
          writes: [...deletes(rows), { close: runtimeId }],
        },
      );
      runtimeDeleted(runtimeId);
      // The runtime also where its row was lost.
      actorsDeleted([runtimeId, ...actorIds.filter((id) => id !== runtimeId)]);
      return receipt;
    });
    return refusedIfPassing(deletion);
  }

  /**
   * Deletes a source that nothing needs, with all its revisions and the ingests that made them. Throws
   * `unknown_source_session`, `source_in_use` and `source_read_in_place`.
   */
  source(sessionId: string, operator: string | null): Promise<DeletionReceipt> {
    const { ledger, registry, mutex } = this.#options;
    const deletion = mutex.take(sessionId, async () => {
      if (!registry.has(sessionId)) {
        const earlier = deletionOf(ledger, 'source', sessionId);
        if (earlier !== null) return earlier;
        throw absentSource(ledger, sessionId);
      }
      demandOwn(registry, sessionId);
      return this.#deleteSource(sessionId, operator);
    });
    return refusedIfPassing(deletion);
  }

  /** The receipt that a deletion of a runtime would give, without its time. Throws as that does, and `runtime_deleted`. */
  previewRuntime(runtimeId: string): Promise<DeletionPreview> {
    const { ledger, needs, measure } = this.#options;
    const preview = async () => {
      // The events of a deleted runtime are erased after its deletion.
      refuseDeleted(ledger, runtimeId);
      demandUnneeded(needs.ofRuntime(runtimeId));
      const found = await measure.runtime(runtimeId);
      if (found === null) throw absentRuntime(ledger, runtimeId);
      return previewOf(found);
    };
    return refusedIfPassing(preview());
  }

  /** The receipt that a deletion of a source would give, without its time. Throws as that does, and `source_deleted`. */
  previewSource(sessionId: string): Promise<DeletionPreview> {
    const { ledger, registry, needs, measure } = this.#options;
    const preview = async () => {
      if (!registry.has(sessionId)) throw absentSource(ledger, sessionId);
      demandOwn(registry, sessionId);
      demandUnneeded(await needs.ofSource(sessionId));
      return previewOf(await measure.source(sessionId));
    };
    return refusedIfPassing(preview());
  }

  /** A page of the receipts, newest first. Throws `invalid_cursor`. */
  async list(request: PageRequest): Promise<DeletionList> {
    const { ledger } = this.#options;
    const { rows, ...page } = await newestFirst(ledger, [deletionScope], request, (id) => readReceipt(ledger, id));
    return { schema: 'studio.deletions.v1', deletions: rows, ...page };
  }

  async #deleteSource(sessionId: string, operator: string | null): Promise<DeletionReceipt> {
    const { ledger, registry, sourceUses, needs, measure, actorsDeleted } = this.#options;
    for (;;) {
      const version = sourceUses.version(sessionId);
      // A registered source has its rows on disk when they are measured.
      await ledger.durable();
      demandUnneeded(await needs.ofSource(sessionId));
      const { deleted, rows, actorIds, erased, objects } = await measure.source(sessionId);
      // A study may have been started meanwhile; a request for one from here on does not find the source any more.
      if (sourceUses.version(sessionId) !== version) continue;
      // An ingest may have registered another revision meanwhile, which is not measured yet.
      const revisions = registry.revisionsOf(sessionId).map(({ session }) => session.revisionId);
      if (!isDeepStrictEqual(revisions, deleted.sourceRevisionIds)) continue;
      demandUnneeded(needs.ofLiveWork(sessionId));
      const { sourceRevisionIds, ingestIds } = deleted;
      const writes = [...deletes(rows), ...registry.remove(sessionId)];
      const ids = [sessionId, ...sourceRevisionIds, ...ingestIds];
      const receipt = await this.#record(
        { deleted, operator, erased },
        { ids, note: { journals: [], objects }, writes },
      );
      registry.committed();
      actorsDeleted(actorIds);
      return receipt;
    }
  }

  /** Not async up to its commit: what was looked at in this turn still holds. */
  #record(
    facts: Omit<DeletionFacts, 'deletedAt'>,
    { ids, note, writes }: { ids: readonly string[]; note: ErasureNote; writes: readonly Write[] },
  ): Promise<DeletionReceipt> {
    const { ledger, clock, erasure, figures } = this.#options;
    const receipt = deletionReceiptOf({ ...facts, deletedAt: new Date(clock.now()).toISOString() });
    const all = [...writes, ...receiptWrites(receipt, ids), ...erasure.notes(receipt.receiptId, note)];
    return ledger.commit(all).then(() => {
      figures.deleted(receipt);
      erasure.soon(note.journals);
      return receipt;
    });
  }
}

const previewOf = ({ deleted, erased }: Pick<DeletionPreview, 'deleted' | 'erased'>): DeletionPreview => ({
  schema: 'studio.deletion.preview.v1',
  deleted,
  erased,
});

function demandOwn(registry: HostBasis['registry'], sessionId: string): void {
  if (!registry.isReadInPlace(sessionId)) return;
  const why = 'the host reads the files of this source in place, and does not delete them';
  throw new ServiceError('source_read_in_place', why);
}

function demandUnneeded(refusal: ServiceError | null): void {
  if (refusal !== null) throw refusal;
}

interface OpenDeletionsOptions
  extends Pick<HostBasis, 'ledger' | 'objectStore' | 'registry' | 'supervisor' | 'mutex' | 'clock' | 'report'> {
  readonly sourceUses: SourceUses;
  readonly unused: UnusedMedia;
  /** True if a file of the inbox or a folder below `work/`, by its name, is in use. */
  readonly isInUse: (folder: string) => boolean;
  /** The names of the partial files of uploads that may continue. */
  readonly openParts: () => Promise<ReadonlySet<string>>;
  /** Removes the copy of the ledger that this host made last, unless a client took it away. */
  readonly dropCopies: () => Promise<void>;
  readonly runtimeDeleted: (runtimeId: string) => void;
  readonly actorsDeleted: (actorIds: readonly string[]) => void;
}

/** Makes the services that delete; `erasure.soon()` continues what an earlier host left unfinished. */
export function openDeletions(options: OpenDeletionsOptions) {
  const { ledger, objectStore, registry, unused, clock, report, dropCopies } = options;
  const reached = new ReachedObjects({ ledger, objectStore });
  const isSource = (contentId: string): boolean => registry.isOf(contentId);
  const isHeld = (contentId: string): boolean => unused.isHeld(contentId);
  const erasure = new Erasure({ ledger, objectStore, reached, isSource, isHeld, dropCopies, clock, report });
  const measure = new DeletionMeasure({ ledger, objectStore, registry, rowsOf: new RowsOf(ledger), reached });
  const figures = new DeletionFigures();
  return {
    deletions: new DeletionService({ ...options, needs: new Needs(options), measure, erasure, figures }),
    garbage: new Garbage({ ...options, reached, erasure, isSource, figures }),
    diskUsage: new DiskUsage({ ...options, reached }),
    erasure,
    figures,
  };
}
