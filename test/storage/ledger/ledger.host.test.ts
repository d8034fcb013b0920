import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import test from 'ava';
import { formatKey, indexed, indexKey, rowKey } from '../../../storage/ledger/keys.ts';
import { LedgerError } from '../../../storage/ledger/ledger.ts';
import { markPathOf } from '../../../storage/ledger/ledger-mark.ts';
import { allOf, DamagedRow } from '../../../storage/ledger/row-codec.ts';
import {
  compactRows,
  draft,
  newScratchLedger,
  openScratchLedger,
  scratchFolder,
  seededNumbers,
  spoilStoredBlock,
  withRawRows,
} from './scratch.ts';

test('a row reads back as it was written, also after the store was closed', async (t) => {
  const directory = await scratchFolder(t);
  const value = {
    text: '한국어 \u0000 😀',
    when: new Date(1),
    big: 2n ** 60n,
    set: new Set([1]),
    bytes: new Uint8Array([1, 2]),
    deep: [{ none: null, missing: undefined }],
  };
  const first = await openScratchLedger(t, directory);
  await first.commit([{ put: 'snapshot', key: 'runtime:a', value }]);
  t.deepEqual(first.get('snapshot', 'runtime:a'), value);
  await first.close();
  const second = await openScratchLedger(t, directory);
  t.deepEqual(second.get('snapshot', 'runtime:a'), value);
});

test('a row that was never written, or was deleted, is undefined', async (t) => {
  const ledger = await newScratchLedger(t);
  await ledger.commit([{ put: 'live', key: 'a', value: 1 }]);
  await ledger.commit([{ del: 'live', key: 'a' }]);
  t.is(ledger.get('live', 'a'), undefined);
  t.deepEqual(await ledger.getMany('live', ['a', 'b']), [undefined, undefined]);
});

test('of equal first rows committed side by side the first stays: in batch, queue and on disk', async (t) => {
  const directory = await scratchFolder(t);
  const ledger = await openScratchLedger(t, directory);
  const first = (value: number) => ({ putFirst: 'operation', key: 'same', value }) as const;
  // The first is on its way to the disk and the next two wait, when each is decided.
  const commits = [ledger.commit([first(1), first(2)])];
  await new Promise((resolve) => setImmediate(resolve));
  commits.push(ledger.commit([first(3), { put: 'live', key: 'a', value: 3 }]), ledger.commit([first(4)]));
  await Promise.all(commits);
  t.is(ledger.get('operation', 'same'), 1);
  t.is(ledger.get('live', 'a'), 3);
  await ledger.commit([first(5)]);
  t.is(ledger.get('operation', 'same'), 1);
  // A commit that is refused claims nothing.
  const refused = [
    { putFirst: 'operation', key: 'other', value: 1 } as const,
    { put: 'live', key: '', value: 1 } as const,
  ];
  await t.throwsAsync(ledger.commit(refused), { instanceOf: TypeError });
  await ledger.commit([{ putFirst: 'operation', key: 'other', value: 2 }]);
  t.is(ledger.get('operation', 'other'), 2);
});

test('the last of several writes to one row wins', async (t) => {
  const ledger = await newScratchLedger(t);
  await ledger.commit([
    { put: 'live', key: 'a', value: 1 },
    { del: 'live', key: 'a' },
    { put: 'live', key: 'a', value: 2 },
  ]);
  t.is(ledger.get('live', 'a'), 2);
});

test('spaces are apart, and a list holds exactly the keys with the prefix, in byte order', async (t) => {
  const ledger = await newScratchLedger(t);
  const keys = ['b', 'a', 'a/2', 'a/10', 'a0', 'ä', '😀', 'A'];
  await ledger.commit(keys.map((key) => ({ put: 'record', key, value: key })));
  await ledger.commit([{ put: 'operation', key: 'a/9', value: 'other space' }]);
  const all = await ledger.list('record');
  const listedKeys = all.map((row) => row.key);
  const sorted = keys.toSorted((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)));
  t.deepEqual(listedKeys, sorted);
  t.true(all.every((row) => row.key === row.value));
  t.deepEqual(await ledger.list('record', 'a/'), [
    { key: 'a/10', value: 'a/10' },
    { key: 'a/2', value: 'a/2' },
  ]);
  t.deepEqual(await ledger.list('session'), []);
  t.deepEqual(await ledger.getMany('record', ['b', 'x', 'a']), ['b', undefined, 'a']);
});

test('random writes read back as from a plain map', async (t) => {
  const seed = 20260102;
  t.log(`seed ${seed}`);
  const below = seededNumbers(seed);
  const ledger = await newScratchLedger(t);
  const expected = new Map<string, number>();
  for (let round = 0; round < 60; round += 1) {
    const writes = Array.from({ length: 1 + below(6) }, (_, step) => {
      const key = `k${below(20)}`;
      const value = round * 10 + step;
      if (below(4) === 0) {
        expected.delete(key);
        return { del: 'source', key } as const;
      }
      expected.set(key, value);
      return { put: 'source', key, value } as const;
    });
    const committed = ledger.commit(writes);
    if (below(3) === 0) await committed;
  }
  await ledger.durable();
  const rows = await ledger.list('source');
  t.deepEqual(new Map(rows.map(({ key, value }) => [key, value])), new Map([...expected].toSorted()));
});

