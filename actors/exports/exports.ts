import type { ExportName } from '../../contract/exports.ts';
import { type ExportOptions, exportFiles } from '../../receipts/exports/export-catalogue.ts';
import type { ExportedFile } from '../../receipts/exports/fact-files.ts';
import type { VerifiedRuntimes } from '../reopening/verified-runtimes.ts';
import { TimeSlices } from '../supervision/system-clock.ts';

/** The service behind runtimes as files of other programs. Every file rests on a runtime that was reopened as a whole. */
export class Exports {
  readonly #runtimes: VerifiedRuntimes;
  readonly #slices = new TimeSlices();

  constructor(runtimes: VerifiedRuntimes) {
    this.#runtimes = runtimes;
  }

  /**
   * Throws `unknown_runtime`, `stored_content_inconsistent`, `export_unavailable` where the evidence of a file is missing, and
   * for captions the refusals of `acceptedCaptionsOf`.
   */
  async file(runtimeId: string, name: ExportName, options: ExportOptions): Promise<ExportedFile> {
    return this.#slices.run(exportFiles[name](await this.#runtimes.read(runtimeId), options));
  }
}
