import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { ProcessFailure } from './process.ts';

const PREFIX = 'process-';

/** Refuses a work root that others can read, and removes the folders that a killed host left in it. */
export async function openWorkRoot(workRoot: string): Promise<void> {
  const found = await stat(workRoot).catch(() => null);
  if (found === null || !found.isDirectory() || (found.mode & 0o077) !== 0) {
    throw new ProcessFailure('launch_failed', 'the work root must be an existing folder with mode 0700');
  }
  const left = (await readdir(workRoot)).filter((name) => name.startsWith(PREFIX));
  await Promise.all(left.map((name) => removeFolder(path.join(workRoot, name))));
}

/** Makes a folder that only this user can enter and that nobody else has made before. */
export async function makePrivateFolder(workRoot: string, id: string): Promise<string> {
  const folder = path.join(workRoot, `${PREFIX}${id}`);
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    throw new ProcessFailure('launch_failed', `no private folder could be made (${codeOf(error)})`);
  }
  return folder;
}

/** Removes a folder and all in it; a process that is just dying may still write for a moment. */
export async function removeFolder(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
  } catch (error) {
    throw new ProcessFailure('launch_failed', `the private folder could not be removed (${codeOf(error)})`);
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';
}
