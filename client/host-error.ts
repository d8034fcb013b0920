import type { ErrorCode } from '../contract/base/error-codes.ts';

/** Codes that pass by themselves: the same request may succeed later. Every 503 and 429 is of this kind, too. */
const passing: ReadonlySet<string> = new Set<ErrorCode>(['storage_unavailable', 'study_queue_full', 'ingest_capacity']);

const hintMark = '; ';

export interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** Seconds of the header `Retry-After`; null where the host named none. */
  readonly retryAfterSeconds: number | null;
}

/** A refusal by the host: one code of its closed set, what happened, and what can be done about it. */
export class HostError extends Error {
  readonly code: ErrorCode | 'unknown_answer';
  /** The HTTP status. */
  readonly status: number;
  /** Whether the same request may succeed later without any change. */
  readonly retryable: boolean;
  /** What can be done; null where the host says nothing about it. */
  readonly hint: string | null;
  readonly retryAfterMs: number | null;

  constructor({ status, code, message, retryAfterSeconds }: Refusal) {
    // The host writes what happened, a semicolon, and what to do.
    const mark = message.indexOf(hintMark);
    super(mark < 0 ? message : message.slice(0, mark));
    this.name = 'HostError';
    this.code = code as ErrorCode;
    this.status = status;
    this.hint = mark < 0 ? null : message.slice(mark + hintMark.length);
    this.retryable = passing.has(code) || status === 503 || status === 429;
    this.retryAfterMs = retryAfterSeconds === null ? null : retryAfterSeconds * 1000;
  }
}

/** No host answered at the address, or the connection broke before the answer was whole. The cause is that of `fetch`. */
export class HostUnreachable extends Error {
  readonly retryable = true;
  readonly hint = 'start the host, or give the address and the token of its start line';

  constructor(origin: string, cause: unknown) {
    super(`no host answers at ${origin}`, { cause });
    this.name = 'HostUnreachable';
  }
}

/** An ingest ended without a source. */
export class IngestFailed extends Error {
  readonly retryable = false;

  constructor(
    readonly ingestId: string,
    readonly code: string,
    message: string,
  ) {
    super(message);
    this.name = 'IngestFailed';
  }
}

/** What stands in the way of a request although the host answers: there is nothing of that kind yet. */
export class NothingYet extends Error {
  readonly retryable = true;

  constructor(
    message: string,
    readonly hint: string,
  ) {
    super(message);
    this.name = 'NothingYet';
  }
}
