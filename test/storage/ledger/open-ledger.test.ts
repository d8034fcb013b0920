import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { formatKey } from '../../../storage/ledger/keys.ts';
import { storeFormat } from '../../../storage/store-format.ts';
import { openScratchLedger, scratchFolder, withRawRows } from './scratch.ts';

test('a new folder is stamped with the format, and opens again', async (t) => {
  const directory = join(await scratchFolder(t), 'deep', 'ledger');
  await (await openScratchLedger(t, directory)).close();
  t.is((await withRawRows(directory, (rows) => rows.get(formatKey)))?.toString(), String(storeFormat));
  await (await openScratchLedger(t, directory)).close();
});

for (const format of [String(storeFormat + 1), '0', '', '1.5', null]) {
  const name = format === null ? 'rows but no format' : `the format "${format}"`;
  test(`a store with ${name} is refused and its rows stay as they are`, async (t) => {
    const directory = await scratchFolder(t);
    await withRawRows(directory, async (rows) => {
      await rows.put(Buffer.from('x'), Buffer.from('from the future'));
      if (format !== null) await rows.put(formatKey, Buffer.from(format));
    });
    const before = await withRawRows(directory, (rows) => rows.iterator().all());
    await t.throwsAsync(openScratchLedger(t, directory), { code: 'store_format_unsupported' });
    // The store is let go of, and holds what it held.
    t.deepEqual(await withRawRows(directory, (rows) => rows.iterator().all()), before);
  });
}

test('a second ledger on the same folder is refused while the first is open', async (t) => {
  const directory = await scratchFolder(t);
  const first = await openScratchLedger(t, directory);
  await t.throwsAsync(openScratchLedger(t, directory), { code: 'data_root_locked' });
  await first.commit([{ put: 'live', key: 'a', value: 1 }]);
  await first.close();
  const second = await openScratchLedger(t, directory);
  t.is(second.get('live', 'a'), 1);
  await second.close();
});

test('a store that lost its CURRENT file is not taken for a new one', async (t) => {
  const directory = await scratchFolder(t);
  const ledger = await openScratchLedger(t, directory);
  await ledger.commit([{ put: 'live', key: 'a', value: 1 }]);
  await ledger.close();
  await rm(join(directory, 'CURRENT'));
  await t.throwsAsync(openScratchLedger(t, directory), { code: 'store_unreadable' });
});

test('a store whose CURRENT file points nowhere cannot be read', async (t) => {
  const directory = await scratchFolder(t);
  await (await openScratchLedger(t, directory)).close();
  await writeFile(join(directory, 'CURRENT'), 'MANIFEST-999999\n');
  await t.throwsAsync(openScratchLedger(t, directory), { code: 'store_unreadable' });
});

test('a folder that cannot be made cannot be read', async (t) => {
  const folder = await scratchFolder(t);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'file'), '');
  await t.throwsAsync(openScratchLedger(t, join(folder, 'file')), { code: 'store_unreadable' });
});
