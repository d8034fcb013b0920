import type { ErrorCode } from '../contract/base/errors.ts';
import { refusalParts } from '../contract/causes/refusal-parts.ts';

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
  readonly hint: string = 'start the host, or give the address and the token of its start line';

  constructor(origin: string, cause: unknown) {
    super(`no host answers at ${origin}`, { cause });
    this.name = 'HostUnreachable';
  }
}

/** The host has taken requests and answers nothing, not even whether it works: its process is stopped, or too busy for a long time. */
export class HostSilent extends HostUnreachable {
  override readonly hint: string;

  constructor(origin: string, hint: string) {
    super(origin, null);
    this.name = 'HostSilent';
    this.message = `the host at ${origin} does not answer`;
    this.hint = hint;
  }
}

/**
 * A function that finds a host throws this while there is none, such as between two hosts of a restart. Nothing was sent, so the
 * request is tried again for the usual time.
 */
export class HostAway extends Error {
  constructor(readonly origin: string) {
    super(`no host is at ${origin} now`);
    this.name = 'HostAway';
  }
}

/**
 * The program at the address has not proved that it knows the token, so the client did not send the token. The code is `unauthorized` for
 * a wrong proof: the token is that of another host, or another program has the port. It is `unknown_answer` for an answer without a proof.
 */
export class HostUnproved extends HostError {
  /** `no_proof` for an answer without one, `wrong_proof` for one under another token, `not_loopback` for a name that leads elsewhere. */
  readonly why: 'no_proof' | 'wrong_proof' | 'not_loopback';

  constructor(origin: string, why: HostUnproved['why'], status: number) {
    const code = why === 'wrong_proof' ? 'unauthorized' : 'unknown_answer';
    super({ status, code, message: `${unprovedWords[why](origin)}; ${unprovedHint}`, retryAfterSeconds: null });
    this.name = 'HostUnproved';
    this.why = why;
  }
}

const unprovedHint =
  'take address and token of the start line of a running host, or connect with { proof: false } if you trust that program';

const unprovedWords = {
  no_proof: (origin: string) =>
    `what listens at ${origin} is another program, or a host before version 1.1, which cannot prove that it knows the token: the token was not sent`,
  wrong_proof: (origin: string) => `what listens at ${origin} does not know this token: the token was not sent`,
  not_loopback: (origin: string) => `${origin} leads to an address outside this machine: the token was not sent`,
} as const;

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
