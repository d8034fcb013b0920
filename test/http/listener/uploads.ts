import { fork } from 'node:child_process';
import { createHash, type Hash } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import test from 'ava';
import type { Exchange } from '../../../http/listener/listener.ts';
import { builtProcess } from '../../built-process.ts';
import { within } from '../../patience.ts';
import { type Adapter, head, listen, signal } from './adapters.ts';
import { RawSocket } from './raw-socket.ts';

const MEBIBYTE = 2 ** 20;
/** Every block differs from its neighbours at block boundaries, so that a lost or doubled chunk changes the digest. */
const BLOCK = Buffer.from(Uint8Array.from({ length: MEBIBYTE }, (_, at) => (at * 31 + (at >> 8)) % 251));

function digestOf(block: Buffer, times: number): string {
  const hash = createHash('sha256');
  for (let count = 0; count < times; count += 1) hash.update(block);
  return hash.digest('hex');
}

/** Answers an upload with its digest. */
function hashBody(exchange: Exchange, hash: Hash = createHash('sha256')): void {
  exchange.readBody({
    chunk: (bytes) => hash.update(bytes),
    end: () => exchange.respond(200, {}, hash.digest('hex')),
  });
}

export function uploads(adapter: Adapter): void {
  const { name } = adapter;

  test.serial(`${name}: a body comes back as it was sent, and its chunks may be kept`, async (t) => {
    const { port } = await listen(t, adapter, (exchange) => {
      const kept: Buffer[] = [];
      exchange.readBody({
        chunk: (bytes) => kept.push(bytes),
        end: () => setImmediate(() => exchange.respond(200, {}, Buffer.concat(kept))),
      });
    });
    const socket = new RawSocket(port);
    const sent = BLOCK.subarray(0, 300_000);
    socket.send(head('POST /', `Content-Length: ${sent.length}`)).send(sent);
    t.true((await socket.answer()).body.equals(sent));
    t.is((await socket.send(head('POST /', 'Content-Length: 0')).answer()).body.length, 0);
    t.is((await socket.send(head('GET /')).answer()).body.length, 0);
    socket.destroy();
  });

  test.serial(`${name}: a chunked body needs no length`, async (t) => {
    const { port } = await listen(t, adapter, (exchange) => hashBody(exchange));
    const raw = new RawSocket(port).send(head('PUT /', 'Transfer-Encoding: chunked'));
    raw.send('3\r\nabc\r\n').send('2\r\nde\r\n').send('0\r\n\r\n');
    t.is((await raw.answer()).body.toString(), digestOf(Buffer.from('abcde'), 1));
    raw.destroy();
    const digest = new Promise<string>((resolve, reject) => {
      const upload = request({ port, host: '127.0.0.1', method: 'PUT' }, async (answer) => {
        resolve((await answer.toArray()).join(''));
      });
      upload.on('error', reject);
      for (let block = 0; block < 8; block += 1) upload.write(BLOCK);
      upload.end();
    });
    t.is(await within('the digest', digest), digestOf(BLOCK, 8));
  });

  test.serial(`${name}: a client that waits for 100 Continue gets it, and then its answer`, async (t) => {
    const { port } = await listen(t, adapter, (exchange) => hashBody(exchange));
    const socket = new RawSocket(port).send(head('PUT /', 'Content-Length: 5', 'Expect: 100-continue'));
    t.is((await socket.answer()).status, 100);
    t.is((await socket.send('abcde').answer()).body.toString(), digestOf(Buffer.from('abcde'), 1));
    socket.destroy();
  });

  test.serial(`${name}: a slow sink bounds memory and gets every byte`, async (t) => {
    const host = fork(builtProcess('test/http/listener/slow-sink-host.ts'), [name]);
    t.teardown(() => host.disconnect());
    const told = async (): Promise<number> => (await within('the host', once(host, 'message')))[0];
    const port = await told();
    const upload = async (blocks: number) => {
      const socket = new RawSocket(port).send(head('PUT /', `Content-Length: ${blocks * MEBIBYTE}`));
      t.true(await socket.sendMany(BLOCK, blocks));
      const { body } = await socket.answer('PUT');
      socket.destroy();
      const { digest, mostLate } = JSON.parse(body.toString());
      t.is(digest, digestOf(BLOCK, blocks));
      t.true(mostLate <= MEBIBYTE, `${mostLate} bytes came after a pause`);
      host.send('peak');
      return told();
    };
    const first = await upload(64);
    const grown = ((await upload(256)) - first) / MEBIBYTE;
    t.true(grown < 48, `four times the body took ${grown} MiB more`);
    t.log(`peak after 64 MiB: ${Math.round(first / MEBIBYTE)} MiB; 256 MiB took ${Math.round(grown)} MiB more`);
  });

  test.serial(
    `${name}: an early refusal is read by a client that keeps sending, and the connection survives`,
    async (t) => {
      const { port } = await listen(t, adapter, (exchange) => {
        if (exchange.head.method === 'PUT') exchange.respond(413, {}, 'too large');
        else exchange.respond(200, {}, exchange.head.target ?? '');
      });
      const socket = new RawSocket(port).send(head('PUT /', `Content-Length: ${16 * MEBIBYTE}`));
      t.is((await socket.answer('PUT')).body.toString(), 'too large');
      t.true(await socket.sendMany(BLOCK, 16));
      t.is((await socket.send(head('GET /next')).answer()).body.toString(), '/next');
      const chunked = `${head('PUT /', 'Transfer-Encoding: chunked')}5\r\nGET /\r\n0\r\n\r\n`;
      socket.send(chunked + head('GET /after'));
      t.is((await socket.answer('PUT')).status, 413);
      t.is((await socket.answer()).body.toString(), '/after');
      socket.destroy();
      for (let round = 0; round < 3; round += 1) {
        const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'PUT', body: Buffer.alloc(32 * MEBIBYTE) });
        t.is(answer.status, 413);
        t.is(await answer.text(), 'too large');
      }
    },
  );

  test.serial(`${name}: a body that nobody reads runs out while its answer is awaited`, async (t) => {
    const seen = signal<Exchange>();
    const { port } = await listen(t, adapter, seen.fire);
    const socket = new RawSocket(port).send(head('PUT /', `Content-Length: ${32 * MEBIBYTE}`));
    t.true(await socket.sendMany(BLOCK, 32));
    (await within('the request', seen.promise)).respond(404, {}, 'unknown');
    t.is((await socket.answer('PUT')).body.toString(), 'unknown');
    socket.destroy();
  });

  test.serial(`${name}: a refusal reaches a client that sends everything first and asked to close`, async (t) => {
    const { port } = await listen(t, adapter, (exchange) => {
      const refuse = () => exchange.respond(413, {}, 'too large');
      if (exchange.head.target === '/at-once') refuse();
      else exchange.readBody({ chunk: refuse, end: () => undefined });
    });
    const socket = new RawSocket(port);
    socket.send(head('PUT /at-once', `Content-Length: ${32 * MEBIBYTE}`, 'Connection: close'));
    t.true(await socket.sendMany(BLOCK, 32));
    t.is((await socket.answer('PUT')).body.toString(), 'too large');
    await socket.closed();
  });

  test.serial(`${name}: a refusal in the middle of a paused upload ends the pause`, async (t) => {
    const { port } = await listen(t, adapter, (exchange) => {
      let refused = false;
      exchange.readBody({
        chunk: () => {
          t.false(refused, 'a chunk after the answer');
          exchange.pause();
          setTimeout(() => {
            refused = true;
            exchange.respond(409, {}, '');
          }, 20);
        },
        end: () => t.false(refused, 'an end after the answer'),
      });
      exchange.onAbort(() => t.fail('an abort after the answer'));
    });
    const socket = new RawSocket(port)
      .send(head('PUT /', `Content-Length: ${16 * MEBIBYTE}`))
      .send(BLOCK.subarray(0, 9));
    t.is((await socket.answer('PUT')).status, 409);
    t.true(await socket.sendMany(BLOCK, 15));
    socket.send(BLOCK.subarray(9)).send(head('PUT /', 'Content-Length: 1')).send('x');
    t.is((await socket.answer('PUT')).status, 409);
    socket.destroy();
  });

  test.serial(
    `${name}: a client that leaves during its upload is noticed once, and answering it is harmless`,
    async (t) => {
      const [begun, aborted] = [signal(), signal<Exchange>()];
      let times = 0;
      const { port } = await listen(t, adapter, (exchange) => {
        exchange.onAbort(() => {
          times += 1;
          aborted.fire(exchange);
        });
        exchange.readBody({ chunk: () => begun.fire(), end: () => t.fail('the body never ended') });
      });
      const socket = new RawSocket(port).send(head('PUT /', 'Content-Length: 1000000')).send(BLOCK.subarray(0, 5_000));
      await within('the first bytes', begun.promise);
      socket.destroy();
      const exchange = await within('the abort', aborted.promise);
      t.true(exchange.aborted);
      exchange.pause();
      exchange.resume();
      exchange.respond(200, {}, 'nobody hears');
      exchange.readBody({
        chunk: () => t.fail('a chunk after the abort'),
        end: () => t.fail('an end after the abort'),
      });
      const body = exchange.stream(200, {}, 10);
      t.true(body.write(Buffer.alloc(10)));
      body.end();
      const late = signal();
      exchange.onAbort(late.fire);
      await within('the late listener', late.promise);
      t.is(times, 1);
    },
  );
}
