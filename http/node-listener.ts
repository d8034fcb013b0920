import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { InFlight } from './in-flight.ts';
import type { ExchangeHandler, Listener, OpenListener } from './listener.ts';
import { NodeExchange } from './node-exchange.ts';

/** The limits of the native adapter, so that both refuse the same requests. */
const MAX_HEADERS = 48;
const MAX_HEAD_BYTES = 81_920;
const IDLE_MS = 11_000;

/** Opens listeners on `node:http` that close a connection whose client is silent for `idleMs` while it is awaited. */
export function nodeListener(idleMs: number): OpenListener {
  return async (address, handler, onHandlerError) => {
    const flight = new InFlight(onHandlerError);
    const server = createServer({
      maxHeaderSize: MAX_HEAD_BYTES,
      keepAliveTimeout: idleMs,
      headersTimeout: idleMs,
      // A slow or paused upload may take its time: silence is what ends it.
      requestTimeout: 0,
      connectionsCheckingInterval: idleMs / 2,
    });
    serveExchanges(server, idleMs, handler, flight);
    server.listen({ ...address, exclusive: true });
    await once(server, 'listening');

    let closed: Promise<void> | undefined;
    const listener: Listener = {
      adapter: 'node:http',
      port: (server.address() as AddressInfo).port,
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

function serveExchanges(server: Server, idleMs: number, handler: ExchangeHandler, flight: InFlight): void {
  const underWay = new WeakMap<Socket, Set<NodeExchange>>();
  // Unlimited here, because beyond its limit Node drops headers without a word.
  server.maxHeadersCount = 0;

  server.on('connection', (socket) => {
    const exchanges = new Set<NodeExchange>();
    underWay.set(socket, exchanges);
    socket.on('close', () => {
      for (const exchange of exchanges) exchange.lost();
    });
  });

  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    const exchanges = underWay.get(request.socket);
    if (exchanges === undefined || request.rawHeaders.length > 2 * MAX_HEADERS) {
      request.socket.destroy();
      return;
    }
    response.sendDate = false;
    const exchange = new NodeExchange(request, response, flight);
    flight.begin();
    exchanges.add(exchange);
    response.on('finish', () => exchanges.delete(exchange));
    exchange.handle(handler);
  };
  server.on('request', onRequest);
  // Other expectations than 100-continue are ignored instead of refused.
  server.on('checkExpectation', onRequest);

  server.setTimeout(idleMs, (socket) => {
    const exchanges = [...(underWay.get(socket) ?? [])];
    if (exchanges.length === 0 || exchanges.some((exchange) => exchange.awaitsClient)) socket.destroy();
    else socket.setTimeout(idleMs);
  });
}

async function closeGently(server: Server, flight: InFlight, graceMs: number): Promise<void> {
  const gone = once(server, 'close');
  server.close();
  await flight.idle(graceMs);
  server.closeAllConnections();
  await gone;
}
