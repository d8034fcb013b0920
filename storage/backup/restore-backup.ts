import { readdir, rename, rm, rmdir, stat, statfs } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { checkLedger } from '../ledger/accept-loss.ts';
import {
  contentOf,
  dataRootAt,
  makePrivateFolder,
  markDataRoot,
  markerName,
  prepareDataRoot,
  restoringName,
  storeFormat,
  unsupportedFormat,
} from '../objects/data-root.ts';
import { kindOf, syncFolder } from '../objects/durable-file.ts';
import { failedWith, ObjectStoreError } from '../objects/object-store-error.ts';
import {
  BackupError,
  type BackupManifest,
  copyHashed,
  objectPath,
  readBackupManifest,
  settingsName,
} from './backup-manifest.ts';

interface RestoreOptions {
  readonly backup: string;
  /** A new or an empty folder, which becomes a data root. */
  readonly target: string;
  readonly newId: () => string;
  /** Called with the number of files that are restored and verified, and the total. */
  readonly progress?: (done: number, total: number) => void;
  /** Ends the restore behind the file that is being copied. */
  readonly signal?: AbortSignal;
}

/**
 * Makes a data root of a backup. It hashes every file, compares it with the manifest, and checks the whole ledger. This happens
 * in a folder inside of the target, which may be the root of a volume. Its content moves up at the end, with the marker of a data
 * root as its last file. Throws `BackupError`, `ObjectStoreError` and the reason of the signal, and leaves nothing then. After a kill the folder
 * inside keeps a host from using the target.
 */
export async function restoreBackup(options: RestoreOptions): Promise<BackupManifest> {
  const { backup, target, newId, signal } = options;
  const manifest = await readBackupManifest(backup);
  if (manifest.format > storeFormat) {
    throw new ObjectStoreError(
      'store_format_unsupported',
      unsupportedFormat(backup, String(manifest.format), manifest.version),
    );
  }
  const isNew = await demandEmpty(target);
  await makePrivateFolder(target);
  const building = join(target, restoringName(newId()));
  const moved: string[] = [];
  try {
    await demandRoom(manifest, backup, target);
    await prepareDataRoot(building);
    // From here on hosts and other restores refuse the target. One that was faster has it.
    await demandAlone(target, building);
    await markDataRoot(building, manifest.format);
    await copyAll(manifest, building, options);
    await demandLedger(manifest, backup, building);
    signal?.throwIfAborted();
    // A rename would replace a file that a person has put there meanwhile.
    await demandAlone(target, building);
    for (const name of inMovingOrder(await readdir(building))) {
      await rename(join(building, name), join(target, name));
      moved.push(join(target, name));
    }
    await rmdir(building);
    await syncFolder(target);
    return manifest;
  } catch (error) {
    for (const path of [building, ...moved]) await rm(path, { recursive: true, force: true });
    if (isNew) await rmdir(target).catch(() => undefined);
    throw error;
  }
}

/** Without its ledger no version of this program takes a folder for a data root, and this one never without its marker. */
function inMovingOrder(names: readonly string[]): string[] {
  const last = [basename(dataRootAt('').ledger), markerName];
  return [...names].sort((one, other) => last.indexOf(one) - last.indexOf(other));
}

/** True if the target is to be made. Throws unless it is that, or an empty folder. */
async function demandEmpty(target: string): Promise<boolean> {
  const kind = await kindOf(target);
  if (kind === 'missing') return true;
  if (kind !== 'folder') throw notEmpty(`${target} is not a folder itself`);
  await demandAlone(target);
  return false;
}

/** Throws if anything but the `building` of this restore is in the target. */
async function demandAlone(target: string, building?: string): Promise<void> {
  const { isEmpty, restoring } = await contentOf(target, building && basename(building));
  if (isEmpty) return;
  if (restoring === null) throw notEmpty(`${target} is not empty`);
  const left = join(target, restoring);
  // Files that it had moved up before lie beside it.
  throw notEmpty(`${left} is left of a restore that was killed; empty ${target} unless another restore runs right now`);
}

const notEmpty = (detail: string) => new BackupError('backup_target_not_empty', `${detail}; nothing was touched`);

/**
 * Throws `storage_full` if the volume of the target has less room than the files need. On the volume of the backup it is not asked:
 * its file system may share their blocks.
 */
async function demandRoom({ ledger, objects }: BackupManifest, backup: string, target: string): Promise<void> {
  const [from, to] = [await stat(backup), await stat(target)];
  if (from.dev === to.dev) return;
  const { bavail, bsize } = await statfs(target);
  const needed = [...ledger.files, ...objects].reduce((sum, { bytes }) => sum + Math.ceil(bytes / bsize) * bsize, 0);
  if (needed <= bavail * bsize) return;
  throw new ObjectStoreError(
    'storage_full',
    `the backup needs ${needed} bytes, and the volume of ${target} has ${bavail * bsize}; nothing was copied`,
  );
}

/** The restored ledger is whole, and the one that the manifest speaks of: another one, whole as well, may lie in its place. */
async function demandLedger({ commit, format }: BackupManifest, backup: string, building: string): Promise<void> {
  const { faults, whole } = await checkLedger(building);
  if (whole === null) throw new BackupError('backup_damaged', `the ledger of ${backup}: ${faults.join('; ')}`);
  if (whole.commit === commit && whole.format === format) return;
  throw new BackupError(
    'backup_damaged',
    `the ledger of ${backup} has format ${whole.format} and ends with commit ${whole.commit}, its manifest says format ${format} and commit ${commit}`,
  );
}

async function copyAll(
  { ledger, objects, settings }: BackupManifest,
  building: string,
  { backup, progress, signal }: RestoreOptions,
): Promise<void> {
  const files = [
    ...objects.map((object) => ({ ...object, from: objectPath(object.contentId), to: objectPath(object.contentId) })),
    ...ledger.files.map((file) => ({ ...file, from: join(ledger.folder, file.path), to: file.path })),
    ...(settings === undefined ? [] : [{ ...settings, from: settingsName(settings.contentId), to: 'settings.json' }]),
  ];
  const folders = new Set<string>();
  for (const [at, { from, to, ...wanted }] of files.entries()) {
    signal?.throwIfAborted();
    const copied = await copyHashed(join(backup, from), join(building, to), wanted).catch((error: unknown) => {
      if (failedWith(error, 'ENOENT')) return null;
      throw error;
    });
    if (copied === null) throw new BackupError('backup_damaged', `${join(backup, from)} is missing or damaged`);
    folders.add(dirname(join(building, to)));
    progress?.(at + 1, files.length);
  }
  for (const folder of folders) await syncFolder(folder);
}
