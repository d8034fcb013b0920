import type { ErrorCode } from '../contract/base/errors.ts';
import { refusalParts } from '../contract/causes/stored-failures.ts';

/** Codes that pass by themselves: the same request may succeed later. Every 503 and 429 is of this kind, too. */
const passing: ReadonlySet<string> = new Set<ErrorCode>(['storage_unavailable', 'study_queue_full', 'ingest_capacity']);

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
  /** True if the same request may succeed later without any change. */
  readonly retryable: boolean;
  /** The remedy; null if the host names none. */
  readonly hint: string | null;
  readonly retryAfterMs: number | null;

  constructor({ status, code, message, retryAfterSeconds }: Refusal) {
    const { what, remedy } = refusalParts(message);
    super(what);
    this.name = 'HostError';
    this.code = code as ErrorCode;
    this.status = status;
    this.hint = remedy;
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

/** True if a connection was refused, so that no part of the request has reached a host. Only the `fetch` of Node reports this. */
export function wasRefusedConnection(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ((cause as { readonly code?: unknown }).code === 'ECONNREFUSED') return true;
  }
  return false;
}

/** The codes of the `fetch` of Node when it gives up on the head of an answer, or on the next piece of its body. */
const lateCodes: ReadonlySet<unknown> = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

/**
 * A host took the request, and `fetch` gave up waiting for the answer: after five minutes in Node. The host may still be at work
 * on it, so the client does not ask a second time by itself. The cause is the error of `fetch`.
 */
export class AnswerLate extends Error {
  readonly retryable = true;
  readonly hint = 'it may still be at work on it: look at what it does before you ask again';

  constructor(origin: string, cause: unknown) {
    super(`the host at ${origin} has not answered within the time that fetch waits`, { cause });
    this.name = 'AnswerLate';
  }

  /** True if an error of `fetch` means that the answer came too late, and not that there was no host. */
  static isCauseOf(error: unknown): boolean {
    for (let each = error; each instanceof Error; each = each.cause)
      if ('code' in each && lateCodes.has(each.code)) return true;
    return false;
  }
}

/** The file that is sent cannot be read to its end: it was changed, moved or closed to this user since it was opened. */
export class MediaUnreadable extends Error {
  readonly retryable = false;
  readonly hint = 'send the file again once nothing writes to it';

  constructor(cause: unknown) {
    super('the file cannot be read any more, or has changed since it was opened', { cause });
    this.name = 'MediaUnreadable';
  }
}

/** The file is not media, by its first bytes: nothing of it was sent, and no ingest was opened. */
export class NotMedia extends Error {
  readonly retryable = false;
  readonly code = 'not_media';
  readonly hint = 'send a file with sound or video; attach a subtitle file to its media';

  constructor(what: string) {
    super(what === 'empty' ? 'the file is empty' : `the file is ${what}, not media`);
    this.name = 'NotMedia';
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

/** The obstacle of a request that the host answers: there is nothing of that kind yet. */
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
