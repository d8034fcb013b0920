import { randomBytes } from 'node:crypto';
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { ConsoleFiles } from '../http/routes/console.ts';
import { meaningOf, StartError } from './failures.ts';
import { option, worded } from './start-text.ts';

const contents = z.object({
  listening: z.string(),
  authorizationToken: z.string(),
  pid: z.number(),
  /** A command has started the host for itself, and ends it. */
  endsWithCommand: z.boolean().default(false),
});

/** The data of a running host in its data root, so that commands on the same machine find it. */
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

/** The host that wrote the file last; it may have been killed since. Null if the file is missing or unreadable. */
export async function readHostFile(dataRoot: string): Promise<HostFile | null> {
  try {
    return contents.parse(JSON.parse(await readFile(pathIn(dataRoot), 'utf8')));
  } catch {
    return null;
  }
}

const pageIn = (dataRoot: string): string => join(dataRoot, 'console.html');

/**
 * Writes a page that leads to the console, for its own user alone: its address holds the token. Returns the path; null if there
 * is no such data root on this machine.
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

interface Announced {
  readonly listening: string;
  readonly authorizationToken: string;
}

/** The address of the console. The token is in the fragment, which a browser keeps to itself. */
export const consoleAddress = ({ listening, authorizationToken }: Announced): string =>
  `${listening}/#token=${encodeURIComponent(authorizationToken)}`;

const invalidToken = (file: string, why: string) =>
  new StartError('invalid_host_token', worded`${option('token-file')} ${file}: ${why}`);

/** The bearer token that a token file holds; null if there is no such file. Throws `invalid_host_token`. */
export async function storedToken(file: string): Promise<string | null> {
  try {
    const found = await stat(file);
    if (!found.isFile()) throw invalidToken(file, 'must be a regular file');
    if ((found.mode & 0o077) !== 0) throw invalidToken(file, 'must be readable for its owner alone (mode 0600)');
    const token = (await readFile(file, 'utf8')).trim();
    if (!/^[a-f0-9]{64}$/.test(token)) throw invalidToken(file, 'must hold 64 hex digits');
    return token;
  } catch (error) {
    if (error instanceof StartError) throw error;
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw invalidToken(file, String(error));
  }
}

/**
 * The bearer token of this process: 32 random bytes in hex, or the one that a token file holds. A token file that does
 * not exist is written, readable for its owner alone. Throws `invalid_host_token`.
 */
export async function hostToken(file: string | null): Promise<string> {
  const stored = file === null ? null : await storedToken(file);
  if (stored !== null) return stored;
  const token = randomBytes(32).toString('hex');
  if (file === null) return token;
  try {
    await writeFile(file, `${token}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    throw invalidToken(file, meaningOf(String((error as NodeJS.ErrnoException).code)) ?? String(error));
  }
  return token;
}

/** Beside the built program, or below it where a source runs. */
const folder = fileURLToPath(new URL('../build/console', import.meta.url));

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Reads the built console: `index.html` as `/`, everything else as `/assets/…`. Rejects with the error of the file system. */
export async function readConsoleFiles(): Promise<ConsoleFiles> {
  const names = (await readdir(folder)).filter((name) => types[extname(name)] !== undefined);
  const read = async (name: string) => {
    const path = name === 'index.html' ? '/' : `/assets/${name}`;
    return [path, { bytes: await readFile(join(folder, name)), type: types[extname(name)] ?? '' }] as const;
  };
  return new Map(await Promise.all(names.map(read)));
}
