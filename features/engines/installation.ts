import { lstat, mkdir, readdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { NamedRecognizer } from '../../actors/engines/engine-choices.ts';
import { selfTestResult } from '../../contract/engine-work.ts';
import { syncFolder, writeSyncedFile } from '../../storage/objects/durable-file.ts';
import { readSmallFile } from '../../storage/objects/small-file.ts';
import { takeLock } from '../../storage/process-lock.ts';
import { EngineRefusal } from './engine-refusal.ts';

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

/** True if a recognizer is the one of this installation. */
export const isOf = (
  { program, model }: Installation,
  named: Pick<NamedRecognizer, 'place' | 'model'> | null,
): boolean => named !== null && named.place === program.path && named.model === model.path;

const recordName = 'installation.json';

/** The folder of the lock, whose name no engine can have. */
const lockFolder = '.lock';

/** The record of a server that was added under a name. */
export const serverRecordName = 'server.json';

/** A name that is one plain folder. */
export const engineName = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N} ._-]{0,98}[\p{L}\p{M}\p{N}_-])?$/u;

/** Why a name cannot be that of an engine. */
export const badName = (name: string): string =>
  `${name} is no name of an engine: it has up to 100 letters, digits, spaces, dots, _ and -, and begins with a letter or digit`;

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
  if (!engineName.test(name)) throw new EngineRefusal('unknown_engine', badName(name));
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

/** What a command makes beside the files that it fetches. Without a record it is of no use: a later command makes it again. */
const made: readonly string[] = ['program', 'whisper-cli', 'LICENSE.txt'];

/** The files of a folder that a later command continues with: what was fetched, whole or in part. */
const isFetched = (name: string): boolean => !made.includes(name);

/** Folders of engines without a record, which a stopped command left. */
async function unfinished(engines: string): Promise<readonly string[]> {
  const entries = await readdir(engines, { withFileTypes: true }).catch(() => []);
  const folders = entries.filter((entry) => entry.isDirectory() && engineName.test(entry.name));
  const without = folders.map(async ({ name }) => {
    const names: readonly string[] = await readdir(join(engines, name)).catch(() => []);
    const isLeft = !names.includes(recordName) && !(names.length > 0 && names.every(isFetched));
    return isLeft ? [name] : [];
  });
  return (await Promise.all(without)).flat();
}

/**
 * Removes what stopped commands left, all but fetched files: these continue. Does nothing while another command installs, and asks for no
 * lock unless there is something to remove.
 */
export async function cleanUnfinished(engines: string): Promise<void> {
  if ((await unfinished(engines)).length === 0) return;
  const lock = await takeLock(join(engines, lockFolder));
  if (lock === null) return;
  try {
    for (const name of await unfinished(engines)) {
      const folder = join(engines, name);
      const names = await readdir(folder);
      for (const each of names) if (!isFetched(each)) await rm(join(folder, each), { recursive: true, force: true });
      if ((await readdir(folder)).length === 0) await rmdir(folder);
    }
  } finally {
    await lock.close();
  }
}

/** Runs a change of installations; one at a time on a data root. Rejects with `busy` while another process changes them. */
export async function changingInstallations<Result>(engines: string, change: () => Promise<Result>): Promise<Result> {
  const lock = await takeLock(join(engines, lockFolder));
  if (lock === null) throw new EngineRefusal('busy', 'another command installs, tries or removes an engine now');
  try {
    return await change();
  } finally {
    await lock.close();
  }
}

/** Removes what was fetched of an engine that is not installed. False if there is nothing. */
export async function removeUnfinished(engines: string, name: string): Promise<boolean> {
  if (!engineName.test(name) || (await readdir(join(engines, name)).catch(() => null)) === null) return false;
  await removeInstallation(engines, name);
  return true;
}

/** The bytes of all files below a folder, without those that links name. */
export async function bytesBelow(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map(async ({ parentPath, name }) => (await lstat(join(parentPath, name))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
