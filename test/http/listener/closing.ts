import { setTimeout } from 'node:timers/promises';
import test from 'ava';
import type { Exchange } from '../../../http/listener/listener.ts';
import { patienceMs, within } from '../../patience.ts';
import { unusedPort } from '../../unused-port.ts';
import { type Adapter, head, listen, signal } from './adapters.ts';
import { isRefused, RawSocket } from './raw-socket.ts';

/** A close that waits for all of this is noticed. */
const longMs = 2 * patienceMs;

export function closing(adapter: Adapter): void {
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
