import test from 'ava';
import { type HostContract, pageOrigin } from './contract.ts';

const sources = '/v1/source-sessions';
const field = 'x-request-id';
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The id that each answer has. */
export function requestIds(contract: HostContract): void {
  test.serial(contract.title('every answer names its request, whatever the answer is'), async (t) => {
    const asked = [
      await contract.get(sources),
      await contract.get(sources, { token: null }),
      await contract.get('/v1/nothing'),
      await contract.ask('HEAD', sources),
      await contract.ask('POST', sources),
      await contract.ask('OPTIONS', sources, { token: null, headers: { Origin: pageOrigin } }),
      await contract.get('/v1/health', { token: null }),
    ];
    for (const { headers } of asked) t.regex(String(headers[field]), uuid);
    t.is(new Set(asked.map(({ headers }) => headers[field])).size, asked.length);
  });

  test.serial(
    contract.title("a client's own id is kept where it is one short word, and replaced where not"),
    async (t) => {
      for (const own of ['a', 'req-42', '0af7651916cd43dd8448eb211c80319c', `${'x'.repeat(38)}.9`]) {
        t.is((await contract.get(sources, { headers: { 'X-Request-ID': own } })).headers[field], own);
        const refused = await contract.get('/v1/nothing', { headers: { 'X-Request-ID': own } });
        t.is(refused.headers[field], own);
      }
      for (const odd of ['', '-a', 'a b', 'a,b', 'ä', 'x'.repeat(41), contract.client.token]) {
        t.regex(String((await contract.get(sources, { headers: { 'X-Request-ID': odd } })).headers[field]), uuid);
      }
      const socket = contract.client.raw();
      const twice = await socket
        .send(contract.client.head(`GET ${sources}`, 'X-Request-ID: a', 'X-Request-ID: b'))
        .answer();
      t.regex(String(twice.headers.get(field)), uuid);
      socket.destroy();
    },
  );

  test.serial(
    contract.title('a page of another origin may send the id and read it, beside what it read before'),
    async (t) => {
      const headers = { Origin: pageOrigin, 'X-Request-ID': 'of-the-page' };
      const plain = await contract.get(sources, { headers });
      t.is(plain.headers[field], 'of-the-page');
      t.is(plain.headers['access-control-expose-headers'], 'X-Request-ID');
      const described = await contract.get('/v1/openapi.json', { headers });
      t.is(described.headers['access-control-expose-headers'], 'ETag, X-Request-ID');
      t.is((await contract.get(sources)).headers['access-control-expose-headers'], undefined);
    },
  );
}
