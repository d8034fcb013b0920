import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rowBlocksOf } from '../../../storage/leveldb.ts';

/**
 * The files below a folder that hold a text, by their paths from it, for each of the texts that some file holds. Tables of LevelDB
 * are expanded: their compression would hide it.
 */
export async function holdersOf(folder: string, texts: readonly string[]): Promise<ReadonlyMap<string, string[]>> {
  const holders = new Map<string, string[]>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = await readFile(path);
    const contents = entry.name.endsWith('.ldb') ? [bytes, ...rowBlocksOf(bytes)] : [bytes];
    for (const text of texts) {
      if (!contents.some((content) => content.includes(text))) continue;
      holders.set(text, [...(holders.get(text) ?? []), path.slice(folder.length + 1)]);
    }
  }
  return holders;
}

/** Those of the texts that some file below a folder holds. */
export async function readableIn(folder: string, texts: readonly string[]): Promise<string[]> {
  const holders = await holdersOf(folder, texts);
  return texts.filter((text) => holders.has(text));
}
