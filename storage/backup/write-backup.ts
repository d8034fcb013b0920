import { readdir, realpath, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { version } from '../../contract/base/program-version.ts';
import { contentIdOfBytes } from '../../formats/canonical-json.ts';
import { type LedgerCopy, LedgerError, openFailure } from '../ledger/ledger.ts';
import { batchNumberOf } from '../ledger/numbered-store.ts';
import { openDatabase } from '../ledger/open-database.ts';
import { storedValues } from '../ledger/row-codec.ts';
import type { DataRoot } from '../objects/data-root.ts';
import { kindOf, makeFolder, replaceDurably, syncFolder, writeSyncedFile } from '../objects/durable-file.ts';
import { objectsIn } from '../objects/object-files.ts';
import { failedWith } from '../objects/object-store-error.ts';
import { isBlank, readSmallFile } from '../objects/small-file.ts';
import { type ProcessLock, takeLock } from '../process-lock.ts';
import {
  BackupError,
  type BackupManifest,
  copyHashed,
  manifestName,
  objectPath,
  settingsName,
} from './backup-manifest.ts';
import { addNamed, keepingValues, reachedFrom } from './named-objects.ts';

/** A copy of the ledger, and its folder: `ledger/` and `ledger.mark` lie in it. */
export interface CopiedLedger extends LedgerCopy {
  readonly folder: string;
}

interface BackupOptions {
  readonly layout: DataRoot;
  readonly target: string;
  readonly clock: { now(): number };
  readonly newId: () => string;
  /** Copies the ledger, once for each attempt. */
  readonly copyLedger: () => Promise<CopiedLedger>;
  /** Called with the number of objects that are in the backup, and the total. */
  readonly progress?: (done: number, total: number) => void;
  /** Called with a line for people about what is not in the backup although it belongs to the data root. */
  readonly remark?: (line: string) => void;
}

const beganName = 'MEDIA-STUDY-BACKUP-BEGAN';
const lockName = 'MEDIA-STUDY-BACKUP-LOCK';
/** The number of attempts at a backup whose ledger or objects go away while they are read. */
const attempts = 3;

type LedgerFiles = BackupManifest['ledger']['files'];

const ledgerName = /^ledger-[0-9a-f-]{36}$/;
const keptSettingsName = /^settings-[0-9a-f]{64}\.json$/;

/**
 * Writes a backup of a data root, or brings an earlier one up to date: objects that it has are not copied again. The ledger
 * is copied first, and then every object that its records reach; objects never change. The manifest replaces the earlier one at
 * the end, in one step. Throws `BackupError`, and what the file system refuses.
 */
export async function writeBackup(given: BackupOptions): Promise<BackupManifest> {
  const target = await behindLinks(given.target);
  const options = { ...given, target };
  await claimTarget(await behindLinks(given.layout.root), target);
  const lock = await lockTarget(target);
  try {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await writeOnce(options);
      } catch (error) {
        if (!(error instanceof Overtaken) || attempt === attempts) throw error;
      }
    }
  } finally {
    await lock.close();
  }
}

/** Two writers in one folder would each remove what only the other's manifest names. */
async function lockTarget(target: string): Promise<ProcessLock> {
  const lock = await takeLock(join(target, lockName)).catch((error: unknown) => {
    throw openFailure(error, target);
  });
  if (lock !== null) return lock;
  throw new BackupError('backup_target_busy', `another backup is being written into ${target}`);
}

async function writeOnce(options: BackupOptions): Promise<BackupManifest> {
  const { layout, target, clock, newId } = options;
  const before = await lengthsOf(layout);
  const folder = `ledger-${newId()}`;
  const { copy, files, needed } = await copiedLedger(options, folder);
  const onDisk = await lengthsOf(layout);
  const gone = [...needed].find((contentId) => before.has(contentId) && !onDisk.has(contentId));
  if (gone !== undefined) throw objectGone(gone);
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
    ...(await copySettings(options)),
  };
  await replaceManifest(target, manifest);
  await removeOthers(target, manifest);
  return manifest;
}

/**
 * Copies the ledger into a folder of the target, and reads which objects its records reach. A host that starts clears its folder
 * for work, where the copy lies: it is not whole then.
 */
async function copiedLedger({ copyLedger, layout, target }: BackupOptions, folder: string) {
  let copy: CopiedLedger | null = null;
  try {
    copy = await copyLedger();
    const files = await copyLedgerFiles(copy.folder, target, folder);
    return { copy, files, needed: await reachedIn(copy, layout) };
  } catch (error) {
    const isUnreadable = copy !== null && error instanceof LedgerError;
    if (!(error instanceof Error) || !(isUnreadable || failedWith(error, 'ENOENT'))) throw error;
    throw new Overtaken(`the copy of the ledger went away (${error.message})`, error);
  }
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
async function reachedIn({ folder, commit }: CopiedLedger, layout: DataRoot): Promise<ReadonlySet<string>> {
  const named = new Set<string>();
  const database = await openDatabase(join(folder, 'ledger'));
  try {
    // A folder that is gone opens as a new store, which reaches nothing.
    if (batchNumberOf(database) !== commit) throw new Overtaken(`the copy of the ledger in ${folder} went away`);
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

/** Copies the settings of the data root, with all that is in them: the backup is as private as the root. */
async function copySettings({ layout, target, remark }: BackupOptions): Promise<Pick<BackupManifest, 'settings'>> {
  const bytes = await readSmallFile(layout.settings).catch((error: Error) => {
    remark?.(`${layout.settings} is not in the backup: ${error.message}`);
    return null;
  });
  if (bytes === null || isBlank(bytes)) return {};
  const contentId = contentIdOfBytes(bytes);
  await replaceDurably(join(target, settingsName(contentId)), bytes);
  return { settings: { contentId, bytes: bytes.length } };
}

/** Removes what an earlier backup in the same folder had, and the new one does not speak of. */
async function removeOthers(target: string, { ledger, objects, settings }: BackupManifest): Promise<void> {
  const keptSettings = settings === undefined ? null : settingsName(settings.contentId);
  for (const name of await readdir(target)) {
    if (ledgerName.test(name) && name !== ledger.folder) await rm(join(target, name), { recursive: true });
    if (keptSettingsName.test(name) && name !== keptSettings) await rm(join(target, name));
  }
  const kept = new Set(objects.map(({ contentId }) => contentId));
  const copies = join(target, 'objects', 'sha256');
  if ((await kindOf(copies)) !== 'folder') return;
  for await (const { contentId } of objectsIn(copies)) {
    if (!kept.has(contentId)) await rm(join(target, objectPath(contentId)), { force: true });
  }
}

/** A path without links; what does not exist yet is below what does. */
async function behindLinks(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!failedWith(error, 'ENOENT')) throw error;
    return join(await behindLinks(dirname(path)), basename(path));
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
    if (failedWith(error, 'ENOENT')) throw objectGone(contentId);
    throw error;
  }
  throw new BackupError('backup_incomplete', `the object ${contentId} of the data root is damaged`);
}

/** Something went away while the backup read it. The next attempt takes a new copy of the ledger, which does not speak of it. */
class Overtaken extends BackupError {
  constructor(detail: string, cause?: unknown) {
    super('backup_incomplete', `${detail}; run the backup again`, cause);
  }
}

const objectGone = (contentId: string) =>
  new Overtaken(`the object ${contentId} was deleted while the backup was written`);

async function replaceManifest(target: string, manifest: BackupManifest): Promise<void> {
  await replaceDurably(join(target, manifestName), Buffer.from(`${JSON.stringify(manifest)}\n`, 'utf8'));
}
