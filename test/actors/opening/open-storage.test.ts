import test from 'ava';
import type { HostOptions } from '../../../actors/host-types.ts';
import { openStorage } from '../../../actors/opening/open-storage.ts';
import { newDataRoot } from '../reopening/stored-studies.ts';
import { SimulatedClock } from '../supervision/simulated-clock.ts';

test('bug: what was stored just now was garbage where the clock was set forward before a record named it', async (t) => {
  const clock = new SimulatedClock(0);
  const options = { dataRoot: await newDataRoot(t), clock, report: t.fail, onFatal: t.fail };
  const { objectStore, ledger } = await openStorage(options as unknown as HostOptions);
  t.teardown(() => ledger.close());
  const stored = await objectStore.put(Buffer.from('abc'));
  clock.set(86_400_000);
  t.true(objectStore.isRecent(stored));
  await objectStore.put(Buffer.from('abd'));
  t.true(objectStore.isRecent(stored));
});
