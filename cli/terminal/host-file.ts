import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const contents = z.object({ listening: z.string(), authorizationToken: z.string(), pid: z.number() });

/** What a running host leaves in its data root, so that commands on the same machine find it. */
export type HostFile = z.infer<typeof contents>;

const pathIn = (dataRoot: string): string => join(dataRoot, 'host.json');

/** Writes where the host listens, and its token, for its own user alone. */
export async function writeHostFile(dataRoot: string, { listening, authorizationToken, pid }: HostFile): Promise<void> {
  const path = pathIn(dataRoot);
  // A file that is read while it is written must be whole.
  const fresh = `${path}.${pid}`;
  await writeFile(fresh, `${JSON.stringify({ listening, authorizationToken, pid })}\n`, { mode: 0o600 });
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

export const removeHostFile = (dataRoot: string): Promise<void> => rm(pathIn(dataRoot), { force: true });
