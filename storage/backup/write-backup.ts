import { readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { version } from '../../contract/base/program-version.ts';
import type { LedgerCopy } from '../ledger/copy-ledger.ts';
import type { DataRoot } from '../objects/data-root-layout.ts';
import { makeFolder, syncFolder, writeSyncedFile } from '../objects/durable-file.ts';
import { kindOf } from '../objects/entry-kind.ts';
import { failedWith } from '../objects/object-store-error.ts';
import { BackupError } from './backup-error.ts';
import { type BackupManifest, manifestName, objectPath } from './backup-manifest.ts';
import { copyHashed } from './copied-file.ts';

export interface BackupOptions {
  readonly layout: DataRoot;
  readonly target: string;
  readonly clock: { now(): number };
  readonly newId: () => string;
  /** Copies the ledger, and says into which folder: `ledger/` and `ledger.mark` lie in it. */
  readonly copyLedger: () => Promise<LedgerCopy & { readonly folder: string }>;
  /** Told how many objects of how many are in the backup. */
  readonly progress?: (done: number, total: number) => void;
}

const beganName = 'MEDIA-STUDY-BACKUP-BEGAN';
const ledgerName = /^ledger-[0-9a-f-]{36}$/;

/**
 * Writes a backup of a data root, or brings an earlier one up to date: objects that it has are not copied again. The ledger
 * is copied first, so that every object of which it speaks is there by then; objects never change. The manifest replaces the
 * earlier one at the end, in one step. Throws `BackupError`, and what the file system refuses.
 */
export async function writeBackup(options: BackupOptions): Promise<BackupManifest> {
  const { layout, target, clock, newId, progress } = options;
  await claimTarget(layout.root, target);
  const copy = await options.copyLedger();
  const folder = `ledger-${newId()}`;
  const files: BackupManifest['ledger']['files'] = [];
  const names = (await readdir(join(copy.folder, 'ledger'))).filter((name) => name !== 'LOCK');
  for (const path of ['ledger.mark', ...names.sort().map((name) => `ledger/${name}`)]) {
    const copied = await copyHashed(join(copy.folder, path), join(target, folder, path));
    if (copied !== null) files.push({ path, ...copied });
  }
  for (const each of [join(target, folder, 'ledger'), join(target, folder), target]) await syncFolder(each);
  const objects = await copyObjects(layout.objects, target, progress);
  const manifest: BackupManifest = {
    schema: 'studio.backup.v1',
    version,
    createdAt: new Date(clock.now()).toISOString(),
    format: copy.format,
    commit: copy.commit,
    ledger: { folder, files },
    objects,
  };
  await replaceManifest(target, manifest);
  for (const name of await readdir(target)) {
    if (ledgerName.test(name) && name !== folder) await rm(join(target, name), { recursive: true });
  }
  return manifest;
}

/** A new or an empty folder, or one that a backup was written into before; never one inside of what is backed up. */
async function claimTarget(root: string, target: string): Promise<void> {
  const below = relative(root, target);
  if (below === '' || (below !== '..' && !below.startsWith(`..${sep}`))) {
    throw new BackupError('backup_target_unrecognized', `${target} lies in the data root itself`);
  }
  const kind = await kindOf(target);
  const names = kind === 'folder' ? await readdir(target) : [];
  const isOurs = names.length === 0 || names.includes(beganName);
  if ((kind !== 'folder' && kind !== 'missing') || !isOurs) {
    throw new BackupError('backup_target_unrecognized', `${target} is neither empty nor a backup; nothing was touched`);
  }
  await makeFolder(target);
  if (!names.includes(beganName)) await writeSyncedFile(join(target, beganName), Buffer.alloc(0));
  await syncFolder(target);
}

async function copyObjects(
  objects: string,
  target: string,
  progress: BackupOptions['progress'],
): Promise<BackupManifest['objects']> {
  const contentIds = await objectsIn(objects);
  const copied: BackupManifest['objects'] = [];
  const folders = new Set<string>();
  for (const [at, contentId] of contentIds.entries()) {
    const hex = contentId.slice('sha256:'.length);
    const [from, to] = [join(objects, hex.slice(0, 2), hex), join(target, objectPath(contentId))];
    const bytes = await keptOrCopied(from, to, contentId);
    folders.add(dirname(to));
    if (bytes !== null) copied.push({ contentId, bytes });
    progress?.(at + 1, contentIds.length);
  }
  for (const folder of folders) await syncFolder(folder);
  return copied;
}

/** Bytes of the object in the backup; null where it was deleted meanwhile. Throws `backup_incomplete` for a damaged one. */
async function keptOrCopied(from: string, to: string, contentId: string): Promise<number | null> {
  try {
    const { size } = await stat(from);
    const kept = await stat(to).catch(() => null);
    if (kept?.isFile() && kept.size === size) return size;
    const copied = await copyHashed(from, to, (found) => found === contentId);
    if (copied !== null) return copied.bytes;
  } catch (error) {
    if (failedWith(error, 'ENOENT')) return null;
    throw error;
  }
  throw new BackupError('backup_incomplete', `the object ${contentId} of the data root is damaged`);
}

async function objectsIn(objects: string): Promise<string[]> {
  const found: string[] = [];
  for (const shard of (await readdir(objects)).sort()) {
    if (!/^[0-9a-f]{2}$/.test(shard)) continue;
    const names = (await readdir(join(objects, shard))).filter((name) => /^[0-9a-f]{64}$/.test(name));
    found.push(...names.sort().map((name) => `sha256:${name}`));
  }
  return found;
}

async function replaceManifest(target: string, manifest: BackupManifest): Promise<void> {
  const draft = join(target, `${manifestName}.new`);
  await rm(draft, { force: true });
  await writeSyncedFile(draft, Buffer.from(`${JSON.stringify(manifest)}\n`, 'utf8'));
  await rename(draft, join(target, manifestName));
  await syncFolder(target);
}
