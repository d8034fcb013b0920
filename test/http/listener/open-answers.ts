import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import test from 'ava';
import { type BodyWriter, type Exchange, gatheredBytes, unseenBytes } from '../../../http/listener/listener.ts';
import { atRest, patienceMs, within } from '../../patience.ts';
import { type Adapter, head, listen, signal } from './adapters.ts';
import { RawSocket } from './raw-socket.ts';

// Far more than the system holds for a reader that does not read.
const wholeBytes = 32 * 2 ** 20;

async function answerOf(port: number): Promise<IncomingMessage> {
  const [answer] = (await once(get({ port, host: '127.0.0.1', agent: false }), 'response')) as [IncomingMessage];
  return answer;
}

/** A chunk whose bytes say where it stands. */
function chunkAt(offset: number, bytes: number): Buffer {
  const chunk = Buffer.alloc(Math.min(bytes, wholeBytes - offset));
  for (let at = 0; at < chunk.length; at += 16) chunk[at] = (offset + at) % 251;
  return chunk;
}

/** Writes until it is told to wait, again and again; returns how many bytes were written so far. */
function produce(body: BodyWriter, bytes: number): () => number {
  let offset = 0;
  const more = (): void => {
    let room = true;
    while (room && offset < wholeBytes) {
      const chunk = chunkAt(offset, bytes);
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
export function openAnswers(adapter: Adapter): void {
  const { name } = adapter;

  test.serial(`${name}: an answer without a length has a whole end, and its connection serves again`, async (t) => {
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
    test.serial(
      `${name}: who does not read chunks of ${bytes} bytes halts them, and misses none of them`,
      async (t) => {
        let written = () => 0;
        const { port, traffic } = await listen(t, adapter, (exchange) => {
          written = produce(exchange.streamOpen(200, {}), bytes);
        });
        const expected = createHash('sha256');
        for (let offset = 0; offset < wholeBytes; offset += bytes) expected.update(chunkAt(offset, bytes));
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
      },
    );
  }

  test.serial(
    `${name}: padding that readers pass over halts small chunks, too, and stands between whole ones`,
    async (t) => {
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
    },
  );

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
