import test from 'ava';
import type { Exchange } from '../../http/listener/listener.ts';
import { nodeListener } from '../../http/listener/node-listener.ts';
import { head } from '../http/listener/adapters.ts';
import { RawSocket } from '../http/listener/raw-socket.ts';

const idleMs = 60_000;
const strangers = 8;

/** Admits everybody but who asks for `/stranger`. */
function serve(exchange: Exchange): void {
  if (exchange.head.target === '/stranger') {
    exchange.respond(401, {}, '');
    return;
  }
  exchange.accept();
  exchange.respond(200, {}, '');
}

test('of more strangers than may be there the oldest give way, and nobody who was accepted', async (t) => {
  const listener = await nodeListener(idleMs, strangers)({ host: '127.0.0.1', port: 0 }, serve);
  t.teardown(() => listener.close(0));
  const known = new RawSocket(listener.port).send(head('GET /known'));
  t.is((await known.answer()).status, 200);
  const drips = Array.from({ length: strangers }, () => new RawSocket(listener.port).send('GET / HTTP/1.1\r\nX: '));
  // Refused, and as much a stranger as before.
  const refused = new RawSocket(listener.port).send(head('GET /stranger'));
  t.is((await refused.answer()).status, 401);
  await drips[0]?.closed();
  const newest = Array.from({ length: strangers }, () => new RawSocket(listener.port));
  await Promise.all([...drips, refused].map((socket) => socket.closed()));
  t.is((await known.send(head('GET /known')).answer()).status, 200);
  for (const socket of newest) t.is((await socket.send(head('GET /known')).answer()).status, 200);
  for (const socket of [known, ...newest]) socket.destroy();
});

test('strangers that leave make room', async (t) => {
  const listener = await nodeListener(idleMs, strangers)({ host: '127.0.0.1', port: 0 }, serve);
  t.teardown(() => listener.close(0));
  const first = new RawSocket(listener.port).send('GET / HT');
  for (let round = 0; round < 5; round += 1) {
    const others = Array.from({ length: strangers - 1 }, () => new RawSocket(listener.port).send('GET'));
    await Promise.all(others.map((socket) => socket.left()));
  }
  t.is((await first.send('TP/1.1\r\nHost: 127.0.0.1\r\n\r\n').answer()).status, 200);
  first.destroy();
});
