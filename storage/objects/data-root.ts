import { chmod, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { storeFormat } from '../store-format.ts';
import { refusalMeanings, systemRefusal } from '../system-refusal.ts';
import { type DataRoot, dataRootAt } from './data-root-layout.ts';
import { demandKnownFormat, markDataRoot, markerName, recognizeDataRoot } from './data-root-marker.ts';
import { makeFolder, privateFolder, syncFolder } from './durable-file.ts';
import { kindOf } from './entry-kind.ts';
import { failedWith, ObjectStoreError, storageFault } from './object-store-error.ts';
import { shellPath } from './shell-path.ts';

/** Why a folder with this owner and mode is not private to `uid`, or null. */
export function exposure(folder: { readonly uid: number; readonly mode: number }, uid: number): string | null {
  if (folder.uid !== uid) return `belongs to user ${folder.uid}`;
  const others = folder.mode & 0o077;
  return others === 0 ? null : `is open to others (mode ${(folder.mode & 0o777).toString(8).padStart(4, '0')})`;
}

/**
 * Makes the data root and its folders where they lack, and marks the root as this service's. An empty folder of this user
 * is made private first. From here on every file of this process, LevelDB's included, is made for its owner alone. Throws,
 * before anything was written:
 * - `data_root_unrecognized` for a folder with something in it that is no data root, and for a data root one of whose
 *   folders is a link or a file;
 * - `store_format_unsupported` for a data root of a format that this program does not open;
 * - `data_root_permissions` for a root that others own or can look into;
 * - a `SystemRefusalCode` and `storage_fault` for what the system refuses.
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
 * Throws `data_root_unrecognized` where a folder is no data root, or one of its folders is a link or a file, and
 * `store_format_unsupported` for one of a format that this program does not open: a command that only reads a store must
 * not make one in a folder of something else. Changes nothing.
 */
export async function demandDataRoot(root: string): Promise<void> {
  const layout = dataRootAt(root);
  try {
    const state = await recognizeDataRoot(layout);
    if (state === 'foreign' || state === 'empty') throw notOurs(root);
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
    await makeFolder(root);
    return markDataRoot(root, storeFormat);
  }
  if (!found.isDirectory()) throw new ObjectStoreError('storage_fault', `${root} is not a folder`);
  const state = await recognizeDataRoot(layout);
  if (state === 'foreign') throw notOurs(root);
  await demandKnownFormat(root);
  await refuseLinks(layout);
  const uid = process.getuid?.() ?? found.uid;
  const exposed = exposure(found, uid);
  if (exposed !== null) {
    if (found.uid !== uid) throw exposedRoot(`${root} ${exposed}`);
    if (state !== 'empty') throw exposedRoot(`${root} ${exposed}; chmod 700 ${shellPath(root)} mends that`);
    await chmod(root, privateFolder);
  }
  // The ledger of a root without a marker is of the first format, until it is brought to the newest.
  if (state !== 'marked') await markDataRoot(root, state === 'empty' ? storeFormat : 1);
}

const exposedRoot = (detail: string) => new ObjectStoreError('data_root_permissions', detail);

const notOurs = (root: string) =>
  new ObjectStoreError(
    'data_root_unrecognized',
    `${root} is not empty and is no data root: it has no valid ${markerName} file; nothing in it was touched`,
  );

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
