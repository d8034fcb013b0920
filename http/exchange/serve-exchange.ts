import { type ErrorCode, errorCodes, messageOf, ServiceError } from '../../contract/base/errors.ts';
import type { Exchange, Headers, RequestHead } from '../listener/listener.ts';
import { type Answer, failedAnswer, jsonBytes, jsonHeaders, SentBody } from './answer.ts';
import { type Guard, type RefusedOrigins, refusedBy } from './guard.ts';
import { checkFraming, checkLength, expectJson, readJson } from './request-body.ts';
import {
  answeredRequest,
  type RequestCounts,
  type RequestLog,
  requestIdField,
  requestIdOf,
  withRequestId,
} from './request-log.ts';
import { allowedMethods, type Call, type Endpoint, endpointOf, type Route, type Router } from './route.ts';
import type { Target } from './target.ts';

interface Service {
  readonly guard: Guard;
  readonly router: Router;
  readonly refusedOrigins: RefusedOrigins;
  readonly requests: RequestCounts;
  readonly log: RequestLog;
  readonly newId: () => string;
}

/** A request on its way to its answer. */
interface Asked {
  readonly exchange: Exchange;
  readonly requestId: string;
  readonly begunAt: number;
  /** The route that was found, if one was. */
  route: Route | null;
}

const emptyQuery: ReadonlyMap<string, string> = new Map();

/**
 * Answers one exchange. The contract fixes the order of the checks: host, origin, preflight, bearer, target, route, required
 * origin, method, protocol version, query, framing, type, length, body, schema. Then the endpoint decides about resources and
 * state.
 */
export function serveExchange(service: Service, exchange: Exchange): void {
  const { guard, router, refusedOrigins, newId } = service;
  const { head } = exchange;
  const asked: Asked = { exchange, requestId: requestIdOf(head, newId), begunAt: performance.now(), route: null };
  try {
    const needsToken = router.needsToken(head.target);
    const stopped = guard.check(head, needsToken, head.method === 'OPTIONS' ? router.optionsOf(head.target) : {});
    if (stopped !== null) {
      const origin = head.header('origin');
      if (stopped.status === errorCodes.origin_not_allowed && origin !== undefined) refusedOrigins.note(origin);
      if (stopped.status === 204 && origin !== undefined) {
        const refused = refusedBy(stopped.headers ?? {}, head);
        if (refused.length > 0) refusedOrigins.notePreflight(origin, refused);
      }
      send(service, asked, stopped);
      return;
    }
    if (needsToken) exchange.accept();
    const { target, params, route } = router.find(head.target);
    asked.route = route;
    const origin = guard.originFor(head, route.access);
    const { GET, checksQueryFirst = false } = route;
    if (checksQueryFirst)
      checkedQuery(target, GET === undefined ? [] : queryOf(GET), GET === undefined ? [] : repeatedIn(GET));
    const endpoint = demandEndpoint(route, route.protocol?.methodOf(head) ?? plainMethod(route, head));
    route.protocol?.check(head);
    const answer = answerOf(endpoint, exchange, { params, origin }, target);
    if (answer instanceof Promise) sendLater(service, asked, answer);
    else send(service, asked, answer);
  } catch (error) {
    fail(service, asked, error);
  }
}

// Apart, so that an answer in the same turn pays for no closure.
function sendLater(service: Service, asked: Asked, answer: Promise<Answer>): void {
  answer.then(
    (ready) => send(service, asked, ready),
    (error) => fail(service, asked, error),
  );
}

function fail(service: Service, asked: Asked, error: unknown): void {
  const answer = failedAnswer(error, (line) => service.log.report(line, asked.requestId));
  send(service, asked, answer);
}

/** The method of a request. A POST that names another one would do what its client does not mean: only paths of tus read that. */
function plainMethod(route: Route, head: RequestHead): string {
  if (head.method !== 'POST') return head.method;
  for (const field of overridingFields) {
    const named = head.header(field);
    if (named === undefined || named.toUpperCase() === 'POST') continue;
    throw new ServiceError('method_not_allowed', `${field} is not read on this path: send the method itself`, {
      Allow: allowedMethods(route),
    });
  }
  return head.method;
}

const overridingFields = ['x-http-method-override', 'x-http-method', 'x-method-override'];

function demandEndpoint(route: Route, method: string): Endpoint {
  const endpoint = endpointOf(route, method);
  if (endpoint !== undefined) return endpoint;
  throw new ServiceError('method_not_allowed', `${method} is not a method of this path`, {
    Allow: allowedMethods(route),
  });
}

