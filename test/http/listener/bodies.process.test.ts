import { fork } from 'node:child_process';
import { createHash, type Hash } from 'node:crypto';
import { once } from 'node:events';
import { Agent, get, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import test from 'ava';
import { type BodyWriter, type Exchange, gatheredBytes, unseenBytes } from '../../../http/listener/listener.ts';
import { builtProcess } from '../../built-process.ts';
import { atRest, eventually, patienceMs, within } from '../../patience.ts';
import { adapters, head, listen, signal } from './adapters.ts';
import { RawSocket } from './raw-socket.ts';

// One contract, both adapters. Serial: the tests look at what the sockets of this process take, and at its time.

const MEBIBYTE = 2 ** 20;
/** Every block differs from its neighbors at block boundaries, so that a lost or doubled chunk changes the digest. */
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

for (const adapter of adapters) {
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
    const messageOf = async (): Promise<number> => (await within('the host', once(host, 'message')))[0];
    const port = await messageOf();
    const upload = async (blocks: number) => {
      const socket = new RawSocket(port).send(head('PUT /', `Content-Length: ${blocks * MEBIBYTE}`));
      t.true(await socket.sendMany(BLOCK, blocks));
      const { body } = await socket.answer('PUT');
      socket.destroy();
      const { digest, mostLate } = JSON.parse(body.toString());
      t.is(digest, digestOf(BLOCK, blocks));
      t.true(mostLate <= MEBIBYTE, `${mostLate} bytes came after a pause`);
      host.send('peak');
      return messageOf();
    };
    const first = await upload(64);
    const grown = ((await upload(256)) - first) / MEBIBYTE;
    t.true(grown < 48, `four times the body took ${grown} MiB more`);
    t.log(`peak after 64 MiB: ${Math.round(first / MEBIBYTE)} MiB; 256 MiB took ${Math.round(grown)} MiB more`);
  });

  test.serial(`${name}: a client that keeps sending reads an early refusal, and keeps its connection`, async (t) => {
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
  });

  test.serial(`${name}: an unread body runs out while its answer is awaited`, async (t) => {
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
          void setTimeout(20).then(() => {
            refused = true;
            exchange.respond(409, {}, '');
          });
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

  test.serial(`${name}: a client that leaves its upload is noticed once; answering it is harmless`, async (t) => {
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
  });
}

const BYTES = 64 * 2 ** 20;
const CHUNK_BYTES = 200_003;

/** The byte at an offset of the body; no period divides the size of a chunk. */
function chunkAt(offset: number): Buffer {
  const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, BYTES - offset));
  for (let at = 0; at < chunk.length; at += 64) chunk[at] = (offset + at) % 251;
  return chunk;
}

/** Writes the whole body, with the given pauses; returns the number of bytes written so far. */
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

