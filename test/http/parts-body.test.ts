import test, { type ExecutionContext } from 'ava';
import { SentBody } from '../../http/exchange/answer.ts';
import { inParts } from '../../http/exchange/parts-body.ts';
import { seededBytes } from '../storage/ledger/scratch.ts';
import { type Adapter, adapters, listen } from './listener/adapters.ts';

const parts = [
  Buffer.from('{'),
  seededBytes(3, 1_000_003),
  Buffer.alloc(0),
  seededBytes(4, 70_001),
  Buffer.from('}\n'),
];
const whole = Buffer.concat(parts);

async function served(t: ExecutionContext, adapter: Adapter): Promise<string> {
  const { port } = await listen(t, adapter, (exchange) => {
    const body = inParts(parts);
    if (body instanceof SentBody)
      body.send(exchange, 201, { 'X-Kind': 'list' }).catch((error) => t.fail(String(error)));
    else t.fail('it was joined');
  });
  return `http://127.0.0.1:${port}/`;
}

test('few bytes are joined', (t) => {
  const joined = inParts([Buffer.from('a'), Buffer.from('bc')]);
  t.deepEqual(joined, Buffer.from('abc'));
});

for (const adapter of adapters) {
  test(`${adapter.name}: many bytes in parts are one answer with its length`, async (t) => {
    const url = await served(t, adapter);
    for (let round = 0; round < 3; round += 1) {
      const answer = await fetch(url);
      t.is(answer.status, 201);
      t.is(answer.headers.get('X-Kind'), 'list');
      t.is(answer.headers.get('Content-Length'), String(whole.length));
      t.true(Buffer.from(await answer.arrayBuffer()).equals(whole));
    }
    const head = await fetch(url, { method: 'HEAD' });
    t.is(head.headers.get('Content-Length'), String(whole.length));
    t.is((await head.arrayBuffer()).byteLength, 0);
  });

  test(`${adapter.name}: a client that leaves such an answer harms no other`, async (t) => {
    const url = await served(t, adapter);
    const leaving = await fetch(url);
    await leaving.body?.cancel();
    t.true(Buffer.from(await (await fetch(url)).arrayBuffer()).equals(whole));
  });
}
