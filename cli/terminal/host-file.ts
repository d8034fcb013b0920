import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const contents = z.object({
  listening: z.string(),
  authorizationToken: z.string(),
  pid: z.number(),
  /** A command has started the host for itself, and ends it. */
  endsWithCommand: z.boolean().default(false),
});

/** What a running host leaves in its data root, so that commands on the same machine find it. */
export type HostFile = z.infer<typeof contents>;

const pathIn = (dataRoot: string): string => join(dataRoot, 'host.json');

/** Writes where the host listens, and its token, for its own user alone. */
export async function writeHostFile(dataRoot: string, file: HostFile): Promise<void> {
  const { listening, authorizationToken, pid, endsWithCommand } = file;
  const path = pathIn(dataRoot);
  // A file that is read while it is written must be whole.
  const fresh = `${path}.${pid}`;
  await writeFile(fresh, `${JSON.stringify({ listening, authorizationToken, pid, endsWithCommand })}\n`, {
    mode: 0o600,
  });
  await rename(fresh, path);
}

/** The host that wrote the file last; it may have been killed since. Null where there is none, or nothing that can be read. */
export async function readHostFile(dataRoot: string): Promise<HostFile | null> {
  try {
    return contents.parse(JSON.parse(await readFile(pathIn(dataRoot), 'utf8')));
  } catch {
    return null;
  }
}

const pageIn = (dataRoot: string): string => join(dataRoot, 'console.html');

/**
 * Writes a page that leads to the console, for its own user alone: its address holds the token. Returns the path; null where
 * there is no such data root on this machine.
 */
export async function writeConsolePage(dataRoot: string, address: string): Promise<string | null> {
  const path = pageIn(dataRoot);
  const page = `<!doctype html><meta charset="utf-8"><title>Console</title><meta http-equiv="refresh" content="0;url=${address}">\n`;
  try {
    await writeFile(`${path}.fresh`, page, { mode: 0o600 });
    await rename(`${path}.fresh`, path);
    return path;
  } catch {
    return null;
  }
}

/** Removes what a host left for commands and browsers on the same machine. */
export async function removeHostFile(dataRoot: string): Promise<void> {
  await Promise.all([pathIn(dataRoot), pageIn(dataRoot)].map((path) => rm(path, { force: true })));
}
