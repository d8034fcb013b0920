import type { RequestHead } from '../listener/listener.ts';
import type { Route } from './route.ts';

/** Tells people what happened; `requestId` where one request was the occasion. */
export type Report = (line: string, requestId?: string) => void;

/** A request that got its answer. It has no value of a path or a query, and of the head only the id: a path may hold a secret. */
export interface AnsweredRequest {
  readonly requestId: string;
  readonly method: string;
  /** The pattern of the path; `none` for a request that found no path or was refused before. */
  readonly path: string;
  readonly status: number;
  /** From the head of the request to the head of the answer. */
  readonly durationMs: number;
}

/** What the wire says to the log of the host. */
export interface RequestLog {
  readonly report: Report;
  /** Hears of every request when its answer begins; null in a log that does not name requests. */
  readonly answered: ((request: AnsweredRequest) => void) | null;
}

const knownMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** What the log says of a request. A method may be any word that a client makes up; one that HTTP lacks is `other`. */
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
