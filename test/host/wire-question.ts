import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';

/** The request of a test to a host. */
export interface Question {
  readonly headers?: OutgoingHttpHeaders;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as it is, with its length; a list is sent in chunks, without one. */
  readonly body?: Buffer | readonly Buffer[];
  /** Null: no Authorization at all. */
  readonly token?: string | null;
}

/** The whole answer. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}
