import { setTimeout } from 'node:timers/promises';
import test from 'ava';
import { nodeListener } from '../../http/node-listener.ts';
import { type Adapter, adapters, head, listen, signal } from './listener/adapters.ts';
import { RawSocket, within } from './listener/raw-socket.ts';

/** The native limit is fixed in the library, at 10 seconds and its four-second grain. */
const nativeMs = 12_000;
const shortMs = 1_000;

for (const adapter of adapters) {
  if (adapter.name === 'node:http') idleContract({ ...adapter, open: nodeListener(shortMs) }, shortMs);
  else idleContract(adapter, nativeMs);
}

/** A client that is silent while the host waits for it loses its connection, and no other client does. */
function idleContract(adapter: Adapter, limitMs: number): void {
  const { name } = adapter;
  // Node looks twice before it gives up a socket with a write under way.
  const boundMs = 2 * limitMs + 2_000;

  test(`${name}: an upload whose client falls silent is aborted`, async (t) => {
    const aborted = signal();
    const { port } = await listen(t, adapter, (exchange) => {
      exchange.onAbort(aborted.fire);
      exchange.readBody({ chunk: () => undefined, end: () => t.fail('the body never ended') });
    });
    const socket = new RawSocket(port).send(head('PUT /', 'Content-Length: 10')).send('abc');
    await within(boundMs, 'the abort', aborted.promise);
    await t.notThrowsAsync(socket.closed());
  });

  test(`${name}: a download whose client stops reading is aborted`, async (t) => {
    const aborted = signal();
    const { port } = await listen(t, adapter, (exchange) => {
      exchange.onAbort(aborted.fire);
      exchange.respond(200, {}, Buffer.alloc(64_000_000));
    });
    const socket = new RawSocket(port);
    socket.pause();
    socket.send(head('GET /'));
    await t.notThrowsAsync(within(boundMs, 'the abort', aborted.promise));
    socket.destroy();
  });

  test(`${name}: connections without a request, with half of one, or done with one, are closed`, async (t) => {
    const { port } = await listen(t, adapter, (exchange) => exchange.respond(200, {}, ''));
    const idle = new RawSocket(port);
    const half = new RawSocket(port).send('GET / HTTP/1.1\r\nHost: 127');
    const done = new RawSocket(port).send(head('GET /'));
    await done.answer();
    await t.notThrowsAsync(Promise.all([idle, half, done].map((socket) => socket.closed(boundMs))));
  });

  test(`${name}: slow handlers and paused uploads outlive the limit`, async (t) => {
    const longMs = limitMs + 2_000;
    const { port } = await listen(t, adapter, (exchange) => {
      exchange.onAbort(() => t.fail('the client waits for the host'));
      const later = (then: () => void) => void setTimeout(longMs).then(then);
      if (exchange.head.method === 'GET') {
        later(() => exchange.respond(200, {}, 'slow'));
        return;
      }
      let paused = false;
      exchange.readBody({
        chunk: () => {
          if (paused) return;
          paused = true;
          exchange.pause();
          later(() => exchange.resume());
        },
        end: () => exchange.respond(200, {}, 'read'),
      });
    });
    const slow = new RawSocket(port).send(head('GET /'));
    const upload = new RawSocket(port).send(head('PUT /', 'Content-Length: 2000')).send(Buffer.alloc(1_000));
    // The rest comes only after the pause: from then on the client has its whole time again.
    const rest = setTimeout(longMs + 500).then(() => upload.send(Buffer.alloc(1_000)));
    t.is((await slow.answer('GET', boundMs)).body.toString(), 'slow');
    t.is((await upload.answer('PUT', boundMs)).body.toString(), 'read');
    await rest;
    slow.destroy();
    upload.destroy();
  });
}
