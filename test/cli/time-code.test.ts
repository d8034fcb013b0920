import test from 'ava';
import { millisecondsOf } from '../../cli/terminal/time-code.ts';

test('times are read as people write them, and nothing else is', (t) => {
  const read = ['90', '90.5', '1:30', '1:02:03.250', '0:00', '120:00:00'].map(millisecondsOf);
  t.deepEqual(read, [90_000, 90_500, 90_000, 3_723_250, 0, 432_000_000]);
  for (const text of ['', '-1', '1:75', '1:2:3:4', '1.2345', 'one', '1:', ':30', '75:00'])
    t.is(millisecondsOf(text), null, text);
});
