import { errorCodes } from '../../contract/base/error-codes.ts';
import { ServiceError } from '../../contract/base/service-error.ts';
import type { Exchange } from '../listener/listener.ts';
import { type Answer, failedAnswer, jsonBytes, jsonHeaders, SentBody } from './answer.ts';
import { checkFraming, checkLength } from './framing.ts';
import type { Guard } from './guard.ts';
import { expectJson, readJson } from './json-body.ts';
import type { RefusedOrigins } from './refused-origins.ts';
import type { RequestCounts } from './request-counts.ts';
import { allowedMethods, type Call, type Endpoint, type Method, type Route, type Router } from './route.ts';
import type { Target } from './target.ts';

export interface Service {
  readonly guard: Guard;
  readonly router: Router;
  readonly refusedOrigins: RefusedOrigins;
  readonly requests: RequestCounts;
  readonly report: (line: string) => void;
}

const emptyQuery: ReadonlyMap<string, string> = new Map();

/**
 * Answers one exchange. The checks run in the order that the contract fixes: host, origin, preflight, bearer, target,
 * route, required origin, method, version of the path's protocol, query, framing, type, length, body, schema; then the endpoint decides about resources and state.
 */
export function serveExchange(service: Service, exchange: Exchange): void {
  const { guard, router, refusedOrigins, report } = service;
  let route: Route | null = null;
  try {
    const { head } = exchange;
    const needsToken = router.needsToken(head.target);
    const stopped = guard.check(head, needsToken, head.method === 'OPTIONS' ? router.optionsOf(head.target) : {});
    if (stopped !== null) {
      const origin = head.header('origin');
      if (stopped.status === errorCodes.origin_not_allowed && origin !== undefined) refusedOrigins.note(origin);
      send(service, exchange, route, stopped);
      return;
    }
    if (needsToken) exchange.accept();
    const found = router.find(head.target);
    const { target, params } = found;
    route = found.route;
    const origin = guard.originFor(head, route.access);
    if (route.checksQueryFirst === true) checkedQuery(target, []);
    const endpoint = endpointOf(route, route.protocol?.methodOf(head) ?? head.method);
    route.protocol?.check(head);
    const answer = answerOf(endpoint, exchange, { params, origin }, target);
    if (answer instanceof Promise) {
      answer.then(
        (ready) => send(service, exchange, found.route, ready),
        (error) => send(service, exchange, found.route, failedAnswer(error, report)),
      );
    } else {
      send(service, exchange, route, answer);
    }
  } catch (error) {
    send(service, exchange, route, failedAnswer(error, report));
  }
}

function endpointOf(route: Route, method: string): Endpoint {
  const { methods } = route;
  const endpoint = methods[method as Method] ?? (method === 'HEAD' ? methods.GET : undefined);
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
  const query = checkedQuery(target, endpoint.body === 'none' ? endpoint.query : []);
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
      return endpoint.handle({ params, exchange });
  }
}

function checkedQuery({ query }: Target, declared: readonly string[]): ReadonlyMap<string, string> {
  if (query.length === 0) return emptyQuery;
  const values = new Map<string, string>();
  for (const [key, value] of query) {
    if (!declared.includes(key))
      throw new ServiceError('unknown_query', `the query has a key that this path lacks: ${key}`);
    if (values.has(key)) throw new ServiceError('duplicate_query', `the query repeats ${key}`);
    values.set(key, value);
  }
  return values;
}

function send(service: Service, exchange: Exchange, route: Route | null, answer: Answer): void {
  const { guard, router, requests, report } = service;
  requests.count(route, answer.status);
  const protocol = route === null ? router.protocolOf(exchange.head.target) : route.protocol;
  const given = answer.headers ?? jsonHeaders;
  const own = protocol === undefined ? given : { ...given, ...protocol.fields };
  const cors = guard.corsHeaders(exchange.head);
  const headers = cors === null ? own : { ...own, ...cors };
  if (answer.body instanceof SentBody) {
    // The client of a stream holds the token or a grant.
    exchange.accept();
    answer.body.send(exchange, answer.status, headers).catch((error) => report(`cut an answer: ${messageOf(error)}`));
    return;
  }
  if (exchange.aborted) return;
  const body = answer.body instanceof Uint8Array ? answer.body : jsonBytes(answer.body);
  exchange.respond(answer.status, headers, body);
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
