import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { type ErrorCode, ServiceError } from '../../contract/base/errors.ts';
import { requestFault, requestWords } from '../../contract/base/request-fault.ts';
import type { Exchange, Headers, RequestHead } from '../listener/listener.ts';
import type { Answer } from './answer.ts';
import type { Description, Room, WriteDescription } from './description.ts';
import { parseTarget, type Target } from './target.ts';

/** A protocol with a version of its own that some paths speak on top of HTTP. */
export interface PathProtocol {
  /** The fields that every answer of these paths carries, refusals and answers to OPTIONS included. */
  readonly fields: Headers;
  /** Further fields of an answer to OPTIONS, for the protocol and for a preflight. */
  discovery(): Headers;
  /** The method that a request means: a POST may name one that its client cannot send. */
  methodOf(head: RequestHead): string;
  /** Throws for a request that does not speak the protocol. */
  check(head: RequestHead): void;
}

/** The answer of a path to OPTIONS. */
export interface PathOptions {
  /** The whole answer of a path that has a protocol of its own, to pages and to others. */
  readonly discovery?: Headers | undefined;
  /** The fields of a request's head that the path reads. */
  readonly fields?: readonly string[];
}

/** The names of a path's parameters: `:runtimeId` and `:jobId.vtt` name one each. */
type NamesOf<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | NamesOf<Rest>
  : Path extends `${string}:${infer Name}.${string}`
    ? Name
    : Path extends `${string}:${infer Name}`
      ? Name
      : never;

/** The request as an endpoint gets it; `Names` are those of its path's parameters. */
export interface Call<Body, Names extends string = never> {
  readonly params: Readonly<Record<Names, string>>;
  readonly query: ReadonlyMap<string, string>;
  readonly body: Body;
  /** The origin that the request comes from; empty where the route does not ask for it. */
  readonly origin: string;
  /** The rest of the request, and events for when the client leaves and when the host wants to stop. */
  readonly client: Pick<Exchange, 'head' | 'onAbort' | 'onClosing'>;
}

/** A call whose body the endpoint reads itself, while the request is still being delivered. */
interface StreamCall<Names extends string> {
  readonly params: Readonly<Record<Names, string>>;
  readonly query: ReadonlyMap<string, string>;
  readonly exchange: Exchange;
}

export type Endpoint<Names extends string = string> = { readonly description: Description } & (
  | {
      readonly body: 'none';
      readonly query: readonly string[];
      /** The keys among them that a query may have several times: their values are one list, with commas in between. */
      readonly repeated: readonly string[];
      handle(call: Call<null, Names>): Answer | Promise<Answer>;
    }
  | {
      readonly body: 'json';
      /** The schema of the body; the endpoint may check it itself, in its own order. */
      readonly request: z.ZodType;
      parse(body: unknown): unknown;
      handle(call: Call<unknown, Names>): Answer | Promise<Answer>;
    }
  | {
      readonly body: 'stream';
      readonly types: readonly string[];
      /** True if a request without a body means something too. */
      readonly mayLackBody?: boolean;
      handle(call: StreamCall<Names>): Promise<Answer>;
    }
);

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
type Method = (typeof methods)[number];

/**
 * The caller that a path accepts. `token`: the holder of the host's token. `token-and-origin`: a page that holds it and sends its
 * origin. `origin`: a page without it that sends its origin. `grant`: a page that holds the grant in its path. `anyone`: anyone
 * whom the guard lets reach this host.
 */
export type Access = 'token' | 'token-and-origin' | 'origin' | 'grant' | 'anyone';

/**
 * One path of the wire, with an endpoint for each method that it has. `:name` segments match anything, `:name.ext` what ends so;
 * names are handed over decoded.
 */
export interface Route extends Readonly<Partial<Record<Method, Endpoint>>> {
  readonly path: string;
  readonly room: Room;
  /** The meaning of each name in the path. */
  readonly params?: Readonly<Record<string, z.ZodType>>;
  /** By default `token`. */
  readonly access?: Access;
  /** The protocol that the path speaks on top of HTTP. */
  readonly protocol?: PathProtocol;
  /** The query is looked at before the method, as clients of the paths that are both read and written expect. */
  readonly checksQueryFirst?: boolean;
  /** Set while the service behind the path is off: the 404 that says so, and why. */
  readonly unavailable?: { readonly code: ErrorCode; readonly message: string };
}

