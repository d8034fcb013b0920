import { mkdir, mkdtemp, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HostError } from '../../client/host-error.ts';
import type { StudyHost } from '../../client/study-host.ts';
import { type ExportArgument, strayArgument } from '../../contract/exports.ts';
import { type AskedExport, type WrittenFile, writeExport } from '../commands/exports.ts';

/** The one folder that an agent's exports are written to: agents name no paths. */
export class ExportFolder {
  readonly #given: string | null;
  #folder: Promise<string> | null = null;

  /** Without a folder, a private one in the system's folder for temporary files is made when it is needed; it is left there. */
  constructor(given: string | null) {
    this.#given = given;
  }

  /** Writes an export under a name that follows from the study and from the request. Throws what a client of the host throws. */
  async write(host: StudyHost, runtimeId: string, asked: AskedExport, signal: AbortSignal): Promise<WrittenFile> {
    // An id that an agent made up must not become the name of a file before the host has confirmed it.
    const { runtimeId: known } = await host.status(runtimeId);
    const path = join(await this.#path(), `${known.replace(/^runtime:/, '')}-${nameOf(asked)}`);
    return writeExport(host, known, asked, path, signal);
  }

  async #path(): Promise<string> {
    const known = this.#folder;
    const isGone = known !== null && (await known.then((path) => stat(path)).catch(() => null)) === null;
    // Systems remove old temporary folders while an agent goes on.
    if (isGone && this.#folder === known) this.#folder = null;
    // The next call tries again: the obstacle may be gone by then.
    this.#folder ??= this.#made().catch((error) => {
      this.#folder = null;
      throw error;
    });
    return this.#folder;
  }

  async #made(): Promise<string> {
    if (this.#given === null) return mkdtemp(join(tmpdir(), 'media-study-exports-'));
    await mkdir(this.#given, { recursive: true, mode: 0o700 });
    return this.#given;
  }
}

/** Throws `unknown_query`, as a host does, for an argument that a file does not have. */
export function demandArguments(name: AskedExport['name'], given: readonly ExportArgument[]): void {
  const stray = strayArgument(name, given);
  if (stray === null) return;
  const message = `${name} has no ${stray}: leave it out`;
  throw new HostError({ status: 400, code: 'unknown_query', message, retryAfterSeconds: null });
}

/** The name of the file for a request: an answer with other options is another file. */
function nameOf(asked: AskedExport): string {
  if (asked.name === 'bundle') return 'bundle.tar';
  const { side, rate } = asked.options;
  const options = [side ?? [], rate ?? []].flat().map((option) => `.${option}`);
  return asked.name.replace(/(?=\.\w+$)/, options.join(''));
}