for (const adapter of adapters) {
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

  test.serial(`${name}: an answer that ends short closes its connection without a failure`, async (t) => {
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

  test.serial(`${name}: a client that leaves its download is noticed once and wakes the producer`, async (t) => {
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

// Far more than the system holds for a reader that does not read.
const wholeBytes = 32 * 2 ** 20;

async function answerOf(port: number): Promise<IncomingMessage> {
  const [answer] = (await once(get({ port, host: '127.0.0.1', agent: false }), 'response')) as [IncomingMessage];
  return answer;
}

/** A chunk whose bytes encode its position. */
function pieceAt(offset: number, bytes: number): Buffer {
  const chunk = Buffer.alloc(Math.min(bytes, wholeBytes - offset));
  for (let at = 0; at < chunk.length; at += 16) chunk[at] = (offset + at) % 251;
  return chunk;
}

/** Writes until it has to wait, again and again; returns the number of bytes written so far. */
function producePieces(body: BodyWriter, bytes: number): () => number {
  let offset = 0;
  const more = (): void => {
    let room = true;
    while (room && offset < wholeBytes) {
      const chunk = pieceAt(offset, bytes);
      offset += chunk.length;
      room = body.write(chunk);
    }
    if (offset === wholeBytes) body.end();
  };
  body.onDrain(more);
  more();
  return () => offset;
}

/** Answers without a length: streams of events are sent in them. */
for (const adapter of adapters) {
  const { name } = adapter;

  test.serial(`${name}: an answer without a length ends whole, and its connection serves again`, async (t) => {
    const { port } = await listen(t, adapter, async (exchange) => {
      const body = exchange.streamOpen(200, { 'Content-Type': 'text/plain' });
      body.write(Buffer.from('abc'));
      await setTimeout(5);
      body.write(Buffer.alloc(0));
      body.write(Buffer.from('def'));
      body.end();
      body.end();
      t.true(body.write(Buffer.from('ignored')));
    });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    t.teardown(() => agent.destroy());
    for (const isReused of [false, true]) {
      const request = get({ port, host: '127.0.0.1', agent });
      const [answer] = (await once(request, 'response')) as [IncomingMessage];
      t.is(answer.headers['transfer-encoding'], 'chunked');
      t.is(answer.headers['content-length'], undefined);
      t.is(Buffer.concat(await answer.toArray()).toString(), 'abcdef');
      t.is(request.reusedSocket, isReused);
      await setTimeout(10);
    }
  });

  test.serial(`${name}: HEAD of an answer without a length gets its head alone`, async (t) => {
    const { port } = await listen(t, adapter, (exchange) => {
      const body = exchange.streamOpen(200, { 'Content-Type': 'text/plain' });
      t.true(body.write(Buffer.from('abc')));
      body.end();
    });
    const socket = new RawSocket(port);
    for (let round = 0; round < 2; round += 1) {
      const answer = await socket.send(head('HEAD /')).answer('HEAD');
      t.is(answer.headers.get('content-type'), 'text/plain');
      t.is(answer.headers.get('content-length'), undefined);
    }
    socket.destroy();
  });

  for (const bytes of [2_000, 100_003]) {
    test.serial(`${name}: who does not read chunks of ${bytes} bytes halts them and misses none`, async (t) => {
      let written = () => 0;
      const { port, traffic } = await listen(t, adapter, (exchange) => {
        written = producePieces(exchange.streamOpen(200, {}), bytes);
      });
      const expected = createHash('sha256');
      for (let offset = 0; offset < wholeBytes; offset += bytes) expected.update(pieceAt(offset, bytes));
      const answer = await answerOf(port);
      answer.pause();
      const halted = await atRest(written);
      t.true(halted < wholeBytes / 2, `${halted} bytes were written to a reader that does not read`);
      // The memory of the process does not take them: what is written comes to rest.
      await setTimeout(300);
      t.true(written() - halted <= unseenBytes + 2 * bytes, `${written() - halted} more`);

      const hash = createHash('sha256');
      let received = 0;
      for await (const chunk of answer as AsyncIterable<Buffer>) {
        hash.update(chunk);
        received += chunk.length;
        if (received % 10 === 0) await setTimeout(1);
      }
      t.is(received, wholeBytes);
      t.is(hash.digest('hex'), expected.digest('hex'));
      t.is(traffic.sent, wholeBytes);
    });
  }

  test.serial(`${name}: padding that readers skip halts small chunks, too, between whole ones`, async (t) => {
    const chunk = Buffer.from(`${'x'.repeat(1_999)}\n`);
    const padding = Buffer.from(`:${' '.repeat(gatheredBytes)}\n`);
    let written = 0;
    const { port } = await listen(t, adapter, (exchange) => {
      const body = exchange.streamOpen(200, {}, padding);
      const more = (): void => {
        let room = true;
        while (room && written < wholeBytes) {
          room = body.write(chunk);
          written += chunk.length;
        }
        if (written >= wholeBytes) body.end();
      };
      body.onDrain(more);
      more();
    });
    const answer = await answerOf(port);
    answer.pause();
    const halted = await atRest(() => written);
    t.true(halted < wholeBytes / 2, `${halted} bytes were written to a reader that does not read`);
    const lines = Buffer.concat(await answer.toArray())
      .toString()
      .split('\n');
    const whole = `${'x'.repeat(1_999)}`;
    t.is(lines.filter((line) => line === whole).length, written / chunk.length);
    t.deepEqual([...new Set(lines.filter((line) => line !== whole && !line.startsWith(':')))], ['']);
  });

  test.serial(`${name}: a client that leaves an answer without a length is noticed once`, async (t) => {
    const begun = signal<Exchange>();
    const aborted = signal();
    let [times, woken] = [0, 0];
    const { port } = await listen(t, adapter, (exchange) => {
      exchange.onAbort(() => {
        times += 1;
        aborted.fire();
      });
      const body = exchange.streamOpen(200, {});
      body.write(Buffer.from('hello'));
      body.onDrain(() => {
        woken += 1;
      });
      begun.fire(exchange);
    });
    const socket = connect({ port, host: '127.0.0.1' });
    socket.write(head('GET /'));
    await once(socket, 'data');
    socket.resetAndDestroy();
    await within('the abort', aborted.promise);
    await setTimeout(20);
    t.is(times, 1);
    t.is(woken, 1);
    t.true((await begun.promise).aborted);
  });

  test.serial(`${name}: a listener that closes tells the answers without a length, which end whole`, async (t) => {
    const begun = signal();
    const listener = await listen(t, adapter, (exchange) => {
      const body = exchange.streamOpen(200, {});
      body.write(Buffer.from('first '));
      exchange.onClosing(() => {
        body.write(Buffer.from('last'));
        body.end();
      });
      begun.fire();
    });
    const answer = await answerOf(listener.port);
    await begun.promise;
    const closed = listener.close(2 * patienceMs);
    t.is(Buffer.concat(await answer.toArray()).toString(), 'first last');
    await within('the close', closed);
  });
}
