import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { DataRoot } from './data-root-layout.ts';
import { leftoversOf } from './leftovers.ts';
import { failedWith } from './object-store-error.ts';

/** A file or folder of the data root beside the objects and the ledger. */
export interface Stray {
  readonly kind: 'quarantine' | 'inbox' | 'work';
  /** Its path from the data root. */
  readonly name: string;
  readonly files: number;
  readonly bytes: number;
  /** When it, or the newest of what it holds, was changed or moved last (epoch ms). */
  readonly changedAt: number;
}

/** What lies in quarantine, inbox and work folder under names that a host gives. Follows no link. */
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
