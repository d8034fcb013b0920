import { appendFile, cp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { formatKey, rowKey } from '../../storage/ledger/keys.ts';
import { markPathOf } from '../../storage/ledger/ledger-mark.ts';
import { encodeRow } from '../../storage/ledger/row-codec.ts';
import { readLog } from '../../storage/leveldb/leveldb-log.ts';
import { draft, openScratchLedger, scratchFolder, seededNumbers, withRawRows } from '../storage/ledger/scratch.ts';
import { closedLedger, contentsOf, damaged, faultsOf, flip, logOf, manifestOf, run } from './attacked-ledger.ts';

test('one flipped bit anywhere in the log of a ledger is noticed before the ledger is opened', async (t) => {
  const directory = await closedLedger(t, 3);
  t.deepEqual(await faultsOf(directory), []);
  const path = await logOf(directory);
  const bytes = await readFile(path);
  const below = seededNumbers(1);
  for (let at = 0; at < bytes.length; at += 3) {
    const mask = 1 << below(8);
    await flip(path, at, mask);
    const faults = await faultsOf(directory);
    if (faults.length === 0) t.fail(`byte ${at} of ${bytes.length}, mask ${mask}`);
    await flip(path, at, mask);
  }
  t.deepEqual(await faultsOf(directory), []);
});

test('one flipped bit in a log of many blocks is noticed, at the edges of blocks and records too', async (t) => {
  const directory = await closedLedger(t, 6, 20_000);
  const path = await logOf(directory);
  const bytes = await readFile(path);
  const edges = readLog(bytes).records.flatMap(({ offset }) => [offset, offset + 4, offset + 6, offset + 7]);
  const blocks = [0, 1, 2, 3].flatMap((block) => [-8, -1, 0, 1, 5, 6].map((step) => block * 32_768 + step));
  for (const at of [...edges, ...blocks].filter((place) => place >= 0 && place < bytes.length)) {
    await flip(path, at, 4);
    t.true((await faultsOf(directory)).length > 0, `byte ${at}`);
    await flip(path, at, 4);
  }
});

test('a log that was cut anywhere, between records or inside one, has lost what was acknowledged', async (t) => {
  const directory = await closedLedger(t, 4);
  const path = await logOf(directory);
  const bytes = await readFile(path);
  const boundaries = readLog(bytes).records.map(({ offset }) => offset);
  t.is(boundaries.length, 5, 'the format and four commits');
  for (const cut of [...boundaries, ...boundaries.map((at) => at + 3), ...boundaries.map((at) => at + 20)]) {
    await truncate(path, cut);
    const faults = await faultsOf(directory);
    t.regex(faults.at(-1) ?? '', /acknowledged commits are missing: the store ends with commit \d, its mark says 4/);
    await writeFile(path, bytes);
  }
  await truncate(path, boundaries[4] ?? 0);
  const before = await contentsOf(directory);
  const error = await t.throwsAsync(openScratchLedger(t, directory), damaged);
  t.regex(error?.message ?? '', /the store ends with commit 3, its mark says 4; nothing of it is served$/);
  t.deepEqual(await contentsOf(directory), before, 'a refusal changes nothing');
});

test('what a crash leaves of a commit that nobody was told of is no damage', async (t) => {
  for (const torn of ['half a record', 'zeros', 'garbage'] as const) {
    const directory = await closedLedger(t, 3);
    const path = await logOf(directory);
    const bytes = await readFile(path);
    const [, record] = readLog(bytes).records;
    const whole = bytes.subarray(record?.offset, (record?.offset ?? 0) + 100);
    const tails = { 'half a record': whole, zeros: Buffer.alloc(5_000), garbage: Buffer.from(whole).fill(7, 30, 40) };
    await appendFile(path, tails[torn]);
    const ledger = await openScratchLedger(t, directory);
    t.is((await ledger.verifyJournal(run)).seq, 3, torn);
    await ledger.commit([{ append: run, events: [draft('later')] }]);
    await ledger.close();
    t.deepEqual(await faultsOf(directory), [], torn);
  }
});

test('a host that dies between a batch and its mark has lost nothing', async (t) => {
  const directory = await closedLedger(t, 3);
  const mark = await readFile(markPathOf(directory));
  const ledger = await openScratchLedger(t, directory);
  const opened = await readFile(markPathOf(directory));
  await ledger.commit([{ append: run, events: [draft('last')] }]);
  await ledger.close();
  t.notDeepEqual(await readFile(markPathOf(directory)), opened);
  for (const older of [opened, mark]) {
    await writeFile(markPathOf(directory), older);
    const again = await openScratchLedger(t, directory);
    t.is((await again.verifyJournal(run)).seq, 4);
    await again.close();
    t.notDeepEqual(await readFile(markPathOf(directory)), older);
  }
});

test('a cut that LevelDB has turned into tables already is still noticed', async (t) => {
  const directory = await closedLedger(t, 3);
  const path = await logOf(directory);
  const records = readLog(await readFile(path)).records;
  await truncate(path, records[3]?.offset ?? 0);
  // As a version that does not look would do: it takes the rest for everything, and its log begins anew.
  await withRawRows(directory, async (rows) => void (await rows.get(formatKey)));
  await t.throwsAsync(openScratchLedger(t, directory), damaged);
  await t.throwsAsync(openScratchLedger(t, directory), damaged);
});

test('a ledger folder that was put back alone is older than its mark; with its mark it is whole', async (t) => {
  const directory = await closedLedger(t, 2);
  const copy = join(await scratchFolder(t), 'copy');
  await cp(directory, copy, { recursive: true });
  await cp(markPathOf(directory), markPathOf(copy));
  const ledger = await openScratchLedger(t, directory);
  await ledger.commit([{ append: run, events: [draft('revoked')] }]);
  await ledger.close();
  await rm(directory, { recursive: true });
  await cp(copy, directory, { recursive: true });
  await t.throwsAsync(openScratchLedger(t, directory), damaged);
  const other = await openScratchLedger(t, copy);
  t.is((await other.verifyJournal(run)).seq, 2);
  await other.close();
});

test('a ledger folder that is gone beside its mark is not taken for a new one', async (t) => {
  const directory = await closedLedger(t, 2);
  await rm(directory, { recursive: true });
  await t.throwsAsync(openScratchLedger(t, directory), damaged);
});

test('a mark that is gone or unreadable is said to be so; one page of it is enough', async (t) => {
  const directory = await closedLedger(t, 2);
  const path = markPathOf(directory);
  const bytes = await readFile(path);
  await rm(path);
  await t.throwsAsync(openScratchLedger(t, directory), { ...damaged, message: /ledger\.mark is gone/ });
  await writeFile(path, Buffer.alloc(bytes.length));
  await t.throwsAsync(openScratchLedger(t, directory), { ...damaged, message: /ledger\.mark fails its checksums/ });
  await writeFile(path, Buffer.from(bytes).fill(0, 0, 4096));
  await (await openScratchLedger(t, directory)).close();
  await rm(path);
  await withRawRows(directory, async () => undefined);
  await t.throwsAsync(openScratchLedger(t, directory), { ...damaged, message: /ledger\.mark is gone/ });
});

test('a ledger of an earlier version gets its mark when it is opened first, unless its log is damaged', async (t) => {
  const earlier = async () => {
    const directory = join(await scratchFolder(t), 'ledger');
    await withRawRows(directory, async (rows) => {
      await rows.put(formatKey, Buffer.from('1'), { sync: true });
      for (const n of [1, 2, 3])
        await rows.put(rowKey('record', `${n}`), encodeRow(rowKey('record', `${n}`), n), { sync: true });
    });
    return directory;
  };
  const directory = await earlier();
  const ledger = await openScratchLedger(t, directory);
  t.is(ledger.get('record', '3'), 3);
  await ledger.commit([{ put: 'record', key: '4', value: 4 }]);
  await ledger.close();
  await truncate(await logOf(directory), 0);
  await t.throwsAsync(openScratchLedger(t, directory), damaged);

  const flipped = await earlier();
  const records = readLog(await readFile(await logOf(flipped))).records;
  await flip(await logOf(flipped), (records[2]?.offset ?? 0) + 10);
  await t.throwsAsync(openScratchLedger(t, flipped), damaged);

  // The version that opened it dropped the row, and only LevelDB's own log knows.
  const dropped = await earlier();
  await flip(await logOf(dropped), (records[2]?.offset ?? 0) + 10);
  await withRawRows(dropped, async (rows) => t.is(await rows.get(rowKey('record', '2')), undefined));
  await t.throwsAsync(openScratchLedger(t, dropped), { ...damaged, message: /LOG: .*dropping/ });
});

test('a manifest that was cut, and a log that is gone, are noticed before LevelDB deletes anything', async (t) => {
  // More than LevelDB keeps in one log, so that it has moved rows into tables and deleted the log.
  const directory = await closedLedger(t, 60, 100_000);
  const path = await manifestOf(directory);
  const bytes = await readFile(path);
  const { records } = readLog(bytes);
  t.true(records.length > 2);
  await truncate(path, records.at(-1)?.offset ?? 0);
  const before = await contentsOf(directory);
  await t.throwsAsync(openScratchLedger(t, directory), { ...damaged, message: /\.log is missing/ });
  t.deepEqual(await contentsOf(directory), before);
  await writeFile(path, bytes);
  await rm(await logOf(directory));
  await t.throwsAsync(openScratchLedger(t, directory), { ...damaged, message: /\.log is missing/ });
});