/** A route whose endpoints get the parameters that its path names. */
export const route = <const Path extends string>(
  path: Path,
  {
    ...rest
  }: Omit<Route, 'path' | 'params' | Method> &
    Readonly<Partial<Record<Method, Endpoint<NoInfer<NamesOf<Path>>>>>> &
    ([NamesOf<Path>] extends [never] ? unknown : { readonly params: Readonly<Record<NamesOf<Path>, z.ZodType>> }),
): Route => ({ path, ...rest });

/** The function that handles a call, beside the description of the endpoint. */
interface Handler<Body extends object, Request, Names extends string> {
  readonly handle: (call: Call<Request, Names>) => Answer<Body> | Promise<Answer<Body>>;
}

/** A request without a body. */
export const read = <Body extends object, Names extends string>({
  handle,
  ...description
}: Description<Body> & Handler<Body, null, Names>): Endpoint<Names> => ({
  body: 'none',
  description,
  query: Object.keys(description.query ?? {}),
  repeated: Object.entries(description.query ?? {}).flatMap(([key, schema]) => (isList(schema) ? [key] : [])),
  handle,
});

const isList = (schema: z.ZodType): boolean =>
  schema instanceof z.ZodArray || (schema instanceof z.ZodOptional && schema.unwrap() instanceof z.ZodArray);

/** A DELETE, which takes no body. */
export const remove = read;

/** A POST with a JSON body of a schema; what does not fit it is refused with `invalid`. */
export const write = <Body extends object, Request, Names extends string>({
  handle,
  ...description
}: WriteDescription<Body, Request> & Handler<Body, Request, Names>): Endpoint<Names> => ({
  ...asked(description),
  parse: (body) => {
    const { request, invalid } = description;
    const parsed = request.safeParse(body, requestWords);
    if (parsed.success) return parsed.data;
    throw new ServiceError(invalid, requestFault(request, body, parsed.error.issues[0]));
  },
  handle: (call: Call<unknown, Names>) => handle(call as Call<Request, Names>),
});

/** A POST with a JSON body that its service checks, field by field in an order of its own. */
export const submit = <Body extends object, Names extends string>({
  handle,
  ...description
}: WriteDescription<Body, unknown> & Handler<Body, unknown, Names>): Endpoint<Names> => ({
  ...asked(description),
  parse: (body) => body,
  handle,
});

/** The fields that every endpoint with a JSON body has. */
const asked = (description: WriteDescription<unknown, unknown>) =>
  ({
    body: 'json',
    description: { ...description, refusals: [description.invalid, ...description.refusals] },
    request: description.request,
  }) as const;

/** The endpoints of a route, each with its method. */
export const endpointsOf = (route: Route): readonly (readonly [Method, Endpoint])[] =>
  methods.flatMap((method) => {
    const endpoint = route[method];
    return endpoint === undefined ? [] : [[method, endpoint] as const];
  });

/** The endpoint that answers a method, which may be any word; HEAD is answered wherever GET is. */
export function endpointOf(route: Route, asked: string): Endpoint | undefined {
  const method = methods.find((each) => each === asked);
  if (method === undefined) return undefined;
  return route[method] ?? (method === 'HEAD' ? route.GET : undefined);
}

