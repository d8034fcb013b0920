import test from 'ava';
import { Erasure } from '../../../actors/deletion/erasure.ts';
import { ReachedObjects } from '../../../actors/deletion/reached-objects.ts';
import { erasingPrefix } from '../../../storage/backup/named-objects.ts';
import { restMs } from '../../../storage/objects/object-files.ts';
import { newDataRoot, openStore } from '../reopening/stored-studies.ts';
import { SimulatedClock } from '../supervision/simulated-clock.ts';

test('bug: objects of a study that was cancelled stayed for ever; they go once they are at rest, if nothing else names them', async (t) => {
  const { ledger, objectStore } = await openStore(await newDataRoot(t));
  t.teardown(() => ledger.close());
  const clock = new SimulatedClock(0);
  let isRecent = true;
  const erasure = new Erasure({
    ledger,
    objectStore: Object.assign(objectStore, { isRecent: () => isRecent }),
    reached: new ReachedObjects({ ledger, objectStore }),
    isSource: () => true,
    isHeld: () => false,
    clock,
    report: (line) => t.fail(line),
  });
  const unnamed = await objectStore.put(Buffer.from('a keyframe'));
  const named = await objectStore.put(Buffer.from('a keyframe that another study has as well'));
  await ledger.commit([{ put: 'record', key: 'names one', value: { named } }]);
  await erasure.abandon('runtime:cancelled', [unnamed, named, unnamed]);
  const afterRest = async () => {
    clock.advance(restMs + 1);
    await erasure.settled();
    return [await objectStore.verify(unnamed), await objectStore.verify(named)];
  };
  t.deepEqual(await afterRest(), ['intact', 'intact']);
  t.is((await ledger.list('record', erasingPrefix)).length, 1);
  isRecent = false;
  t.deepEqual(await afterRest(), ['missing', 'intact']);
  t.deepEqual(await ledger.list('record', erasingPrefix), []);
  await erasure.stop();
});
