import { randomBytes } from 'node:crypto';
import { link, readdir, readFile, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { messageOf } from '../contract/base/errors.ts';
import type { ConsoleFiles } from '../http/routes/console.ts';
import { meaningOf, StartError } from '../options/failures.ts';
import { option, worded } from '../options/start-text.ts';
import { isRestoring } from '../storage/objects/data-root.ts';
import { kindOf, replaceDurably } from '../storage/objects/durable-file.ts';
import { failedWith } from '../storage/objects/object-store-error.ts';
import { changeSmallFile, isBlank, readSmallFile, removeDraft } from '../storage/objects/small-file.ts';
import { systemCode } from '../storage/system-refusal.ts';
import { isSameRoot, type ProcessIdentity, processState, type RootIdentity, rootIdentity } from './host-identity.ts';

const digits = z.string().regex(/^\d{1,20}$/);

/** The places of hosts: loopback addresses of this machine. */
const loopbackOrigin = z.string().regex(/^http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)(?::\d{1,5})?$/);

const contents = z.object({
  listening: loopbackOrigin,
  authorizationToken: z.string().regex(/^[\x21-\x7e]{1,512}$/),
  pid: z.number().int().positive(),
  /** A command has started the host for itself, and ends it. */
  endsWithCommand: z.boolean().default(false),
  // Hosts before version 1.1 wrote none of these.
  device: digits.nullable().default(null),
  inode: digits.nullable().default(null),
  bornAt: digits.nullable().default(null),
  startedAt: z.string().max(64).nullable().default(null),
  bootId: z.string().max(64).nullable().default(null),
  pidNamespace: z.string().max(64).nullable().default(null),
});

/**
 * The data of a running host in its data root, so that commands on the same machine find it. It has the
 * numbers of the folder, the process with its start, and the start of the system, which are different for a copy.
 */
export type HostFile = z.infer<typeof contents>;

const hostFileName = 'host.json';
const pathIn = (dataRoot: string): string => join(dataRoot, hostFileName);
const pageIn = (dataRoot: string): string => join(dataRoot, 'console.html');

/** The names of files that were put aside: no program reads them, and the next host removes them. */
const asideOf = (path: string): string => `${path}.stale`;

/** Writes where the host listens, and its token, for its own user alone. `root` and `process` are those of the host. */
export async function writeHostFile(
  dataRoot: string,
  announced: Announced & { readonly endsWithCommand: boolean },
  root: RootIdentity | null,
  process: ProcessIdentity,
): Promise<void> {
  const { listening, authorizationToken, endsWithCommand } = announced;
  const file = { listening, authorizationToken, endsWithCommand, ...root, ...process };
  // A file that is read while it is written must be whole.
  await replaceDurably(pathIn(dataRoot), Buffer.from(`${JSON.stringify(file)}\n`));
}

/** A host file is a few hundred bytes. */
const mostBytes = 16_384;

/** The present content of the host file of a data root: of a host, nothing, or something that no host wrote. */
export type WrittenHost =
  | { readonly state: 'none' }
  | { readonly state: 'written'; readonly file: HostFile; readonly text: string }
  | { readonly state: 'unreadable'; readonly why: string };

/** Reads the file of the host that wrote last. It may have been killed since, or be that of another data root. */
export const readHostFile = (dataRoot: string): Promise<WrittenHost> => writtenAt(pathIn(dataRoot));

async function writtenAt(path: string): Promise<WrittenHost> {
  try {
    const bytes = await readSmallFile(path, mostBytes);
    if (bytes === null) return { state: 'none' };
    const text = bytes.toString('utf8');
    const parsed = contents.safeParse(JSON.parse(text));
    if (parsed.success) return { state: 'written', file: parsed.data, text };
  } catch (error) {
    // A file is in the place of the folder.
    if (failedWith(error, 'ENOTDIR')) return { state: 'none' };
    const code = error instanceof Error && 'code' in error ? ` (${error.code})` : '';
    return { state: 'unreadable', why: `it cannot be read${code}` };
  }
  return { state: 'unreadable', why: 'no host wrote it' };
}

/**
 * Puts the host file aside that was read as `text` (null for an unreadable one), and the page of the same host. A host
 * that has written its own file meanwhile keeps it. Resolves with what happened: the file is `aside`, a `newer` one is there, or it `stays`.
 */
export async function putHostFileAside(dataRoot: string, text: string | null): Promise<'aside' | 'newer' | 'stays'> {
  const path = pathIn(dataRoot);
  const taken = `${asideOf(path)}.${randomBytes(6).toString('hex')}`;
  try {
    // Looking first and moving then would take the file of a new host.
    await rename(path, taken);
    const moved = await writtenAt(taken);
    if ((moved.state === 'written' ? moved.text : null) !== text) {
      // A file that is newer still stays.
      await link(taken, path).catch(() => undefined);
      await rm(taken, { force: true });
      return 'newer';
    }
    await rename(taken, asideOf(path));
    const page = pageIn(dataRoot);
    const shown = String(await readSmallFile(page).catch(() => null));
    const token = moved.state === 'written' ? moved.file.authorizationToken : null;
    if (token === null || shown.includes(encodeURIComponent(token))) {
      await rename(page, asideOf(page)).catch(() => undefined);
    }
    return 'aside';
  } catch (error) {
    // Another command was faster, or the folder takes no change.
    return failedWith(error, 'ENOENT') ? 'newer' : 'stays';
  }
}

