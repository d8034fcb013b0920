import test from 'ava';
import { decodeRow, encodeRow, stampedRow } from '../../../storage/ledger/row-codec.ts';

const key = Buffer.from('trow');

test('a stamped row has the bytes of one that had its number from the beginning, however long the number is', (t) => {
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
