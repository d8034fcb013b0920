import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { InFlight } from './in-flight.ts';
import type { ExchangeHandler, Listener, OpenListener } from './listener.ts';
import { NodeConnection } from './node-connection.ts';
import { NodeExchange } from './node-exchange.ts';

/** The limits of the native adapter, so that both refuse the same requests. */
const MAX_HEADERS = 48;
const MAX_HEAD_BYTES = 81_920;
const IDLE_MS = 11_000;

/** Connections of clients that have not shown that they may be here: twice as many as the system holds in line (511). */
const STRANGERS = 1_024;

/**
 * Opens listeners on `node:http` that close a connection whose client does not act within `idleMs` while it is awaited,
 * and that keep at most `strangers` connections of unauthorized clients: the oldest gives way to the newest.
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
