import { randomUUID } from 'node:crypto';
import { readdir, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder, privateFile } from './durable-file.ts';
import { sourceFault } from './object-source-fault.ts';
import { failedWith } from './object-store-error.ts';
import { openRegular } from './regular-file.ts';

/** One file about an order; `bytes` is null where it is no readable file of a fitting size. */
export interface OrderFile {
  readonly name: string;
  readonly bytes: Buffer | null;
  /** When it was written, in epoch ms. */
  readonly writtenAt: number;
}

const orderName = /^[a-f0-9]{64}$/;

/**
 * Files about orders, in a folder that host and workers reach: each order has a folder of its own. Nothing is synced. It fails with
 * `ObjectSourceFault` only.
 */
export class OrderFiles {
  readonly #folder: string;
  readonly #maximumBytes: number;

  constructor(folder: string, maximumBytes: number) {
    this.#folder = folder;
    this.#maximumBytes = maximumBytes;
  }

  locate(orderId: string, name: string): string {
    return join(this.#folder, orderId, name);
  }

  /** Adds a file, whole; one of the same name is replaced. */
  async add(orderId: string, name: string, bytes: Uint8Array): Promise<void> {
    await this.#guarded(async () => {
      await makeFolder(join(this.#folder, orderId));
      // A hidden file is not whole yet. No other process gives it this name.
      const part = this.locate(orderId, `.${randomUUID()}`);
      try {
        await writeFile(part, bytes, { flag: 'wx', mode: privateFile });
        await rename(part, this.locate(orderId, name));
      } catch (error) {
        await rm(part, { force: true }).catch(() => undefined);
        throw error;
      }
    });
  }

  /** What there is about an order, in the order of names. */
  names(orderId: string): Promise<readonly string[]> {
    return this.#guarded(async () =>
      (await namesIn(join(this.#folder, orderId))).filter((name) => !name.startsWith('.')).sort(),
    );
  }

  /** Null for a file that another process has removed meanwhile. */
  read(orderId: string, name: string): Promise<OrderFile | null> {
    return this.#guarded(async () => {
      const path = this.locate(orderId, name);
      const file = await openRegular(path);
      if (file === 'missing') return null;
      const writtenAt = (await stat(path)).mtimeMs;
      if (file === 'irregular') return { name, bytes: null, writtenAt };
      try {
        return { name, bytes: file.bytes > this.#maximumBytes ? null : await file.readAll(), writtenAt };
      } finally {
        file.close();
      }
    });
  }

  /** Every order that something was written about. */
  orders(): Promise<readonly string[]> {
    return this.#guarded(async () => (await namesIn(this.#folder)).filter((name) => orderName.test(name)));
  }

  /** When something was written about an order last, in epoch ms; null where nothing was. */
  lastWrittenAt(orderId: string): Promise<number | null> {
    return this.#guarded(() => changedAt(join(this.#folder, orderId)));
  }

  /** Deletes a file, and the folder of its order once it is empty. */
  async remove(orderId: string, name: string): Promise<void> {
    await this.#guarded(async () => {
      await rm(this.locate(orderId, name), { force: true });
      await rmdir(join(this.#folder, orderId)).catch(() => undefined);
    });
  }

  /** Deletes all that there is about an order, also what is not whole. */
  async removeAll(orderId: string): Promise<void> {
    await this.#guarded(() => rm(join(this.#folder, orderId), { recursive: true, force: true }));
  }

  async #guarded<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      throw sourceFault(error, this.#folder);
    }
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (failedWith(error, 'ENOENT')) return [];
    throw error;
  }
}

/** A file that comes into a folder, or goes, changes the folder. */
async function changedAt(folder: string): Promise<number | null> {
  try {
    return (await stat(folder)).mtimeMs;
  } catch (error) {
    if (failedWith(error, 'ENOENT')) return null;
    throw error;
  }
}
