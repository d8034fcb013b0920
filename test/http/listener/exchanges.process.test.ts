import { request } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import test from 'ava';
import type { Exchange } from '../../../http/listener/listener.ts';
import { atRest, eventually, patienceMs, within } from '../../patience.ts';
import { unusedPort } from '../../unused-port.ts';
import { adapters, head, listen, signal } from './adapters.ts';
import { isRefused, RawSocket } from './raw-socket.ts';

// One contract, both adapters. Serial: the tests look at what the sockets of this process take, and at its time.

/** Answers with what the handler saw of the request. */
function describe(exchange: Exchange): void {
  const { method, target } = exchange.head;
  const seen = { method, target, mark: exchange.head.header('x-mark'), hosts: exchange.head.count('host') };
  exchange.respond(200, { 'Content-Type': 'application/json', 'X-Kind': 'seen' }, JSON.stringify(seen));
}

for (const adapter of adapters) {
  const { name } = adapter;

  test.serial(`${name}: a request head arrives as it was sent`, async (t) => {
    const { port } = await listen(t, adapter, describe);
    const socket = new RawSocket(port).send(head('GET /v1/%C3%A9//b?after=1&x=%20', 'X-Mark:  one ', 'x-mark: two'));
    const answer = await socket.answer();
    t.is(answer.status, 200);
    t.is(answer.headers.get('content-type'), 'application/json');
    t.is(answer.headers.get('x-kind'), 'seen');
    t.deepEqual(JSON.parse(answer.body.toString()), {
      method: 'GET',
      target: '/v1/%C3%A9//b?after=1&x=%20',
      mark: 'one',
      hosts: 1,
    });
    for (const target of ['/a?', '/a??', '/?', '//', '/%']) {
      const next = await socket.send(head(`DELETE ${target}`)).answer();
      t.like(JSON.parse(next.body.toString()), { method: 'DELETE', target });
    }
    socket.destroy();
  });

  test.serial(`${name}: a repeated Host is counted`, async (t) => {
    const { port } = await listen(t, adapter, describe);
    const socket = new RawSocket(port).send(head('GET /', 'Host: evil.example'));
    t.like(JSON.parse((await socket.answer()).body.toString()), { hosts: 2 });
    socket.destroy();
  });

  test.serial(`${name}: HEAD keeps the length and has no body`, async (t) => {
    const { port } = await listen(t, adapter, (exchange) => {
      if (exchange.head.target === '/respond') exchange.respond(200, {}, 'fünf');
      else if (exchange.head.target === '/later') setImmediate(() => exchange.respond(200, {}, Buffer.alloc(5)));
      else {
        const body = exchange.stream(200, {}, 5);
        t.true(body.write(Buffer.alloc(5)));
        body.end();
      }
    });
    const socket = new RawSocket(port);
    for (const target of ['/respond', '/later', '/stream']) {
      const answer = await socket.send(head(`HEAD ${target}`)).answer('HEAD');
      t.is(answer.headers.get('content-length'), '5');
    }
    t.is((await socket.send(head('GET /respond')).answer()).body.toString(), 'fünf');
    socket.destroy();
  });

  test.serial(`${name}: empty, late and large answers are whole`, async (t) => {
    const large = Buffer.alloc(3_000_000, 'large');
    const { port } = await listen(t, adapter, async (exchange) => {
      if (exchange.head.target === '/204') exchange.respond(204, { Allow: 'GET' }, '');
      else if (exchange.head.target === '/empty') exchange.respond(200, {}, '');
      else if (exchange.head.target === '/empty-stream') exchange.stream(200, {}, 0).end();
      else if (exchange.head.target === '/large') exchange.respond(200, {}, large);
      else {
        await setTimeout(5);
        exchange.respond(201, {}, large.toString());
      }
    });
    const socket = new RawSocket(port);
    const empty = await socket.send(head('GET /204')).answer();
    t.is(empty.status, 204);
    t.false(empty.headers.has('content-length'));
    t.is((await socket.send(head('GET /empty')).answer()).headers.get('content-length'), '0');
    t.is((await socket.send(head('GET /empty-stream')).answer()).headers.get('content-length'), '0');
    t.true((await socket.send(head('GET /large')).answer()).body.equals(large));
    t.true((await socket.send(head('GET /late')).answer()).body.equals(large));
    socket.destroy();
  });

  test.serial(`${name}: fetch and the client of node:http keep their connection`, async (t) => {
    const { port } = await listen(t, adapter, describe);
    for (let round = 0; round < 3; round += 1) {
      const answer = await fetch(`http://127.0.0.1:${port}/a?b`, { headers: { 'X-Mark': 'f' } });
      t.like(await answer.json(), { method: 'GET', target: '/a?b', mark: 'f' });
    }
    const status = new Promise((resolve, reject) => {
      const sent = request({ port, host: '127.0.0.1', path: '/n' }, (answer) => resolve(answer.resume().statusCode));
      sent.on('error', reject).end();
    });
    t.is(await within('an answer', status), 200);
  });

  test.serial(`${name}: requests sent in one packet are answered in order`, async (t) => {
    const { port } = await listen(t, adapter, describe);
    const socket = new RawSocket(port).send(head('GET /one') + head('GET /two'));
    t.like(JSON.parse((await socket.answer()).body.toString()), { target: '/one' });
    t.like(JSON.parse((await socket.answer()).body.toString()), { target: '/two' });
    socket.destroy();
  });

  test.serial(`${name}: the other loopback address works too`, async (t) => {
    const listener = await adapter.open({ host: '::1', port: 0 }, describe);
    t.teardown(() => listener.close(0));
    const socket = new RawSocket(listener.port, '::1').send(head('GET /six'));
    t.like(JSON.parse((await socket.answer()).body.toString()), { target: '/six' });
    socket.destroy();
  });

  test.serial(`${name}: a port in use is refused with the system's error`, async (t) => {
    // Opened by its number, because that is where systems let two listeners share a port.
    const address = { host: '127.0.0.1', port: await unusedPort() };
    const first = await adapter.open(address, describe);
    t.teardown(() => first.close(0));
    await t.throwsAsync(adapter.open(address, describe), { code: 'EADDRINUSE' });
  });
}

