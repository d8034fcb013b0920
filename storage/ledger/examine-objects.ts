import { join } from 'node:path';
import { z } from 'zod';
import { dataRootAt } from '../objects/data-root.ts';
import { objectsIn } from '../objects/object-files.ts';
import { hashFile, openRegular } from '../objects/regular-file.ts';
import { nameOf, rowRange } from './keys.ts';
import { LedgerError } from './ledger.ts';
import { openDatabase } from './open-database.ts';
import { decodeRow } from './row-codec.ts';

/** The files of a source as its row names them; those with a path lie in a folder that the host does not own. */
const sourceRow = z.looseObject({
  files: z.array(z.looseObject({ path: z.string().nullable(), contentId: z.string() })),
});

/**
 * The faults of the objects of an unused data root, in words. They are bytes that no longer have their name, and objects of
 * sources that are gone. If an object that only a runtime names is missing, the verification of that runtime reports it. Reads
 * every byte. Throws the errors of `openDatabase` and the file system.
 */
export async function damagedObjectsOf(root: string): Promise<string[]> {
  const { ledger, objects } = dataRootAt(root);
  const faults: string[] = [];
  const present = new Set<string>();
  for await (const { contentId } of objectsIn(objects)) {
    const hex = contentId.slice('sha256:'.length);
    present.add(contentId);
    const file = await openRegular(join(objects, hex.slice(0, 2), hex));
    if (typeof file === 'string') {
      faults.push(`the object ${contentId} is ${file}`);
      continue;
    }
    try {
      if ((await hashFile(file)) !== contentId)
        faults.push(`the object ${contentId} has other bytes than its name says`);
    } finally {
      file.close();
    }
  }
  for (const [key, contentIds] of await filesOfSources(ledger)) {
    const missing = contentIds.filter((contentId) => !present.has(contentId));
    faults.push(...missing.map((contentId) => `${key} needs the object ${contentId}, which is missing`));
  }
  return faults;
}

async function filesOfSources(directory: string): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  const database = await openDatabase(directory);
  try {
    for (const [key, row] of await database.iterator(rowRange('source', '')).all()) {
      const { data } = sourceRow.safeParse(readable(key, row));
      const own = data?.files.filter(({ path }) => path === null) ?? [];
      found.set(
        nameOf(key),
        own.map(({ contentId }) => contentId),
      );
    }
    return found;
  } finally {
    await database.close();
  }
}

/** Undefined for a damaged row, which the check of the rows names. */
function readable(key: Buffer, row: Buffer): unknown {
  try {
    return decodeRow(key, row);
  } catch (error) {
    if (error instanceof LedgerError) return undefined;
    throw error;
  }
}
