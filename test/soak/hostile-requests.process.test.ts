import test from 'ava';
import { attackAdapter } from '../attacks/hostile/hostile-requests.ts';
import { adapterNames } from '../http/host/contract.ts';

for (const adapter of ['uws', 'node'] as const) {
  test(`${adapterNames[adapter]}: a request of any kind gets an answer that is described, and never a fault`, (t) =>
    attackAdapter(t, adapter, 10_000));
}
