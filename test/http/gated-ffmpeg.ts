import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findExecutable } from '../../executors/process/tools.ts';

/** The real ffmpeg behind a gate: while it is closed, every pass over media waits, so that work stays under way. */
export class GatedFfmpeg {
  readonly path: string;
  readonly #bar: string;
  readonly #passes: string;

  private constructor(folder: string) {
    this.path = join(folder, 'gated-ffmpeg');
    this.#bar = join(folder, 'gate-is-closed');
    this.#passes = join(folder, 'passes-at-the-gate');
  }

  static async create(folder: string): Promise<GatedFfmpeg> {
    const real = process.env.MEDIA_STUDY_FFMPEG ?? (await findExecutable('ffmpeg', process.env.PATH ?? ''));
    if (real === null) throw new Error('ffmpeg is not on PATH');
    const gate = new GatedFfmpeg(folder);
    const script = [
      '#!/bin/sh',
      `case "$1" in -version) ;; *) echo >> '${gate.#passes}'; while [ -e '${gate.#bar}' ]; do sleep 0.02; done ;; esac`,
      `exec '${real}' "$@"`,
    ];
    await writeFile(gate.path, `${script.join('\n')}\n`);
    await chmod(gate.path, 0o755);
    await writeFile(gate.#passes, '');
    return gate;
  }

  /** How many passes have come to the gate. */
  async passes(): Promise<number> {
    return (await readFile(this.#passes, 'utf8')).length;
  }

  close(): Promise<void> {
    return writeFile(this.#bar, '');
  }

  open(): Promise<void> {
    return rm(this.#bar, { force: true });
  }
}
