/** Why a file cannot be shown: what is wrong with it, and what would be right. */
export class FileError extends Error {
  readonly hint: string;
  constructor(message: string, hint: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'FileError';
    this.hint = hint;
  }
}
