import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ServiceError, StorageUnavailable } from '../../contract/base/errors.ts';
import type { LedgerSnapshot } from '../../contract/operation.ts';
import { KeyedMutex } from '../../storage/keyed-mutex.ts';
import type { Ledger } from '../../storage/ledger/ledger.ts';
import { workFolderName } from '../../storage/objects/leftovers.ts';
import { systemRefusal } from '../../storage/system-refusal.ts';

interface LedgerSnapshotsOptions {
  readonly ledger: Ledger;
  /** The data root's folder for work. */
  readonly workFolder: string;
  readonly newId: () => string;
}

/** Copies of the ledger of a working host. There is one at a time. */
export class LedgerSnapshots {
  readonly #options: LedgerSnapshotsOptions;
  readonly #mutex = new KeyedMutex();
  #last: string | null = null;

  constructor(options: LedgerSnapshotsOptions) {
    this.#options = options;
  }

  /** Copies the ledger as it is now. Throws `insufficient_storage` if the volume is full, and `StorageUnavailable`. */
  take(): Promise<LedgerSnapshot> {
    return this.#mutex.take('snapshot', async () => {
      const { ledger, workFolder, newId } = this.#options;
      ledger.demandInPlace();
      await this.#removeLast();
      const name = workFolderName('snapshot', newId());
      this.#last = name;
      try {
        const { format, commit } = await ledger.copyTo(join(workFolder, name, 'ledger'));
        ledger.demandInPlace();
        return { schema: 'studio.ledger-snapshot.v1', folder: `work/${name}`, format, commit };
      } catch (error) {
        await removeFolder(join(workFolder, name));
        const refusal = systemRefusal(error);
        if (refusal === null) throw error;
        if (refusal !== 'storage_full') throw new StorageUnavailable(error, 'written');
        throw new ServiceError(
          'insufficient_storage',
          'the volume of the data root has no room for a copy of the ledger',
        );
      }
    });
  }

  /** True if a folder below `work/`, by its name, is the last copy: it may be written at this moment. */
  isCopy(folder: string): boolean {
    return folder === this.#last;
  }

  /** Removes the last copy if it lies where the host put it. */
  drop(): Promise<void> {
    return this.#mutex.take('snapshot', () => this.#removeLast());
  }

  /** The client that asked for it has taken it away, or never will. */
  async #removeLast(): Promise<void> {
    if (this.#last !== null) await removeFolder(join(this.#options.workFolder, this.#last));
    this.#last = null;
  }
}

/** A client may still write into it, as LevelDB does where a copy is opened. */
const removeFolder = (folder: string) => rm(folder, { recursive: true, force: true, maxRetries: 5 });
