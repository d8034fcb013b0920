import { constants } from 'node:fs';
import { copyFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hashSynced, makeFolder } from '../objects/durable-file.ts';

/**
 * Copies a file, whole or not at all, and hashes the copy; nothing stays where `accepts` says no to what it became. The bytes
 * are on disk when it resolves; a caller that copies several files syncs their folder once.
 */
export async function copyHashed(
  from: string,
  to: string,
  accepts: (contentId: string) => boolean = () => true,
): Promise<{ contentId: string; bytes: number } | null> {
  await makeFolder(dirname(to));
  const draft = `${to}.copying`;
  try {
    await rm(draft, { force: true });
    // A file system that can share the blocks of both files copies nothing.
    await copyFile(from, draft, constants.COPYFILE_FICLONE);
    const copied = await hashSynced(draft);
    if (!accepts(copied.contentId)) return null;
    await rename(draft, to);
    return copied;
  } finally {
    await rm(draft, { force: true });
  }
}