test('a commit with a value that cannot be encoded leaves no trace of its other writes', async (t) => {
  const failure = new Error('no canonical form');
  let broken = true;
  const ledger = await newScratchLedger(t, {
    encodeEvent: (event) => {
      if (broken) throw failure;
      return JSON.stringify(event);
    },
  });
  const refused = ledger.commit([
    { put: 'live', key: 'a', value: 1 },
    { append: 'run', events: [draft(null)] },
  ]);
  t.is(await t.throwsAsync(refused), failure);
  t.is(ledger.get('live', 'a'), undefined);
  broken = false;
  await ledger.commit([{ append: 'run', events: [draft(null)] }]);
  t.is((await ledger.verifyJournal('run')).seq, 1);
});

test('keys that would not survive the way to the disk are refused', async (t) => {
  const ledger = await newScratchLedger(t);
  for (const key of ['', 'half \ud83d of a pair']) {
    await t.throwsAsync(ledger.commit([{ put: 'live', key, value: 1 }]), { instanceOf: TypeError });
    t.throws(() => ledger.get('live', key), { instanceOf: TypeError });
  }
  await t.throwsAsync(ledger.commit([{ append: 'a\0b', events: [draft(1)] }]), { instanceOf: TypeError });
  t.throws(() => ledger.journalHead(''), { instanceOf: TypeError });
});

test('a damaged row is reported at its place and hides none of the others', async (t) => {
  const directory = await scratchFolder(t);
  const first = await openScratchLedger(t, directory);
  await first.commit(['a', 'b', 'c', 'd', 'e'].map((key) => ({ put: 'live', key, value: { key } })));
  await first.close();
  await withRawRows(directory, async (rows) => {
    const whole = (await rows.get(rowKey('live', 'b'))) ?? Buffer.alloc(0);
    const flipped = Buffer.from(whole);
    flipped[flipped.length - 1] = (flipped.at(-1) ?? 0) ^ 1;
    await rows.put(rowKey('live', 'b'), flipped);
    await rows.put(rowKey('live', 'c'), Buffer.of(1, 2));
    await rows.put(rowKey('live', 'd'), Buffer.concat([Buffer.of(9), whole.subarray(1)]));
  });
  const ledger = await openScratchLedger(t, directory);
  const listed = await ledger.list('live');
  const outcomes = listed.map(({ key, value }) => [key, value instanceof DamagedRow ? value.error.code : value]);
  t.deepEqual(outcomes, [
    ['a', { key: 'a' }],
    ['b', 'damaged_row'],
    ['c', 'damaged_row'],
    ['d', 'damaged_row'],
    ['e', { key: 'e' }],
  ]);
  const many = await ledger.getMany('live', ['a', 'b']);
  t.deepEqual(many[0], { key: 'a' });
  t.true(many[1] instanceof DamagedRow && many[1].key === 'live b');
  for (const key of ['b', 'c', 'd']) {
    t.throws(() => ledger.get('live', key), { instanceOf: LedgerError, code: 'damaged_row' });
  }
  t.deepEqual(ledger.get('live', 'e'), { key: 'e' });
});

test('a row of invalid MessagePack bytes is damaged although its checksum fits', async (t) => {
  const directory = await scratchFolder(t);
  await (await openScratchLedger(t, directory)).close();
  // Version 1, CRC-32 of 0x92 0x01, and an array that promises two elements and holds one.
  const row = Buffer.concat([Buffer.of(1, 0, 0, 0, 0), Buffer.of(0x92, 0x01)]);
  row.writeUInt32BE(crc32(row.subarray(5)), 1);
  await withRawRows(directory, (rows) => rows.put(rowKey('live', 'a'), row));
  const ledger = await openScratchLedger(t, directory);
  t.throws(() => ledger.get('live', 'a'), { code: 'damaged_row' });
});

test('a block that fails its checks damages the rows in it, and no list leaves them out', async (t) => {
  const directory = await scratchFolder(t);
  const keys = Array.from({ length: 2000 }, (_, n) => `row ${n}`);
  const writer = await openScratchLedger(t, directory);
  await writer.commit(keys.map((key) => ({ put: 'record', key, value: { key } })));
  await writer.close();
  await compactRows(directory);
  const ledger = await openScratchLedger(t, directory);
  await spoilStoredBlock(directory);
  await t.throwsAsync(ledger.list('record'), { code: 'store_unreadable' });
  await t.throwsAsync(ledger.getMany('record', keys), { code: 'store_unreadable' });
  const codes = new Set<unknown>();
  for (const key of keys) {
    try {
      t.deepEqual(ledger.get('record', key), { key });
    } catch (error) {
      codes.add(error instanceof LedgerError && error.code);
    }
  }
  t.deepEqual(codes, new Set(['damaged_row']));
});

