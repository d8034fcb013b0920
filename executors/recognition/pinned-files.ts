import { createHash } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { statesOf } from '../process/known-tools.ts';
import { digestOf } from '../process/tools.ts';
import { RecognitionFailure } from './recognizer.ts';

/** Files whose digests a host found at its start, and on which it relies from then on. */
export interface PinnedFiles {
  /** Of one file its SHA-256; of several the SHA-256 over `<digest>  <name>` lines in the order of the names. */
  readonly digest: string;
  /** Rejects with `RecognitionFailure` of `model_changed` where a file is not in the state in which it was pinned. */
  demandUnchanged(): Promise<void>;
}

/** Every file below a folder by its path in it, in order. */
async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  return files.map((file) => path.relative(folder, file)).sort();
}

/** Hashes a file, or every file below a folder. Rejects with the error of the file system where there is none. */
export async function pinFiles(place: string): Promise<PinnedFiles> {
  const isFolder = (await stat(place)).isDirectory();
  const names = isFolder ? await filesBelow(place) : [''];
  const files = names.map((name) => path.join(place, name));
  const before = await statesOf(files);
  const digests = await Promise.all(files.map(digestOf));
  const list = names.map((name, at) => `${digests[at]}  ${name}\n`).join('');
  const digest = isFolder ? `sha256:${createHash('sha256').update(list).digest('hex')}` : (digests[0] ?? '');
  return {
    digest,
    demandUnchanged: async () => {
      const now = await statesOf(files);
      if (now.some(({ state }, at) => state !== before[at]?.state)) {
        throw new RecognitionFailure(
          'model_changed',
          'the recogniser or its model is not the one of the start any more',
        );
      }
    },
  };
}
