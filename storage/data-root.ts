import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder, syncFolder } from './durable-file.ts';
import { failedWith, storageFault, VaultError } from './vault-error.ts';

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
}

export const dataRootAt = (root: string): DataRoot => ({
  root,
  ledger: join(root, 'ledger'),
  objects: join(root, 'objects', 'sha256'),
  inbox: join(root, 'inbox'),
  quarantine: join(root, 'quarantine'),
  work: join(root, 'work'),
});

/** Why a folder with this owner and mode is not private to `uid`, or null. */
export function exposure(folder: { readonly uid: number; readonly mode: number }, uid: number): string | null {
  if (folder.uid !== uid) return `belongs to user ${folder.uid}`;
  const others = folder.mode & 0o077;
  return others === 0 ? null : `is open to others (mode ${(folder.mode & 0o777).toString(8).padStart(4, '0')})`;
}

/**
 * Makes the data root and its folders where they lack. From here on every file of this process, LevelDB's included, is
 * made for its owner alone. Throws `data_root_permissions` for an existing root that others own or can look into, and
 * `storage_fault`.
 */
export async function prepareDataRoot(root: string): Promise<DataRoot> {
  const layout = dataRootAt(root);
  process.umask(0o077);
  try {
    await refuseExposedRoot(root);
    for (const folder of [root, layout.ledger, layout.objects, layout.inbox, layout.quarantine, layout.work]) {
      await makeFolder(folder);
    }
    // An earlier process may have ended between making a folder and syncing its entry.
    for (const parent of [root, dirname(layout.objects)]) await syncFolder(parent);
    return layout;
  } catch (error) {
    throw storageFault(error, `${root}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function refuseExposedRoot(root: string): Promise<void> {
  try {
    const found = await stat(root);
    if (!found.isDirectory()) throw new VaultError('storage_fault', `${root} is not a folder`);
    const reason = exposure(found, process.getuid?.() ?? found.uid);
    if (reason !== null) throw new VaultError('data_root_permissions', `${root} ${reason}`);
  } catch (error) {
    if (!failedWith(error, 'ENOENT')) throw error;
  }
}
