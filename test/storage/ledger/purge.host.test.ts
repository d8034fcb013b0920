import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import test from 'ava';
import { ClassicLevel } from 'classic-level';
import { checkLedger } from '../../../storage/ledger/accept-loss.ts';
import { liveFilesOf } from '../../../storage/ledger/ledger-files.ts';
import { purgeStore } from '../../../storage/ledger/purge-store.ts';
import { readableIn } from './readable.ts';
import { draft, openScratchLedger, scratchFolder } from './scratch.ts';

const marker = () => randomBytes(24).toString('base64url');

const options = { keyEncoding: 'buffer', valueEncoding: 'buffer' } as const;

test('bug: words of rows and events that were deleted or overwritten stayed in the files of the ledger', async (t) => {
  const root = await scratchFolder(t);
  const directory = join(root, 'ledger');
  let ledger = await openScratchLedger(t, directory);
  const markers = Array.from({ length: 60 }, marker);
  const [kept = '', ...gone] = markers;
  await ledger.commit([{ put: 'record', key: 'kept', value: { words: kept } }]);
  for (const [at, words] of gone.entries()) {
    await ledger.commit([
      { put: 'record', key: `row-${at}`, value: { words } },
      { put: 'snapshot', key: 'overwritten', value: { words } },
      { append: 'runtime:gone', events: [draft({ words })] },
    ]);
    if (at % 20 !== 0) continue;
    // Rows come into tables by a start, too.
    await ledger.close();
    ledger = await openScratchLedger(t, directory);
  }
  await ledger.commit([{ put: 'snapshot', key: 'overwritten', value: {} }, { close: 'runtime:gone' }]);
  await ledger.commit(gone.map((_, at) => ({ del: 'record', key: `row-${at}` })));
  t.is(await ledger.eraseEvents('runtime:gone', 1000), gone.length);
  t.deepEqual(await readableIn(directory, markers), markers, 'LevelDB keeps them');
  t.true(await ledger.purge());
  t.deepEqual(await readableIn(directory, markers), [kept]);
  t.deepEqual(ledger.get('record', 'kept'), { words: kept });
  await ledger.close();
});

test('what a walk over the store kept during a compaction goes with the next purge', async (t) => {
  const directory = await scratchFolder(t);
  const database = new ClassicLevel<Buffer, Buffer>(directory, options);
  await database.open();
  t.teardown(() => database.close());
  const markers = Array.from({ length: 200 }, marker);
  const keys = markers.map((_, at) => Buffer.from(`r${String(at).padStart(4, '0')}`));
  const others = Array.from({ length: 4000 }, (_, at) => Buffer.from(`s${String(at).padStart(4, '0')}`));
  for (const [at, key] of keys.entries()) await database.put(key, Buffer.from(markers[at] ?? ''));
  for (const key of others) await database.put(key, randomBytes(2048));
  const walk = database.iterator();
  await walk.next();
  for (const key of keys) await database.del(key);
  // Nothing is above these tables any more, and they hold what the walk still sees.
  for (let times = 0; times < 3; times += 1) await database.compactRange(Buffer.alloc(0), Buffer.of(0xff));
  await walk.close();
  await database.compactRange(Buffer.alloc(0), Buffer.of(0xff));
  t.deepEqual(await readableIn(directory, markers), markers, 'a compaction alone does not rewrite them');
  const live = await liveFilesOf(directory);
  t.true(live !== null && typeof live !== 'string' && live.tables.size > 3, 'the store has several tables');
  const deleteAll = (guards: readonly Buffer[]) =>
    database.batch(
      guards.map((key) => ({ type: 'del' as const, key })),
      { sync: true },
    );
  t.true(await purgeStore(database, deleteAll));
  t.deepEqual(await readableIn(directory, markers), []);
  t.is((await database.keys().all()).length, others.length, 'what was not deleted is there');
});

test('a purge waits for the walks that began before it, and others may read and write meanwhile', async (t) => {
  const directory = await scratchFolder(t);
  const ledger = await openScratchLedger(t, directory);
  const words = marker();
  await ledger.commit([
    { put: 'record', key: 'a', value: { words } },
    { put: 'record', key: 'b', value: { other: 1 } },
  ]);
  const walk = ledger.stored()[Symbol.asyncIterator]();
  await walk.next();
  await ledger.commit([{ del: 'record', key: 'a' }]);
  let isPurged = false;
  const purged = ledger.purge().then((whole) => {
    isPurged = true;
    return whole;
  });
  for (let times = 0; times < 50; times += 1) await ledger.commit([{ put: 'record', key: 'c', value: { times } }]);
  t.deepEqual(ledger.get('record', 'c'), { times: 49 });
  t.false(isPurged);
  while (!(await walk.next()).done);
  t.true(await purged);
  t.deepEqual(await readableIn(directory, [words]), []);
});

test('a purge that is stopped says so, and leaves a whole store', async (t) => {
  const root = await scratchFolder(t);
  const ledger = await openScratchLedger(t, join(root, 'ledger'));
  await ledger.commit([{ put: 'record', key: 'a', value: { words: marker() } }]);
  t.false(await ledger.purge(AbortSignal.abort()));
  t.true(await ledger.purge());
  await ledger.close();
  t.deepEqual((await checkLedger(root)).faults, []);
});
