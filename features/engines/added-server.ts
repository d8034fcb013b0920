import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { selfTestResult } from '../../contract/engine-work.ts';
import { syncFolder, writeSyncedFile } from '../../storage/objects/durable-file.ts';
import { readSmallFile } from '../../storage/objects/small-file.ts';
import { engineFolder, engineName, serverRecordName } from './installation.ts';
import { translatorTestResult } from './translator-test.ts';

/** The record of a server that was added under a name, in `server.json` of its folder. It names the file of a key, and never holds a key. */
export const addedServer = z.strictObject({
  schema: z.literal('studio.engine-server.v1'),
  name: z.string().min(1),
  use: z.enum(['recognizer', 'translator']),
  addedAt: z.string(),
  /** The name of its program, as far as its answers say it. */
  program: z.string().min(1),
  server: z.string().min(1),
  model: z.string().min(1),
  keyFile: z.string().nullable(),
  isLocal: z.boolean(),
  /** That of a recognizer; null for a translator. */
  selfTest: selfTestResult.nullable(),
  /** That of a translator; absent for a recognizer, and in records of before. */
  translatorTest: translatorTestResult.optional(),
});

export type AddedServer = z.infer<typeof addedServer>;

/** The added servers of a folder, by name. One whose record cannot be read is left out. */
export async function addedServers(engines: string): Promise<readonly AddedServer[]> {
  const names = await readdir(engines).catch(() => []);
  const all = await Promise.all(names.toSorted().map((name) => addedServerOf(engines, name)));
  return all.flatMap((each) => each ?? []);
}

/** The server that was added under a name; null if there is none, or none that can be read. */
export async function addedServerOf(engines: string, name: string): Promise<AddedServer | null> {
  if (!engineName.test(name)) return null;
  const bytes = await readSmallFile(join(engines, name, serverRecordName)).catch(() => null);
  if (bytes === null) return null;
  try {
    return addedServer.parse(JSON.parse(bytes.toString('utf8')));
  } catch {
    return null;
  }
}

/** Writes the record of a server, in the place of an earlier one. */
export async function keepServer(engines: string, record: AddedServer): Promise<void> {
  const folder = await engineFolder(engines, record.name);
  await rm(join(folder, serverRecordName), { force: true });
  await writeSyncedFile(join(folder, serverRecordName), Buffer.from(`${JSON.stringify(record, null, 2)}\n`));
  await syncFolder(folder);
}
