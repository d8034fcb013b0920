import type { ErrorCode } from './error-codes.ts';

/** A refusal with a code of the closed set; the HTTP layer turns it into the error envelope. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  /** Header fields that belong to this refusal, such as `Allow`. */
  readonly headers: Readonly<Record<string, string>>;
  constructor(code: ErrorCode, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.name = 'ServiceError';
    this.code = code;
    this.headers = headers;
  }
}
