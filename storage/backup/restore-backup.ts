import { readdir, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { checkLedger } from '../ledger/accept-loss.ts';
import { prepareDataRoot } from '../objects/data-root.ts';
import { markDataRoot } from '../objects/data-root-marker.ts';
import { makeFolder, syncFolder } from '../objects/durable-file.ts';
import { kindOf } from '../objects/entry-kind.ts';
import { failedWith, ObjectStoreError } from '../objects/object-store-error.ts';
import { storeFormat, unsupportedFormat } from '../store-format.ts';
import { BackupError } from './backup-error.ts';
import { type BackupManifest, objectPath, readManifest } from './backup-manifest.ts';
import { copyHashed } from './copied-file.ts';

export interface RestoreOptions {
  readonly backup: string;
  /** A new or an empty folder, which becomes a data root. */
  readonly target: string;
  readonly newId: () => string;
  /** Told how many files of how many are restored and verified. */
  readonly progress?: (done: number, total: number) => void;
}

/**
 * Makes a data root of a backup: every file is hashed and compared with the manifest, and the whole ledger is checked, in a
 * folder beside the target, which takes its name at the end in one step. Throws `BackupError`, and leaves nothing then.
 */
export async function restoreBackup({ backup, target, newId, progress }: RestoreOptions): Promise<BackupManifest> {
  const manifest = await readManifest(backup);
  if (manifest.format > storeFormat) {
    throw new ObjectStoreError(
      'store_format_unsupported',
      unsupportedFormat(backup, String(manifest.format), manifest.version),
    );
  }
  await demandEmpty(target);
  await makeFolder(dirname(target));
  const building = `${target}.restoring-${newId()}`;
  try {
    await prepareDataRoot(building);
    await markDataRoot(building, manifest.format);
    await copyAll(manifest, backup, building, progress);
    const { faults } = await checkLedger(building);
    if (faults.length > 0) throw new BackupError('backup_damaged', `the ledger of ${backup}: ${faults.join('; ')}`);
    await rmdir(target).catch((error: unknown) => {
      if (!failedWith(error, 'ENOENT')) throw error;
    });
    await rename(building, target);
    await syncFolder(dirname(target));
    return manifest;
  } catch (error) {
    await rm(building, { recursive: true, force: true });
    throw error;
  }
}

async function demandEmpty(target: string): Promise<void> {
  const kind = await kindOf(target);
  if (kind === 'missing' || (kind === 'folder' && (await readdir(target)).length === 0)) return;
  throw new BackupError('backup_target_not_empty', `${target} is not empty; nothing was touched`);
}

async function copyAll(
  { ledger, objects }: BackupManifest,
  backup: string,
  building: string,
  progress: RestoreOptions['progress'],
): Promise<void> {
  const files = [
    ...objects.map(({ contentId }) => ({ from: objectPath(contentId), to: objectPath(contentId), contentId })),
    ...ledger.files.map(({ path, contentId }) => ({ from: join(ledger.folder, path), to: path, contentId })),
  ];
  const folders = new Set<string>();
  for (const [at, { from, to, contentId }] of files.entries()) {
    const copied = await copyHashed(join(backup, from), join(building, to), (found) => found === contentId).catch(
      (error: unknown) => {
        if (failedWith(error, 'ENOENT')) return null;
        throw error;
      },
    );
    if (copied === null) throw new BackupError('backup_damaged', `${join(backup, from)} is missing or damaged`);
    folders.add(dirname(join(building, to)));
    progress?.(at + 1, files.length);
  }
  for (const folder of folders) await syncFolder(folder);
}
