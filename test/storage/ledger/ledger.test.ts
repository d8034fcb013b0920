import { crc32 } from 'node:zlib';
import test from 'ava';
import { eventKey, rowKey } from '../../../storage/ledger/keys.ts';
import { LedgerError } from '../../../storage/ledger/ledger-error.ts';
import { DamagedRow } from '../../../storage/ledger/row-codec.ts';
import {
  compactRows,
  draft,
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
  await second.close();
});

test('a row that was never written, or was deleted, is undefined', async (t) => {
  const ledger = await openScratchLedger(t, await scratchFolder(t));
  await ledger.commit([{ put: 'live', key: 'a', value: 1 }]);
  await ledger.commit([{ del: 'live', key: 'a' }]);
  t.is(ledger.get('live', 'a'), undefined);
  t.deepEqual(await ledger.getMany('live', ['a', 'b']), [undefined, undefined]);
  await ledger.close();
});

test('of equal first rows that are committed side by side the first stays, in a batch, in the queue and on disk', async (t) => {
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
  await ledger.close();
});

test('the last of several writes to one row wins', async (t) => {
  const ledger = await openScratchLedger(t, await scratchFolder(t));
  await ledger.commit([
    { put: 'live', key: 'a', value: 1 },
    { del: 'live', key: 'a' },
    { put: 'live', key: 'a', value: 2 },
  ]);
  t.is(ledger.get('live', 'a'), 2);
  await ledger.close();
});

test('spaces are apart, and a list holds exactly the keys that begin with the prefix, in byte order', async (t) => {
  const ledger = await openScratchLedger(t, await scratchFolder(t));
  const keys = ['b', 'a', 'a/2', 'a/10', 'a0', 'ä', '😀', 'A'];
  await ledger.commit(keys.map((key) => ({ put: 'record', key, value: key })));
  await ledger.commit([{ put: 'operation', key: 'a/9', value: 'other space' }]);
  const all = await ledger.list('record');
  t.deepEqual(
    all.map((row) => row.key),
    keys.toSorted((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right))),
  );
  t.true(all.every((row) => row.key === row.value));
  t.deepEqual(await ledger.list('record', 'a/'), [
    { key: 'a/10', value: 'a/10' },
    { key: 'a/2', value: 'a/2' },
  ]);
  t.deepEqual(await ledger.list('session'), []);
  t.deepEqual(await ledger.getMany('record', ['b', 'x', 'a']), ['b', undefined, 'a']);
  await ledger.close();
});

test('random writes read back as from a plain map', async (t) => {
  const seed = 20260102;
  t.log(`seed ${seed}`);
  const below = seededNumbers(seed);
  const ledger = await openScratchLedger(t, await scratchFolder(t));
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
  await ledger.close();
});

test('a commit with a value that cannot be encoded leaves no trace of its other writes', async (t) => {
  const failure = new Error('no canonical form');
  let broken = true;
  const ledger = await openScratchLedger(t, await scratchFolder(t), {
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
  await ledger.close();
});

test('keys that would not survive the way to the disk are refused', async (t) => {
  const ledger = await openScratchLedger(t, await scratchFolder(t));
  for (const key of ['', 'half \ud83d of a pair']) {
    await t.throwsAsync(ledger.commit([{ put: 'live', key, value: 1 }]), { instanceOf: TypeError });
    t.throws(() => ledger.get('live', key), { instanceOf: TypeError });
  }
  await t.throwsAsync(ledger.commit([{ append: 'a\0b', events: [draft(1)] }]), { instanceOf: TypeError });
  t.throws(() => ledger.journalHead(''), { instanceOf: TypeError });
  await ledger.close();
});

test('a damaged row is reported where it stands and hides none of the others', async (t) => {
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
  t.deepEqual(
    listed.map(({ key, value }) => [key, value instanceof DamagedRow ? value.error.code : value]),
    [
      ['a', { key: 'a' }],
      ['b', 'damaged_row'],
      ['c', 'damaged_row'],
      ['d', 'damaged_row'],
      ['e', { key: 'e' }],
    ],
  );
  const many = await ledger.getMany('live', ['a', 'b']);
  t.deepEqual(many[0], { key: 'a' });
  t.true(many[1] instanceof DamagedRow && many[1].key === 'live b');
  for (const key of ['b', 'c', 'd']) {
    t.throws(() => ledger.get('live', key), { instanceOf: LedgerError, code: 'damaged_row' });
  }
  t.deepEqual(ledger.get('live', 'e'), { key: 'e' });
  await ledger.close();
});

test('a row whose bytes are no MessagePack value is damaged although its checksum fits', async (t) => {
  const directory = await scratchFolder(t);
  await (await openScratchLedger(t, directory)).close();
  // Version 1, CRC-32 of 0x92 0x01, and an array that promises two elements and holds one.
  const row = Buffer.concat([Buffer.of(1, 0, 0, 0, 0), Buffer.of(0x92, 0x01)]);
  row.writeUInt32BE(crc32(row.subarray(5)), 1);
  await withRawRows(directory, (rows) => rows.put(rowKey('live', 'a'), row));
  const ledger = await openScratchLedger(t, directory);
  t.throws(() => ledger.get('live', 'a'), { code: 'damaged_row' });
  await ledger.close();
});

test('a block of the store that fails its checks damages the rows in it and no list leaves them out', async (t) => {
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
  await ledger.close();
});

test('close waits for what is queued, and a closed ledger says so', async (t) => {
  const directory = await scratchFolder(t);
  const ledger = await openScratchLedger(t, directory);
  const committed = ledger.commit([{ put: 'live', key: 'a', value: 1 }]);
  await Promise.all([ledger.close(), ledger.close(), committed]);
  await t.throwsAsync(ledger.commit([{ put: 'live', key: 'b', value: 1 }]), { code: 'ledger_closed' });
  t.throws(() => ledger.get('live', 'a'), { code: 'ledger_closed' });
  t.throws(() => ledger.journalHead('run'), { code: 'ledger_closed' });
  await t.throwsAsync(ledger.list('live'), { code: 'ledger_closed' });
  await t.throwsAsync(ledger.getMany('live', ['a']), { code: 'ledger_closed' });
  await t.throwsAsync(ledger.verifyJournal('run'), { code: 'ledger_closed' });
  const again = await openScratchLedger(t, directory);
  t.is(again.get('live', 'a'), 1);
  await again.close();
});

test('events sort by seq far beyond 32 bits', (t) => {
  const seqs = [1, 255, 256, 2 ** 32 - 1, 2 ** 32, Number.MAX_SAFE_INTEGER];
  const keys = seqs.map((seq) => eventKey('run', seq));
  t.deepEqual(keys.toSorted(Buffer.compare), keys);
  t.deepEqual(
    keys.map((key) => Number(key.readBigUInt64BE(key.length - 8))),
    seqs,
  );
});
