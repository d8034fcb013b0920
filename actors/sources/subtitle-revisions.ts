import { ServiceError } from '../../contract/base/errors.ts';
import { SourceInconsistent, type SourceReceipt } from '../../contract/sources/source-receipt.ts';
import type { RegisteredSource } from '../../contract/sources/source-session.ts';
import type { SealedSubtitleTrack } from '../../contract/sources/subtitle-track.ts';
import { EvidenceChainError } from '../../receipts/evidence-chain.ts';
import { readChain } from '../../receipts/sources/reopen-source.ts';
import { receiptOf, type SealedSource, sealWithSubtitles } from '../../receipts/sources/seal-source.ts';
import { contentRefOf } from '../../receipts/sources/sealed-record.ts';
import { subtitlesOf } from '../../receipts/sources/subtitle-track.ts';
import type { SealedChain } from '../../receipts/sources/verify-source.ts';
import type { HostBasis } from '../host-basis.ts';
import { ReadObjects } from '../reopening/read-objects.ts';
import { absentSource } from '../supervision/deletion-rows.ts';
import { storeBeforePromise } from '../supervision/refused-write.ts';
import { TimeSlices } from '../supervision/system-clock.ts';
import { sourceChanged } from './source-records.ts';

export type SubtitleRevisionsOptions = Pick<HostBasis, 'ledger' | 'objectStore' | 'registry'>;

/** The subtitle files that a source is to have, and the bytes of those that are new. */
interface SubtitleChange {
  readonly tracks: readonly SealedSubtitleTrack[];
  readonly files: readonly Uint8Array[];
}

/** A source with its receipt. */
interface ReceiptedSource {
  readonly registered: RegisteredSource;
  readonly receipt: SourceReceipt;
}

/** Makes revisions of sources that have other subtitle files. */
export class SubtitleRevisions {
  readonly #options: SubtitleRevisionsOptions;
  readonly #slices = new TimeSlices();

  constructor(options: SubtitleRevisionsOptions) {
    this.#options = options;
  }

  /**
   * Gives a source other subtitle files, unless `change` answers null, and returns the source with them. Only for the holder of
   * its mutex. An ingest of the same media may still register another revision meanwhile, and the change then applies to that
   * one. Throws `changeable`'s codes, `insufficient_storage`, `storage_unavailable`, `source_revalidation_failed`, and the errors
   * of `change`.
   */
  async change(
    sessionId: string,
    change: (tracks: readonly SealedSubtitleTrack[], current: RegisteredSource) => SubtitleChange | null,
  ): Promise<ReceiptedSource> {
    const { ledger, objectStore, registry } = this.#options;
    for (;;) {
      const current = this.changeable(sessionId);
      const chain = await this.#chain(current);
      const receipt = receiptOf(chain);
      const changed = change(subtitlesOf(receipt), current);
      if (changed === null) return { registered: current, receipt };
      const files = new Map(chain.subtitles);
      for (const bytes of changed.files) files.set(contentRefOf(bytes).contentId, bytes);
      const sealed = await this.#sealedAnew(chain, changed.tracks, files);
      await storeBeforePromise(objectStore, sealed.objects);
      if (registry.current(sessionId) !== current) continue;
      const { writes } = registry.admitRevision(sealed.source);
      await ledger.commit(writes);
      registry.committed();
      return { registered: sealed.source, receipt: receiptOf(sealed.chain) };
    }
  }

  /** The current revision. Throws `unknown_source_session`, `source_deleted`. */
  current(sessionId: string): RegisteredSource {
    const source = this.#options.registry.current(sessionId);
    if (source === undefined) throw absentSource(this.#options.ledger, sessionId);
    return source;
  }

  /** The same of a source whose records are the host's own. Throws `source_read_in_place`, too. */
  changeable(sessionId: string): RegisteredSource {
    const source = this.current(sessionId);
    if (source.folder === null) return source;
    throw new ServiceError(
      'source_read_in_place',
      'the host reads the records of this source in place, and does not write there',
    );
  }

  async #chain(source: RegisteredSource): Promise<SealedChain> {
    try {
      return await readChain(source, new ReadObjects(this.#options.objectStore, this.#slices.pause), () => undefined);
    } catch (error) {
      throw error instanceof EvidenceChainError ? sourceChanged() : error;
    }
  }

  async #sealedAnew(...args: Parameters<typeof sealWithSubtitles>): Promise<SealedSource> {
    try {
      return await this.#slices.run(sealWithSubtitles(...args));
    } catch (error) {
      throw error instanceof SourceInconsistent ? sourceChanged() : error;
    }
  }
}
