import { constants } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import path from 'node:path';
import { systemCode } from '../../storage/system-refusal.ts';
import type { Timers } from './guarded-process.ts';
import { ProcessFailure, type ProcessRequest } from './process.ts';

type Wanted = NonNullable<ProcessRequest['result']>;
type Given = NonNullable<ProcessRequest['results']>;

/** So much of the output of a process is in its failure: the error may be before all of its options. */
const PRINTED_BYTES = 64 * 1024;

const openFile = (folder: string, name: string) =>
  open(path.join(folder, name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);

/** Reads what a process left in its private folder: a plain file, no link, of at most so many bytes. Failures hold its last words. */
export async function takeFile(folder: string, { name, maximumBytes }: Wanted, printed: Buffer): Promise<Buffer> {
  const outcome = { exitCode: 0, stderr: printed.toString('utf8', Math.max(0, printed.length - PRINTED_BYTES)) };
  const handle = await openFile(folder, name).catch((error: unknown) => {
    const code = systemCode(error) ?? 'unknown';
    throw new ProcessFailure('tool_exit', `ended without its result ${name} (${code})`, outcome);
  });
  try {
    const found = await handle.stat();
    if (!found.isFile())
      throw new ProcessFailure('tool_exit', `ended without its result ${name} (not a file)`, outcome);
    if (found.size > maximumBytes)
      throw new ProcessFailure('output_limit', `wrote more than ${maximumBytes} bytes to ${name}`, outcome);
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/** How often the folder of a process is looked into, in ms: what a kill of the host can lose beside the work under way. */
export const RESULT_POLL_MS = 200;

/** Gives the results of a process on while it writes them. A file that is a link or too large is not given. */
export class ResultFiles {
  readonly #folder: string;
  readonly #given: Given;
  readonly #timers: Timers;
  readonly #taken: () => void;
  readonly #left: Set<string>;
  #timer: unknown = null;
  #looking: Promise<void> = Promise.resolve();
  #hasEnded = false;

  /** `taken` is called behind each result. */
  constructor(folder: string, given: Given, timers: Timers, taken: () => void) {
    this.#folder = folder;
    this.#given = given;
    this.#timers = timers;
    this.#taken = taken;
    this.#left = new Set(given.names);
    this.#wait();
  }

  /** Looks a last time, once the process is gone, however it ended. Never rejects. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    this.#timers.clearTimeout(this.#timer);
    await this.#looking;
    await this.#look();
  }

  #wait(): void {
    this.#timer = this.#timers.setTimeout(() => {
      this.#looking = this.#look().then(() => {
        if (!this.#hasEnded && this.#left.size > 0) this.#wait();
      });
    }, RESULT_POLL_MS);
  }

  async #look(): Promise<void> {
    const there = new Set(await readdir(this.#folder).catch(() => []));
    for (const name of this.#given.names) {
      if (!this.#left.has(name) || !there.has(name)) continue;
      const bytes = await takeFile(this.#folder, { name, maximumBytes: this.#given.maximumBytes }, nothing).catch(
        () => null,
      );
      if (bytes === null || !this.#given.take(name, bytes)) continue;
      this.#left.delete(name);
      this.#taken();
    }
  }
}

const nothing = Buffer.alloc(0);
