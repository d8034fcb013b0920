import test, { type ExecutionContext } from 'ava';
import { Erasure, ReachedObjects } from '../../actors/deletion/erasure.ts';
import { erasingPrefix } from '../../storage/backup/named-objects.ts';
import { restMs } from '../../storage/objects/object-files.ts';
import { newDataRoot, openStore } from './reopening/stored-studies.ts';
import { SimulatedClock } from './supervision/simulated-clock.ts';

async function openErasure(t: ExecutionContext) {
  const { ledger, objectStore } = await openStore(await newDataRoot(t));
  t.teardown(() => ledger.close());
  const clock = new SimulatedClock(0);
  const reached = new ReachedObjects({ ledger, objectStore });
  let sweeps = 0;
  const find = reached.find.bind(reached);
  reached.find = (...asked) => {
    sweeps += 1;
    return find(...asked);
  };
  const erasure = new Erasure({
    ledger,
    objectStore: Object.assign(objectStore, { isRecent: () => false }),
    reached,
    isSource: () => true,
    isHeld: () => false,
    clock,
    report: (line) => t.fail(line),
  });
  t.teardown(() => erasure.stop());
  /** A journal of three events and an object that nothing else names are deleted. */
  const deletes = async (name: string): Promise<string> => {
    const object = await objectStore.put(Buffer.from(`of ${name}`));
    const event = {
      producer: { kind: 'scheduler', id: 'it' },
      causationId: null,
      correlationId: null,
      type: 'told',
      data: object,
    };
    await ledger.commit([{ append: name, events: [event, event, event] }]);
    await ledger.commit([{ close: name }, erasure.note(name, { journals: [name], objects: [object] })]);
    erasure.soon([name]);
    return object;
  };
  const events = async (name: string): Promise<number> => {
    let count = 0;
    for await (const _ of ledger.stored(name)) count += 1;
    return count;
  };
  return { ledger, objectStore, clock, erasure, deletes, events, sweeps: () => sweeps };
}

test('bug: each of many deletions walked the whole ledger; one sweep takes all that came since the last', async (t) => {
  const { ledger, objectStore, clock, erasure, deletes, events, sweeps } = await openErasure(t);
  const first = await deletes('first');
  await erasure.settled();
  t.is(sweeps(), 1, 'the first one is swept at once');
  t.is(await objectStore.verify(first), 'missing');
  const objects: string[] = [];
  for (let at = 0; at < 40; at += 1) objects.push(await deletes(`run-${at}`));
  await erasure.settled();
  t.is(sweeps(), 1);
  for (let at = 0; at < 40; at += 1) t.is(await events(`run-${at}`), 0, 'events go at once');
  t.is((await ledger.list('record', erasingPrefix)).length, 40);
  // It rests for nine times as long as the sweep took, and never for longer than a quarter of an hour.
  clock.advance(restMs);
  await erasure.settled();
  t.is(sweeps(), 2);
  for (const object of objects) t.is(await objectStore.verify(object), 'missing');
  t.deepEqual(await ledger.list('record', erasingPrefix), []);
});

test('a collection of garbage begins behind every deletion, also one that waits for the next sweep', async (t) => {
  const { objectStore, erasure, deletes, sweeps } = await openErasure(t);
  await deletes('first');
  await erasure.settled();
  const second = await deletes('second');
  const seen = await erasure.alone(() => objectStore.verify(second));
  t.is(seen, 'missing');
  t.is(sweeps(), 2);
});

test('bug: the stop of a host waited for a walk over the whole ledger', async (t) => {
  const { ledger, objectStore, erasure, deletes } = await openErasure(t);
  const object = await deletes('one');
  await erasure.stop();
  // The next host goes on by the note.
  t.is((await ledger.list('record', erasingPrefix)).length, (await objectStore.verify(object)) === 'intact' ? 1 : 0);
});
