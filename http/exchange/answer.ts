import { z } from 'zod';
import {
  type ErrorCode,
  type ErrorEnvelope,
  errorCodes,
  errorRemedies,
  ServiceError,
  withRemedy,
} from '../../contract/base/errors.ts';
import type { Exchange, Headers, RequestHead } from '../listener/listener.ts';

/** A body that is sent piece by piece, and takes care of its own end. Rejects for what cut the answer. */
export abstract class SentBody {
  abstract send(exchange: Exchange, status: number, headers: Headers): Promise<void>;
}

/** The answer of an endpoint: an object to encode, JSON bytes that are ready (with their final newline), or a stream. */
export interface Answer<Body extends object = object> {
  readonly status: number;
  readonly body: Body | Uint8Array | SentBody;
  /** All fields but those for the origin; by default those of JSON. */
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

/** Turns an error of an endpoint into an answer. An error that is not a refusal goes to `report` and not to the client. */
export function failedAnswer(error: unknown, report: (line: string) => void): Answer {
  if (error instanceof ServiceError) return refusal(error.code, error.message, error.headers);
  report(`internal failure: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  return refusal('internal_failure', 'the host failed to answer this request');
}

/** The field of a request that may be answered without a body. */
export const conditionFields = {
  'If-None-Match': z.string().optional().describe('entity tags of answers that the client has'),
} as const;

/** The entity tag of bytes with this content id. */
export const entityTag = (contentId: string): string => `"${contentId}"`;

/**
 * True if the client already has the tagged bytes: `If-None-Match` names the tag, weak or strong, or is `*` (RFC 9110, 13.1.2). A
 * field that is sent twice is ignored.
 */
export function isKnownToClient(head: RequestHead, tag: string): boolean {
  const field = head.header('if-none-match');
  if (field === undefined || head.count('if-none-match') !== 1) return false;
  return field.split(',').some((each) => {
    const named = each.trim().replace(/^W\//, '');
    return named === '*' || named === tag;
  });
}

/** The fields of an answer that allow conditional requests. */
export const taggedFields = (tag: string, exposed: readonly string[] = []): Headers => ({
  ETag: tag,
  'Access-Control-Expose-Headers': ['ETag', ...exposed].join(', '),
});

/** The answer to a client that has these bytes already. */
export function notModified(tag: string): Answer {
  const { 'Content-Type': _, ...fields } = jsonHeaders;
  return { status: 304, headers: { ...fields, ...taggedFields(tag) }, body: Buffer.alloc(0) };
}

/** The room for names in a message of the wire, which has 256 characters with what happened and what to do. */
const room = 180;

/** The values that a client may give, for a message: as many as it has room for, each whole, and how many more there are. */
export function namedValues(values: readonly string[]): string {
  let text = '';
  for (const [at, value] of values.entries()) {
    const longer = at === 0 ? value : `${text}, ${value}`;
    if (longer.length > room) return `${text} and ${values.length - at} more`;
    text = longer;
  }
  return text;
}