for (const adapter of adapters) {
  const { name } = adapter;

  test.serial(`${name}: a handler that throws is answered for, and the process lives`, async (t) => {
    const errors: unknown[] = [];
    const { port } = await listen(
      t,
      adapter,
      (exchange) => {
        if (exchange.head.target === '/after') exchange.respond(200, {}, 'kept');
        throw new Error(`thrown at ${exchange.head.target}`);
      },
      (error) => errors.push(error),
    );
    const socket = new RawSocket(port);
    const failed = await socket.send(head('GET /before')).answer();
    t.is(failed.status, 500);
    t.is(failed.body.length, 0);
    t.is((await socket.send(head('GET /after')).answer()).body.toString(), 'kept');
    t.deepEqual(errors.map(String), ['Error: thrown at /before', 'Error: thrown at /after']);
    socket.destroy();
  });

  test.serial(`${name}: sinks and listeners that throw are answered for too`, async (t) => {
    const errors: unknown[] = [];
    const entered = signal();
    const released = signal();
    const fault = (what: string) => () => {
      throw new Error(what);
    };
    const { port } = await listen(
      t,
      adapter,
      (exchange) => {
        const ignore = () => undefined;
        if (exchange.head.target === '/chunk') exchange.readBody({ chunk: fault('chunk'), end: ignore });
        else if (exchange.head.target === '/end') exchange.readBody({ chunk: ignore, end: fault('end') });
        else if (exchange.head.target === '/drain') {
          const body = exchange.stream(200, {}, 2 ** 30);
          body.onDrain(fault('drain'));
          let room = true;
          while (room) room = body.write(Buffer.alloc(1_000_000));
        } else {
          exchange.onAbort(fault('abort'));
          exchange.onAbort(released.fire);
          entered.fire();
        }
      },
      (error) => errors.push(error),
    );
    for (const target of ['/chunk', '/end']) {
      const socket = new RawSocket(port).send(head(`POST ${target}`, 'Content-Length: 3')).send('abc');
      t.is((await socket.answer()).status, 500);
      socket.destroy();
    }
    const download = new RawSocket(port).send(head('GET /drain'));
    await download.closed();
    const leaving = new RawSocket(port).send(head('GET /leave'));
    await within('the request', entered.promise);
    leaving.destroy();
    await within('the abort', released.promise);
    const [first, second, ...others] = errors.map((error) => (error as Error).message);
    t.deepEqual([first, second], ['chunk', 'end']);
    // A producer that failed once may be woken once more by the close.
    t.deepEqual([...new Set(others)], ['drain', 'abort']);
  });

  test.serial(`${name}: without a listener of its own, a thrown error is a process warning`, async (t) => {
    const warned = signal<Error>();
    const printers = process.listeners('warning');
    process.removeAllListeners('warning').once('warning', warned.fire);
    t.teardown(() => {
      for (const printer of printers) process.on('warning', printer);
    });
    const listener = await adapter.open({ host: '127.0.0.1', port: 0 }, () => {
      throw new RangeError('nobody listens');
    });
    t.teardown(() => listener.close(0));
    const socket = new RawSocket(listener.port).send(head('GET /'));
    t.is((await socket.answer()).status, 500);
    t.is((await within('the warning', warned.promise)).message, 'nobody listens');
    socket.destroy();
  });

  test.serial(`${name}: an answer that would break the framing is refused before a byte is sent`, async (t) => {
    const { port } = await listen(t, adapter, (exchange) => {
      for (const value of ['a\r\nSet-Cookie: b', 'é', '\0']) {
        t.throws(() => exchange.respond(200, { 'X-Mark': value }, ''), { instanceOf: TypeError });
      }
      for (const field of ['Content-Length', 'transfer-encoding', 'Connection', 'X Mark', 'X:', '']) {
        t.throws(() => exchange.stream(200, { [field]: '1' }, 1), { instanceOf: TypeError });
      }
      for (const bytes of [-1, 0.5, Number.NaN]) {
        t.throws(() => exchange.stream(200, {}, bytes), { instanceOf: RangeError });
      }
      exchange.respond(200, { 'X-Mark': 'plain' }, 'whole');
    });
    const socket = new RawSocket(port).send(head('GET /'));
    t.is((await socket.answer()).body.toString(), 'whole');
    socket.destroy();
  });

  test.serial(`${name}: a second answer and a late reader throw`, async (t) => {
    const seen = signal<Exchange>();
    const { port } = await listen(t, adapter, seen.fire);
    const socket = new RawSocket(port).send(head('POST /', 'Content-Length: 1'));
    const exchange = await within('the request', seen.promise);
    t.throws(() => exchange.readBody({ chunk: () => undefined, end: () => undefined }), { message: /no longer/ });
    exchange.respond(200, {}, 'one');
    t.throws(() => exchange.respond(200, {}, 'two'), { message: /already answered/ });
    t.throws(() => exchange.stream(200, {}, 3), { message: /already answered/ });
    t.is((await socket.answer()).body.toString(), 'one');
    socket.destroy();
  });

  test.serial(`${name}: what the parser refuses is closed or unanswered, and the listener lives`, async (t) => {
    const { port } = await listen(t, adapter, (exchange) => {
      exchange.readBody({ chunk: () => undefined, end: () => exchange.respond(200, {}, 'read') });
    });
    const many = Array.from({ length: 60 }, (_, at) => `X-${at}: ${at}`);
    const refused = {
      'no Host': 'GET / HTTP/1.1\r\n\r\n',
      'a length that is no number': head('POST /', 'Content-Length: abc'),
      'a negative length': head('POST /', 'Content-Length: -1'),
      'length and chunks at once': `${head('POST /', 'Content-Length: 4', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
      'too many headers': head('GET /', ...many),
      'an unknown method': head('BREW /'),
      'a tunnel': head('CONNECT 127.0.0.1:80'),
      'a bad chunk size': `${head('POST /', 'Transfer-Encoding: chunked')}zz\r\nabc\r\n`,
      'no HTTP at all': `${'\0'.repeat(64)}\r\n\r\n`,
    };
    const outcomes = Object.entries(refused).map(async ([what, bytes]) => {
      const socket = new RawSocket(port).send(bytes);
      const outcome = await socket.outcome();
      socket.destroy();
      t.not(outcome, 'answered', what);
    });
    const long = new RawSocket(port).send('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Long: ');
    for (let piece = 0; piece < 5; piece += 1) {
      long.send('a'.repeat(20_000));
      await setTimeout(10);
    }
    t.not(await long.send('\r\n\r\n').outcome(), 'answered', 'a head of 100 KB in pieces');
    long.destroy();
    await Promise.all(outcomes);
    const socket = new RawSocket(port).send(head('GET /'));
    t.is((await socket.answer()).status, 200);
    socket.destroy();
  });

  test.serial(`${name}: a request behind a chunked one that asked to close does no harm`, async (t) => {
    let begun = 0;
    const ended = new Set<Exchange>();
    const listener = await listen(t, adapter, (exchange) => {
      begun += 1;
      exchange.onAbort(() => ended.add(exchange));
      const answer = (): void => {
        ended.add(exchange);
        if (exchange.head.target === '/stream') exchange.stream(200, {}, 100_000).write(Buffer.alloc(100_000));
        else exchange.respond(200, {}, Buffer.alloc(100_000));
      };
      if (exchange.head.target === '/behind') setImmediate(() => setImmediate(answer));
      else if (exchange.head.target === '/respond') exchange.readBody({ chunk: () => undefined, end: answer });
      else exchange.readBody({ chunk: () => queueMicrotask(answer), end: () => undefined });
    });
    for (const request of ['PUT /respond', 'PUT /stream', 'HEAD /stream']) {
      for (const close of ['close', 'other']) {
        const closing = `${head(request, `Connection: ${close}`, 'Transfer-Encoding: chunked')}3\r\nabc\r\n0\r\n\r\n`;
        const all = head('GET /respond') + closing + head('GET /behind');
        const before = begun;
        const sockets = Array.from({ length: 20 }, () => new RawSocket(listener.port).send(all));
        await eventually('the requests', () => begun >= before + sockets.length);
        await setTimeout(50);
        for (const socket of sockets) socket.destroy();
      }
    }
    // Bytes that were sent when the client left may still arrive.
    await atRest(() => begun);
    t.true(begun >= 120);
    await eventually('the end of each exchange', () => ended.size === begun);
    await t.notThrowsAsync(within('the close, unless an exchange never ended', listener.close(2 * patienceMs)));
  });

  test.serial(`${name}: an invalid target is unanswered or arrives as null`, async (t) => {
    const { port } = await listen(t, adapter, (exchange) => {
      exchange.respond(exchange.head.target === null ? 421 : 200, {}, '');
    });
    for (const target of ['http://127.0.0.1/x', '*']) {
      const socket = new RawSocket(port).send(head(`OPTIONS ${target}`));
      t.not(await socket.outcome(), 'answered', target);
      socket.destroy();
    }
  });
}

/** A close that waits for all of this is noticed. */
const longMs = 2 * patienceMs;

for (const adapter of adapters) {
  const { name } = adapter;

  test.serial(`${name}: closing lets an answer under way end and refuses new connections`, async (t) => {
    const begun = signal<Exchange>();
    const listener = await listen(t, adapter, begun.fire);
    const idle = new RawSocket(listener.port);
    const socket = new RawSocket(listener.port).send(head('GET /'));
    const exchange = await within('the request', begun.promise);
    const closed = listener.close(longMs);
    t.is(listener.close(longMs), closed);
    await setTimeout(50);
    t.true(await isRefused(listener.port));
    t.false(exchange.aborted);
    exchange.respond(200, {}, Buffer.alloc(200_000, 'x'));
    t.is((await socket.answer()).body.length, 200_000);
    await within('the close', closed);
    await Promise.all([socket.closed(), idle.closed()]);
  });

  test.serial(`${name}: closing lets a large download end`, async (t) => {
    const begun = signal();
    const listener = await listen(t, adapter, (exchange) => {
      exchange.respond(200, {}, Buffer.alloc(24_000_000, 'x'));
      begun.fire();
    });
    const socket = new RawSocket(listener.port);
    socket.pause();
    socket.send(head('GET /'));
    await within('the request', begun.promise);
    const closed = listener.close(longMs);
    await setTimeout(50);
    socket.resume();
    t.is((await socket.answer()).body.length, 24_000_000);
    await within('the close', closed);
  });

  test.serial(`${name}: closing cuts what does not end in time`, async (t) => {
    const begun = signal<Exchange>();
    const aborted = signal();
    const listener = await listen(t, adapter, (exchange) => {
      exchange.onAbort(aborted.fire);
      begun.fire(exchange);
    });
    const socket = new RawSocket(listener.port).send(head('GET /'));
    const exchange = await within('the request', begun.promise);
    await within('the close', listener.close(50));
    await within('the abort', aborted.promise);
    t.true(exchange.aborted);
    exchange.respond(200, {}, 'too late');
    await socket.closed();
  });

  test.serial(`${name}: a port that was in use can be opened again at once`, async (t) => {
    const address = { host: '127.0.0.1', port: await unusedPort() };
    const first = await adapter.open(address, (exchange) => exchange.respond(200, {}, 'first'));
    const socket = new RawSocket(first.port).send(head('GET /'));
    t.is((await socket.answer()).body.toString(), 'first');
    await first.close(longMs);
    const second = await adapter.open(address, (exchange) => exchange.respond(200, {}, 'second'));
    t.teardown(() => second.close(0));
    t.is(second.port, first.port);
    t.is((await new RawSocket(second.port).send(head('GET /')).answer()).body.toString(), 'second');
  });

  test.serial(`${name}: a port that the system chose can be opened again at once`, async (t) => {
    const respond = (exchange: Exchange) => exchange.respond(200, {}, 'x');
    const reopened = async (): Promise<boolean> => {
      const first = await adapter.open({ host: '127.0.0.1', port: 0 }, respond);
      await new RawSocket(first.port).send(head('GET /')).answer();
      await first.close(longMs);
      const second = await adapter.open({ host: '127.0.0.1', port: first.port }, respond).catch(() => null);
      await second?.close(0);
      return second !== null;
    };
    // Another process may be given the port in between, but not each time.
    t.true((await reopened()) || (await reopened()) || (await reopened()));
  });
}
