import { join } from 'node:path';
import test from 'ava';
import { indexed, indexKey } from '../../../storage/ledger/index-keys.ts';
import { formatKey, rowKey } from '../../../storage/ledger/keys.ts';
import { openScratchLedger, scratchFolder, withRawRows } from './scratch.ts';

const session = 'source-session:one';
const study = (startedAt: string) => ({ record: { startedAt, sourceSession: { sessionId: session } } });

test('a store of format 2 gets an index of what it holds, newest first, and damaged rows stand last', async (t) => {
  const directory = join(await scratchFolder(t), 'ledger');
  const before = await openScratchLedger(t, directory);
  await before.commit([
    { put: 'record', key: 'study/runtime:old', value: study('2026-01-01T00:00:00.000Z') },
    { put: 'record', key: 'study/runtime:new', value: study('2026-01-02T00:00:00.000Z') },
    { put: 'record', key: 'study/runtime:torn', value: 'no study' },
    { put: 'record', key: 'other', value: study('2026-01-03T00:00:00.000Z') },
    { put: 'snapshot', key: 'owned-ingest:a', value: { input: { assertedAt: '2026-01-01T00:00:00.000Z' } } },
    { put: 'snapshot', key: 'owned-ingest:b', value: { input: { assertedAt: '2026-01-04T00:00:00.000Z' } } },
    { put: 'snapshot', key: 'videohost-ingest:a', value: { input: { confirmedAt: '2026-01-01T00:00:00.000Z' } } },
    { put: 'snapshot', key: 'caption-production:a', value: {} },
    { put: 'snapshot', key: 'language-explanation:a', value: {} },
    { put: 'snapshot', key: 'runtime:new', value: {} },
  ]);
  await before.close();
  await withRawRows(directory, (rows) => rows.put(formatKey, Buffer.from('2')));

  const ledger = await openScratchLedger(t, directory);
  t.teardown(() => ledger.close());
  const inScope = async (scope: string) =>
    (await ledger.keysAfter('index', `${scope}/`, `${scope}/`, 100)).map(
      (key) => indexed(key.slice(scope.length + 1)).id,
    );
  t.deepEqual(await inScope('runtime'), ['runtime:new', 'runtime:old', 'runtime:torn']);
  t.deepEqual(await inScope(`session/${session}`), ['runtime:new', 'runtime:old']);
  t.deepEqual(await inScope('owned-ingest'), ['owned-ingest:b', 'owned-ingest:a']);
  t.deepEqual(await inScope('videohost-ingest'), ['videohost-ingest:a']);
  t.deepEqual(await inScope('caption-production'), ['caption-production:a']);
  t.deepEqual(await inScope('language-explanation'), ['language-explanation:a']);
});

test('an index of many thousand rows is written in batches, and again over itself after a cut', async (t) => {
  const directory = join(await scratchFolder(t), 'ledger');
  const before = await openScratchLedger(t, directory);
  const names = Array.from({ length: 1000 }, (_, at) => `study/runtime:${String(at).padStart(4, '0')}`);
  await before.commit(names.map((key) => ({ put: 'record', key, value: study('2026-01-01T00:00:00.000Z') })));
  await before.close();
  await withRawRows(directory, async (rows) => {
    await rows.put(formatKey, Buffer.from('2'));
    // As a step that was cut leaves it.
    const key = indexKey('runtime', Date.parse('2026-01-01T00:00:00.000Z'), 'runtime:0000');
    await rows.put(rowKey('index', key), Buffer.from('written before'));
  });
  const ledger = await openScratchLedger(t, directory);
  t.teardown(() => ledger.close());
  t.is((await ledger.keysAfter('index', 'runtime/', 'runtime/', 2000)).length, 1000);
});

test('keys come after a key, with their prefix alone, and no more than were asked for', async (t) => {
  const ledger = await openScratchLedger(t, join(await scratchFolder(t), 'ledger'));
  t.teardown(() => ledger.close());
  await ledger.commit(['a/1', 'b/1', 'b/2', 'b/3', 'c/1'].map((key) => ({ put: 'index', key, value: true })));
  t.deepEqual(await ledger.keysAfter('index', 'b/', 'b/', 2), ['b/1', 'b/2']);
  t.deepEqual(await ledger.keysAfter('index', 'b/', 'b/2', 9), ['b/3']);
  t.deepEqual(await ledger.keysAfter('index', 'b/', 'b/9', 9), []);
});
