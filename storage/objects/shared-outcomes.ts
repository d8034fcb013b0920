import { randomUUID } from 'node:crypto';
import { readdir, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder, moveDurably, privateFile } from './durable-file.ts';
import { sourceFault } from './object-source-fault.ts';
import { failedWith } from './object-store-error.ts';
import { openRegular } from './regular-file.ts';

/** One file about an order; `bytes` is null where it is no readable file of a fitting size. */
export interface FoundOutcome {
  readonly name: string;
  readonly bytes: Buffer | null;
  /** When it was written, in epoch ms. */
  readonly writtenAt: number;
}

const maximumBytes = 4 * 1024 * 1024;
const orderName = /^[a-f0-9]{64}$/;

/**
 * What workers wrote about orders, one file for each run, in a folder that host and workers reach. It outlives the queue that
 * tells of it: an outcome is there before the queue tells of it. It fails with `ObjectSourceFault` only.
 */
export class SharedOutcomes {
  readonly #folder: string;
  readonly #asideFolder: string;

  constructor(root: string) {
    this.#folder = join(root, 'outcomes');
    this.#asideFolder = join(root, 'set-aside');
  }

  /** Adds an outcome, whole. It is not synced: an order whose outcome a loss of power takes is given again. */
  async add(orderId: string, bytes: Uint8Array, now: number): Promise<void> {
    await guarded(this.#folder, async () => {
      const folder = join(this.#folder, orderId);
      await makeFolder(folder);
      // Names sort by the time of the clock that wrote them. A hidden file is not whole yet.
      const name = `${String(now).padStart(15, '0')}-${randomUUID()}.json`;
      await writeFile(join(folder, `.${name}`), bytes, { flag: 'wx', mode: privateFile });
      await rename(join(folder, `.${name}`), join(folder, name));
    });
  }

  /** What was written about an order, the earliest first. */
  of(orderId: string): Promise<readonly FoundOutcome[]> {
    return guarded(this.#folder, async () => {
      const folder = join(this.#folder, orderId);
      const names = (await namesIn(folder)).filter((name) => !name.startsWith('.')).sort();
      const found: FoundOutcome[] = [];
      for (const name of names) {
        const outcome = await outcomeAt(join(folder, name), name);
        if (outcome !== null) found.push(outcome);
      }
      return found;
    });
  }

  /** Every order that something was written about. */
  orders(): Promise<readonly string[]> {
    return guarded(this.#folder, async () => (await namesIn(this.#folder)).filter((name) => orderName.test(name)));
  }

  /** Moves an outcome out of the way; nothing reads or removes it there. */
  async setAside(orderId: string, name: string): Promise<void> {
    await guarded(this.#asideFolder, async () => {
      await makeFolder(this.#asideFolder);
      await moveDurably(join(this.#folder, orderId, name), join(this.#asideFolder, `${orderId}-${name}`)).catch(
        ifThere,
      );
    });
  }

  /** Deletes an outcome, and the folder of its order once it is empty. */
  async remove(orderId: string, name: string): Promise<void> {
    await guarded(this.#folder, async () => {
      await rm(join(this.#folder, orderId, name), { force: true });
      await rmdir(join(this.#folder, orderId)).catch(() => undefined);
    });
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

/** Null for a file that another host has removed meanwhile. */
async function outcomeAt(path: string, name: string): Promise<FoundOutcome | null> {
  const file = await openRegular(path);
  if (file === 'missing') return null;
  const writtenAt = (await stat(path)).mtimeMs;
  if (file === 'irregular') return { name, bytes: null, writtenAt };
  try {
    return { name, bytes: file.bytes > maximumBytes ? null : await file.readAll(), writtenAt };
  } finally {
    file.close();
  }
}

/** Another host may have moved it already. */
function ifThere(error: unknown): void {
  if (!failedWith(error, 'ENOENT')) throw error;
}

async function guarded<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw sourceFault(error, what);
  }
}
