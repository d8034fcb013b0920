import test from 'ava';
import type { EditRate } from '../../../contract/exports/export-name.ts';
import { frameCode, frameCountOf, framesOf } from '../../../receipts/exports/frame-code.ts';

const codeAt = (ms: number, rate: EditRate): string => {
  const count = frameCountOf(rate);
  return frameCode(framesOf(ms, count), count);
};

test('drop-frame code leaves out the first numbers of each minute but the tenth', (t) => {
  const count = frameCountOf('29.97');
  t.deepEqual(
    [1799, 1800, 3597, 3598, 17_981, 17_982, 19_781, 19_782].map((frame) => frameCode(frame, count)),
    [
      ...['00:00:59;29', '00:01:00;02', '00:01:59;29', '00:02:00;02'],
      ...['00:09:59;29', '00:10:00;00', '00:10:59;29', '00:11:00;02'],
    ],
  );
  t.deepEqual(
    [3599, 3600, 35_963, 35_964].map((frame) => frameCode(frame, frameCountOf('59.94'))),
    ['00:00:59;59', '00:01:00;04', '00:09:59;59', '00:10:00;00'],
  );
});

test('after an hour drop-frame code stands where the clock does, and 23.976 lags behind it', (t) => {
  t.deepEqual(
    (['29.97', '59.94', '25', '23.976'] as const).map((rate) => codeAt(3_600_000, rate)),
    ['01:00:00;00', '01:00:00;00', '01:00:00:00', '00:59:56:10'],
  );
});

test('the time of a frame in milliseconds leads back to this frame, at every rate', (t) => {
  const fractions = { '23.976': 24_000 / 1001, '29.97': 30_000 / 1001, '59.94': 60_000 / 1001 } as const;
  for (const [rate, fraction] of Object.entries(fractions)) {
    for (let frame = 0; frame < 20_000; frame += 7) {
      t.is(framesOf(Math.round((frame * 1000) / fraction), frameCountOf(rate as EditRate)), frame);
    }
  }
});

test('a day of code begins again at zero', (t) => {
  t.is(codeAt(86_400_000, '25'), '00:00:00:00');
});
