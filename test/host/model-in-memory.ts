import { Agent, createServer, type Server } from 'node:http';
import { duplexPair } from 'node:stream';
import { ScriptedProvider } from '../../fixtures/hosted-model/stub-provider.ts';

/** The servers of this process that take connections in memory, by their ports. */
const servers = new Map<number, Server>();

type Connect = (options: { readonly port?: unknown }, connected: unknown) => unknown;

/** Lets requests of this process connect to them; any other connection is made as before. */
function takeConnections(): void {
  const agents = Agent.prototype as unknown as { createConnection: Connect };
  const network = agents.createConnection;
  agents.createConnection = function connect(options, connected) {
    const server = servers.get(Number(options.port));
    if (server === undefined) return network.call(this, options, connected);
    const [client, connection] = duplexPair();
    // The pair passes an end on, and nothing of a stream that is destroyed before it; a socket does.
    client.once('close', () => connection.destroy());
    connection.once('close', () => {
      if (!connection.writableFinished) client.destroy(Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
    });
    server.emit('connection', connection);
    return client;
  };
}

/** A model server without a socket: requests of this process reach it under an address of its own. */
export class ModelInMemory extends ScriptedProvider {
  // Ports without a listener.
  readonly #port = 1 + servers.size;

  constructor() {
    super();
    if (servers.size === 0) takeConnections();
    servers.set(this.#port, createServer(this.listener));
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.#port}/v1`;
  }
}
