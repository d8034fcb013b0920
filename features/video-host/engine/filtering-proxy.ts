import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  request as openRequest,
  type Server,
  type ServerResponse,
} from 'node:http';
import { connect, type Server as Listener, type Socket } from 'node:net';
import { type Duplex, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ProcessProxy } from '../../../executors/process/process.ts';
import {
  allowedAddresses,
  type ProxyTarget,
  plainTarget,
  TargetFailure,
  type TargetRules,
  tunnelTarget,
} from './proxy-target.ts';

/** The outcome of the latest request. A tunnel's answers are encrypted, so its status stays unknown: null. */
type ProxyOutcome =
  | { readonly kind: 'answered'; readonly status: number | null }
  | { readonly kind: 'host_unreachable' };

/** The findings of a proxy, to explain why a tool failed. */
export interface ProxyFindings {
  /** How many requests showed the right secret. */
  readonly requests: number;
  /** True if something was refused because it is not public, or not http. */
  readonly refusedAddress: boolean;
  /** True if a request wanted more bytes than may pass. */
  readonly overLimit: boolean;
  readonly lastOutcome: ProxyOutcome | null;
}

/** Notes what happens, and counts the bytes of both directions against the limit. */
class ProxyNotes implements ProxyFindings {
  requests = 0;
  refusedAddress = false;
  overLimit = false;
  lastOutcome: ProxyOutcome | null = null;
  #room: number;

  constructor(maximumBytes: number) {
    this.#room = maximumBytes;
  }

  /** Takes note of bytes that want to pass; false when that is more than may. */
  spend(bytes: number): boolean {
    this.#room -= bytes;
    if (this.#room < 0) this.overLimit = true;
    return !this.overLimit;
  }
}

/**
 * Connects to the first of these addresses that answers within `connectMs` each. `hold` is given every socket from its
 * birth, so that their holder can end a connection attempt. Rejects with `TargetFailure` `host_unreachable`.
 */
async function connectToFirst(
  addresses: readonly string[],
  port: number,
  connectMs: number,
  hold: (socket: Socket) => void,
): Promise<Socket> {
  for (const host of addresses) {
    const socket = connect({ host, port });
    hold(socket);
    if (await opens(socket, connectMs)) return socket;
  }
  throw new TargetFailure('host_unreachable', 'no address of the host answers');
}

function opens(socket: Socket, connectMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => socket.destroy(), connectMs);
    const settle = (isOpen: boolean) => {
      clearTimeout(timer);
      resolve(isOpen);
    };
    // Stays for the socket's whole life: an error ends it, and its other half learns that from the end.
    socket.on('error', () => {});
    socket.once('connect', () => settle(true));
    socket.once('close', () => settle(false));
  });
}

// Of one connection, not of the message (RFC 9110, 7.6.1), and what is meant for the proxy itself.
const OWN_TO_THE_HOP = new Set([
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade', 'host'],
]);

/** One plain request, on its way over a connection that is already open. */
interface PlainExchange {
  readonly host: string;
  readonly path: string;
  readonly upstream: Socket;
  readonly notes: ProxyNotes;
  meter(): Transform;
}

/** Sends a request on and its answer back. Rejects when either side breaks off; `notes` keeps the progress. */
async function forwardPlain(
  request: IncomingMessage,
  response: ServerResponse,
  { host, path, upstream, notes, meter }: PlainExchange,
): Promise<void> {
  const outgoing = openRequest({
    method: request.method ?? 'GET',
    path,
    headers: [...passedOn(request.rawHeaders), 'Host', host, 'Connection', 'close'],
    createConnection: () => upstream,
    setHost: false,
  });
  const brokeOff = () => {
    // A tool that has read enough hangs up too, so this is not a fault of the host.
    if (!response.destroyed) notes.lastOutcome = { kind: 'host_unreachable' };
  };
  outgoing.on('error', brokeOff);
  response.once('close', () => outgoing.destroy());
  pipeline(request, meter(), outgoing).catch(() => {});
  const [incoming]: IncomingMessage[] = await once(outgoing, 'response');
  if (incoming === undefined) return;
  incoming.on('error', brokeOff);
  const status = incoming.statusCode ?? 502;
  notes.lastOutcome = { kind: 'answered', status };
  response.writeHead(status, [...passedOn(incoming.rawHeaders), 'Connection', 'close']);
  await pipeline(incoming, meter(), response);
}

function passedOn(rawHeaders: readonly string[]): string[] {
  return rawHeaders.filter((_, at) => {
    const name = rawHeaders[at - (at % 2)] ?? '';
    return !OWN_TO_THE_HOP.has(name.toLowerCase());
  });
}

export interface ProxyOptions extends TargetRules {
  /** Letters and digits; only who shows it is served. */
  readonly secret: string;
  /** How many bytes may pass, both directions and all connections together. */
  readonly maximumBytes: number;
  /** For one attempt to connect; 10 s unless given. */
  readonly connectMs?: number;
  /** The time that a connection may be idle; by default 60 s. */
  readonly idleMs?: number;
}

/** A proxy for the processes of one job: yt-dlp, ffmpeg and ffprobe find it, for every protocol that they would open. */
export interface FilteringProxy extends ProcessProxy {
  readonly findings: ProxyFindings;
  /** Ends every connection at once. */
  close(): Promise<void>;
}

