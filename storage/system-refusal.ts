/** What a system can refuse a store that is whole. None of it is damage: the same store opens once the cause is gone. */
export type SystemRefusalCode =
  | 'storage_full'
  | 'storage_read_only'
  | 'storage_access_denied'
  | 'storage_descriptors_exhausted';

export interface SystemRefusal {
  readonly code: SystemRefusalCode;
  /** What it means and what to do. */
  readonly advice: string;
}

const full: SystemRefusal = {
  code: 'storage_full',
  advice: 'the volume or the quota of this user is full; nothing is damaged; make room and start again',
};
const readOnly: SystemRefusal = {
  code: 'storage_read_only',
  advice:
    'the file system is mounted read-only; nothing is damaged; mount it for writing, or choose another --data-root',
};
const denied: SystemRefusal = {
  code: 'storage_access_denied',
  advice: 'this user may not do this; nothing is damaged; correct owner and mode, or choose another --data-root',
};
const exhausted: SystemRefusal = {
  code: 'storage_descriptors_exhausted',
  advice: 'too many files are open; nothing is damaged; raise the limit (ulimit -n) and start again',
};

const bySystemCode = new Map<string, SystemRefusal>([
  ['ENOSPC', full],
  ['EDQUOT', full],
  ['EROFS', readOnly],
  ['EACCES', denied],
  ['EPERM', denied],
  ['EMFILE', exhausted],
  ['ENFILE', exhausted],
]);

// LevelDB keeps no number of an error, only the words of strerror(3), which Node leaves in the C locale.
const bySystemWords: readonly (readonly [string, SystemRefusal])[] = [
  ['No space left on device', full],
  ['Disk quota exceeded', full],
  ['Read-only file system', readOnly],
  ['Permission denied', denied],
  ['Operation not permitted', denied],
  ['Too many open files', exhausted],
];

const isOfLevel = (code: unknown): boolean => typeof code === 'string' && code.startsWith('LEVEL_');

/** The refusal of the system behind an error of the file system or of LevelDB, or null where it is something else. */
export function systemRefusal(error: unknown): SystemRefusal | null {
  for (let each = error; each instanceof Error; each = each.cause) {
    const { message } = each;
    const code = 'code' in each ? each.code : undefined;
    const found = typeof code === 'string' ? bySystemCode.get(code) : undefined;
    if (found !== undefined) return found;
    const said = isOfLevel(code) ? bySystemWords.find(([words]) => message.endsWith(words)) : undefined;
    if (said !== undefined) return said[1];
  }
  return null;
}