/**
 * Writes a page that leads to the console, for its own user alone: its address holds the token. Returns the path; null if there
 * is no such data root on this machine.
 */
export async function writeConsolePage(dataRoot: string, address: string): Promise<string | null> {
  const path = pageIn(dataRoot);
  const page = `<!doctype html><meta charset="utf-8"><title>Console</title><meta http-equiv="refresh" content="0;url=${address}">\n`;
  // Two commands may write it at the same time.
  const draft = `${path}.${process.pid}`;
  try {
    await writeFile(draft, page, { mode: 0o600 });
    await rename(draft, path);
    return path;
  } catch {
    await rm(draft, { force: true });
    return null;
  }
}

/** The page of an earlier host, and files that were put aside. */
const leftover = /^(?:host\.json\.stale(?:\.[0-9a-f]{12})?|console\.html(?:\.stale)?)$/;
/** A draft of a file for commands and browsers, by the process that wrote it. Versions up to 1.0.0 wrote `console.html.fresh`. */
const draftName = /^(?:settings\.json|host\.json|console\.html)\.(?:([1-9]\d{0,6})|new|fresh)$/;

/**
 * Removes what earlier hosts and commands left in a data root, and the drafts of the `small` files: settings and token file. Only for
 * the host that holds the data root. Files that another process is still writing stay. After a restart (`isRestarted`) the page
 * stays, too: it leads to the same address.
 */
export async function removeLeftovers(
  dataRoot: string,
  { isRestarted, small }: { readonly isRestarted: boolean; readonly small: readonly (string | null)[] },
): Promise<void> {
  for (const name of await readdir(dataRoot)) {
    const isPage = name === basename(pageIn(dataRoot));
    const draft = draftName.exec(name);
    const isLeft = draft === null ? leftover.test(name) && !(isPage && isRestarted) : !(await isOfOther(draft[1]));
    // A folder of such a name cannot be removed so, and stops no host.
    if (isLeft) await rm(join(dataRoot, name), { force: true }).catch(() => undefined);
    // A restore that was killed at its very end has moved all of it up.
    if (isRestoring(name)) await rmdir(join(dataRoot, name)).catch(() => undefined);
  }
  for (const path of small) if (path !== null) await removeDraft(path);
}

/** True if another process of this id is there: a host that starts has not written anything yet. */
const isOfOther = async (pid: string | undefined): Promise<boolean> =>
  pid !== undefined && Number(pid) !== process.pid && (await processState(Number(pid))) !== 'ended';

/**
 * Removes what a host left for commands and browsers on the same machine. Another data root, with a host of its own, may be at the path
 * of one that was moved: its files stay.
 */
export async function removeHostFile(dataRoot: string, root: RootIdentity | null): Promise<void> {
  const now = await rootIdentity(dataRoot);
  if (now === null || root === null || !isSameRoot(root, now)) return;
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
    return tokenIn(await readSmallFile(file), file);
  } catch (error) {
    if (error instanceof StartError) throw error;
    if (failedWith(error, 'ENOENT')) return null;
    throw invalidToken(file, meaningOf(systemCode(error) ?? '') ?? messageOf(error));
  }
}

/** The token in a token file; null if there is no file, or an empty one. Throws `invalid_host_token`. */
function tokenIn(bytes: Buffer | null, file: string): string | null {
  if (bytes === null || isBlank(bytes)) return null;
  const token = bytes.toString('utf8').trim();
  if (!/^[a-f0-9]{64}$/.test(token)) throw invalidToken(file, 'must hold 64 hex digits');
  return token;
}

/**
 * The bearer token of this process: 32 random bytes in hex, or the one that a token file holds. A token file that does not exist is
 * written, readable for its owner alone, and on disk when this resolves. So is one that is empty, as a loss of power can leave it:
 * `report` gets a line that names it. Throws `invalid_host_token`.
 */
export async function hostToken(
  file: string | null,
  report: (line: string) => void = () => undefined,
): Promise<string> {
  if (file === null) return newToken();
  return (await storedToken(file)) ?? writtenToken(file, report);
}

const newToken = (): string => randomBytes(32).toString('hex');

async function writtenToken(file: string, report: (line: string) => void): Promise<string> {
  try {
    // A change would make the folder, also the one behind a link. A path that leads nowhere is a mistake.
    await stat(dirname(file));
    if ((await kindOf(file)) === 'other') await stat(file);
    return await changeSmallFile(file, async (held) => {
      const bytes = await held.read();
      // Another host may have written one by now.
      const stored = tokenIn(bytes, file);
      if (stored !== null) return stored;
      const token = newToken();
      await held.replace(Buffer.from(`${token}\n`));
      if (bytes !== null)
        report(`--token-file ${file} was empty, perhaps since a loss of power: a new token is in it now`);
      return token;
    });
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw invalidToken(file, meaningOf(systemCode(error) ?? '') ?? messageOf(error));
  }
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
