import { lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { syncFolder, writeSyncedFile } from '../../storage/objects/durable-file.ts';
import { readSmallFile } from '../../storage/objects/small-file.ts';
import { EngineRefusal } from './engine-refusal.ts';
import { selfTestResult } from './self-test.ts';

const installedFile = z.strictObject({
  path: z.string().min(1),
  bytes: z.number().int().nonnegative(),
  /** SHA-256 in hex. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** The address or the path that it came from. */
  origin: z.string().min(1),
  /** An SPDX identifier; null for a file of the user. */
  license: z.string().nullable(),
});

/** The record of an installed engine, in `installation.json` of its folder. */
export const installation = z.strictObject({
  schema: z.literal('studio.engine-installation.v1'),
  name: z.string().min(1),
  use: z.literal('recognizer'),
  installedAt: z.string(),
  /** True if its weights are those of the catalogue. */
  isPublished: z.boolean(),
  program: installedFile,
  /** The archive of the program; its digest covers the libraries beside the program. Null for a program of this machine. */
  archive: installedFile.nullable(),
  model: installedFile,
  languages: z.number().int().positive().nullable(),
  memoryBytes: z.number().positive().nullable(),
  selfTest: selfTestResult,
});

export type Installation = z.infer<typeof installation>;

const recordName = 'installation.json';

/** The record of a server that was added under a name. */
export const serverRecordName = 'server.json';

/** A name that is one plain folder. */
export const engineName = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N} ._-]{0,98}[\p{L}\p{M}\p{N}_-])?$/u;

/** The installed engines of a folder, by name. One whose record cannot be read is left out. */
export async function installations(engines: string): Promise<readonly Installation[]> {
  const names = await readdir(engines).catch(() => []);
  const all = await Promise.all(names.toSorted().map((name) => installationOf(engines, name)));
  return all.flatMap((each) => each ?? []);
}

/** An installed engine; null if there is none with this name. */
export async function installationOf(engines: string, name: string): Promise<Installation | null> {
  if (!engineName.test(name)) return null;
  const bytes = await readSmallFile(join(engines, name, recordName)).catch(() => null);
  if (bytes === null) return null;
  try {
    return installation.parse(JSON.parse(bytes.toString('utf8')));
  } catch {
    return null;
  }
}

/** The folder of an engine, which may hold the part of a download. Makes it. */
export async function engineFolder(engines: string, name: string): Promise<string> {
  if (!engineName.test(name)) throw new EngineRefusal('unknown_engine', `${name} is no name of an engine`);
  const folder = join(engines, name);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** Writes the record of an engine. Only with it the engine is installed. */
export async function keepInstallation(engines: string, record: Installation): Promise<void> {
  const folder = join(engines, record.name);
  await rm(join(folder, recordName), { force: true });
  await writeSyncedFile(join(folder, recordName), Buffer.from(`${JSON.stringify(record, null, 2)}\n`));
  await syncFolder(folder);
}

/** Removes the folder of an engine. Files outside of it, such as a model that a person named, stay. */
export async function removeInstallation(engines: string, name: string): Promise<void> {
  const folder = join(engines, name);
  // The record goes first: what is left after a kill is no engine.
  for (const name of [recordName, serverRecordName]) await rm(join(folder, name), { force: true });
  await rm(folder, { recursive: true, force: true });
}

/** The bytes of all files below a folder, without those that links name. */
export async function bytesBelow(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map(async ({ parentPath, name }) => (await lstat(join(parentPath, name))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
