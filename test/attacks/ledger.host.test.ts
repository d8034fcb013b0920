import {
  appendFile,
  cp,
  open,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { acceptLoss, checkLedger } from '../../storage/ledger/accept-loss.ts';
import { examineStore, faultsIn, lookAtStore } from '../../storage/ledger/examine-store.ts';
import { formatKey, rowKey } from '../../storage/ledger/keys.ts';
import { CheckedTables } from '../../storage/ledger/ledger-files.ts';
import { beginLoss, markPathOf } from '../../storage/ledger/ledger-mark.ts';
import { encodeRow } from '../../storage/ledger/row-codec.ts';
import { readLog } from '../../storage/leveldb.ts';
import { dataRootAt } from '../../storage/objects/data-root.ts';
import { identityAt } from '../../storage/objects/regular-file.ts';
import { draft, openScratchLedger, scratchFolder, seededNumbers, withRawRows } from '../storage/ledger/scratch.ts';

const run = 'runtime:attacked';
const damaged = { code: 'ledger_damaged' };

/** A closed ledger of `commits` commits in one log, each with `bytes` bytes of text. */
async function closedLedger(t: ExecutionContext, commits: number, bytes = 10): Promise<string> {
  const directory = join(await scratchFolder(t), 'ledger');
  const ledger = await openScratchLedger(t, directory);
  for (let n = 0; n < commits; n += 1) {
    await ledger.commit([
      { put: 'snapshot', key: 'review', value: { n, text: 'x'.repeat(bytes) } },
      { append: run, events: [draft({ n })] },
    ]);
  }
  await ledger.close();
  return directory;
}

async function onlyFile(directory: string, ending: RegExp): Promise<string> {
  const [name, ...others] = (await readdir(directory)).filter((each) => ending.test(each)).sort();
  if (name === undefined || others.length > 0) throw new Error(`not one file: ${name} ${others}`);
  return join(directory, name);
}

const logOf = (directory: string) => onlyFile(directory, /\.log$/);
const manifestOf = (directory: string) => onlyFile(directory, /^MANIFEST/);

const faultsOf = async (directory: string): Promise<readonly string[]> => faultsIn(await lookAtStore(directory));

/** Turns bits of one byte, in place; the same call again undoes it. */
async function flip(path: string, at: number, mask = 1): Promise<void> {
  const file = await open(path, 'r+');
  try {
    const byte = Buffer.alloc(1);
    await file.read(byte, 0, 1, at);
    await file.write(Buffer.of((byte[0] ?? 0) ^ mask), 0, 1, at);
  } finally {
    await file.close();
  }
}

/** Everything under a folder, byte for byte. */
async function contentsOf(directory: string): Promise<Map<string, string>> {
  const names = (await readdir(directory)).sort();
  return new Map(await Promise.all(names.map(async (n) => [n, await readFile(join(directory, n), 'hex')] as const)));
}

test('bug: a host that started beside another one took a log that this one had just deleted for a damaged store', async (t) => {
  const directory = await closedLedger(t, 3);
  // Listed, and not there when it is read.
  const deleted = join(directory, '999999.log');
  await symlink(join(directory, 'nowhere'), deleted);
  await t.throwsAsync(lookAtStore(directory), { code: 'store_unreadable' });
  const looked = examineStore(directory);
  await delay(20);
  await rm(deleted);
  t.deepEqual(faultsIn(await looked), []);
});

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

test('the remains of an unacknowledged commit after a crash are not damage', async (t) => {
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
  // As a version without this check would do: it takes the rest for everything, and starts a new log.
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

test('a missing or unreadable mark is reported as such; one page of it is enough', async (t) => {
  const directory = await closedLedger(t, 2);
  const path = markPathOf(directory);
  const bytes = await readFile(path);
  await rm(path);
  await t.throwsAsync(openScratchLedger(t, directory), {
    ...damaged,
    message: /ledger\.mark is gone/,
  });
  await writeFile(path, Buffer.alloc(bytes.length));
  await t.throwsAsync(openScratchLedger(t, directory), { ...damaged, message: /ledger\.mark fails its checksums/ });
  await writeFile(path, Buffer.from(bytes).fill(0, 0, 4096));
  await (await openScratchLedger(t, directory)).close();
  await rm(path);
  await withRawRows(directory, async () => undefined);
  await t.throwsAsync(openScratchLedger(t, directory), {
    ...damaged,
    message: /ledger\.mark is gone/,
  });
});

test('a ledger of an earlier version gets its mark when first opened, unless its log is damaged', async (t) => {
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

test('a cut manifest, and a log that is gone, are noticed before LevelDB deletes anything', async (t) => {
  // Three times what LevelDB keeps in one log: it has moved rows into a table before it takes more than twice as much.
  const directory = await closedLedger(t, 120, 100_000);
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

test('one flipped bit anywhere in a table of a ledger is noticed before the ledger is opened', async (t) => {
  const directory = await closedLedger(t, 60, 500);
  await (await openScratchLedger(t, directory)).close();
  const path = await onlyFile(directory, /\.ldb$/);
  const bytes = await readFile(path);
  t.deepEqual(await faultsOf(directory), []);
  // The last bytes of a footer's handles are padding, which LevelDB never reads.
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

test('the giving up of a damaged table, cut off anywhere, is brought to its end by another', async (t) => {
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

test("LevelDB's report of damage is kept while giving it up fails again and again", async (t) => {
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

test('a commit with half of a surrogate pair leaves no trace of its other writes', async (t) => {
  const ledger = await openScratchLedger(t, await scratchFolder(t));
  t.teardown(() => ledger.close());
  for (const half of ['\ud800', 'a\ud800b', 'a\udc00', '\udc00\ud800', '😀'.slice(0, 1), '😀😀'.slice(1, 3)]) {
    const rows = [
      { put: 'record', key: 'a', value: 1 },
      { put: 'record', key: 'b', value: { note: half } },
    ] as const;
    await t.throwsAsync(ledger.commit(rows), { instanceOf: TypeError });
  }
  t.deepEqual(await ledger.list('record'), []);
});
