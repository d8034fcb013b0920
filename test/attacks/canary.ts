import { once } from 'node:events';
import { createServer } from 'node:net';
import type { ExecutionContext } from 'ava';

/** Something else that listens on this machine, and that nothing may reach. */
export interface Canary {
  readonly port: number;
  /** How many connections came. */
  readonly reached: () => number;
}

/** Listens on a port of 127.0.0.1 and of ::1; answers as a host, a proxy or a player would like it to. Ends with the test. */
export async function openCanary(t: ExecutionContext): Promise<Canary> {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on('error', () => {});
    socket.end('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<title>Canary</title>');
  });
  server.listen(0, '::');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const address = server.address();
  return { port: typeof address === 'object' ? (address?.port ?? 0) : 0, reached: () => connections };
}
