import test from 'ava';
import type { Waveform } from '../../../client/waveform.ts';
import type { KeyframeFact } from '../../../contract/evidence/evidence-object.ts';
import type { EvidenceRow } from '../../../contract/study/runtime-evidence.ts';
import { slotsOf } from '../../../visualizer/console/pictures/film-slots.ts';
import { peakOf, waveOutline } from '../../../visualizer/console/pictures/wave-outline.ts';
import { lineAt, textsOf } from '../../../visualizer/console/player/transcript-lines.ts';
import { evidenceLanes } from '../../../visualizer/console/timeline/lanes.ts';

const keyframe = (index: number, startMs: number, endMs: number): KeyframeFact => ({
  kind: 'keyframe',
  ...{ index, startMs, endMs, atMs: startMs },
  ...{ width: 160, height: 90, contentId: `sha256:${'0'.repeat(64)}`, bytes: 900 },
});

test('keyframes that would overlap leave one out, and one that began before the view lies at its edge', (t) => {
  const facts = [keyframe(0, 0, 5_000), keyframe(1, 5_000, 5_500), keyframe(2, 5_500, 20_000)];
  const placed = (startMs: number, endMs: number) =>
    slotsOf(facts, { startMs, endMs }, 1000, 90).map(({ fact, left }) => [fact.index, left]);
  t.deepEqual(placed(0, 20_000), [
    [0, 0],
    [1, 250],
  ]);
  t.deepEqual(placed(5_400, 6_400), [[1, 0]]);
  t.deepEqual(placed(8_000, 9_000), [[2, 0]]);
});

test('a waveform is drawn as high as its loudest sample, and only where it was measured', (t) => {
  const waveform: Waveform = {
    ...{ startMs: 1000, windowMs: 500 },
    lowest: Int16Array.from([-100, 0]),
    highest: Int16Array.from([50, 100]),
  };
  t.is(peakOf(waveform), 100);
  t.is(waveOutline(waveform, { startMs: 1000, endMs: 2000 }, 2, 22, peakOf(waveform)), 'M0 5.5L1 0.5L1 11.5L0 21.5Z');
  t.is(waveOutline(waveform, { startMs: 5000, endMs: 6000 }, 2, 22, peakOf(waveform)), '');
  t.true(waveOutline(waveform, { startMs: 1400, endMs: 1410 }, 300, 22, 100).length > 300, 'closer than a window');
  t.false(
    waveOutline(waveform, { startMs: 0, endMs: 4000 }, 8, 22, 100).includes('5 '),
    'plain where nothing is known',
  );
});

test('the words beside the player are those of any text, what was recognised first', (t) => {
  const row = (kind: string, facts: readonly object[]): EvidenceRow =>
    ({ kind, state: 'available', reasonCode: null, artifactId: `artifact:${kind}`, facts }) as unknown as EvidenceRow;
  const lanes = evidenceLanes(
    [
      row('subtitle_track', [{ kind: 'subtitle_cue', startMs: 100, endMs: 200, text: 'read' }]),
      row('silence', [{ kind: 'silence', startMs: 0, endMs: 90 }]),
      row('transcript', [
        { kind: 'transcript_line', startMs: 100, endMs: 200, text: 'said' },
        { kind: 'transcript_line', startMs: 300, endMs: 400, text: 'said again' },
      ]),
    ],
    [],
  );
  t.deepEqual(
    lanes.map(({ title }) => title),
    ['Silence', 'Subtitle track', 'Transcript'],
  );
  const [recognised, read] = textsOf(lanes);
  t.deepEqual([recognised?.title, read?.title], ['Transcript', 'Subtitle track']);
  const at = (ms: number) => lineAt(recognised?.lines ?? [], ms);
  t.deepEqual([0, 100, 250, 300, 9_000].map(at), [-1, 0, 0, 1, 1]);
});
