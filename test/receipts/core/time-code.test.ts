import test from 'ava';
import { secondsText, timeCode } from '../../../receipts/core/time-code.ts';

test('times are written with hours where there are any', (t) => {
  t.deepEqual([0, 62_500, 3_723_250].map(timeCode), ['0:00.000', '1:02.500', '1:02:03.250']);
});

test('lengths are written in seconds with one digit', (t) => {
  t.deepEqual([0, 41_249, 61_000].map(secondsText), ['0.0 s', '41.2 s', '61.0 s']);
});
