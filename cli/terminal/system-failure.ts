import { systemCode } from '../../storage/system-code.ts';

/** What a failed call of the system means for a path that a person named, and what can be done. */
const meanings: Readonly<Record<string, string>> = {
  ENOENT: 'a folder on the way to it is not there; make it first, or correct the path',
  ENOTDIR: 'something on the way to it is no folder; correct the path',
  EISDIR: 'it is a folder; name a file in it',
  EEXIST: 'it is there already; choose another name',
  EACCES: 'this user may not do that there; change owner or mode, or choose another place',
  EPERM: 'the system does not allow that there; choose another place',
  EROFS: 'its file system is mounted for reading alone; choose another place',
  ENOSPC: 'its volume is full; make room, or choose another place',
  EDQUOT: 'the quota of this user is used up; make room, or choose another place',
  EMFILE: 'too many files are open; raise the limit by ulimit -n',
};

/** What a code of the system means for a place that a person named, and what can be done; undefined for the rare ones. */
export const meaningOf = (code: string): string | undefined =>
  Object.hasOwn(meanings, code) ? meanings[code] : undefined;

/** A failed call of the system in words: the path, what it means and what to do. Undefined for every other error. */
export function systemFailure(error: unknown): string | undefined {
  if (!(error instanceof Error && 'code' in error && 'path' in error && 'syscall' in error)) return undefined;
  const { path } = error;
  const code = systemCode(error);
  if (code === undefined || typeof path !== 'string') return undefined;
  const meaning = meaningOf(code);
  return meaning === undefined ? undefined : `${path}: ${meaning} (${code})`;
}
