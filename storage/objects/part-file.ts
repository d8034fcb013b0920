import { constants } from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { privateFile, syncFolder } from './durable-file.ts';
import { FollowingDigest } from './following-digest.ts';
import type { ObjectRef, PartialFile } from './object-store.ts';
import { failedWith, type ObjectStoreError, storageFault } from './object-store-error.ts';
import { QueuedFile } from './queued-file.ts';

const appending = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW;

/** A file of the inbox that comes in parts. `place` moves a whole one to its place among the objects. */
export class PartFile implements PartialFile {
  readonly #path: string;
  readonly #place: (object: ObjectRef) => Promise<void>;
  readonly #digest: FollowingDigest;
  #file: QueuedFile | null = null;
  #begin = 0;

  constructor(path: string, place: (object: ObjectRef) => Promise<void>) {
    this.#path = path;
    this.#place = place;
    this.#digest = new FollowingDigest(path);
  }

  async bytes(): Promise<number> {
    try {
      return (await stat(this.#path)).size;
    } catch (error) {
      if (failedWith(error, 'ENOENT')) return 0;
      throw storageFault(error, this.#path);
    }
  }

  async open(offset: number): Promise<number> {
    await this.close();
    return this.#guard(async () => {
      const handle = await open(this.#path, appending, privateFile);
      try {
        this.#begin = (await handle.stat()).size < offset ? 0 : offset;
        await handle.truncate(this.#begin);
        if (this.#begin === 0) await this.#digest.restart();
        else this.#digest.follow(this.#begin);
        await syncFolder(dirname(this.#path));
      } catch (error) {
        await handle.close();
        throw error;
      }
      this.#file = new QueuedFile(this.#path, handle);
      return this.#begin;
    });
  }

  get failure(): ObjectStoreError | null {
    return this.#file?.failure ?? null;
  }

  write(chunk: Buffer): boolean {
    return this.#file?.write(chunk) ?? true;
  }

  onDrain(listener: () => void): void {
    this.#file?.onDrain(listener);
  }

  get written(): number {
    return this.#begin + (this.#file?.writtenBytes ?? 0);
  }

  async drained(): Promise<void> {
    await this.#file?.drained();
  }

  sync(): Promise<number> {
    return this.#guard(async () => {
      const file = this.#file;
      if (file === null) return this.#begin;
      const offset = this.written;
      await file.sync();
      if (file.failure !== null) throw file.failure;
      return offset;
    });
  }

  settle(offset: number): void {
    this.#digest.follow(offset);
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    if (file !== null) await this.#guard(() => file.close());
  }

  async finish(bytes: number, announce: (object: ObjectRef) => Promise<void>): Promise<ObjectRef> {
    await this.close();
    const object = { contentId: await this.#guard(() => this.#digest.contentId(bytes)), bytes };
    await announce(object);
    await this.#guard(() => this.#place(object));
    return object;
  }

  async remove(): Promise<void> {
    await this.close();
    await this.#guard(() => rm(this.#path, { force: true }));
  }

  async #guard<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      throw storageFault(error, this.#path);
    }
  }
}
