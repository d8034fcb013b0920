import { type ErrorCode, errorCodes, errorRemedies } from '../../contract/base/error-codes.ts';
import type { ErrorEnvelope } from '../../contract/base/error-envelope.ts';
import { withRemedy } from '../../contract/base/failure.ts';
import { ServiceError } from '../../contract/base/service-error.ts';
import type { Exchange, Headers } from '../listener/listener.ts';

/** A body that is sent piece by piece, and takes care of its own end. Rejects for what cut the answer. */
export abstract class SentBody {
  abstract send(exchange: Exchange, status: number, headers: Headers): Promise<void>;
}

/** What an endpoint answers: an object to encode, JSON bytes that are ready (with their final newline), or a stream. */
export interface Answer<Body extends object = object> {
  readonly status: number;
  readonly body: Body | Uint8Array | SentBody;
  /** All fields but those for the origin; the ones of JSON where nothing is said. */
  readonly headers?: Headers;
}

/** The fields that every JSON answer carries. */
export const jsonHeaders: Headers = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
};

/** The wire's JSON: `JSON.stringify` and one newline. */
export const jsonBytes = (body: object): Buffer => Buffer.from(`${JSON.stringify(body)}\n`, 'utf8');

/** The error envelope of a refusal: what happened, then what can be done about it. */
export const refusal = (code: ErrorCode, message: string, headers: Headers = {}): Answer<ErrorEnvelope> => ({
  status: errorCodes[code],
  body: { schema: 'studio.local-runtime-error.v1', error: { code, message: withRemedy(message, errorRemedies[code]) } },
  headers: { ...jsonHeaders, ...headers },
});

/** Turns whatever an endpoint threw into an answer; what is no refusal goes to `report` and not to the client. */
export function failedAnswer(error: unknown, report: (line: string) => void): Answer {
  if (error instanceof ServiceError) return refusal(error.code, error.message, error.headers);
  report(`internal failure: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  return refusal('internal_failure', 'the host failed to answer this request');
}
