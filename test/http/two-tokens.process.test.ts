import test from 'ava';
import { refusal } from '../../http/exchange/answer.ts';
import { Guard } from '../../http/exchange/guard.ts';
import { adapters, head, listen } from './listener/adapters.ts';
import { RawSocket } from './listener/raw-socket.ts';

const token = '0123456789abcdef'.repeat(4);
const right = `Authorization: Bearer ${token}`;

for (const adapter of adapters) {
  test(`bug: over ${adapter.name}, of two Authorization fields only the first was looked at`, async (t) => {
    let guard = new Guard(1, [], token);
    const listener = await listen(t, adapter, (exchange) => {
      const { status, body } = guard.check(exchange.head) ?? refusal('not_found', 'behind the guard');
      exchange.respond(status, {}, Buffer.from(JSON.stringify(body)));
    });
    guard = new Guard(listener.port, [], token);
    const host = `Host: 127.0.0.1:${listener.port}`;
    const asked = async (...fields: readonly string[]) => {
      const socket = new RawSocket(listener.port);
      t.teardown(() => socket.destroy());
      const request = head('GET /', ...fields).replace('Host: 127.0.0.1', host);
      return (await socket.send(request).answer()).status;
    };
    t.is(await asked(right), 404);
    t.is(await asked(right, 'Authorization: Bearer other'), 401);
    t.is(await asked('Authorization: Bearer other', right), 401);
    t.is(await asked(right, right), 401);
    t.is(await asked(right, right.toUpperCase()), 401);
    t.is(await asked(), 401);
  });
}
