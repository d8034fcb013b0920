import { constants } from 'node:fs';
import { copyFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hashSynced, makeFolder } from '../objects/durable-file.ts';

/** What a copy has to become. */
export interface WantedCopy {
  readonly contentId: string;
  /** Files of another length are not read. */
  readonly bytes?: number;
}

/**
 * Copies a file, whole or not at all, and hashes the copy. Null, and nothing stays, where it is no file or not the wanted one: a
 * pipe would hold the copy forever. The bytes are on disk when it resolves; a caller that copies several files syncs their
 * folder once.
 */
export async function copyHashed(
  from: string,
  to: string,
  wanted: WantedCopy | null = null,
): Promise<{ contentId: string; bytes: number } | null> {
  const found = await stat(from);
  if (!found.isFile() || (wanted?.bytes ?? found.size) !== found.size) return null;
  await makeFolder(dirname(to));
  const draft = `${to}.copying`;
  try {
    await rm(draft, { force: true });
    // A file system that can share the blocks of both files copies nothing.
    await copyFile(from, draft, constants.COPYFILE_FICLONE);
    const copied = await hashSynced(draft);
    if (wanted !== null && copied.contentId !== wanted.contentId) return null;
    await rename(draft, to);
    return copied;
  } finally {
    await rm(draft, { force: true });
  }
}
