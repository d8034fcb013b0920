import { timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../../contract/base/errors.ts';
import { labelLine } from '../../contract/base/grammar.ts';
import type { Headers, RequestHead } from '../listener/listener.ts';
import { type Answer, refusal } from './answer.ts';
import { requestIdField } from './request-log.ts';
import type { Access, PathOptions } from './route.ts';

/** Host names under which a client may address a loopback host. */
const loopbackNames = ['127.0.0.1', 'localhost', '[::1]'] as const;

const bearer = 'Bearer ';

/** The challenge of a refusal. */
const authenticate: Headers = { 'WWW-Authenticate': 'Bearer' };

/** True if the host gave this token to a page for a pairing code. It must take the same time for every token. */
type IsPageToken = (token: string) => boolean;

/** The fields that a page may send to every path. */
const usualFields = ['Authorization', 'Content-Type', 'Range', requestIdField];

/** The answer to a page that asks what it may send; `fields` are those that the path reads beside the usual ones. */
const preflightHeaders = (fields: readonly string[]): Headers => ({
  'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, DELETE, OPTIONS',
  'Access-Control-Allow-Headers': [...new Set([...usualFields, ...fields])].join(', '),
  'Access-Control-Max-Age': '600',
});

/** Fields that libraries of pages add to each request: the host reads none of them. A page may send them if it asks. */
const harmlessFields = ['traceparent', 'tracestate', 'baggage', 'sentry-trace', 'cache-control'] as const;

/** The names in a list of the head, in lower case. */
const namesIn = (list: string | undefined): string[] =>
  (list ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

const fieldsAsked = (head: RequestHead): string[] => namesIn(head.header('access-control-request-headers'));

/** The answer to a preflight, with the harmless fields that it asks for. One that asks for none gets the same bytes as ever. */
function withHarmless(answer: Headers, head: RequestHead): Headers {
  const usual = answer['Access-Control-Allow-Headers'];
  const asked = fieldsAsked(head);
  const further = harmlessFields.filter((name) => asked.includes(name));
  if (usual === undefined || further.length === 0) return answer;
  return { ...answer, 'Access-Control-Allow-Headers': [usual, ...further].join(', ') };
}

/** Every browser sends these without a word of the server. */
const simpleMethods = ['GET', 'HEAD', 'POST'];

/** The fields and the method that a preflight asked for and did not get: the browser will not send the request. */
export function refusedBy(answer: Headers, head: RequestHead): readonly string[] {
  const allowed = namesIn(answer['Access-Control-Allow-Headers']);
  const method = head.header('access-control-request-method');
  const methods = [...simpleMethods, ...(answer['Access-Control-Allow-Methods'] ?? '').split(', ')];
  return [
    ...(method === undefined || methods.includes(method) ? [] : [`the method ${shownName(method)}`]),
    ...fieldsAsked(head)
      .filter((name) => !allowed.includes(name))
      .map((name) => `the header ${shownName(name)}`),
  ];
}

/** A name as it can be typed; whatever else a client sends is quoted and cut. */
const shownName = (name: string): string =>
  /^[\w!#$%&'*+.^`|~-]{1,60}$/.test(name) ? name : JSON.stringify(labelLine(name.slice(0, 60)));

/**
 * The host's own origin, if a browser vouches that the request comes from there. Media elements of its own pages send no Origin,
 * and no page can set or remove `Sec-Fetch-Site` (W3C Fetch Metadata Request Headers).
 */
function ownOrigin(head: RequestHead): string | undefined {
  const isOwn = head.header('sec-fetch-site') === 'same-origin' && head.count('sec-fetch-site') === 1;
  return isOwn ? new URL(`http://${head.header('host')}`).origin : undefined;
}

/** Decides who may use the host: by Host, Origin and, if the path needs it, bearer token, in this order. */
export class Guard {
  readonly #hosts: ReadonlySet<string>;
  readonly #usualHost: string;
  readonly #corsHeaders = new Map<string, Headers>();
  readonly #authorization: Buffer;
  readonly #isPageToken: IsPageToken;
  /** A buffer for comparing the token of a request. */
  readonly #given: Buffer;

  /** `port` is the one that listens; its own origins are always allowed. */
  constructor(port: number, allowedOrigins: readonly string[], token: string, isPageToken: IsPageToken = () => false) {
    this.#isPageToken = isPageToken;
    this.#hosts = new Set(loopbackNames.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`])));
    this.#usualHost = `127.0.0.1:${port}`;
    const own = loopbackNames.map((name) => `http://${name}${port === 80 ? '' : `:${port}`}`);
    for (const origin of [...allowedOrigins, ...own]) {
      this.#corsHeaders.set(origin, { 'Access-Control-Allow-Origin': origin, Vary: 'Origin' });
    }
    this.#authorization = Buffer.from(`${bearer}${token}`, 'utf8');
    this.#given = Buffer.alloc(this.#authorization.length);
  }

  /** Header fields that an answer to this request carries for its origin; null for no or a refused origin. */
  corsHeaders(head: RequestHead): Headers | null {
    const origin = head.header('origin');
    if (origin === undefined || head.count('origin') !== 1) return null;
    return this.#corsHeaders.get(origin) ?? null;
  }

  /**
   * The answer that ends the request here, or null when its route may answer it. `options` is what the path says to OPTIONS.
   */
  check(head: RequestHead, needsToken = true, { discovery, fields = [] }: PathOptions = {}): Answer | null {
    const host = head.header('host');
    if (host === undefined || head.count('host') !== 1 || !this.#hosts.has(host.toLowerCase())) {
      return refusal('host_not_allowed', `the Host header does not name this host, ${this.#usualHost}`);
    }
    const origin = head.header('origin');
    if (origin !== undefined && (head.count('origin') !== 1 || !this.#corsHeaders.has(origin))) {
      return refusal('origin_not_allowed', 'the origin is not allowed to use this host');
    }
    if (head.method === 'OPTIONS') {
      if (discovery !== undefined)
        return { status: 204, body: Buffer.alloc(0), headers: withHarmless(discovery, head) };
      return origin === undefined
        ? refusal('origin_required', 'a preflight needs an Origin')
        : { status: 204, body: Buffer.alloc(0), headers: withHarmless(preflightHeaders(fields), head) };
    }
    // Two of them are not a token (RFC 9110, 5.3): a proxy in between may have checked the other one.
    if (needsToken && head.count('authorization') > 1) {
      return refusal('unauthorized', 'the request has more than one Authorization field', authenticate);
    }
    if (needsToken && !this.#isAuthorized(head)) {
      return refusal('unauthorized', 'the bearer token is missing or wrong', authenticate);
    }
    return null;
  }

  /** The origin that a checked request comes from, empty where the route does not ask. Throws `origin_required`. */
  originFor(head: RequestHead, access: Access = 'token'): string {
    if (access === 'token' || access === 'anyone') return '';
    const origin = head.header('origin') ?? (access === 'grant' ? ownOrigin(head) : undefined);
    if (origin === undefined) throw new ServiceError('origin_required', 'this path is for pages that say their origin');
    return origin;
  }

  #isAuthorized(head: RequestHead): boolean {
    const given = head.header('authorization') ?? '';
    // The length of the token is public; its bytes are compared in constant time.
    if (Buffer.byteLength(given, 'utf8') === this.#authorization.length) {
      this.#given.write(given, 'utf8');
      if (timingSafeEqual(this.#given, this.#authorization)) return true;
    }
    return given.startsWith(bearer) && this.#isPageToken(given.slice(bearer.length));
  }
}

/** How long a refused origin is not named again, and how many are remembered: a page can invent as many as it likes. */
const silenceMs = 60_000;
const rememberedOrigins = 16;

/** Schemes whose pages have no origin of their own, or none that one program alone can send. */
const sharedSchemes = [
  'file',
  'data',
  'blob',
  'about',
  'javascript',
  'filesystem',
  'ftp',
  'ws',
  'wss',
  'http',
  'https',
];

/** True for the exact origin of a program with a scheme of its own, such as the panel of an editor: `tauri://localhost`. */
export function isOriginOfProgram(text: string): boolean {
  const [, scheme = ''] = /^([a-z][a-z0-9+.-]{0,62}):\/\/[A-Za-z0-9][\w.-]{0,199}(?::\d{1,5})?$/.exec(text) ?? [];
  return scheme !== '' && !sharedSchemes.includes(scheme);
}

/** An origin as it can be typed; whatever else a client sends is quoted and cut. */
const isAllowable = (origin: string): boolean =>
  /^https?:\/\/[\w.:[\]-]{1,200}$/.test(origin) || isOriginOfProgram(origin);

const shownOrigin = (origin: string): string =>
  isAllowable(origin) ? origin : JSON.stringify(labelLine(origin.slice(0, 80)));

/**
 * Names refused origins to the operator of the host. A browser shows its page no more than *Failed to fetch*, because a
 * refusal without CORS fields is hidden from it. Each origin is named once a minute, and at most sixteen of them.
 */
export class RefusedOrigins {
  readonly #report: (line: string) => void;
  readonly #now: () => number;
  readonly #named = new Map<string, number>();

  /** `now` is in milliseconds, from any fixed point. */
  constructor(report: (line: string) => void, now: () => number) {
    this.#report = report;
    this.#now = now;
  }

  note(origin: string): void {
    const shown = shownOrigin(origin);
    if (!this.#isNew(shown)) return;
    const remedy = isAllowable(origin)
      ? `if the page is yours, start the host with --allowed-origin ${shown}`
      : 'only http and https origins, and those of programs with a scheme of their own, can be allowed: serve the page from one';
    this.#report(`refused a request from the origin ${shown}: ${remedy}`);
  }

  /** Names what a preflight of an allowed origin asked for and did not get. */
  notePreflight(origin: string, refused: readonly string[]): void {
    const shown = refused.slice(0, 5).join(', ');
    if (!this.#isNew(`${shownOrigin(origin)} ${shown}`)) return;
    this.#report(
      `refused a preflight of the origin ${shownOrigin(origin)}: pages cannot send ${shown}; its browser does not send the request, so leave that out`,
    );
  }

  #isNew(words: string): boolean {
    const now = this.#now();
    for (const [named, at] of this.#named) if (now - at >= silenceMs) this.#named.delete(named);
    if (this.#named.has(words) || this.#named.size >= rememberedOrigins) return false;
    this.#named.set(words, now);
    return true;
  }
}
