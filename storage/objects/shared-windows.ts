import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { OrderFiles } from './order-files.ts';

// What is measured of four hours takes some twenty megabytes.
const maximumBytes = 256 * 1024 * 1024;
/** Behind a window that is damaged the one before goes on. */
const keptAtOnce = 2;
const windowName = /^(\d{12})-([a-f0-9]{64})$/;

/**
 * What workers have measured of long passes up to the end of a window, in a folder that host and workers reach: the worker that takes an
 * order over goes on with the next window. It fails with `ObjectSourceFault` only.
 */
export class SharedWindows {
  readonly #files: OrderFiles;

  constructor(root: string) {
    this.#files = new OrderFiles(join(root, 'windows'), maximumBytes);
  }

  /** Adds what was measured up to a time, in ms, and keeps nothing but the newest two of the order. */
  async add(orderId: string, endMs: number, bytes: Uint8Array): Promise<void> {
    await this.#files.add(orderId, `${String(endMs).padStart(12, '0')}-${digestOf(bytes)}`, bytes);
    const kept = (await this.endsMs(orderId)).slice(0, keptAtOnce);
    for (const name of await this.#files.names(orderId)) {
      if (!kept.includes(Number(windowName.exec(name)?.[1]))) await this.#files.remove(orderId, name);
    }
  }

  /** When the windows end that are kept of an order, in ms, the newest first. */
  async endsMs(orderId: string): Promise<readonly number[]> {
    const ends = (await this.#files.names(orderId)).flatMap((name) => windowName.exec(name)?.[1] ?? []);
    return [...new Set(ends.map(Number))].reverse();
  }

  /** What was measured up to a time; null where no file of it is intact. */
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

  /** When a window of an order was kept last, in epoch ms; null where none is. */
  lastKeptAt(orderId: string): Promise<number | null> {
    return this.#files.lastWrittenAt(orderId);
  }

  /** Deletes the windows of an order. */
  async remove(orderId: string): Promise<void> {
    await this.#files.removeAll(orderId);
  }
}

const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
