import type { Headers, RequestHead } from '../listener/listener.ts';

/** The field in which a client may name its request, and in which every answer names it. */
export const requestIdField = 'X-Request-ID';

/**
 * A UUID fits, and a trace id. The token of a host has 64 characters and the secret of a grant 43: neither gets into a log
 * in the place of an id.
 */
const ownId = /^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/;

/** The id of a request: the one that its client gave, where that is one id and fits, else a new one. */
export function requestIdOf(head: RequestHead, newId: () => string): string {
  const given = head.header('x-request-id');
  return given !== undefined && ownId.test(given) && head.count('x-request-id') === 1 ? given : newId();
}

/** The fields of an answer with the id of its request. */
export const withRequestId = (fields: Headers, requestId: string): Headers => ({
  ...fields,
  [requestIdField]: requestId,
});
