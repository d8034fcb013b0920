import { setTimeout } from 'node:timers/promises';
import test from 'ava';
import type { Exchange } from '../../../http/listener/listener.ts';
import { atRest, eventually, patienceMs, within } from '../../patience.ts';
import { type Adapter, head, listen, signal } from './adapters.ts';
import { RawSocket } from './raw-socket.ts';

export function faults(adapter: Adapter): void {
  const { name } = adapter;

  test.serial(`${name}: a handler that throws is answered for, and the process lives`, async (t) => {
    const heard: unknown[] = [];
    const { port } = await listen(
      t,
      adapter,
      (exchange) => {
        if (exchange.head.target === '/after') exchange.respond(200, {}, 'kept');
        throw new Error(`thrown at ${exchange.head.target}`);
      },
      (error) => heard.push(error),
    );
    const socket = new RawSocket(port);
    const failed = await socket.send(head('GET /before')).answer();
    t.is(failed.status, 500);
    t.is(failed.body.length, 0);
    t.is((await socket.send(head('GET /after')).answer()).body.toString(), 'kept');
    t.deepEqual(heard.map(String), ['Error: thrown at /before', 'Error: thrown at /after']);
    socket.destroy();
  });

  test.serial(`${name}: sinks and listeners that throw are answered for too`, async (t) => {
    const heard: unknown[] = [];
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
      (error) => heard.push(error),
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
    const [first, second, ...others] = heard.map((error) => (error as Error).message);
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

  test.serial(`${name}: what the parser itself refuses is closed or unanswered, and the listener lives`, async (t) => {
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

  test.serial(`${name}: a request behind a chunked one that asked to close harms nobody`, async (t) => {
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
    // What was sent when its client left may still arrive.
    await atRest(() => begun);
    t.true(begun >= 120);
    await eventually('the end of each exchange', () => ended.size === begun);
    await t.notThrowsAsync(within('the close, unless an exchange never ended', listener.close(2 * patienceMs)));
  });

  test.serial(`${name}: a target that is no path is unanswered or arrives as null`, async (t) => {
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
