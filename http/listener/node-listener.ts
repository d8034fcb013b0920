import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { ExchangeCore, type ExchangeOwner, InFlight, type Outlet } from './exchange-core.ts';
import type { ExchangeHandler, Headers, Listener, OpenListener } from './listener.ts';
import { FlatHead, isBodiless, reasonPhraseOf } from './message-head.ts';

/** An exchange, as its connection sees it. */
interface ConnectedExchange {
  /** True if the next move is the client's: to send its body, or to take its answer. */
  readonly awaitsClient: boolean;
  /** True if the client still sends its body. */
  readonly awaitsUpload: boolean;
  /** The connection is gone. */
  lost(): void;
}

/** One connection of `node:http`: the exchanges under way on it, and the time in which its client has to act. */
class NodeConnection {
  readonly #socket: Socket;
  readonly #exchanges = new Set<ConnectedExchange>();
  readonly #deadline: NodeJS.Timeout;
  readonly #onAccepted: (connection: NodeConnection) => void;
  #isDue = false;

  /**
   * The client has `idleMs` for each whole request head, counted from the connect or from the last answer. It has the same time
   * for each piece of a body that shows that it moves. `onAccepted` is called once the client is accepted.
   */
  constructor(socket: Socket, idleMs: number, onAccepted: (connection: NodeConnection) => void) {
    this.#socket = socket;
    this.#onAccepted = onAccepted;
    this.#deadline = setTimeout(() => this.#due(), idleMs);
    socket.on('close', () => {
      clearTimeout(this.#deadline);
      for (const exchange of this.#exchanges) exchange.lost();
    });
  }

  begin(exchange: ConnectedExchange): void {
    this.#exchanges.add(exchange);
    this.renew();
  }

  finish(exchange: ConnectedExchange): void {
    this.#exchanges.delete(exchange);
    this.renew();
  }

  accept(): void {
    this.#onAccepted(this);
  }

  /** The client did what it had to: it has its whole time again. */
  renew(): void {
    this.#isDue = false;
    this.#deadline.refresh();
  }

  close(): void {
    this.#socket.destroy();
  }

  /** The socket was silent, in both directions, for the whole time: closes it where the next move is the client's. */
  silent(idleMs: number): void {
    const { bytesRead } = this.#socket;
    afterArrivals(() => {
      if (this.#socket.bytesRead === bytesRead && this.#awaits((exchange) => exchange.awaitsClient)) this.close();
      else this.#socket.setTimeout(idleMs);
    });
  }

  #due(): void {
    // A handler may take its time, and so may an answer: the silence of the socket shows whether that one is taken.
    if (!this.#awaits((exchange) => exchange.awaitsUpload)) {
      this.renew();
      return;
    }
    this.#isDue = true;
    afterArrivals(() => {
      if (this.#isDue) this.close();
    });
  }

  /** True if the next move is the client's: to send a request, or the part that `isAwaited` finds missing. */
  #awaits(isAwaited: (exchange: ConnectedExchange) => boolean): boolean {
    const exchanges = [...this.#exchanges];
    return exchanges.length === 0 || exchanges.some(isAwaited);
  }
}

/**
 * Runs once the bytes that have arrived are read. Node runs its timers first. So after a pause of the whole process the time of
 * every client is over before the host has read what they sent meanwhile.
 */
const afterArrivals = (run: () => void): void => void setImmediate(run);

/** One exchange over `node:http`. */
class NodeExchange extends ExchangeCore {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #connection: NodeConnection;

  constructor(request: IncomingMessage, response: ServerResponse, connection: NodeConnection, owner: ExchangeOwner) {
    super(copyHead(request), owner, Number.POSITIVE_INFINITY);
    this.#request = request;
    this.#response = response;
    this.#connection = connection;
    if (this.doomed) response.shouldKeepAlive = false;
    response.on('finish', () => this.complete());
  }

  override accept(): void {
    this.#connection.accept();
  }

  /** True if the host awaits more of the body from the client. */
  get awaitsUpload(): boolean {
    return this.awaitsBody;
  }

  /** True if the next move is the client's: to send more of its body or to take more of the answer. */
  get awaitsClient(): boolean {
    return this.awaitsBody || this.#response.writableNeedDrain;
  }

  override handle(handler: ExchangeHandler): void {
    super.handle(handler);
    // No handler reads it: let it run out, so that a client that sends it whole gets to see its answer.
    if (!this.reading) this.#request.resume();
  }

  protected beginBody(): void {
    this.#request.on('data', (chunk: Buffer) => {
      this.arrived(chunk.length);
      this.receive(chunk);
    });
    this.#request.on('end', () => this.receiveEnd());
  }

  protected pauseBody(): void {
    this.#request.pause();
  }

  protected resumeBody(): void {
    const { socket } = this.#request;
    // The client gets its whole time again: until now the host kept it waiting.
    socket.setTimeout(socket.timeout ?? 0);
    this.#connection.renew();
    this.#request.resume();
  }

  protected renewTime(): void {
    this.#connection.renew();
  }

  protected send(status: number, headers: Headers, body: Uint8Array | string): void {
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    this.#writeHead(status, headers, bytes.byteLength);
    if (isBodiless(status)) this.#response.end();
    else if (bytes.byteLength < this.#response.writableHighWaterMark) this.#response.end(bytes);
    else {
      this.#response.write(bytes);
      this.#finish();
    }
  }

  protected sendHead(status: number, headers: Headers, bytes: number | null): void {
    if (bytes === null) this.#response.writeHead(status, headers);
    else this.#writeHead(status, headers, bytes);
    this.#response.end();
  }

  protected open(status: number, headers: Headers, bytes: number): Outlet {
    this.#writeHead(status, headers, bytes);
    return this.#outlet();
  }

  protected openEndless(status: number, headers: Headers): Outlet {
    this.#response.writeHead(status, headers);
    return this.#outlet();
  }

  #outlet(): Outlet {
    const response = this.#response;
    response.on('drain', () => this.drained());
    return {
      push: (chunk) => response.write(chunk),
      finish: () => this.#finish(),
      cut: () => this.cut(),
    };
  }

  protected disconnect(): void {
    this.#response.destroy();
  }

  /** Ends the answer once the socket took it: a server that closes drops connections whose answer merely ended. */
  #finish(): void {
    if (this.#response.writableNeedDrain) this.#response.once('drain', () => this.#response.end());
    else this.#response.end();
  }

  #writeHead(status: number, headers: Headers, bytes: number): void {
    const fields = isBodiless(status) ? headers : { ...headers, 'Content-Length': bytes };
    this.#response.writeHead(status, reasonPhraseOf(status), fields);
  }
}

