import { randomUUID } from 'node:crypto';
import { link, readFile, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { longestFileName, syncChosenFolder, writeSyncedFile } from '../../storage/objects/durable-file.ts';
import { VerbRefusal } from '../feature.ts';

/** The bytes of a file that a command would write; null if nothing is there. Throws `VerbRefusal` for a place that takes no file. */
export async function presentFile(path: string): Promise<Buffer | null> {
  const bytes = Buffer.byteLength(basename(path));
  if (bytes > longestFileName) {
    throw new VerbRefusal(
      `the name of the new file has ${bytes} bytes, and most folders take ${longestFileName}: name a shorter one by --output`,
    );
  }
  const folder = await stat(dirname(path)).catch(() => null);
  if (folder === null || !folder.isDirectory()) {
    throw new VerbRefusal(`there is no folder ${dirname(path)}: name another file by --output`);
  }
  const found = await stat(path).catch(() => null);
  if (found === null) return null;
  if (!found.isFile()) throw new VerbRefusal(`${path} is not a file: name another one by --output`);
  return readFile(path);
}

/** Writes a new file, whole or not at all. A file that is there stays: rejects with the code `EEXIST`. */
export async function writeNewFile(path: string, bytes: Uint8Array): Promise<void> {
  const folder = dirname(path);
  // A short name: that of the file may be as long as names can be.
  const part = join(folder, `.${randomUUID()}.part`);
  try {
    await writeSyncedFile(part, bytes);
    await link(part, path);
  } finally {
    await rm(part, { force: true });
  }
  await syncChosenFolder(folder);
}
