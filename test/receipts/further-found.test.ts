import test from 'ava';
import type { FurtherFact } from '../../contract/evidence/evidence.ts';
import { furtherFoundOf } from '../../receipts/overview/found.ts';

const at = (startMs: number, endMs: number) => ({ index: 0, startMs, endMs });

test('bug: dissolves, frozen pictures and the rest were on the timeline and not in the overview', (t) => {
  const transitions: FurtherFact[] = [
    { kind: 'transition', ...at(1000, 2000), form: 'dissolve', unexplainedMilli: 3 },
    { kind: 'transition', ...at(5000, 6000), form: 'dissolve', unexplainedMilli: 3 },
    { kind: 'transition', ...at(8000, 9000), form: 'fade', unexplainedMilli: 3 },
    { kind: 'flash', ...at(9500, 9600) },
    { kind: 'flash', ...at(9900, 9950) },
  ];
  const found = furtherFoundOf('transitions', transitions);
  t.is(found.text, '2 dissolves, 1 fade, 2 flashes at 0:01.000, 0:05.000, 0:08.000, 0:09.500, 0:09.900');
  t.is(found.places.length, 5);
  const frozen: FurtherFact[] = [
    { kind: 'frozen', ...at(0, 2000), changeMilli: 0 },
    { kind: 'frozen', ...at(4000, 4500), changeMilli: 1 },
  ];
  t.is(furtherFoundOf('frozen_frames', frozen).text, '2 stretches, 2.5 s at 0:00.000, 0:04.000');
  const peak: FurtherFact = { kind: 'true_peak', ...at(0, 100), truePeakCentiDbtp: -100 };
  const clipped: FurtherFact = { kind: 'clipping', ...at(3000, 3100), channel: 'left', runs: 2, longestSamples: 5 };
  t.is(furtherFoundOf('audio_faults', [clipped, peak]).text, '1 stretch of clipping at 0:03.000');
});

test('a kind that was measured and has nothing says so', (t) => {
  for (const kind of ['transitions', 'black_frames', 'frozen_frames', 'audio_faults', 'letterbox'] as const) {
    t.like(furtherFoundOf(kind, []), { text: 'none', places: [] });
  }
});
