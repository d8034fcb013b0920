import type {
  DeletionList,
  DeletionPreview,
  DeletionReceipt,
  DiskUse,
  GarbageCollection,
} from '../contract/deletion.ts';
import { encodedPath, type ListOptions, queryOf, type Transport } from './transport.ts';

export interface DeletionOptions {
  /** The person who deletes, as the receipt states it. */
  readonly operator?: string;
}

/** Removes items from a host, and measures the use of its disk. */
export class Deletions {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Deletes a study that has ended, for good; answers with the receipt, also for one that was deleted before. */
  runtime(runtimeId: string, { operator }: DeletionOptions = {}): Promise<DeletionReceipt> {
    return this.#delete(`${encodedPath`/v1/runtimes/${runtimeId}`}${queryOf({ operator })}`);
  }

  /** Deletes a source that no runtime and no live ingest needs, for good; answers as `runtime` does. */
  source(sourceSessionId: string, { operator }: DeletionOptions = {}): Promise<DeletionReceipt> {
    return this.#delete(`${encodedPath`/v1/source-sessions/${sourceSessionId}`}${queryOf({ operator })}`);
  }

  /** The names and sizes that a deletion of a study would remove. Throws `HostError` with the code of what would refuse it. */
  previewRuntime(runtimeId: string): Promise<DeletionPreview> {
    return this.#transport.json(encodedPath`/v1/runtimes/${runtimeId}/deletion-preview`, { isLong: true });
  }

  /** The names and sizes that a deletion of a source would remove. Throws `HostError` with the code of what would refuse it. */
  previewSource(sourceSessionId: string): Promise<DeletionPreview> {
    return this.#transport.json(encodedPath`/v1/source-sessions/${sourceSessionId}/deletion-preview`, { isLong: true });
  }

  /** A page of the receipts of what was deleted, newest first. */
  list({ after, limit }: ListOptions = {}): Promise<DeletionList> {
    return this.#transport.json(`/v1/deletions${queryOf({ after, limit })}`);
  }

  /** Removes what no record reaches, or with `dryRun` lists what would be removed. */
  collect(options: { readonly dryRun: boolean }): Promise<GarbageCollection> {
    return this.#transport.json('/v1/garbage-collections', {
      method: 'POST',
      json: options,
      repeatable: true,
      isLong: true,
    });
  }

  /** The use of the disk, by source and by runtime, the largest first. */
  diskUse({ limit }: Pick<ListOptions, 'limit'> = {}): Promise<DiskUse> {
    return this.#transport.json(`/v1/disk-use${queryOf({ limit })}`, { isLong: true });
  }

  /** A repeated deletion answers as the first. */
  #delete(path: string): Promise<DeletionReceipt> {
    return this.#transport.json(path, { method: 'DELETE', repeatable: true, isLong: true });
  }
}
