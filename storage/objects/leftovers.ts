import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { DataRoot } from './data-root.ts';
import { kindOf } from './durable-file.ts';
import { failedWith } from './object-store-error.ts';

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const uploadName = new RegExp(`^${uuid}$`);
const partName = new RegExp(`^${uuid}\\.part$`);
const stagedName = /^[0-9a-f]{64}\.\d+$/;
const workName = new RegExp(`^(process|download|snapshot)-${uuid}$`);

/** The purpose of a private folder below `work/`: an external process, a download, or a copy of the ledger. */
type WorkPurpose = 'process' | 'download' | 'snapshot';

/** True if the inbox receives an upload under a name like this: a UUID in lower case. */
export const isUploadName = (name: string): boolean => uploadName.test(name);

/** The name of the file in the inbox that comes in parts. */
export const partNameOf = (name: string): string => `${name}.part`;

/** The name of a private folder below `work/`. `id` is a UUID, else no later host takes the folder for its own. */
export const workFolderName = (purpose: WorkPurpose, id: string): string => `${purpose}-${id}`;

/** The leftovers of an earlier host in the two folders that a start clears, as paths from the data root. */
export interface Leftovers {
  /** Entries that only a host makes: their names and kinds are the ones of this file. */
  readonly made: readonly string[];
  /** Everything else. It is not the host's to delete. */
  readonly foreign: readonly string[];
}

/** The private folders below a work folder that a host has made for this. A link or a file of such a name does not count. */
export async function madeWorkFolders(work: string, purpose: WorkPurpose): Promise<string[]> {
  const names = (await readdir(work)).filter((name) => workName.exec(name)?.[1] === purpose);
  const kinds = await Promise.all(names.map((name) => kindOf(join(work, name))));
  return names.filter((_, at) => kinds[at] === 'folder');
}

/** Looks through inbox and work folder; follows no link. The partial files of the `kept` names are not leftovers. */
export async function leftoversOf(
  { inbox, work }: DataRoot,
  kept: ReadonlySet<string> = new Set(),
): Promise<Leftovers> {
  const isKept = (name: string) => partName.test(name) && kept.has(name.slice(0, name.indexOf('.')));
  const purposes: readonly WorkPurpose[] = ['download', 'process', 'snapshot'];
  const folders = (await Promise.all(purposes.map((purpose) => madeWorkFolders(work, purpose)))).flat();
  const files: string[] = [];
  const parts: string[] = [];
  const received = await readdir(inbox);
  for (const name of received) {
    if (!isUploadName(name) && !stagedName.test(name) && !partName.test(name)) continue;
    if ((await kindOf(join(inbox, name))) === 'file') (isKept(name) ? parts : files).push(name);
  }
  const others = (all: readonly string[], made: readonly string[]) => all.filter((name) => !made.includes(name));
  return {
    made: [...below('inbox', files), ...below('work', folders)],
    foreign: [
      ...below('inbox', others(received, [...files, ...parts])),
      ...below('work', others(await readdir(work), folders)),
    ],
  };
}

const below = (folder: string, names: readonly string[]): string[] => names.map((name) => join(folder, name)).sort();

/** A file or folder of the data root beside the objects and the ledger. */
export interface Stray {
  readonly kind: 'quarantine' | 'inbox' | 'work';
  /** Its path from the data root. */
  readonly name: string;
  readonly files: number;
  readonly bytes: number;
  /** The time when it, or the newest of its content, was changed or moved last (epoch ms). */
  readonly changedAt: number;
}

/** The entries in quarantine, inbox and work folder under names that a host gives. Follows no link. */
export async function straysIn(layout: DataRoot): Promise<Stray[]> {
  const { made } = await leftoversOf(layout);
  const set = (await readdir(layout.quarantine)).filter((name) => /^([0-9a-f]{64}|ledger)\.\d+$/.test(name));
  const names = [...made, ...set.map((name) => join('quarantine', name))];
  const found = await Promise.all(names.map((name) => strayAt(layout.root, name)));
  return found.filter((stray) => stray !== null);
}

async function strayAt(root: string, name: string): Promise<Stray | null> {
  const kind = name.slice(0, name.indexOf('/')) as Stray['kind'];
  try {
    return { kind, name, ...(await sizeOf(join(root, name))) };
  } catch (error) {
    // Its user has removed it meanwhile.
    if (failedWith(error, 'ENOENT')) return null;
    throw error;
  }
}

type Size = Pick<Stray, 'files' | 'bytes' | 'changedAt'>;

/** Files, bytes and the newest change of a file, or of a folder with all that it holds; follows no link. */
export async function sizeOf(path: string): Promise<Size> {
  const found = await lstat(path);
  const changedAt = Math.max(found.mtimeMs, found.ctimeMs);
  if (!found.isDirectory()) return { files: 1, bytes: found.size, changedAt };
  const inner = await Promise.all((await readdir(path)).map((name) => sizeIfThere(join(path, name))));
  return inner.reduce<Size>(
    (sum, each) => ({
      files: sum.files + each.files,
      bytes: sum.bytes + each.bytes,
      changedAt: Math.max(sum.changedAt, each.changedAt),
    }),
    { files: 0, bytes: 0, changedAt },
  );
}

async function sizeIfThere(path: string): Promise<Size> {
  try {
    return await sizeOf(path);
  } catch (error) {
    if (failedWith(error, 'ENOENT')) return { files: 0, bytes: 0, changedAt: 0 };
    throw error;
  }
}
