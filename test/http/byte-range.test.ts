import test from 'ava';
import { ServiceError } from '../../contract/base/service-error.ts';
import { requestedRange } from '../../http/exchange/byte-range.ts';
import { FlatHead } from '../../http/listener/request-head.ts';

const etag = '"sha256:one"';
const asked = (size: number, ...fields: string[]) => requestedRange(new FlatHead('GET', '/', fields), size, etag);

const satisfiable: readonly [range: string, size: number, start: number, end: number][] = [
  ['bytes=0-0', 10, 0, 1],
  ['bytes=0-9', 10, 0, 10],
  ['bytes=3-5', 10, 3, 6],
  ['bytes=9-9', 10, 9, 10],
  ['bytes=9-', 10, 9, 10],
  ['bytes=0-', 10, 0, 10],
  ['bytes=5-10', 10, 5, 10],
  ['bytes=5-99999999999999999999999', 10, 5, 10],
  ['bytes=007-0008', 10, 7, 9],
  ['bytes=-1', 10, 9, 10],
  ['bytes=-10', 10, 0, 10],
  ['bytes=-99999999999999999999999', 10, 0, 10],
  ['bytes=0-', 1, 0, 1],
];

for (const [range, size, start, end] of satisfiable) {
  test(`${range} of ${size} bytes is [${start}, ${end})`, (t) => {
    t.deepEqual(asked(size, 'range', range), { start, end });
  });
}

const refused = [
  '',
  'bytes',
  'bytes=',
  'bytes=-',
  'bytes=-0',
  'bytes=-000',
  'bytes=10-',
  'bytes=10-12',
  'bytes=99999999999999999999999-',
  'bytes=5-4',
  'bytes=0-1,3-4',
  'bytes=0-1,',
  'bytes= 0-1',
  'bytes =0-1',
  'bytes=0 -1',
  'bytes=0- 1',
  ' bytes=0-1',
  'Bytes=0-1',
  'BYTES=0-1',
  'bytes=+0-1',
  'bytes=0x0-1',
  'bytes=1.0-2',
  'bytes=1e0-2',
  'bytes=--1',
  'bytes=0-1-2',
  'bytes=٣-5',
  'octets=0-1',
  'seconds=0-1',
  'bytes=0-1\n',
  'none',
];

for (const range of refused) {
  test(`${JSON.stringify(range)} is no range of 10 bytes`, (t) => {
    const refusal = t.throws(() => asked(10, 'range', range), { instanceOf: ServiceError });
    t.is(refusal.code, 'invalid_private_playback_range');
    t.deepEqual(refusal.headers, { 'Content-Range': 'bytes */10', 'Accept-Ranges': 'bytes' });
  });
}

test('without a range all is asked for; with two, none is right', (t) => {
  t.is(asked(10), null);
  t.is(asked(10, 'if-range', etag), null);
  t.throws(() => asked(10, 'range', 'bytes=0-1', 'range', 'bytes=0-1'), { code: 'invalid_private_playback_range' });
});

test('a range that is conditional on anything but the very entity tag is ignored, right or wrong', (t) => {
  t.deepEqual(asked(10, 'range', 'bytes=2-3', 'if-range', etag), { start: 2, end: 4 });
  t.throws(() => asked(10, 'range', 'bytes=9-2', 'if-range', etag), { code: 'invalid_private_playback_range' });
  for (const condition of [`W/${etag}`, '"sha256:two"', 'sha256:one', '*', '', 'Sat, 21 Nov 2026 05:19:26 GMT']) {
    t.is(asked(10, 'range', 'bytes=2-3', 'if-range', condition), null);
    t.is(asked(10, 'range', 'bytes=9-2', 'if-range', condition), null);
  }
  t.is(asked(10, 'range', 'bytes=2-3', 'if-range', etag, 'if-range', etag), null);
});
