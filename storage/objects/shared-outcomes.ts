import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { makeFolder, moveDurably } from './durable-file.ts';
import { sourceFault } from './object-source-fault.ts';
import { failedWith } from './object-store-error.ts';
import { type OrderFile, OrderFiles } from './order-files.ts';

const maximumBytes = 4 * 1024 * 1024;

/**
 * What workers wrote about orders, one file for each run, in a folder that host and workers reach. It outlives the queue that
 * tells of it: an outcome is there before the queue tells of it. An outcome is not synced: an order whose outcome a loss of power
 * takes is given again. It fails with `ObjectSourceFault` only.
 */
export class SharedOutcomes {
  readonly #files: OrderFiles;
  readonly #asideFolder: string;

  constructor(root: string) {
    this.#files = new OrderFiles(join(root, 'outcomes'), maximumBytes);
    this.#asideFolder = join(root, 'set-aside');
  }

  /** Adds an outcome, whole. */
  async add(orderId: string, bytes: Uint8Array, now: number): Promise<void> {
    // Names sort by the time of the clock that wrote them.
    await this.#files.add(orderId, `${String(now).padStart(15, '0')}-${randomUUID()}.json`, bytes);
  }

  /** What was written about an order, the earliest first. */
  async of(orderId: string): Promise<readonly OrderFile[]> {
    const found: OrderFile[] = [];
    for (const name of await this.#files.names(orderId)) {
      const outcome = await this.#files.read(orderId, name);
      if (outcome !== null) found.push(outcome);
    }
    return found;
  }

  /** Every order that something was written about. */
  orders(): Promise<readonly string[]> {
    return this.#files.orders();
  }

  /** Moves an outcome out of the way; nothing reads or removes it there. */
  async setAside(orderId: string, name: string): Promise<void> {
    try {
      await makeFolder(this.#asideFolder);
      await moveDurably(this.#files.locate(orderId, name), join(this.#asideFolder, `${orderId}-${name}`));
    } catch (error) {
      // Another host may have moved it already.
      if (!failedWith(error, 'ENOENT')) throw sourceFault(error, this.#asideFolder);
    }
    await this.remove(orderId, name);
  }

  /** Deletes an outcome, and the folder of its order once it is empty. */
  async remove(orderId: string, name: string): Promise<void> {
    await this.#files.remove(orderId, name);
  }
}
