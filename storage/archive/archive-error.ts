/** What is wrong with a file that should be an archive of this program. */
export type ArchiveErrorCode =
  | 'archive_not_a_file'
  | 'archive_too_large'
  | 'archive_not_ustar'
  | 'archive_header_damaged'
  | 'archive_header_not_canonical'
  | 'archive_entry_not_a_file'
  | 'archive_path_unsafe'
  | 'archive_entry_repeated'
  | 'archive_too_many_entries'
  | 'archive_padding_not_zero'
  | 'archive_truncated'
  | 'archive_trailing_bytes';

/** The one way in which an archive is refused. `message` begins with the code; the detail says where. */
export class ArchiveError extends Error {
  readonly code: ArchiveErrorCode;
  constructor(code: ArchiveErrorCode, detail: string) {
    super(`${code}: ${detail}`);
    this.name = 'ArchiveError';
    this.code = code;
  }
}
