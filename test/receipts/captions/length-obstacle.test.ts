import test from 'ava';
import { hostLengthObstacleOf } from '../../../receipts/captions/captioned-study.ts';

test('bug: a range above the limit of captions named neither the option nor the way out', (t) => {
  t.is(
    hostLengthObstacleOf({ startMs: 0, endMs: 196_000 }, 120_000),
    'captions are made of at most 120000 ms, the study has 196000 ms: restart the host with --maximum-caption-range-ms 196000, or study at most 120000 ms of it',
  );
});

test('no option is named for a range that no host makes captions of', (t) => {
  t.is(
    hostLengthObstacleOf({ startMs: 0, endMs: 14_400_001 }, 14_400_000),
    'captions are made of at most 14400000 ms, the study has 14400001 ms: study at most 14400000 ms of it',
  );
  t.is(hostLengthObstacleOf({ startMs: 1, endMs: 14_400_001 }, 14_400_000), null);
});
