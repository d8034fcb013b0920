import test from 'ava';
import { addressFinder } from '../../client/host-address.ts';

const line = { listening: 'http://127.0.0.1:4312/', authorizationToken: 'token' };
const address = { baseUrl: 'http://127.0.0.1:4312', token: 'token' };

test('a slash at the end of an address is left out, however the address is given', async (t) => {
  const given = { ...address, baseUrl: `${address.baseUrl}/` };
  for (const place of [line, JSON.stringify(line), given, () => given, async () => given]) {
    t.deepEqual(await addressFinder(place)(), address);
  }
});