test('close waits for what is queued, and a closed ledger says so', async (t) => {
  const directory = await scratchFolder(t);
  const ledger = await openScratchLedger(t, directory);
  const committed = ledger.commit([{ put: 'live', key: 'a', value: 1 }]);
  await Promise.all([ledger.close(), ledger.close(), committed]);
  await t.throwsAsync(ledger.commit([{ put: 'live', key: 'b', value: 1 }]), { code: 'ledger_closed' });
  t.throws(() => ledger.get('live', 'a'), { code: 'ledger_closed' });
  t.throws(
    () => ledger.demandInPlace(),
    { code: 'ledger_closed' },
    'bug: a late write was taken for a moved data root',
  );
  t.throws(() => ledger.journalHead('run'), { code: 'ledger_closed' });
  await t.throwsAsync(ledger.list('live'), { code: 'ledger_closed' });
  await t.throwsAsync(ledger.getMany('live', ['a']), { code: 'ledger_closed' });
  await t.throwsAsync(ledger.verifyJournal('run'), { code: 'ledger_closed' });
  const again = await openScratchLedger(t, directory);
  t.is(again.get('live', 'a'), 1);
});

test('bug: a ledger whose folder was moved away took commits on', async (t) => {
  const [directory, moved] = [await scratchFolder(t), await scratchFolder(t)];
  const fatal: string[] = [];
  const ledger = await openScratchLedger(t, directory, { onFatal: ({ code }) => fatal.push(code) });
  const mark = markPathOf(directory);
  const bytes = await readFile(mark);
  await rename(mark, markPathOf(moved));
  await writeFile(mark, bytes);
  // A file system may give another number to the same file.
  t.notThrows(() => ledger.demandInPlace());
  await ledger.commit([{ put: 'live', key: 'a', value: 1 }]);
  t.throws(() => ledger.demandInPlace(), { code: 'commit_failed' });
  await rm(mark);
  await t.throwsAsync(ledger.commit([{ put: 'live', key: 'b', value: 1 }]), { code: 'commit_failed' });
  t.deepEqual(fatal, ['commit_failed']);
  await rename(markPathOf(moved), mark);
  await ledger.close();
  const again = await openScratchLedger(t, directory);
  t.is(again.get('live', 'a'), 1);
  t.is(again.get('live', 'b'), undefined);
});

test('bug: each short list reserved room for a thousand rows, and the memory of a host grew', async (t) => {
  const asked: number[] = [];
  let closed = 0;
  const iterator = (left: number, fails = false) => ({
    nextv: async (size: number) => {
      asked.push(size);
      if (fails && asked.length > 1) throw new Error('refused');
      // LevelDB may give fewer than the size, before the end as well.
      const page = Array.from({ length: Math.min(left, size - 1) }, (_, at) => left - at);
      left -= page.length;
      return page;
    },
    close: async () => {
      closed += 1;
    },
  });
  t.deepEqual(await allOf(iterator(3)), [3, 2, 1]);
  t.is(asked[0], 64);
  t.is((await allOf(iterator(5000))).length, 5000);
  t.is(Math.max(...asked), 1000);
  asked.length = 0;
  await t.throwsAsync(allOf(iterator(100, true)), { message: 'refused' });
  t.is(closed, 3);
});

test('the ledger names the points before and after each batch', async (t) => {
  const points: string[] = [];
  const ledger = await newScratchLedger(t, { points: (name) => points.push(name) });
  const committed = ledger.commit([{ append: 'run', events: [draft(1)] }]).then(() => points.push('told'));
  await committed;
  await ledger.commit([]);
  await ledger.close();
  t.deepEqual(points, ['commit:before', 'commit:after', 'told']);
});

const session = 'source-session:one';
const study = (startedAt: string) => ({ record: { startedAt, sourceSession: { sessionId: session } } });

test('a store of format 2 gets an index, newest first, in which damaged rows come last', async (t) => {
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
  t.is((await ledger.keysAfter('index', 'runtime/', 'runtime/', 2000)).length, 1000);
});

test('keys come after a key, with their prefix alone, and no more than the limit', async (t) => {
  const ledger = await openScratchLedger(t, join(await scratchFolder(t), 'ledger'));
  await ledger.commit(['a/1', 'b/1', 'b/2', 'b/3', 'c/1'].map((key) => ({ put: 'index', key, value: true })));
  t.deepEqual(await ledger.keysAfter('index', 'b/', 'b/', 2), ['b/1', 'b/2']);
  t.deepEqual(await ledger.keysAfter('index', 'b/', 'b/2', 9), ['b/3']);
  t.deepEqual(await ledger.keysAfter('index', 'b/', 'b/9', 9), []);
});
