export type BackupErrorCode =
  | 'backup_unreadable'
  | 'backup_damaged'
  | 'backup_incomplete'
  | 'backup_target_not_empty'
  | 'backup_target_unrecognized';

/** The one way in which a backup or its restore is refused. `message` begins with the code. */
export class BackupError extends Error {
  readonly code: BackupErrorCode;
  constructor(code: BackupErrorCode, detail: string, cause?: unknown) {
    super(`${code}: ${detail}`, cause === undefined ? undefined : { cause });
    this.name = 'BackupError';
    this.code = code;
  }
}
