import { counter } from '../../actors/operation/metrics.ts';
import type { Metric } from '../../contract/operation.ts';
import type { Headers, RequestHead } from '../listener/listener.ts';
import type { Route } from './route.ts';

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

/** Tells people what happened; `requestId` where one request was the occasion. */
export type Report = (line: string, requestId?: string) => void;

/** A request that got its answer. It has no value of a path or a query, and of the head only the id: a path may hold a secret. */
interface AnsweredRequest {
  readonly requestId: string;
  readonly method: string;
  /** The pattern of the path; `none` for a request that found no path or was refused before. */
  readonly path: string;
  readonly status: number;
  /** From the head of the request to the head of the answer. */
  readonly durationMs: number;
}

/** The part of the host's log that the wire writes. */
export interface RequestLog {
  readonly report: Report;
  /** Called for every request when its answer begins; null in a log that does not name requests. */
  readonly answered: ((request: AnsweredRequest) => void) | null;
}

const knownMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** A request as the log shows it. A client can make up any word as method; one that HTTP lacks becomes `other`. */
export const answeredRequest = (
  requestId: string,
  { method }: RequestHead,
  route: Route | null,
  status: number,
  durationMs: number,
): AnsweredRequest => ({
  requestId,
  method: knownMethods.includes(method) ? method : 'other',
  path: route?.path ?? 'none',
  status,
  durationMs: Math.round(durationMs * 10) / 10,
});

/** Answers counted by route and status. A request that found no route counts under the path `none`. */
export class RequestCounts {
  readonly #counts = new Map<Route | null, Map<number, number>>();

  count(route: Route | null, status: number): void {
    let statuses = this.#counts.get(route);
    if (statuses === undefined) {
      statuses = new Map();
      this.#counts.set(route, statuses);
    }
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }

  metric(): Metric {
    const samples = [...this.#counts].flatMap(([route, statuses]) =>
      [...statuses].map(([status, value]) => ({
        labels: { path: route?.path ?? 'none', status: String(status) },
        value,
      })),
    );
    return counter('media_study_http_requests_total', 'answers by the pattern of the path and by status', samples);
  }
}