/** The methods that a route answers, HEAD wherever GET is. */
export const allowedMethods = (route: Route): string =>
  endpointsOf(route)
    .flatMap(([method]) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    .concat('OPTIONS')
    .join(', ');

interface Matched {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

/** A target taken apart, and its route. */
interface Found extends Matched {
  readonly target: Target;
}

// Clients request the same targets again and again. An entry takes about 1 KiB.
const rememberedTargets = 1024;
/** Longer targets are searches, or come from a client that invents them: they are not kept. */
const longestRemembered = 512;

/** A part of a path that stands for a parameter, and what it has to end with. */
interface NamedPart {
  readonly name: string;
  readonly suffix: string;
}

/** A route taken apart: its segments, and the parameter that each stands for, null for a fixed one. */
interface RoutePattern {
  readonly route: Route;
  readonly segments: readonly string[];
  readonly names: readonly (NamedPart | null)[];
}

function namedPart(segment: string): NamedPart | null {
  const [, name, suffix = ''] = /^:([^.]+)(\..+)?$/.exec(segment) ?? [];
  return name === undefined ? null : { name, suffix };
}

/** Finds routes by their segments; built once from the table. */
export class Router {
  readonly #routes: readonly RoutePattern[];
  readonly #found = new LRUCache<string, Found>({ max: rememberedTargets });

  constructor(routes: readonly Route[]) {
    this.#routes = routes.map((route) => {
      const segments = route.path.slice(1).split('/');
      return { route, segments, names: segments.map(namedPart) };
    });
  }

  /** True if a target, as sent, is only for holders of the token: every one but the paths of grants and those for anyone. */
  needsToken(target: string | null): boolean {
    const access = this.#routeOf(target)?.access;
    return access !== 'grant' && access !== 'anyone' && access !== 'origin';
  }

  /** The protocol of a target as sent, whether the client may use it or not; undefined for most. */
  protocolOf(raw: string | null): PathProtocol | undefined {
    return this.#routeOf(raw)?.protocol;
  }

  /** The answer to OPTIONS for the path of a target as sent; nothing if there is no such path. */
  optionsOf(raw: string | null): PathOptions {
    const route = this.#routeOf(raw);
    if (route === undefined) return {};
    const fields = endpointsOf(route).flatMap(([, { description }]) => Object.keys(description.headers ?? {}));
    return { discovery: route.protocol?.discovery(), fields };
  }

  #routeOf(raw: string | null): Route | undefined {
    if (raw === null || !raw.startsWith('/')) return undefined;
    const known = this.#found.get(raw);
    if (known !== undefined) return known.route;
    return this.#patternOf(raw.slice(1).split('?', 1)[0]?.split('/') ?? [])?.route;
  }

  #patternOf(segments: readonly string[]): RoutePattern | undefined {
    return this.#routes.find((pattern) => isMatch(pattern.segments, pattern.names, segments));
  }

  /** The route of a target as sent. Throws as `parseTarget` and `match`. */
  find(raw: string | null): Found {
    const known = raw === null ? undefined : this.#found.get(raw);
    if (known !== undefined) return known;
    const target = parseTarget(raw);
    const found = { target, ...this.match(target) };
    // The path of a grant holds its secret, which nothing keeps.
    if (raw === null || raw.length > longestRemembered || found.route.access === 'grant') return found;
    this.#found.set(raw, found);
    return found;
  }

  /** Throws `invalid_identity` for a part that cannot be decoded, `not_found` and the codes of services that are off. */
  match({ segments }: Target): Matched {
    const decoded = segments.map(decodedPart);
    const pattern = this.#patternOf(segments);
    if (pattern === undefined) throw new ServiceError('not_found', 'no such path');
    const { route, names } = pattern;
    const { unavailable } = route;
    if (unavailable !== undefined) throw new ServiceError(unavailable.code, unavailable.message);
    const params: Record<string, string> = {};
    names.forEach((named, index) => {
      if (named !== null) params[named.name] = (decoded[index] ?? '').slice(0, -named.suffix.length || undefined);
    });
    return { route, params };
  }
}

function isMatch(parts: readonly string[], names: RoutePattern['names'], given: readonly string[]): boolean {
  if (parts.length !== given.length) return false;
  // From the end, because most paths begin alike.
  for (let at = given.length - 1; at >= 0; at -= 1) {
    const [named, segment] = [names[at] ?? null, given[at] ?? ''];
    if (named === null ? parts[at] !== segment : !isNamed(named, segment)) return false;
  }
  return true;
}

const isNamed = ({ suffix }: NamedPart, segment: string): boolean =>
  segment.length > suffix.length && segment.endsWith(suffix);

function decodedPart(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new ServiceError('invalid_identity', 'a part of the path cannot be decoded');
  }
}
