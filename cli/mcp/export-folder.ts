import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StudyHost } from '../../client/study-host.ts';
import { type AskedExport, type WrittenFile, writeExport } from '../terminal/written-export.ts';

/** The one folder that an agent's exports are written to: agents name no paths. */
export class ExportFolder {
  readonly #given: string | null;
  #folder: Promise<string> | null = null;

  /** Without a folder, a private one in the system's folder for temporary files is made when it is needed; it is left there. */
  constructor(given: string | null) {
    this.#given = given;
  }

  /** Writes an export under a name that follows from the study and from what was asked. Throws what a client of the host throws. */
  async write(host: StudyHost, runtimeId: string, asked: AskedExport, signal: AbortSignal): Promise<WrittenFile> {
    // An id of the agent's own making is no name of a file before the host has answered for it.
    const { runtimeId: known } = await host.status(runtimeId);
    const path = join(await this.#path(), `${known.replace(/^runtime:/, '')}-${nameOf(asked)}`);
    return writeExport(host, known, asked, path, signal);
  }

  #path(): Promise<string> {
    // What was in the way of the folder may be gone at the next call.
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

/** What was asked as the name of a file: an answer with other options is another file. */
function nameOf(asked: AskedExport): string {
  if (asked.name === 'bundle') return 'bundle.tar';
  const { side, rate } = asked.options;
  const options = [side ?? [], rate ?? []].flat().map((option) => `.${option}`);
  return asked.name.replace(/(?=\.\w+$)/, options.join(''));
}
