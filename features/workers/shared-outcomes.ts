import { createHash, randomUUID } from 'node:crypto';
import { lstat, readdir, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder, moveDurably, privateFile } from '../../storage/objects/durable-file.ts';
import { failedWith } from '../../storage/objects/object-store-error.ts';
import { openRegular } from '../../storage/objects/regular-file.ts';
import { sourceFault } from './shared-objects.ts';

/** One file about an order; `bytes` is null if it cannot be read or has an unfitting size. */
export interface OrderFile {
  readonly name: string;
  readonly bytes: Buffer | null;
  /** The time of its last write, in epoch ms. */
  readonly writtenAt: number;
}

const orderName = /^[a-f0-9]{64}$/;

/**
 * Files about orders, in a folder that host and workers reach: each order has a folder of its own. Nothing is synced. It fails with
 * `ObjectSourceFault` only.
 */
class OrderFiles {
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

  /** The files about an order, in the order of names; none if a file lies in the place of its folder. */
  names(orderId: string): Promise<readonly string[]> {
    return this.#guarded(async () => {
      const names = await namesIn(join(this.#folder, orderId), 'ENOTDIR');
      return names.filter((name) => !name.startsWith('.')).sort();
    });
  }

  /** Null for a file that another process has removed meanwhile. */
  read(orderId: string, name: string): Promise<OrderFile | null> {
    return this.#guarded(async () => {
      const path = this.locate(orderId, name);
      const writtenAt = await changedAt(path);
      if (writtenAt === null) return null;
      const file = await openRegular(path);
      if (file === 'missing') return null;
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

  /** The time of the last write about an order, in epoch ms; null if there is none. */
  lastWrittenAt(orderId: string): Promise<number | null> {
    return this.#guarded(() => changedAt(join(this.#folder, orderId)));
  }

  /** Deletes a file, and the folder of its order once it is empty. */
  async remove(orderId: string, name: string): Promise<void> {
    await this.#guarded(async () => {
      // A folder in its place would end every look at what is left.
      await rm(this.locate(orderId, name), { recursive: true, force: true });
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

async function namesIn(folder: string, ...absent: readonly string[]): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (failedWith(error, 'ENOENT', ...absent)) return [];
    throw error;
  }
}

/** The time of the last change, null if there is nothing. A file that comes into a folder, or goes, changes the folder. */
async function changedAt(path: string): Promise<number | null> {
  try {
    return (await lstat(path)).mtimeMs;
  } catch (error) {
    if (failedWith(error, 'ENOENT')) return null;
    throw error;
  }
}

const maximumOutcomeBytes = 4 * 1024 * 1024;

/**
 * The outcomes of workers, one file for each run of an order, in a folder that host and workers reach. It outlives the queue that
 * signals them: an outcome exists before the queue signals it. An outcome is not synced: if a loss of power takes it, the order
 * is given again. It fails with `ObjectSourceFault` only.
 */
export class SharedOutcomes {
  readonly #files: OrderFiles;
  readonly #asideFolder: string;

  constructor(root: string) {
    this.#files = new OrderFiles(join(root, 'outcomes'), maximumOutcomeBytes);
    this.#asideFolder = join(root, 'set-aside');
  }

  /** Adds an outcome, whole. */
  async add(orderId: string, bytes: Uint8Array, now: number): Promise<void> {
    // Names sort by the time of the clock that wrote them.
    await this.#files.add(orderId, `${String(now).padStart(15, '0')}-${randomUUID()}.json`, bytes);
  }

  /** The outcomes of an order, the earliest first. */
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

// The measurements of four hours take some twenty megabytes.
const maximumWindowBytes = 256 * 1024 * 1024;
/** Behind a window that is damaged the one before goes on. */
const keptAtOnce = 2;
const windowName = /^(\d{12})-([a-f0-9]{64})$/;

/**
 * The states of long passes at the end of a window, in a folder that host and workers reach. The next worker of an order goes on
 * with the next window. It fails with `ObjectSourceFault` only.
 */
export class SharedWindows {
  readonly #files: OrderFiles;

  constructor(root: string) {
    this.#files = new OrderFiles(join(root, 'windows'), maximumWindowBytes);
  }

  /** Adds what was measured up to a time, in ms, and keeps nothing but the newest two of the order. */
  async add(orderId: string, endMs: number, bytes: Uint8Array): Promise<void> {
    await this.#files.add(orderId, `${String(endMs).padStart(12, '0')}-${digestOf(bytes)}`, bytes);
    const kept = (await this.endsMs(orderId)).slice(0, keptAtOnce);
    for (const name of await this.#files.names(orderId)) {
      if (!kept.includes(Number(windowName.exec(name)?.[1]))) await this.#files.remove(orderId, name);
    }
  }

  /** The ends of the kept windows of an order, in ms, the newest first. */
  async endsMs(orderId: string): Promise<readonly number[]> {
    const ends = (await this.#files.names(orderId)).flatMap((name) => windowName.exec(name)?.[1] ?? []);
    return [...new Set(ends.map(Number))].reverse();
  }

  /** The state of a pass at a time; null if no file of it is intact. */
  async read(orderId: string, endMs: number): Promise<Buffer | null> {
    for (const name of await this.#files.names(orderId)) {
      const [, end, digest] = windowName.exec(name) ?? [];
      if (Number(end) !== endMs) continue;
      const bytes = (await this.#files.read(orderId, name))?.bytes ?? null;
      if (bytes !== null && digestOf(bytes) === digest) return bytes;
    }
    return null;
  }

  /** Every order of which windows are kept. */
  orders(): Promise<readonly string[]> {
    return this.#files.orders();
  }

  /** The time when a window of an order was kept last, in epoch ms; null if none was. */
  lastKeptAt(orderId: string): Promise<number | null> {
    return this.#files.lastWrittenAt(orderId);
  }

  /** Deletes the windows of an order. */
  async remove(orderId: string): Promise<void> {
    await this.#files.removeAll(orderId);
  }
}

const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
