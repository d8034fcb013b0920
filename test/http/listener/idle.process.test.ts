import { setTimeout } from 'node:timers/promises';
import test from 'ava';
import { movingBytes } from '../../../http/listener/exchange-core.ts';
import { nodeListener } from '../../../http/listener/node-listener.ts';
import { within } from '../../patience.ts';
import { type Adapter, adapters, head, listen, signal } from './adapters.ts';
import { RawSocket } from './raw-socket.ts';

/** The native limit is fixed in the library, at 10 seconds and its four-second grain. */
const nativeMs = 12_000;
/** Long enough that a busy machine, which lets a client wait for seconds, does not make it a silent one. */
const shortMs = 8_000;

for (const adapter of adapters) {
  if (adapter.name === 'node:http') idleContract({ ...adapter, open: nodeListener(shortMs) }, shortMs);
  else idleContract(adapter, nativeMs);
}

/** A client that is silent while the host waits for it loses its connection, and no other client does. */
function idleContract(adapter: Adapter, limitMs: number): void {
  const { name } = adapter;
  // Node looks twice before it gives up a socket with a write under way. A busy machine has its share of the rest; without a
  // limit of its own, node:http would wait for a minute and more.
  const boundMs = 2 * limitMs + 20_000;

  test(`${name}: an upload whose client falls silent is aborted`, async (t) => {
    const aborted = signal();
    const { port } = await listen(t, adapter, (exchange) => {
      exchange.onAbort(aborted.fire);
      exchange.readBody({ chunk: () => undefined, end: () => t.fail('the body never ended') });
    });
    const socket = new RawSocket(port).send(head('PUT /', 'Content-Length: 10')).send('abc');
    await within('the abort', aborted.promise, boundMs);
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
    await t.notThrowsAsync(within('the abort', aborted.promise, boundMs));
    socket.destroy();
  });

  test(`${name}: connections without a request, with half or done with one are closed`, async (t) => {
    const { port } = await listen(t, adapter, (exchange) => exchange.respond(200, {}, ''));
    const idle = new RawSocket(port);
    const half = new RawSocket(port).send('GET / HTTP/1.1\r\nHost: 127');
    const done = new RawSocket(port).send(head('GET /'));
    await done.answer();
    await t.notThrowsAsync(Promise.all([idle, half, done].map((socket) => socket.closed(boundMs))));
  });

  test(`${name}: an upload of a kibibyte a second outlives the limit, a dripping one not`, async (t) => {
    const longMs = 2 * limitMs;
    const ends = { steady: signal<number>(), drip: signal<number>() };
    const { port } = await listen(t, adapter, (exchange) => {
      const end = exchange.head.target === '/steady' ? ends.steady : ends.drip;
      let bytes = 0;
      exchange.onAbort(() => end.fire(-bytes));
      exchange.readBody({
        chunk: (chunk) => {
          bytes += chunk.length;
        },
        end: () => {
          end.fire(bytes);
          exchange.respond(200, {}, '');
        },
      });
    });
    // The short limit of the tests has its own kibibyte: the same share of the bytes that show that a body moves.
    const tickMs = limitMs === nativeMs ? 1_000 : limitMs / 4;
    const steadyBytes = limitMs === nativeMs ? 1_024 : movingBytes;
    const ticks = Math.ceil(longMs / tickMs);
    const upload = async (target: string, piece: Buffer): Promise<void> => {
      const socket = new RawSocket(port).send(head(`PUT ${target}`, `Content-Length: ${ticks * piece.length}`));
      for (let tick = 0; tick < ticks; tick += 1) {
        await setTimeout(tickMs);
        socket.send(piece);
      }
      socket.destroy();
    };
    await Promise.all([upload('/steady', Buffer.alloc(steadyBytes)), upload('/drip', Buffer.alloc(1))]);
    t.is(await within('the whole upload', ends.steady.promise), ticks * steadyBytes);
    t.true((await within('the abort', ends.drip.promise)) > -ticks, 'the drip lived to its end');
  });

  test(`${name}: strangers that drip a head or an unread body are closed in time`, async (t) => {
    const { port } = await listen(t, adapter, (exchange) => exchange.respond(401, {}, ''));
    const drip = async (begin: string): Promise<void> => {
      const socket = new RawSocket(port).send(begin);
      const timer = setInterval(() => socket.send('x'), limitMs / 12);
      try {
        await socket.closed(boundMs);
      } finally {
        clearInterval(timer);
      }
    };
    const starts = ['G', head('GET /').slice(0, -2), head('PUT /', 'Content-Length: 900000000')];
    await t.notThrowsAsync(Promise.all(starts.map(drip)));
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
    t.is((await slow.answer()).body.toString(), 'slow');
    t.is((await upload.answer('PUT')).body.toString(), 'read');
    await rest;
    slow.destroy();
    upload.destroy();
  });
}

test.serial('node:http: requests from a time when the whole process was paused are answered late', async (t) => {
  const limitMs = 1_000;
  const begun = signal();
  const adapter: Adapter = { name: 'node:http', open: nodeListener(limitMs) };
  const { port } = await listen(t, adapter, (exchange) => {
    if (exchange.head.method === 'GET') exchange.respond(200, {}, '');
    else exchange.readBody({ chunk: () => begun.fire(), end: () => exchange.respond(200, {}, '') });
  });
  const [again, uploading] = [new RawSocket(port).send(head('GET /')), new RawSocket(port)];
  t.is((await again.answer()).status, 200);
  uploading.send(head('PUT /', 'Content-Length: 6')).send('abc');
  await within('the first half', begun.promise);
  again.send(head('GET /'));
  uploading.send('def');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * limitMs);
  t.is((await again.answer()).status, 200);
  t.is((await uploading.answer()).status, 200);
});
