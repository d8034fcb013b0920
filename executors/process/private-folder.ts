import { constants } from 'node:fs';
import { lstat, mkdir, open, realpath, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { madeWorkFolders, workFolderName } from '../../storage/objects/leftovers.ts';
import { killLeftovers } from './leftover-processes.ts';
import { ProcessFailure } from './process.ts';

/**
 * Refuses a work root that others can read or that is a link, and removes what a killed host left in it: processes, then
 * the folders that a host has made for processes. Resolves with the root's one true path.
 */
export async function openWorkRoot(workRoot: string): Promise<string> {
  const found = await lstat(workRoot).catch(() => null);
  if (found === null || !found.isDirectory() || (found.mode & 0o077) !== 0) {
    throw new ProcessFailure('launch_failed', 'the work root must be an existing folder with mode 0700');
  }
  const root = await realpath(workRoot);
  const left = (await madeWorkFolders(root, 'process')).map((name) => path.join(root, name));
  await killLeftovers(left);
  await Promise.all(left.map(removeFolder));
  return root;
}

/** Makes a folder that only this user can enter and that did not exist before. */
export async function makePrivateFolder(workRoot: string, id: string): Promise<string> {
  const folder = path.join(workRoot, workFolderName('process', id));
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    throw new ProcessFailure('launch_failed', `no private folder could be made (${codeOf(error)})`);
  }
  return folder;
}

/** Puts files into a private folder before its process starts. */
export async function putFiles(
  folder: string,
  files: readonly { readonly name: string; readonly bytes: Uint8Array }[],
): Promise<void> {
  try {
    for (const { name, bytes } of files) await writeFile(path.join(folder, name), bytes, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    throw new ProcessFailure('launch_failed', `no file could be put into the private folder (${codeOf(error)})`);
  }
}

/** Reads what a process left in its private folder: a plain file, no link, of at most so many bytes. */
export async function takeFile(folder: string, name: string, maximumBytes: number): Promise<Buffer> {
  const handle = await open(
    path.join(folder, name),
    constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
  ).catch((error: unknown) => {
    throw new ProcessFailure('tool_exit', `ended without its result ${name} (${codeOf(error)})`);
  });
  try {
    const { size } = await handle.stat();
    if (size > maximumBytes)
      throw new ProcessFailure('output_limit', `wrote more than ${maximumBytes} bytes to ${name}`);
    return await handle.readFile();
  } finally {
    await handle.close();
  }
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
