import test from 'ava';
import { withheldTexts } from '../../../receipts/overview/withheld.ts';

const passed = { outcome: 'passed', reasonCodes: [] } as const;
const withheld = (...reasonCodes: string[]) => ({ outcome: 'withheld', reasonCodes }) as const;

test('bug: lines that a gate withheld were not among what is kept back; they are counted by the first of their reasons', (t) => {
  const lines = [withheld('repetition', 'low_confidence'), passed, withheld('low_confidence'), withheld('repetition')];
  t.deepEqual(
    withheldTexts(lines, (count) => `lines (${count})`),
    [
      { what: 'lines (2)', reasonCode: 'repetition', text: 'lines (2): it says the same again and again' },
      { what: 'lines (1)', reasonCode: 'low_confidence', text: 'lines (1): it is not certain enough' },
    ],
  );
  t.deepEqual(withheldTexts([passed], String), []);
});
