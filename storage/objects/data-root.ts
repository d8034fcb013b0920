import { chmod, mkdtemp, readdir, readFile, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { version } from '../../contract/base/program-version.ts';
import { refusalMeanings, systemRefusal } from '../system-refusal.ts';
import { kindOf, makeFolder, privateFolder, syncFolder, writeSyncedFile } from './durable-file.ts';
import { failedWith, ObjectStoreError, storageFault } from './object-store-error.ts';
import { besideSmallFile } from './small-file.ts';

/**
 * Number of the format in which this program writes a data root. It grows with each release that stores what the release
 * before cannot read: other files, other rows, another version of a chart. So an earlier program refuses the data root
 * instead of ending work that it does not understand.
 */
export const storeFormat = 5;

/** The message for a data root or ledger of another format. `since` is the version that brought it to its format. */
export function unsupportedFormat(what: string, found: string | null, since: string | null = null): string {
  const whose = since === null ? '' : `, to which version ${since} brought it`;
  const known = `this program (version ${version}) opens formats 1 to ${storeFormat}`;
  return `${what} has format ${found ?? 'unknown'}${whose}; ${known}; nothing was changed`;
}

/** The name of the settings file in a data root. */
const settingsFile = 'settings.json';

/** The name of the folder of installed engines in a data root. */
const enginesFolder = 'engines';

/** Where things lie under the data root. */
export interface DataRoot {
  readonly root: string;
  /** The LevelDB store. */
  readonly ledger: string;
  /** Content-addressed files, `<2 hex>/<hex>`. */
  readonly objects: string;
  /** Files on their way in. */
  readonly inbox: string;
  /** Objects whose bytes no longer have their name. */
  readonly quarantine: string;
  /** Private folders of external processes. */
  readonly work: string;
  /** The settings of a person for the hosts of this data root; the file may exist before the first of them. */
  readonly settings: string;
  /** Programs and models that `media-study engines` installed, a folder for each; it may exist before the first host. */
  readonly engines: string;
}

/** The layout of a data root in this folder. */
export const dataRootAt = (root: string): DataRoot => ({
  root,
  ledger: join(root, 'ledger'),
  objects: join(root, 'objects', 'sha256'),
  inbox: join(root, 'inbox'),
  quarantine: join(root, 'quarantine'),
  work: join(root, 'work'),
  settings: join(root, settingsFile),
  engines: join(root, enginesFolder),
});

/** A path as a POSIX shell reads it. */
export const shellPath = (path: string): string =>
  /^[\w./:@%+,=-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;

/** The file by which a folder says that it is a data root. It is written before anything else. */
export const markerName = 'MEDIA-STUDY-DATA-ROOT';

const signature = 'Signature: data root of the Local Media Study Service';
const text = (format: number) => `${signature}
Format: ${format}, since version ${version}
This file marks the folder as the data root of a Local Media Study Service.
Without it the service does not use the folder. Do not delete it.
`;

const draftName = `${markerName}.new`;

/** How often, and after which time each, the draft of another host is looked for until it is taken for that of a dead one. */
const otherDraftLooks = 20;
const otherDraftMs = 50;

/** Marks a folder with its format, whole or not at all; on disk when it resolves. */
export async function markDataRoot(root: string, format: number): Promise<void> {
  const draft = join(root, draftName);
  await writeDraft(draft, Buffer.from(text(format)));
  await rename(draft, join(root, markerName));
  await syncFolder(root);
}

/** A draft that is there is of another host, which marks the same folder at this moment, or of one that died while it did. */
async function writeDraft(draft: string, bytes: Uint8Array): Promise<void> {
  for (let looks = 1; ; looks += 1) {
    try {
      return await writeSyncedFile(draft, bytes);
    } catch (error) {
      if (!failedWith(error, 'EEXIST')) throw error;
    }
    if (looks >= otherDraftLooks) await rm(draft, { force: true });
    else await pause(otherDraftMs);
  }
}

/** Has a marked data root say that it is of a format from now on; a folder without a marker stays without one. */
export async function announceFormat(root: string, format: number): Promise<void> {
  if (await isMarker(join(root, markerName))) await markDataRoot(root, format);
}

/** The format that a data root states; by default 1. */
export const markedFormat = async (root: string): Promise<number> => Number((await formatLine(root))?.format ?? 1);

/**
 * Throws `store_format_unsupported` where a data root says that it is of a format which this program does not open. Reads one
 * file, so that everything else stays untouched.
 */
export async function demandKnownFormat(root: string): Promise<void> {
  const line = await formatLine(root);
  if (line === null || (/^[1-9]\d*$/.test(line.format) && Number(line.format) <= storeFormat)) return;
  throw new ObjectStoreError('store_format_unsupported', unsupportedFormat(root, line.format, line.since));
}

/** The format in a marker; null if there is no marker, or one of a version without formats. */
async function formatLine(root: string): Promise<{ readonly format: string; readonly since: string } | null> {
  const path = join(root, markerName);
  if (!(await isMarker(path))) return null;
  const [, format = '', since = 'unknown'] =
    /^Format: ([^,\n]*)(?:, since version (\S+))?$/m.exec(await readFile(path, 'utf8')) ?? [];
  return format === '' ? null : { format, since };
}

/**
 * The kind of an existing folder: `marked` as a data root, `unmarked` but with the store of a version that did not mark its
 * roots, `empty`, or `foreign`. Reads only.
 */
async function recognizeDataRoot(layout: DataRoot): Promise<'marked' | 'unmarked' | 'empty' | 'foreign'> {
  const names = await readdir(layout.root);
  if (names.includes(markerName)) return (await isMarker(join(layout.root, markerName))) ? 'marked' : 'foreign';
  if (isUnclaimed(names)) return 'empty';
  // A killed restore may have moved a part of its files up, or all but the marker.
  if (names.some(isRestoring)) return 'foreign';
  return (await holdsStore(layout)) ? 'unmarked' : 'foreign';
}

/** The file system keeps a folder of this name in the root of a volume such as ext4. */
const ofFileSystem = 'lost+found';

/**
 * The entries of a folder that no host has claimed. A host that died while it marked an empty folder leaves the draft of its mark. A
 * person may have made settings before the first start, and the command that made them may have been killed.
 */
const unclaimed: readonly string[] = [
  draftName,
  settingsFile,
  enginesFolder,
  ...besideSmallFile(settingsFile),
  ofFileSystem,
];

// Versions up to 1.0.0 named a draft of settings by their process.
const isUnclaimed = (names: readonly string[]): boolean =>
  names.every((name) => unclaimed.includes(name) || /^settings\.json\.[1-9]\d{0,6}$/.test(name));

/** The name of a folder in which a restore makes a data root, inside of the folder that becomes it. */
export const restoringName = (id: string): string => `restoring-${id}`;
/** True for the name of such a folder: it is left of a restore that was killed, or a restore runs. */
export const isRestoring = (name: string): boolean => name.startsWith(restoringName(''));

/**
 * The content of a folder that a restore may use. What its file system or a killed start left there does not count. Nor does
 * `own`, the folder of the restore itself.
 */
export async function contentOf(
  folder: string,
  own?: string,
): Promise<{ readonly isEmpty: boolean; readonly restoring: string | null }> {
  const names = (await readdir(folder)).filter((name) => ![ofFileSystem, draftName, own].includes(name));
  return { isEmpty: names.length === 0, restoring: names.find(isRestoring) ?? null };
}

/** True if a folder has nothing in it that keeps a host from making its data root there. */
export const isUnclaimedFolder = async (folder: string): Promise<boolean> => isUnclaimed(await readdir(folder));

async function isMarker(path: string): Promise<boolean> {
  return (await kindOf(path)) === 'file' && (await readFile(path, 'utf8')).startsWith(signature);
}

/** True if a LevelDB store is beside objects in their shards. The ledger checks its rows when it opens it. */
async function holdsStore({ ledger, objects }: DataRoot): Promise<boolean> {
  for (const folder of [ledger, dirname(objects), objects]) if ((await kindOf(folder)) !== 'folder') return false;
  const current = join(ledger, 'CURRENT');
  if ((await kindOf(current)) !== 'file') return false;
  const [, manifest] = /^(MANIFEST-\d+)\n$/.exec(await readFile(current, 'latin1')) ?? [];
  if (manifest === undefined || (await kindOf(join(ledger, manifest))) !== 'file') return false;
  return (await readdir(objects)).every((name) => /^[0-9a-f]{2}$/.test(name));
}

/** Why a folder with this owner and mode is not private to `uid`, or null. */
export function exposure(folder: { readonly uid: number; readonly mode: number }, uid: number): string | null {
  if (folder.uid !== uid) return `belongs to user ${folder.uid}`;
  const others = folder.mode & 0o077;
  return others === 0 ? null : `is open to others (mode ${(folder.mode & 0o777).toString(8).padStart(4, '0')})`;
}

/**
 * Makes the data root and its missing folders, and marks the root as this service's. An empty folder of this user is made private
 * first. From here on every file of this process, LevelDB's included, is made for its owner alone. Throws, before anything was
 * written:
 * - `data_root_unrecognized` for a folder with other content, and for a data root one of whose
 *   folders is a link or a file;
 * - `store_format_unsupported` for a data root of a format that this program does not open;
 * - `data_root_permissions` for a root that other users own or can read, also because its file system has fixed modes;
 * - a `SystemRefusalCode` and `storage_fault` for refusals of the system.
 */
export async function prepareDataRoot(root: string): Promise<DataRoot> {
  const layout = dataRootAt(root);
  process.umask(0o077);
  try {
    await claimRoot(layout);
    const folders = foldersOf(layout);
    for (const folder of folders) await makeFolder(folder);
    // An earlier process may have ended between making a folder and syncing its entry.
    for (const parent of new Set(folders.map((folder) => dirname(folder)))) await syncFolder(parent);
    return layout;
  } catch (error) {
    throw startFault(error, root);
  }
}

/**
 * Throws `data_root_unrecognized` for any other folder, or if one of its folders is a link or a file. Throws
 * `store_format_unsupported` for a format that this program does not open. A command that only reads a store must not make one in
 * a folder of something else. Changes nothing.
 */
export async function demandDataRoot(root: string): Promise<void> {
  const layout = dataRootAt(root);
  try {
    const state = await recognizeDataRoot(layout);
    if (state === 'foreign' || state === 'empty') throw await notOurs(root);
    await demandKnownFormat(root);
    await refuseLinks(layout);
  } catch (error) {
    throw startFault(error, root);
  }
}

const foldersOf = ({ ledger, objects, inbox, quarantine, work }: DataRoot): readonly string[] => [
  ledger,
  dirname(objects),
  objects,
  inbox,
  quarantine,
  work,
];

function startFault(error: unknown, root: string): ObjectStoreError {
  const refusal = error instanceof ObjectStoreError ? null : systemRefusal(error);
  const said = `${root}: ${error instanceof Error ? error.message : String(error)}`;
  if (refusal === null) return storageFault(error, said);
  return new ObjectStoreError(refusal, `${said}; ${refusalMeanings[refusal]}`, error);
}

async function claimRoot(layout: DataRoot): Promise<void> {
  const { root } = layout;
  const found = await stat(root).catch((error: unknown) => {
    if (failedWith(error, 'ENOENT')) return null;
    throw error;
  });
  if (found === null) {
    await makePrivateFolder(root);
    return markDataRoot(root, storeFormat);
  }
  if (!found.isDirectory()) throw new ObjectStoreError('storage_fault', `${root} is not a folder`);
  const state = await recognizeDataRoot(layout);
  if (state === 'foreign') throw await notOurs(root);
  await demandKnownFormat(root);
  await refuseLinks(layout);
  if (state === 'empty') await makePrivateFolder(root);
  else await demandPrivateRoot(root);
  // The ledger of a root without a marker is of the first format, until it is brought to the newest.
  if (state !== 'marked') await markDataRoot(root, state === 'empty' ? storeFormat : 1);
}

const ownUid = (): number | null => process.getuid?.() ?? null;

interface OwnerAndMode {
  readonly uid: number;
  readonly mode: number;
}

/** `exposure` to others than the user of this process. */
const exposed = (found: OwnerAndMode): string | null => exposure(found, ownUid() ?? found.uid);

/**
 * Throws `data_root_permissions` for a folder with content that others own or can enter, with the remedy that helps there. Leaves
 * no change.
 */
export async function demandPrivateRoot(root: string): Promise<void> {
  const found = await stat(root);
  const why = exposed(found);
  if (why === null) return;
  if (found.uid !== (ownUid() ?? found.uid)) throw exposedRoot(`${root} ${why}`);
  // A new folder is private unless the file system gives every folder one mode.
  const probe = await mkdtemp(join(root, 'mode-')).catch(() => null);
  if (probe !== null) {
    const fixed = await stat(probe)
      .then(exposed)
      .finally(() => rmdir(probe));
    if (fixed !== null) throw fixedModes(root, why);
  }
  throw exposedRoot(`${root} ${why}; chmod 700 ${shellPath(root)} mends that`);
}

/**
 * Makes a folder, or an empty one private, for files that only this user may read. Throws `data_root_permissions` for a folder of
 * another user, and if its file system gives every file or folder one mode. It leaves nothing then.
 */
export async function makePrivateFolder(root: string): Promise<void> {
  const isNew = (await kindOf(root)) === 'missing';
  if (isNew) await makeFolder(root);
  try {
    const before = await stat(root);
    if (before.uid !== (ownUid() ?? before.uid) && !isNew) throw exposedRoot(`${root} ${exposed(before)}`);
    // Some file systems refuse a mode that they cannot keep, and others ignore it.
    if (exposed(before) !== null) await chmod(root, privateFolder).catch(() => undefined);
    const folder = exposed(await stat(root));
    if (folder !== null) throw fixedModes(root, folder);
    const draft = join(root, draftName);
    await writeDraft(draft, Buffer.alloc(0));
    const file = await stat(draft)
      .then(exposed)
      .finally(() => rm(draft, { force: true }));
    if (file !== null) throw fixedModes(root, `has files whose owner and mode are fixed: a new one ${file}`);
  } catch (error) {
    if (isNew) await rmdir(root).catch(() => undefined);
    throw error;
  }
}

/** No `chmod` helps there. The options are those of vfat, exFAT and NTFS; SMB has its own. */
function fixedModes(root: string, why: string): ObjectStoreError {
  const uid = ownUid() ?? 0;
  return exposedRoot(
    `${root} ${why}, and its file system keeps neither owners nor modes: ` +
      `mount that with the options uid=${uid},umask=077 (SMB: uid=${uid},dir_mode=0700,file_mode=0600); nothing was written`,
  );
}

const exposedRoot = (detail: string) => new ObjectStoreError('data_root_permissions', detail);

async function notOurs(root: string): Promise<ObjectStoreError> {
  const { restoring } = await contentOf(root);
  const why =
    restoring === null
      ? `is not empty and not a data root: it has no valid ${markerName} file`
      : `is not a data root yet: a restore that was killed left ${restoring} in it, or one runs right now; ` +
        'unless one runs, empty the folder and restore again';
  return new ObjectStoreError('data_root_unrecognized', `${root} ${why}; nothing in it was touched`);
}

/** The host deletes and writes in these folders. Behind a link those would be foreign. */
async function refuseLinks(layout: DataRoot): Promise<void> {
  for (const folder of foldersOf(layout)) {
    const kind = await kindOf(folder);
    if (kind === 'folder' || kind === 'missing') continue;
    const what = kind === 'file' ? 'a file' : 'a link or no folder';
    throw new ObjectStoreError(
      'data_root_unrecognized',
      `${folder} is ${what}, and a data root holds folders of its own only; nothing was touched`,
    );
  }
}
