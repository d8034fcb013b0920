import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { version } from '../../../contract/base/program-version.ts';
import { madeUpFormat, madeUpFormats } from '../../../fixtures/storage/migration-for-tests.ts';
import { formatKey } from '../../../storage/ledger/keys.ts';
import { markPathOf } from '../../../storage/ledger/ledger-mark.ts';
import {
  demandKnownFormat,
  markDataRoot,
  markedFormat,
  markerName,
  prepareDataRoot,
  storeFormat,
} from '../../../storage/objects/data-root.ts';
import { isMigrated, storedFormat, storedRoot } from './migrated-root.ts';
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

test('a store of format 1 is brought to the newest format when it is opened, with all its rows', async (t) => {
  const layout = await storedRoot(t);
  // As the first version left it: without marker, mark and numbers.
  await withRawRows(layout.ledger, async (rows) => {
    await rows.put(formatKey, Buffer.from('1'));
    await rows.del(Buffer.from('m:commit'));
  });
  for (const path of [join(layout.root, markerName), markPathOf(layout.ledger)]) await rm(path);
  await prepareDataRoot(layout.root);
  t.is(await markedFormat(layout.root), 1);
  const ledger = await openScratchLedger(t, layout.ledger);
  t.is(ledger.get('record', 'row/11'), 11);
  await ledger.close();
  t.is(await storedFormat(layout), String(storeFormat));
  t.is(await markedFormat(layout.root), storeFormat);
});

test('every step between two formats is run, in order, and never again', async (t) => {
  const layout = await storedRoot(t);
  let batches = 0;
  const open = () => openScratchLedger(t, layout.ledger, { formats: madeUpFormats(() => (batches += 1)) });
  await (await open()).close();
  t.is(batches, 8);
  t.is(await storedFormat(layout), String(madeUpFormat));
  await isMigrated(t, layout);
  await (await open()).close();
  t.is(batches, 8);
});

test('a batch of a migration that cannot be written ends the open, and the next one goes on', async (t) => {
  const layout = await storedRoot(t);
  const failing = madeUpFormats(() => {
    throw new Error('the step fails');
  });
  await t.throwsAsync(openScratchLedger(t, layout.ledger, { formats: failing }), { message: /the step fails|ledger/ });
  t.is(await storedFormat(layout), String(storeFormat));
  await isMigrated(t, layout);
});

test('a marker names the format and the version that brought the data root to it', async (t) => {
  const root = await scratchFolder(t);
  await markDataRoot(root, 7);
  const marker = await readFile(join(root, markerName), 'utf8');
  t.true(marker.split('\n').includes(`Format: 7, since version ${version}`), marker);
  const { message } = await t.throwsAsync(demandKnownFormat(root));
  t.is(
    message,
    `store_format_unsupported: ${root} has format 7, to which version ${version} brought it; this program (version ${version}) opens formats 1 to ${storeFormat}; nothing was changed`,
  );
});
