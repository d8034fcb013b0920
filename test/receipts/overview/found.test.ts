import test from 'ava';
import type { EvidenceRow } from '../../../contract/study/runtime-evidence.ts';
import { foundOf } from '../../../receipts/overview/found.ts';

/** What the overview says of the loudness of so much sound. */
function loudnessText(
  endMs: number,
  integratedCentiLufs: number | null,
  rangeCentiLu: number | null,
  truePeakCentiDbtp: number | null,
) {
  const fact = { kind: 'loudness', startMs: 0, endMs, integratedCentiLufs, rangeCentiLu, truePeakCentiDbtp };
  const row = { kind: 'loudness', state: 'available', reasonCode: null, facts: [fact] };
  return foundOf(row as unknown as EvidenceRow, { startMs: 0, endMs }).text;
}

test('sound that is shorter than a block of a measurement is too short for it, not too quiet', (t) => {
  t.is(
    loudnessText(320, null, null, -990),
    'too short to measure (LUFS), range too short to measure (LU), true peak -9.9 dBTP',
  );
  t.is(loudnessText(2999, -2300, null, -990), '-23.0 LUFS, range too short to measure (LU), true peak -9.9 dBTP');
});

test('sound that is long enough, or has no peak at all, is too quiet', (t) => {
  const quiet = 'too quiet to measure (LUFS), range too quiet to measure (LU), true peak';
  t.is(loudnessText(3000, null, null, -8000), `${quiet} -80.0 dBTP`);
  t.is(loudnessText(320, null, null, null), `${quiet} too quiet to measure (dBTP)`);
});
