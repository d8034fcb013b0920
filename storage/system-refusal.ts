import { constants } from 'node:os';

/** The system's name of what it refused, such as `ENOSPC`; undefined where an error is not of the system. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  // libuv has no name for a used up quota: Node says `Unknown system error` and the number.
  if ('errno' in error && error.errno === -constants.errno.EDQUOT) return 'EDQUOT';
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** The refusals of a system to a store that is whole. None of them is damage: the same store opens once the cause is gone. */
export type SystemRefusalCode =
  | 'storage_full'
  | 'storage_read_only'
  | 'storage_access_denied'
  | 'storage_descriptors_exhausted';

/** The meaning of each refusal, for people. */
export const refusalMeanings: Readonly<Record<SystemRefusalCode, string>> = {
  storage_full: 'the volume, or the quota of this user, is full; nothing is damaged',
  storage_read_only: 'the file system is mounted read-only; nothing is damaged',
  storage_access_denied: 'this user may not do this; nothing is damaged',
  storage_descriptors_exhausted: 'too many files are open; nothing is damaged',
};

const bySystemCode = new Map<unknown, SystemRefusalCode>([
  ['ENOSPC', 'storage_full'],
  ['EDQUOT', 'storage_full'],
  ['EROFS', 'storage_read_only'],
  ['EACCES', 'storage_access_denied'],
  ['EPERM', 'storage_access_denied'],
  ['EMFILE', 'storage_descriptors_exhausted'],
  ['ENFILE', 'storage_descriptors_exhausted'],
]);

// LevelDB keeps no number of an error, only the words of strerror(3), which Node leaves in the C locale.
const bySystemWords: readonly (readonly [string, SystemRefusalCode])[] = [
  ['No space left on device', 'storage_full'],
  ['Disk quota exceeded', 'storage_full'],
  ['Read-only file system', 'storage_read_only'],
  ['Permission denied', 'storage_access_denied'],
  ['Operation not permitted', 'storage_access_denied'],
  ['Too many open files', 'storage_descriptors_exhausted'],
];

const isOfLevel = (code: unknown): boolean => typeof code === 'string' && code.startsWith('LEVEL_');

/** The refusal of the system behind an error of the file system or of LevelDB; null for another error. */
export function systemRefusal(error: unknown): SystemRefusalCode | null {
  for (let each = error; each instanceof Error; each = each.cause) {
    const { message } = each;
    const code = systemCode(each);
    const refusal = isOfLevel(code)
      ? bySystemWords.find(([words]) => message.endsWith(words))?.[1]
      : bySystemCode.get(code);
    if (refusal !== undefined) return refusal;
  }
  return null;
}
