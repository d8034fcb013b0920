import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { KeyedMutex } from '../../storage/keyed-mutex.ts';
import { ModelInMemory } from '../host/model-in-memory.ts';
import { openInMemory } from './host-in-memory.ts';
import { endsWell, olderFlags } from './older-stores.ts';
import { clockAfter, describedReleases, storesAt, telling, unpacked } from './stored-releases.ts';

// Every release leaves one data root for each state in which an actor of it can rest or be cut (lab/cut-stores.ts). A soak
// opens all of them, a run of the tests those that no other stands for; those that need a socket in older-stores.process.test.ts.

/** Two hosts at a time: that is what the tests of one file may ask of a small machine. */
const lanes = new KeyedMutex();

test('of all states that releases left, each is opened in every version of its chart', (t) => {
  const opened = [...telling.values()].reduce((sum, { size }) => sum + size, 0);
  t.true(opened >= 50, `${opened}`);
  for (const [name, { stores }] of describedReleases) {
    for (const state of Object.keys(stores)) {
      const isOpened = [...telling.values()].some((chosen) => chosen.has(state));
      t.true(isOpened, `${name} ${state}`);
    }
  }
});

for (const [name, known] of describedReleases) {
  const stores = storesAt('host', name, known);
  const folder = unpacked(
    name,
    stores.map(([state]) => state),
  );
  test.after.always(() => rm(folder, { recursive: true, force: true }));
  const clock = clockAfter(known);
  for (const [index, [state, stored]] of stores.entries()) {
    test(`${state} of ${name} opens, all in its data root ends well`, (t) => {
      return lanes.take(`${index % 2}`, async () => {
        const environment = { OPENAI_BASE_URL: new ModelInMemory().baseUrl };
        const host = await openInMemory(t, join(folder, state), { clock, flags: olderFlags, environment });
        await endsWell(t, host, state, stored);
      });
    });
  }
}
