import { readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { version } from '../../contract/base/program-version.ts';
import type { LedgerCopy } from '../ledger/ledger.ts';
import { openDatabase } from '../ledger/open-database.ts';
import { storedValues } from '../ledger/row-codec.ts';
import type { DataRoot } from '../objects/data-root.ts';
import { kindOf, makeFolder, syncFolder, writeSyncedFile } from '../objects/durable-file.ts';
import { objectsIn } from '../objects/object-files.ts';
import { failedWith } from '../objects/object-store-error.ts';
import { BackupError, type BackupManifest, copyHashed, manifestName, objectPath } from './backup-manifest.ts';
import { addNamed, keepingValues, reachedFrom } from './named-objects.ts';

interface BackupOptions {
  readonly layout: DataRoot;
  readonly target: string;
  readonly clock: { now(): number };
  readonly newId: () => string;
  /** Copies the ledger, and says into which folder: `ledger/` and `ledger.mark` lie in it. */
  readonly copyLedger: () => Promise<LedgerCopy & { readonly folder: string }>;
  /** Called with the number of objects that are in the backup, and the total. */
  readonly progress?: (done: number, total: number) => void;
}

const beganName = 'MEDIA-STUDY-BACKUP-BEGAN';
/** The number of attempts at a backup of a running host that deletes something meanwhile. */
const attempts = 3;

type LedgerFiles = BackupManifest['ledger']['files'];

const ledgerName = /^ledger-[0-9a-f-]{36}$/;

/**
 * Writes a backup of a data root, or brings an earlier one up to date: objects that it has are not copied again. The ledger
 * is copied first, and then every object that its records reach; objects never change. The manifest replaces the earlier one at
 * the end, in one step. Throws `BackupError`, and what the file system refuses.
 */
export async function writeBackup(options: BackupOptions): Promise<BackupManifest> {
  const { layout, target } = options;
  await claimTarget(layout.root, target);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await writeOnce(options);
    } catch (error) {
      // A running host deleted what its ledger had reached when it was copied: the next copy does not speak of it.
      if (!(error instanceof ObjectGone) || attempt === attempts) throw error;
    }
  }
}

async function writeOnce(options: BackupOptions): Promise<BackupManifest> {
  const { layout, target, clock, newId } = options;
  const before = await lengthsOf(layout);
  const copy = await options.copyLedger();
  const folder = `ledger-${newId()}`;
  const files = await copyLedgerFiles(copy.folder, target, folder);
  const needed = await reachedIn(join(copy.folder, 'ledger'), layout);
  const onDisk = await lengthsOf(layout);
  const gone = [...needed].find((contentId) => before.has(contentId) && !onDisk.has(contentId));
  if (gone !== undefined) throw new ObjectGone(gone);
  const left = [...onDisk].filter(([contentId]) => !needed.has(contentId));
  const wanted = [...onDisk.keys()].filter((contentId) => needed.has(contentId));
  const manifest: BackupManifest = {
    schema: 'studio.backup.v1',
    version,
    createdAt: new Date(clock.now()).toISOString(),
    format: copy.format,
    commit: copy.commit,
    ledger: { folder, files },
    objects: await copyObjects(wanted, options),
    leftOut: { objects: left.length, bytes: left.reduce((sum, [, bytes]) => sum + bytes, 0) },
  };
  await replaceManifest(target, manifest);
  await removeOthers(target, manifest);
  return manifest;
}

async function copyLedgerFiles(from: string, target: string, folder: string): Promise<LedgerFiles> {
  const files: LedgerFiles = [];
  const names = (await readdir(join(from, 'ledger'))).filter((name) => name !== 'LOCK');
  for (const path of ['ledger.mark', ...names.sort().map((name) => `ledger/${name}`)]) {
    const copied = await copyHashed(join(from, path), join(target, folder, path));
    if (copied === null) throw new BackupError('backup_incomplete', `${path} of the copied ledger is not a file`);
    files.push({ path, ...copied });
  }
  for (const each of [join(target, folder, 'ledger'), join(target, folder), target]) await syncFolder(each);
  return files;
}

/** The objects that the records of a copied ledger reach. No host uses the copy, and it is not copied after this. */
async function reachedIn(ledger: string, layout: DataRoot): Promise<ReadonlySet<string>> {
  const named = new Set<string>();
  const database = await openDatabase(ledger);
  try {
    for await (const { value } of keepingValues(storedValues(database, null))) addNamed(named, value);
  } finally {
    await database.close();
  }
  return reachedFrom(
    named,
    (contentId) => join(layout.root, objectPath(contentId)),
    () => undefined,
  );
}

async function lengthsOf({ objects }: DataRoot): Promise<ReadonlyMap<string, number>> {
  const lengths = new Map<string, number>();
  for await (const { contentId, bytes } of objectsIn(objects)) lengths.set(contentId, bytes);
  return lengths;
}

/** Removes what an earlier backup in the same folder had, and the new one does not speak of. */
async function removeOthers(target: string, { ledger, objects }: BackupManifest): Promise<void> {
  for (const name of await readdir(target)) {
    if (ledgerName.test(name) && name !== ledger.folder) await rm(join(target, name), { recursive: true });
  }
  const kept = new Set(objects.map(({ contentId }) => contentId));
  const copies = join(target, 'objects', 'sha256');
  if ((await kindOf(copies)) !== 'folder') return;
  for await (const { contentId } of objectsIn(copies)) {
    if (!kept.has(contentId)) await rm(join(target, objectPath(contentId)), { force: true });
  }
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
  contentIds: readonly string[],
  { layout, target, progress }: BackupOptions,
): Promise<BackupManifest['objects']> {
  const copied: BackupManifest['objects'] = [];
  const folders = new Set<string>();
  for (const [at, contentId] of contentIds.entries()) {
    const to = join(target, objectPath(contentId));
    const bytes = await keptOrCopied(join(layout.root, objectPath(contentId)), to, contentId);
    folders.add(dirname(to));
    copied.push({ contentId, bytes });
    progress?.(at + 1, contentIds.length);
  }
  for (const folder of folders) await syncFolder(folder);
  return copied;
}

/** Bytes of the object in the backup. Throws `backup_incomplete` for one that is damaged, and for one that was deleted meanwhile. */
async function keptOrCopied(from: string, to: string, contentId: string): Promise<number> {
  try {
    const { size } = await stat(from);
    const kept = await stat(to).catch(() => null);
    if (kept?.isFile() && kept.size === size) return size;
    const copied = await copyHashed(from, to, { contentId });
    if (copied !== null) return copied.bytes;
  } catch (error) {
    if (failedWith(error, 'ENOENT')) throw new ObjectGone(contentId);
    throw error;
  }
  throw new BackupError('backup_incomplete', `the object ${contentId} of the data root is damaged`);
}

/** An object that the ledger reached when it was copied is not there any more. */
class ObjectGone extends BackupError {
  constructor(contentId: string) {
    super('backup_incomplete', `the object ${contentId} was deleted while the backup was written`);
  }
}

async function replaceManifest(target: string, manifest: BackupManifest): Promise<void> {
  const draft = join(target, `${manifestName}.new`);
  await rm(draft, { force: true });
  await writeSyncedFile(draft, Buffer.from(`${JSON.stringify(manifest)}\n`, 'utf8'));
  await rename(draft, join(target, manifestName));
  await syncFolder(target);
}
