import { readdir, readFile, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { acceptLoss, checkLedger } from '../../storage/ledger/accept-loss.ts';
import { CheckedTables } from '../../storage/ledger/checked-tables.ts';
import { faultsIn, lookAtStore } from '../../storage/ledger/examine-store.ts';
import { formatKey, rowKey } from '../../storage/ledger/keys.ts';
import { beginLoss } from '../../storage/ledger/ledger-mark.ts';
import { encodeRow } from '../../storage/ledger/row-codec.ts';
import { readLog } from '../../storage/leveldb/leveldb-log.ts';
import { dataRootAt } from '../../storage/objects/data-root-layout.ts';
import { identityAt } from '../../storage/objects/regular-file.ts';
import { draft, openScratchLedger, scratchFolder, withRawRows } from '../storage/ledger/scratch.ts';
import {
  closedLedger,
  contentsOf,
  damaged,
  faultsOf,
  flip,
  logOf,
  manifestOf,
  onlyFile,
  run,
} from './attacked-ledger.ts';

test('one flipped bit anywhere in a table of a ledger is noticed before the ledger is opened', async (t) => {
  const directory = await closedLedger(t, 60, 500);
  await (await openScratchLedger(t, directory)).close();
  const path = await onlyFile(directory, /\.ldb$/);
  const bytes = await readFile(path);
  t.deepEqual(await faultsOf(directory), []);
  // The last bytes of a footer's handles are padding: nobody reads them.
  const isPadding = (at: number) => at >= bytes.length - 48 && at < bytes.length - 8;
  for (let at = 0; at < bytes.length; at += at < bytes.length - 300 ? 29 : 1) {
    await flip(path, at, 16);
    if (!isPadding(at)) t.true((await faultsOf(directory)).length > 0, `byte ${at}`);
    await flip(path, at, 16);
  }
  await flip(path, 100, 1);
  await t.throwsAsync(openScratchLedger(t, directory), { ...damaged, message: /\.ldb at byte \d+: a block fails/ });
  await flip(path, 100, 1);
  await truncate(path, bytes.length - 1);
  await t.throwsAsync(openScratchLedger(t, directory), { ...damaged, message: /\.ldb at byte \d+: \d+ bytes, not/ });
});

test('a table that was found whole is read again only when its file has changed', async (t) => {
  const directory = await closedLedger(t, 3);
  await (await openScratchLedger(t, directory)).close();
  const table = await onlyFile(directory, /\.ldb$/);
  const look = async () => {
    const checked = await CheckedTables.of(directory);
    const faults = faultsIn(await lookAtStore(directory, checked));
    await checked.save();
    return faults;
  };
  t.deepEqual(await look(), []);
  const { atime, mtime } = await stat(table);
  await flip(table, 20);
  // The time of the last write is set back; the time of the last change cannot be.
  await utimes(table, atime, mtime);
  t.is((await look()).length, 1);
  t.is((await look()).length, 1);
  await flip(table, 20);
  t.deepEqual(await look(), []);
  const known = await CheckedTables.of(directory);
  t.true(known.isKnown(basename(table), (await identityAt(table)) ?? ''));
  t.false(known.isKnown(basename(table), 'of another file'));
});

test('a list of checked tables that is not one is as good as none', async (t) => {
  const directory = await closedLedger(t, 3);
  await (await openScratchLedger(t, directory)).close();
  const table = await onlyFile(directory, /\.ldb$/);
  const identity = (await identityAt(table)) ?? '';
  await writeFile(`${directory}.tables`, `another version\n${basename(table)} ${identity}`);
  t.false((await CheckedTables.of(directory)).isKnown(basename(table), identity));
});

test('a damaged table is given up whole, and the rest of the ledger opens again without it', async (t) => {
  const root = await scratchFolder(t);
  const { ledger: directory, quarantine } = dataRootAt(root);
  const clock = { now: () => 0 };
  const first = await openScratchLedger(t, directory);
  await first.commit([{ append: run, events: [draft(1)] }]);
  await t.throwsAsync(acceptLoss(root, clock), { code: 'data_root_locked' });
  await first.close();
  t.is(await acceptLoss(root, clock), null);
  const second = await openScratchLedger(t, directory);
  await second.commit([{ append: 'runtime:later', events: [draft(1)] }]);
  await second.close();
  await (await openScratchLedger(t, directory)).close();
  // The oldest table also holds the format of the store.
  const [oldest = '', ...others] = (await readdir(directory)).filter((name) => name.endsWith('.ldb')).sort();
  t.true(others.length > 0);
  await flip(join(directory, oldest), 20, 2);
  const loss = await acceptLoss(root, clock);
  t.regex(loss?.faults[0] ?? '', /\.ldb at byte \d+: /);
  t.true(loss?.unproven.includes('runtime:later'));
  t.deepEqual(await readdir(quarantine), ['ledger.19700101000000000']);
  const again = await openScratchLedger(t, directory);
  await t.throwsAsync(again.verifyJournal('runtime:later'), { code: 'invalid_journal_chain' });
  await again.commit([{ append: 'runtime:new', events: [draft(1)] }]);
  t.is((await again.verifyJournal('runtime:new')).seq, 1);
  await again.close();
  t.deepEqual((await checkLedger(root)).faults, []);
});

/** A data root whose ledger has two tables, the older of them damaged. */
async function rootWithDamagedTable(t: ExecutionContext): Promise<{ root: string; table: string }> {
  const root = await scratchFolder(t);
  const { ledger: directory } = dataRootAt(root);
  for (const runId of [run, 'runtime:later']) {
    const ledger = await openScratchLedger(t, directory);
    await ledger.commit([{ append: runId, events: [draft(1)] }]);
    await ledger.close();
  }
  await (await openScratchLedger(t, directory)).close();
  const [oldest = '', ...others] = (await readdir(directory)).filter((name) => name.endsWith('.ldb')).sort();
  t.true(others.length > 0);
  const table = join(directory, oldest);
  await flip(table, 20, 2);
  return { root, table };
}

test('the giving up of a damaged table that was cut off anywhere is brought to its end by another', async (t) => {
  const clock = { now: () => 0 };
  const cuts = {
    'the table is gone': async ({ table }: { table: string }) => rm(table),
    'the manifest was set aside': async ({ root, table }: { root: string; table: string }) => {
      await rm(table);
      await rm(await manifestOf(dataRootAt(root).ledger));
    },
    'nothing names a manifest': async ({ root, table }: { root: string; table: string }) => {
      await rm(table);
      await rm(await manifestOf(dataRootAt(root).ledger));
      await rm(join(dataRootAt(root).ledger, 'CURRENT'));
    },
  };
  for (const [what, cut] of Object.entries(cuts)) {
    const found = await rootWithDamagedTable(t);
    const { ledger: directory } = dataRootAt(found.root);
    await beginLoss(directory);
    await cut(found);
    await t.throwsAsync(openScratchLedger(t, directory), damaged, what);
    const loss = await acceptLoss(found.root, clock);
    t.true(loss?.unproven.includes('runtime:later'), what);
    await (await openScratchLedger(t, directory)).close();
  }
});

test('a table that is gone is given up like a damaged one', async (t) => {
  const { root, table } = await rootWithDamagedTable(t);
  const { ledger: directory } = dataRootAt(root);
  await rm(table);
  const before = await contentsOf(directory);
  await t.throwsAsync(openScratchLedger(t, directory), { ...damaged, message: /\.ldb is missing/ });
  t.deepEqual(await contentsOf(directory), before);
  const loss = await acceptLoss(root, { now: () => 0 });
  t.true(loss?.unproven.includes('runtime:later'));
  await (await openScratchLedger(t, directory)).close();
});

test('what LevelDB said of damage is not forgotten while its giving up fails again and again', async (t) => {
  const root = await scratchFolder(t);
  const { ledger: directory, quarantine } = dataRootAt(root);
  const clock = { now: () => 0 };
  await withRawRows(directory, async (rows) => {
    await rows.put(formatKey, Buffer.from('1'), { sync: true });
    for (const n of [1, 2, 3])
      await rows.put(rowKey('snapshot', `${n}`), encodeRow(rowKey('snapshot', `${n}`), n), { sync: true });
  });
  const { records } = readLog(await readFile(await logOf(directory)));
  await flip(await logOf(directory), (records[2]?.offset ?? 0) + 10);
  // As a version that does not look: it drops the row, and only its LOG says so.
  await withRawRows(directory, async () => undefined);
  await writeFile(quarantine, 'in the way');
  for (const _ of [1, 2, 3]) await t.throwsAsync(acceptLoss(root, clock));
  await t.throwsAsync(openScratchLedger(t, directory), damaged);
  await rm(quarantine);
  t.deepEqual((await acceptLoss(root, clock))?.unproven, ['1']);
  await (await openScratchLedger(t, directory)).close();
});