const USER = 'tool';
const MOST_CONNECTIONS = 64;
const HEAD_MS = 10_000;
const STATUS_LINES = { 403: 'Forbidden', 407: 'Proxy Authentication Required', 502: 'Bad Gateway' } as const;

/**
 * A proxy that lets http and https through to public addresses only, and listens nowhere until it gets a listener. A name is
 * resolved once, and the connection goes to the address that was checked. So neither a redirect nor a name that changes its
 * address leads anywhere else.
 */
export const openFilteringProxy = (options: ProxyOptions): FilteringProxy => new JobProxy(options);

class JobProxy implements FilteringProxy {
  readonly findings: ProxyNotes;
  readonly #options: ProxyOptions;
  readonly #servers = new Set<Server>();
  readonly #credentials: Buffer;
  readonly #sockets = new Set<Socket>();
  #closed = false;

  constructor(options: ProxyOptions) {
    this.findings = new ProxyNotes(options.maximumBytes);
    this.#options = options;
    this.#credentials = Buffer.from(`Basic ${Buffer.from(`${USER}:${options.secret}`).toString('base64')}`);
  }

  environmentAt(port: number): Readonly<Record<string, string>> {
    const url = `http://${USER}:${this.#options.secret}@127.0.0.1:${port}`;
    return { http_proxy: url, https_proxy: url, ftp_proxy: url, all_proxy: url };
  }

  serve(listener: Listener): void {
    if (this.#closed) return void listener.close();
    const server = createServer({ headersTimeout: HEAD_MS, connectionsCheckingInterval: HEAD_MS });
    server.maxConnections = MOST_CONNECTIONS;
    server.on('connection', this.#hold);
    server.on('request', (request, response) => void this.#forward(request, response));
    server.on('connect', (request, client, head) => void this.#tunnel(request, client, head));
    server.on('upgrade', (_, client) => client.destroy());
    server.on('clientError', (_, client) => client.destroy());
    server.listen(listener);
    this.#servers.add(server);
  }

  async close(): Promise<void> {
    this.#closed = true;
    const closing = [...this.#servers].map((server) => once(server, 'close'));
    for (const server of this.#servers) server.close();
    this.#servers.clear();
    this.#endAll();
    await Promise.all(closing);
  }

  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => {});
    try {
      if (!this.#isOwn(request)) return refuse(response, 407);
      const asked = plainTarget(request.url ?? '');
      const { target, upstream } = await this.#connect(asked?.target ?? null);
      const { host } = new URL(target.origin);
      const path = asked?.path ?? '/';
      await forwardPlain(request, response, { host, path, upstream, notes: this.findings, meter: this.#meter });
    } catch (error) {
      if (response.headersSent) response.destroy();
      else refuse(response, this.#statusOf(error));
    }
  }

  async #tunnel(request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    client.on('error', () => {});
    try {
      if (!this.#isOwn(request)) return void client.end(refusalHead(407));
      const { upstream } = await this.#connect(tunnelTarget(request.url ?? ''));
      this.findings.lastOutcome = { kind: 'answered', status: null };
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      if (head.length > 0) client.unshift(head);
      const ways = [pipeline(client, this.#meter(), upstream), pipeline(upstream, this.#meter(), client)];
      // Either side may hang up when it likes; the other then sees the end.
      await Promise.allSettled(ways);
    } catch (error) {
      client.end(refusalHead(this.#statusOf(error)));
    }
  }

  async #connect(target: ProxyTarget | null): Promise<{ target: ProxyTarget; upstream: Socket }> {
    this.findings.requests += 1;
    if (target === null) throw new TargetFailure('address_refused', 'not an http address');
    const addresses = await allowedAddresses(target, this.#options);
    const upstream = await connectToFirst(addresses, target.port, this.#options.connectMs ?? 10_000, this.#hold);
    return { target, upstream };
  }

  #statusOf(error: unknown): 403 | 502 {
    if (!(error instanceof TargetFailure)) return 502;
    if (error.reason === 'host_unreachable') {
      this.findings.lastOutcome = { kind: 'host_unreachable' };
      return 502;
    }
    this.findings.refusedAddress = true;
    return 403;
  }

  #isOwn(request: IncomingMessage): boolean {
    const shown = Buffer.from(request.headers['proxy-authorization'] ?? '');
    return shown.length === this.#credentials.length && timingSafeEqual(shown, this.#credentials);
  }

  readonly #meter = (): Transform =>
    new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        if (this.findings.spend(chunk.length)) return done(null, chunk);
        this.#endAll();
        done(new Error('more bytes than may pass'));
      },
    });

  readonly #hold = (socket: Socket): void => {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    socket.setTimeout(this.#options.idleMs ?? 60_000, () => socket.destroy());
    if (this.#closed) socket.destroy();
  };

  #endAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

function refusalHead(status: keyof typeof STATUS_LINES): string {
  const challenge = status === 407 ? 'Proxy-Authenticate: Basic realm="tool"\r\n' : '';
  return `HTTP/1.1 ${status} ${STATUS_LINES[status]}\r\n${challenge}Content-Length: 0\r\nConnection: close\r\n\r\n`;
}

function refuse(response: ServerResponse, status: keyof typeof STATUS_LINES): void {
  if (status === 407) response.setHeader('Proxy-Authenticate', 'Basic realm="tool"');
  response.writeHead(status, { 'Content-Length': 0, Connection: 'close' }).end();
}
