import { readdir, rename, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { checkLedger } from '../ledger/accept-loss.ts';
import { markDataRoot, prepareDataRoot, storeFormat, unsupportedFormat } from '../objects/data-root.ts';
import { kindOf, makeFolder, syncFolder } from '../objects/durable-file.ts';
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

/** The mark in the name of a folder in which a data root is being made, behind the name of its target. */
const buildingPart = '.restoring-';

/**
 * Makes a data root of a backup. It hashes every file, compares it with the manifest, and checks the whole ledger. This happens
 * in a folder beside the target, which takes its name at the end in one step. Throws `BackupError` and the reason of the signal,
 * and leaves nothing then.
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
  await demandEmpty(target);
  await makeFolder(dirname(target));
  const building = `${target}${buildingPart}${newId()}`;
  try {
    await prepareDataRoot(building);
    await markDataRoot(building, manifest.format);
    await copyAll(manifest, building, options);
    await demandLedger(manifest, backup, building);
    signal?.throwIfAborted();
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
  const what = kind === 'folder' ? 'is not empty' : 'is not a folder itself';
  throw new BackupError('backup_target_not_empty', `${target} ${what}; nothing was touched`);
}

/**
 * The folders of earlier restores to the same target: they were killed, or another one runs at this moment. They are not deleted,
 * as only the person knows which.
 */
export async function unfinishedRestores(target: string): Promise<string[]> {
  const folder = dirname(target);
  const begin = `${basename(target)}${buildingPart}`;
  const names = (await kindOf(folder)) === 'folder' ? await readdir(folder) : [];
  return names.filter((name) => name.startsWith(begin)).map((name) => join(folder, name));
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
