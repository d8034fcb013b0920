import { ServiceError } from '../../contract/base/errors.ts';
import { type MediaProbe, mediaProbe } from '../../contract/sources/media-probe.ts';
import { SourceInconsistent } from '../../contract/sources/source-receipt.ts';
import type { RegisteredSource } from '../../contract/sources/source-session.ts';
import { readSealedRecord } from '../../receipts/sources/sealed-record.ts';
import type { Ledger } from '../../storage/ledger/ledger.ts';
import type { ObjectStore } from '../../storage/objects/object-store.ts';
import { ObjectStoreError } from '../../storage/objects/object-store-error.ts';
import { isPassingFault } from '../../storage/patience.ts';
import { absentSource } from '../supervision/deletion-rows.ts';
import { readSourceFile, sourceIsIntact } from './source-files.ts';
import type { SourceRegistry } from './source-registry.ts';

/** The probe record of a source, hashed and read. Throws `source_revalidation_failed` when it is not what was sealed. */
export async function readMediaProbe(objectStore: ObjectStore, source: RegisteredSource): Promise<MediaProbe> {
  try {
    const bytes = await readSourceFile(objectStore, source, source.session.mediaProbe.contentId);
    return readSealedRecord(mediaProbe, bytes, 'container-probe');
  } catch (error) {
    if (isPassingFault(error)) throw error;
    if (error instanceof ObjectStoreError || error instanceof SourceInconsistent) throw sourceChanged();
    throw error;
  }
}

export const sourceChanged = (): ServiceError =>
  new ServiceError('source_revalidation_failed', 'the sealed files of the source have changed');

/** Throws `source_revalidation_failed` unless every file of a source is what was sealed. */
export async function demandIntact(objectStore: ObjectStore, source: RegisteredSource): Promise<void> {
  if (!(await sourceIsIntact(objectStore, source))) throw sourceChanged();
}

/** The sealed records of the sources that are listed. */
export class SourceRecords {
  readonly #registry: Pick<SourceRegistry, 'current'>;
  readonly #ledger: Ledger;
  readonly #objectStore: ObjectStore;

  constructor(registry: Pick<SourceRegistry, 'current'>, ledger: Ledger, objectStore: ObjectStore) {
    this.#registry = registry;
    this.#ledger = ledger;
    this.#objectStore = objectStore;
  }

  /** The probe record of a session's current revision. Throws `unknown_source_session`, `source_deleted`, `source_revalidation_failed`. */
  async mediaProbe(sessionId: string): Promise<MediaProbe> {
    const source = this.#registry.current(sessionId);
    if (source === undefined) throw absentSource(this.#ledger, sessionId);
    return readMediaProbe(this.#objectStore, source);
  }
}
