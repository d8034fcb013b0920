import test, { type ExecutionContext } from 'ava';
import { UnusedMedia } from '../../../actors/sources/unused-media.ts';
import { openObjectStore } from '../../../storage/objects/open-object-store.ts';
import { openScratchLedger, scratchFolder } from '../../storage/ledger/scratch.ts';

async function openStore(t: ExecutionContext) {
  const objectStore = await openObjectStore({ root: await scratchFolder(t) });
  const ledger = await openScratchLedger(t, await scratchFolder(t));
  t.teardown(() => ledger.close());
  const held = new Set<string>();
  const registered = new Set<string>();
  const unused = () => {
    const isRegistered = (contentId: string) => registered.has(contentId);
    const media = new UnusedMedia({ ledger, objectStore, isRegistered, report: (line) => t.log(line) });
    for (const holder of [() => false, (contentId: string) => held.has(contentId)]) media.heldBy(holder);
    return media;
  };
  const notes = async () => (await ledger.list('record')).map(({ key }) => key);
  return { objectStore, ledger, held, registered, unused, notes };
}

test('noted media is removed with its note once nobody holds it', async (t) => {
  const { objectStore, ledger, held, unused, notes } = await openStore(t);
  const media = unused();
  const contentId = await objectStore.put(Buffer.from('of no use'));
  await ledger.commit([media.note(contentId, 9)]);
  held.add(contentId);
  await media.remove();
  t.is(await objectStore.verify(contentId), 'intact');
  held.clear();
  await media.remove();
  t.is(await objectStore.verify(contentId), 'missing');
  t.deepEqual(await notes(), []);
});

test('what an earlier process noted is removed by the next', async (t) => {
  const { objectStore, ledger, unused, notes } = await openStore(t);
  const contentId = await objectStore.put(Buffer.from('of no use'));
  const other = await objectStore.put(Buffer.from('of some use'));
  await ledger.commit([unused().note(contentId, 9)]);
  const next = unused();
  await next.remove();
  t.is(await objectStore.verify(contentId), 'intact');
  await next.load();
  await next.remove();
  t.is(await objectStore.verify(contentId), 'missing');
  t.is(await objectStore.verify(other), 'intact');
  t.deepEqual(await notes(), []);
});

test('media that became part of a source after all is kept, and its note forgotten', async (t) => {
  const { objectStore, ledger, registered, unused, notes } = await openStore(t);
  const media = unused();
  const contentId = await objectStore.put(Buffer.from('of use after all'));
  await ledger.commit([media.note(contentId, 9)]);
  registered.add(contentId);
  await media.remove();
  t.is(await objectStore.verify(contentId), 'intact');
  t.deepEqual(await notes(), []);
});

test('media is kept while the same bytes are being stored once more', async (t) => {
  const { objectStore, ledger, unused, notes } = await openStore(t);
  const media = unused();
  const bytes = Buffer.from('twice the same');
  const contentId = await objectStore.put(bytes);
  await ledger.commit([media.note(contentId, bytes.length)]);
  const storing = objectStore.put(bytes);
  await media.remove();
  await storing;
  t.is(await objectStore.verify(contentId), 'intact');
  t.is((await notes()).length, 1);
  await media.remove();
  t.is(await objectStore.verify(contentId), 'missing');
});

test('a note that cannot be read is left aside', async (t) => {
  const { objectStore, ledger, unused, notes } = await openStore(t);
  const contentId = await objectStore.put(Buffer.from('of no use'));
  await ledger.commit([{ put: 'record', key: `unused/${contentId}`, value: 'nine' }]);
  const media = unused();
  await media.load();
  await media.remove();
  t.is(await objectStore.verify(contentId), 'intact');
  t.deepEqual(await notes(), [`unused/${contentId}`]);
});