function answerOf(
  endpoint: Endpoint,
  exchange: Exchange,
  { params, origin }: Pick<Call<null>, 'params' | 'origin'>,
  target: Target,
): Answer | Promise<Answer> {
  const query = checkedQuery(target, queryOf(endpoint), repeatedIn(endpoint));
  checkFraming(exchange.head);
  if (endpoint.body !== 'json') checkLength(exchange);
  switch (endpoint.body) {
    case 'none':
      return endpoint.handle({ params, query, body: null, origin, client: exchange });
    case 'json':
      expectJson(exchange.head);
      return readJson(exchange).then((body) =>
        endpoint.handle({ params, query, body: endpoint.parse(body), origin, client: exchange }),
      );
    case 'stream':
      return endpoint.handle({ params, query, exchange });
  }
}

function queryOf(endpoint: Endpoint): readonly string[] {
  if (endpoint.body === 'none') return endpoint.query;
  return endpoint.body === 'json' ? [] : Object.keys(endpoint.description.query ?? {});
}

const repeatedIn = (endpoint: Endpoint): readonly string[] => (endpoint.body === 'none' ? endpoint.repeated : []);

function checkedQuery(
  { query }: Target,
  declared: readonly string[],
  repeated: readonly string[],
): ReadonlyMap<string, string> {
  if (query.length === 0) return emptyQuery;
  const values = new Map<string, string>();
  for (const [key, value] of query) {
    if (!declared.includes(key))
      throw new ServiceError('unknown_query', `the query has a key that this path lacks: ${key}`);
    const before = values.get(key);
    if (before !== undefined && !repeated.includes(key))
      throw new ServiceError('duplicate_query', `the query repeats ${key}`);
    values.set(key, before === undefined ? value : `${before},${value}`);
  }
  return values;
}

function send(service: Service, { exchange, requestId, begunAt, route }: Asked, answer: Answer): void {
  const { guard, router, requests, log } = service;
  const { head } = exchange;
  requests.count(route, answer.status);
  log.answered?.(answeredRequest(requestId, head, route, answer.status, performance.now() - begunAt));
  const protocol = route === null ? router.protocolOf(head.target) : route.protocol;
  const fields = answer.headers ?? jsonHeaders;
  const own = withRequestId(protocol === undefined ? fields : { ...fields, ...protocol.fields }, requestId);
  const cors = guard.corsHeaders(head);
  const headers = cors === null ? own : { ...own, ...cors, ...readable(own) };
  if (answer.body instanceof SentBody) {
    // The client of a stream holds the token or a grant.
    exchange.accept();
    answer.body
      .send(exchange, answer.status, headers)
      .catch((error) => log.report(`cut an answer: ${messageOf(error)}`, requestId));
    return;
  }
  if (exchange.aborted) return;
  const body = answer.body instanceof Uint8Array ? answer.body : jsonBytes(answer.body);
  exchange.respond(answer.status, headers, body);
}

/** The fields that a page of another origin may read: those that the answer names, and the id of the request. */
const readable = ({ 'Access-Control-Expose-Headers': named }: Headers): Headers => ({
  'Access-Control-Expose-Headers': named === undefined ? requestIdField : `${named}, ${requestIdField}`,
});

/**
 * The codes with which the checks of `serve-exchange.ts` can end a request before its endpoint runs, in their order. The codes
 * that any endpoint can end with follow.
 */
export function refusalsOfChecks(
  { access = 'token', path, protocol }: Route,
  { body, description }: Endpoint,
): ErrorCode[] {
  return [
    'host_not_allowed',
    'origin_not_allowed',
    ...(access === 'grant' || access === 'anyone' || access === 'origin' ? [] : (['unauthorized'] as const)),
    'invalid_target',
    ...(path.includes('/:') ? (['invalid_identity'] as const) : []),
    ...(access === 'token' || access === 'anyone' ? [] : (['origin_required'] as const)),
    ...(protocol === undefined ? [] : (['unsupported_tus_version', 'unsupported_tus_extension'] as const)),
    'unknown_query',
    ...(description.query === undefined ? [] : (['duplicate_query'] as const)),
    'unsupported_transfer_encoding',
    'invalid_content_length',
    ...(body === 'json' ? refusalsOfBodies : (['content_length_too_large'] as const)),
    'storage_unavailable',
    'internal_failure',
  ];
}

const refusalsOfBodies = [
  'unsupported_content_type',
  'unsupported_content_encoding',
  'request_body_too_large',
  'empty_request_body',
  'invalid_json',
] as const;
