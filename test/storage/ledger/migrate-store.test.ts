import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { madeUpFormats, rowCount, rowOf } from '../../../fixtures/storage/migration-for-tests.ts';
import { formatKey } from '../../../storage/ledger/keys.ts';
import { markPathOf } from '../../../storage/ledger/ledger-mark.ts';
import { prepareDataRoot } from '../../../storage/objects/data-root.ts';
import type { DataRoot } from '../../../storage/objects/data-root-layout.ts';
import {
  demandKnownFormat,
  markDataRoot,
  markedFormat,
  markerName,
} from '../../../storage/objects/data-root-marker.ts';
import { storeFormat } from '../../../storage/store-format.ts';
import { openScratchLedger, scratchFolder, withRawRows } from './scratch.ts';

const dying = fileURLToPath(new URL('../../../fixtures/storage/migrate-and-die.ts', import.meta.url));
const never = () => undefined;

/** A data root of the newest format with rows, closed. */
async function storedRoot(t: ExecutionContext): Promise<DataRoot> {
  const layout = await prepareDataRoot(join(await scratchFolder(t), 'data'));
  const ledger = await openScratchLedger(t, layout.ledger);
  for (let index = 0; index < rowCount; index += 1) {
    await ledger.commit([
      { put: 'record', key: `row/${String(index).padStart(2, '0')}`, value: rowOf(storeFormat, index) },
    ]);
  }
  await ledger.close();
  return layout;
}

const storedFormat = async ({ ledger }: DataRoot) => String(await withRawRows(ledger, (rows) => rows.get(formatKey)));

async function isMigrated(t: ExecutionContext, { ledger: directory }: DataRoot): Promise<void> {
  const ledger = await openScratchLedger(t, directory, { formats: madeUpFormats(never) });
  const rows = await ledger.list('record', 'row/');
  await ledger.close();
  t.deepEqual(
    rows.map(({ value }) => value),
    Array.from({ length: rowCount }, (_, index) => rowOf(5, index)),
  );
}

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
  t.is(await storedFormat(layout), '5');
  await isMigrated(t, layout);
  await (await open()).close();
  t.is(batches, 8);
});

// In the middle of a step, before it is noted as done, and in the step behind it.
for (const batches of [2, 4, 5]) {
  test(`a migration that is killed after ${batches} of its batches goes on at the next open`, async (t) => {
    const layout = await storedRoot(t);
    const child = spawn(process.execPath, ['--import', 'tsx', dying, layout.root, String(batches)], {
      stdio: 'inherit',
    });
    const [, signal] = await once(child, 'exit');
    t.is(signal, 'SIGKILL');
    t.is(await storedFormat(layout), batches <= 4 ? '3' : '4');
    // Nothing of an earlier program opens it from here on.
    t.is(await markedFormat(layout.root), 5);
    await t.throwsAsync(demandKnownFormat(layout.root), { code: 'store_format_unsupported' });
    await isMigrated(t, layout);
    t.is(await storedFormat(layout), '5');
  });
}

test('a batch of a migration that cannot be written ends the open, and the next one goes on', async (t) => {
  const layout = await storedRoot(t);
  const failing = madeUpFormats(() => {
    throw new Error('the step fails');
  });
  await t.throwsAsync(openScratchLedger(t, layout.ledger, { formats: failing }), { message: /the step fails|ledger/ });
  t.is(await storedFormat(layout), '3');
  await isMigrated(t, layout);
});

test('a marker names the format and the version that brought the data root to it, and old ones mean format 1', async (t) => {
  const root = await scratchFolder(t);
  await markDataRoot(root, 7);
  t.regex(await readFile(join(root, markerName), 'utf8'), /^Format: 7, since version \d+\.\d+\.\d+$/m);
  const version = /version (\S+)/.exec(await readFile(join(root, markerName), 'utf8'))?.[1] ?? '';
  const { message } = await t.throwsAsync(demandKnownFormat(root));
  t.is(
    message,
    `store_format_unsupported: ${root} has format 7, to which version ${version} brought it; this program (version ${version}) opens formats 1 to ${storeFormat}; nothing was changed`,
  );
});
