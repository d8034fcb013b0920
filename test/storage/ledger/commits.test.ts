import test from 'ava';
import { Committer, type RowChange } from '../../../storage/ledger/committer.ts';
import { eventKey } from '../../../storage/ledger/keys.ts';
import type { LedgerError } from '../../../storage/ledger/ledger.ts';
import { decodeRow, encodeRow, stampedRow } from '../../../storage/ledger/row-codec.ts';

const row = (name: string): RowChange => ({ type: 'put', key: Buffer.from(name), value: Buffer.from(name) });
const nothing = () => {};
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A disk that finishes or fails a batch when the test says so. */
function slowDisk() {
  const batches: string[] = [];
  const endings: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const fatal: LedgerError[] = [];
  const committer = new Committer({
    write: (rows) => {
      batches.push(rows.map(({ key }) => key.toString()).join(' '));
      return new Promise((resolve, reject) => endings.push({ resolve, reject }));
    },
    onFatal: (error) => fatal.push(error),
    point: nothing,
  });
  return { committer, batches, endings, fatal };
}

test('what is queued while a batch is under way goes together into the next one, in order', async (t) => {
  const { committer, batches, endings } = slowDisk();
  const reported: string[] = [];
  const add = (name: string) =>
    committer.add([row(name)], () => reported.push(`landed ${name}`)).then(() => reported.push(`told ${name}`));
  const first = add('a');
  await turn();
  const later = [add('b'), add('c'), add('d')];
  await turn();
  t.deepEqual(batches, ['a']);
  endings[0]?.resolve();
  await first;
  await turn();
  t.deepEqual(batches, ['a', 'b c d']);
  t.deepEqual(reported, ['landed a', 'told a']);
  endings[1]?.resolve();
  await Promise.all(later);
  t.deepEqual(reported.slice(2), ['landed b', 'landed c', 'landed d', 'told b', 'told c', 'told d']);
});

test('everyone whom a batch wakes takes part in the next batch', async (t) => {
  const { committer, batches, endings } = slowDisk();
  const writers = ['a', 'b', 'c'].map(async (name) => {
    for (const round of [1, 2, 3]) await committer.add([row(`${name}${round}`)], nothing);
  });
  for (const round of [0, 1, 2]) {
    await turn();
    endings[round]?.resolve();
  }
  await Promise.all(writers);
  t.deepEqual(batches, ['a1 b1 c1', 'a2 b2 c2', 'a3 b3 c3']);
});

test('durable resolves after everything queued before it, and at once when nothing is', async (t) => {
  const { committer, endings } = slowDisk();
  await committer.durable();
  void committer.add([row('a')], nothing);
  await turn();
  void committer.add([row('b')], nothing);
  let reached = false;
  const durable = committer.durable().then(() => {
    reached = true;
  });
  endings[0]?.resolve();
  await turn();
  t.false(reached);
  endings[1]?.resolve();
  await durable;
  t.true(reached);
});

test('a failed batch ends all writing, waiting and later, and is reported once', async (t) => {
  const { committer, batches, endings, fatal } = slowDisk();
  const landed: string[] = [];
  const first = committer.add([row('a')], () => landed.push('a'));
  await turn();
  const waiting = committer.add([row('b')], () => landed.push('b'));
  const durable = committer.durable();
  const cause = new Error('no space left');
  endings[0]?.reject(cause);
  for (const promise of [first, waiting, durable]) {
    await t.throwsAsync(promise, { code: 'commit_failed' });
  }
  await t.throwsAsync(committer.add([row('c')], nothing), { code: 'commit_failed' });
  await t.throwsAsync(committer.durable(), { code: 'commit_failed' });
  await turn();
  t.deepEqual(batches, ['a']);
  t.deepEqual(landed, []);
  t.is(fatal.length, 1);
  t.is(fatal[0]?.cause, cause);
  t.is(committer.failure, fatal[0] ?? null);
});

test('a failing batch reaches the host even without a handler on the commit', async (t) => {
  const { committer, endings, fatal } = slowDisk();
  void committer.add([row('a')], nothing);
  await turn();
  endings[0]?.reject(new Error('gone'));
  await turn();
  t.is(fatal.length, 1);
});

const key = Buffer.from('trow');

test('a stamped row has the bytes of one that had its number from the beginning', (t) => {
  const value = { value: { running: 'detect' }, event: null, at: 0 };
  const row = stampedRow(key, value);
  for (const commit of [0, 1, 127, 128, 255, 256, 65_535, 65_536, 2 ** 32, 2 ** 48 + 1]) {
    const encoded = row.encode(commit);
    t.true(encoded.equals(encodeRow(key, { ...value, commit })), String(commit));
    t.deepEqual(decodeRow(key, encoded), { ...value, commit });
  }
});

test('a stamped row refuses half of a surrogate pair before it has a number', (t) => {
  t.throws(() => stampedRow(key, { event: 'a\ud800' }), { instanceOf: TypeError });
});

test('events sort by seq far beyond 32 bits', (t) => {
  const seqs = [1, 255, 256, 2 ** 32 - 1, 2 ** 32, Number.MAX_SAFE_INTEGER];
  const keys = seqs.map((seq) => eventKey('run', seq));
  t.deepEqual(keys.toSorted(Buffer.compare), keys);
  const stored = keys.map((key) => Number(key.readBigUInt64BE(key.length - 8)));
  t.deepEqual(stored, seqs);
});
