import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { InFlight } from './exchange-core.ts';
import type { Listener, OpenListener } from './listener.ts';
import { FlatHead } from './message-head.ts';
import { findUwsBinary, loadUws, THIS_RUNTIME, type UwsListenSocket, type UwsRequest } from './uws-binding.ts';
import { UwsExchange } from './uws-exchange.ts';

/** Opens a listener on uWebSockets.js; rejects where the package has no binary for this runtime. */
export const openUwsListener: OpenListener = async (address, handler, onHandlerError) => {
  const path = findUwsBinary(THIS_RUNTIME);
  if (path === undefined) throw new Error('uWebSockets.js has no binary for this runtime');
  const uws = loadUws(path);
  const flight = new InFlight(onHandlerError);
  const app = uws.App();

  app.any('/*', (response, request) => {
    let exchange: UwsExchange | undefined;
    // First of all: without an abort listener an unanswered request ends the whole process.
    response.onAborted(() => exchange?.lost());
    exchange = new UwsExchange(response, copyHead(request), flight);
    flight.begin();
    exchange.handle(handler);
  });

  const listenOn = (port: number): Promise<UwsListenSocket | false> =>
    // Exclusive, or a second host on the same port would silently share its connections.
    new Promise((resolve) => app.listen(address.host, port, uws.LIBUS_LISTEN_EXCLUSIVE_PORT, resolve));
  const listened = address.port === 0 ? listenOnAny(address.host, listenOn) : listenOn(address.port);
  const socket = await listened.catch((error: unknown) => {
    app.close();
    throw error;
  });
  if (socket === false) {
    app.close();
    throw await bindError(address);
  }

  let closed: Promise<void> | undefined;
  const listener: Listener = {
    adapter: 'uWebSockets.js',
    port: uws.us_socket_local_port(socket),
    traffic: flight.traffic,
    close: (graceMs) => {
      closed ??= (async () => {
        uws.us_listen_socket_close(socket);
        await flight.idle(graceMs);
        // The last answer may have ended inside one of the library's own callbacks.
        await setImmediate();
        app.close();
      })();
      return closed;
    },
  };
  return listener;
};

function copyHead(request: UwsRequest): FlatHead {
  const fields: string[] = [];
  request.forEach((name, value) => {
    fields.push(name, value);
  });
  const query = request.getQuery();
  const path = request.getUrl();
  return new FlatHead(request.getMethod().toUpperCase(), query === undefined ? path : `${path}?${query}`, fields);
}

/** The number of attempts to take a free port, as another process may take it meanwhile. */
const freePorts = 10;

/**
 * Listens on a port that the system chooses. If the library chooses the port, the port cannot be opened again while a connection
 * to it ends. That may take minutes after the host was killed. A port given by number is free of this.
 */
async function listenOnAny(
  host: string,
  listenOn: (port: number) => Promise<UwsListenSocket | false>,
): Promise<UwsListenSocket | false> {
  for (let asked = 0; asked < freePorts; asked += 1) {
    const probe = createServer();
    await once(probe.listen({ host, port: 0, exclusive: true }), 'listening');
    const { port } = probe.address() as AddressInfo;
    await once(probe.close(), 'close');
    const socket = await listenOn(port);
    if (socket !== false) return socket;
  }
  return false;
}

/** The library only says that it could not listen; asking the system once more gives its reason. */
async function bindError(address: { host: string; port: number }): Promise<unknown> {
  const probe = createServer();
  try {
    probe.listen({ ...address, exclusive: true });
    await once(probe, 'listening');
  } catch (error) {
    return error;
  }
  probe.close();
  return new Error(`could not listen on ${address.host} port ${address.port}`);
}
