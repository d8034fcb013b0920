import { request } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import test from 'ava';
import type { Exchange } from '../../../http/listener/listener.ts';
import { within } from '../../patience.ts';
import { unusedPort } from '../../unused-port.ts';
import { type Adapter, head, listen } from './adapters.ts';
import { RawSocket } from './raw-socket.ts';

/** Answers with what the handler saw of the request. */
function describe(exchange: Exchange): void {
  const { method, target } = exchange.head;
  const seen = { method, target, mark: exchange.head.header('x-mark'), hosts: exchange.head.count('host') };
  exchange.respond(200, { 'Content-Type': 'application/json', 'X-Kind': 'seen' }, JSON.stringify(seen));
}

export function answers(adapter: Adapter): void {
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
