import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import test from 'ava';
import type { BodyWriter, Exchange } from '../../../http/listener/listener.ts';
import { atRest, eventually, within } from '../../patience.ts';
import { type Adapter, head, listen, signal } from './adapters.ts';
import { RawSocket } from './raw-socket.ts';

const BYTES = 64 * 2 ** 20;
const CHUNK_BYTES = 200_003;

/** The byte at an offset of the body; no period divides the size of a chunk. */
function chunkAt(offset: number): Buffer {
  const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, BYTES - offset));
  for (let at = 0; at < chunk.length; at += 64) chunk[at] = (offset + at) % 251;
  return chunk;
}

/** Writes the whole body, pausing as told; returns how many bytes were written so far. */
function produce(body: BodyWriter, stop: () => boolean): () => number {
  let offset = 0;
  const more = (): void => {
    let room = true;
    while (room && offset < BYTES && !stop()) {
      const chunk = chunkAt(offset);
      offset += chunk.length;
      room = body.write(chunk);
    }
    if (offset === BYTES) body.end();
  };
  body.onDrain(more);
  more();
  return () => offset;
}

export function downloads(adapter: Adapter): void {
  const { name } = adapter;

  test.serial(`${name}: a slow reader gets every byte of a stream, and the producer waits for it`, async (t) => {
    let written = () => 0;
    const { port } = await listen(t, adapter, (exchange) => {
      written = produce(exchange.stream(206, { 'X-Kind': 'part' }, BYTES), () => exchange.aborted);
    });
    const expected = createHash('sha256');
    for (let offset = 0; offset < BYTES; offset += CHUNK_BYTES) expected.update(chunkAt(offset));

    const socket = connect({ port, host: '127.0.0.1' });
    t.teardown(() => socket.destroy());
    socket.pause();
    socket.write(head('GET /'));
    await eventually('the first bytes', () => written() > 0);
    await atRest(written);
    t.true(written() < BYTES / 2, `${written()} bytes were written to a reader that does not read`);

    const hash = createHash('sha256');
    let received = 0;
    const read = (async () => {
      let bodyBegun = false;
      for await (const bytes of socket as AsyncIterable<Buffer>) {
        const bodyAt = bodyBegun ? 0 : bytes.indexOf('\r\n\r\n') + 4;
        if (!bodyBegun)
          t.regex(bytes.toString('latin1', 0, bodyAt), /^HTTP\/1\.1 206 .*\r\nContent-Length: 67108864\r\n/s);
        bodyBegun = true;
        hash.update(bytes.subarray(bodyAt));
        received += bytes.length - bodyAt;
        if (received === BYTES) return;
        if (received % 50 === 0) await setTimeout(1);
      }
    })();
    await within('the whole body', read);
    t.is(received, BYTES);
    t.is(hash.digest('hex'), expected.digest('hex'));
  });

  test.serial(`${name}: a connection serves again after a stream`, async (t) => {
    const { port } = await listen(t, adapter, async (exchange) => {
      const body = exchange.stream(200, {}, 6);
      body.write(Buffer.from('abc'));
      await setTimeout(5);
      body.write(Buffer.alloc(0));
      t.throws(() => body.write(Buffer.from('defg')), { instanceOf: RangeError });
      body.write(Buffer.from('def'));
      body.end();
      body.end();
      t.true(body.write(Buffer.from('ignored')));
    });
    const socket = new RawSocket(port);
    for (let round = 0; round < 3; round += 1) {
      t.is((await socket.send(head('GET /')).answer()).body.toString(), 'abcdef');
    }
    socket.destroy();
  });

  test.serial(`${name}: an answer that ends short closes its connection and tells nobody`, async (t) => {
    const { port } = await listen(t, adapter, (exchange) => {
      exchange.onAbort(() => t.fail('the host itself ended the answer'));
      const body = exchange.stream(200, {}, 10);
      if (exchange.head.target === '/some') body.write(Buffer.from('abc'));
      body.end();
      t.true(exchange.aborted);
    });
    for (const target of ['/some', '/none']) {
      const socket = new RawSocket(port).send(head(`GET ${target}`));
      await socket.closed();
      await t.throwsAsync(socket.answer(), { message: /closed before/ });
    }
  });

  test.serial(`${name}: a client that leaves during its download is noticed once and wakes the producer`, async (t) => {
    const begun = signal<Exchange>();
    const aborted = signal();
    let times = 0;
    let woken = 0;
    const { port } = await listen(t, adapter, (exchange) => {
      exchange.onAbort(() => {
        times += 1;
        aborted.fire();
      });
      const body = exchange.stream(200, {}, 2 ** 30);
      const more = (): void => {
        if (exchange.aborted) woken += 1;
        let room = true;
        while (room && !exchange.aborted) room = body.write(Buffer.alloc(1_000_000));
        if (!exchange.aborted) return;
        t.true(body.write(Buffer.alloc(1_000_000)));
        body.end();
      };
      body.onDrain(more);
      more();
      begun.fire(exchange);
    });
    const socket = connect({ port, host: '127.0.0.1' });
    socket.pause();
    await once(socket, 'connect');
    socket.write(head('GET /'));
    const exchange = await within('the request', begun.promise);
    await setTimeout(50);
    socket.resetAndDestroy();
    await within('the abort', aborted.promise);
    exchange.respond(200, {}, 'nobody hears');
    await setTimeout(20);
    t.is(times, 1);
    t.is(woken, 1);
  });
}