function copyHead(request: IncomingMessage): FlatHead {
  const fields = request.rawHeaders.map((text, at) => (at % 2 === 0 ? text.toLowerCase() : text));
  return new FlatHead(request.method ?? '', request.url ?? '', fields);
}

/** The limits of the native adapter, so that both refuse the same requests. */
const MAX_HEADERS = 48;
const MAX_HEAD_BYTES = 81_920;
const IDLE_MS = 11_000;

/** Connections of clients that have not shown that they may be here: twice as many as the system holds in line (511). */
const STRANGERS = 1_024;

/**
 * Opens listeners on `node:http`. They close a connection whose client does not act within `idleMs` while the host waits for it.
 * They keep at most `strangers` connections of unauthorized clients: the oldest gives way to the newest.
 */
export function nodeListener(idleMs: number, strangers = STRANGERS): OpenListener {
  return async (address, handler, onHandlerError) => {
    const flight = new InFlight(onHandlerError);
    const server = createServer({
      maxHeaderSize: MAX_HEAD_BYTES,
      keepAliveTimeout: idleMs,
      // Each connection has a deadline of its own.
      headersTimeout: 0,
      requestTimeout: 0,
    });
    serveExchanges(server, { idleMs, strangers }, handler, flight);
    server.listen({ ...address, exclusive: true });
    await once(server, 'listening');

    let closed: Promise<void> | undefined;
    const listener: Listener = {
      adapter: 'node:http',
      port: (server.address() as AddressInfo).port,
      traffic: flight.traffic,
      close: (graceMs) => {
        closed ??= closeGently(server, flight, graceMs);
        return closed;
      },
    };
    return listener;
  };
}

/** Opens a listener on `node:http`. */
export const openNodeListener: OpenListener = nodeListener(IDLE_MS);

interface Patience {
  readonly idleMs: number;
  readonly strangers: number;
}

function serveExchanges(server: Server, { idleMs, strangers }: Patience, handler: ExchangeHandler, flight: InFlight) {
  const connections = new WeakMap<Socket, NodeConnection>();
  // In the order in which they came.
  const unknown = new Set<NodeConnection>();
  // Unlimited here, because beyond its limit Node drops headers without a word.
  server.maxHeadersCount = 0;

  server.on('connection', (socket) => {
    const connection = new NodeConnection(socket, idleMs, (accepted) => unknown.delete(accepted));
    connections.set(socket, connection);
    socket.on('close', () => unknown.delete(connection));
    const [oldest] = unknown.add(connection);
    if (unknown.size > strangers) oldest?.close();
  });

  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    const connection = connections.get(request.socket);
    if (connection === undefined || request.rawHeaders.length > 2 * MAX_HEADERS) {
      request.socket.destroy();
      return;
    }
    response.sendDate = false;
    const exchange = new NodeExchange(request, response, connection, flight);
    flight.begin();
    connection.begin(exchange);
    response.on('finish', () => connection.finish(exchange));
    exchange.handle(handler);
  };
  server.on('request', onRequest);
  // Other expectations than 100-continue are ignored instead of refused.
  server.on('checkExpectation', onRequest);
  server.setTimeout(idleMs, (socket) => connections.get(socket)?.silent(idleMs));
}

async function closeGently(server: Server, flight: InFlight, graceMs: number): Promise<void> {
  const gone = once(server, 'close');
  server.close();
  await flight.idle(graceMs);
  server.closeAllConnections();
  await gone;
}
