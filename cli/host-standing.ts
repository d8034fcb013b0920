import { stat } from 'node:fs/promises';
import { type HostFile, readHostFile } from './host-files.ts';
import { endOf, isOfThisSpace, isSameRoot, ownersOfListeners, rootIdentity } from './host-identity.ts';

/**
 * The host in the file of a data root, after all checks that need no request. `there`: nothing speaks against the host, which still
 * has to prove itself. `earlier`: a live process of a version whose file names neither root nor start, and which has no proof.
 * `stale`: the file is not of a host of this folder; `why` is the reason, as a clause.
 * `text` is the file as it was read. `isSeen` is false for a process of a container, which cannot be looked at from here.
 */
export type HostStanding =
  | { readonly state: 'none' }
  | { readonly state: 'there'; readonly file: HostFile; readonly text: string; readonly isSeen: boolean }
  | { readonly state: 'earlier'; readonly file: HostFile; readonly text: string }
  | { readonly state: 'stale'; readonly why: string; readonly text: string | null };

/** The loopback addresses to which an origin leads. */
const addressesOf = (origin: string): readonly string[] => {
  const { hostname } = new URL(origin);
  if (hostname === 'localhost') return ['127.0.0.1', '::1'];
  return [hostname.replace(/^\[(.*)\]$/, '$1')];
};

/** The user who listens at the place of a host file, if it is another one; null if it is this user, or unknown. */
async function strangerAt(dataRoot: string, listening: string): Promise<number | null> {
  const own = process.getuid?.();
  if (own === undefined) return null;
  const port = Number(new URL(listening).port || 80);
  const owners = (await Promise.all(addressesOf(listening).map((each) => ownersOfListeners(each, port)))).flat();
  // The superuser works on the data roots of others, whose hosts are theirs.
  const owner = own === 0 ? (await stat(dataRoot).catch(() => null))?.uid : own;
  return owners.length === 0 || owners.some((each) => each === own || each === owner) ? null : (owners[0] ?? null);
}

/** Looks at the host of a data root; sends nothing. */
export async function hostStanding(dataRoot: string): Promise<HostStanding> {
  const written = await readHostFile(dataRoot);
  if (written.state === 'none') return written;
  if (written.state === 'unreadable') return { state: 'stale', why: written.why, text: null };
  const { file, text } = written;
  const stale = (why: string): HostStanding => ({ state: 'stale', why, text });
  const ended = await endOf(file);
  const { device, inode, bornAt } = file;
  if (device === null || inode === null) return ended === null ? { state: 'earlier', file, text } : stale(ended);
  const root = await rootIdentity(dataRoot);
  if (root === null) return { state: 'none' };
  if (!isSameRoot({ device, inode, bornAt }, root))
    return stale('it names the host of another data root, of which this folder is a copy');
  if (ended !== null) return stale(ended);
  const stranger = await strangerAt(dataRoot, file.listening);
  if (stranger !== null) return stale(`a program of user ${stranger} listens on its port`);
  return { state: 'there', file, text, isSeen: await isOfThisSpace(file) };
}
