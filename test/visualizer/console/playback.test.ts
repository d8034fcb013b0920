import test from 'ava';
import { playback } from '../../../visualizer/console/player/playback.ts';

test('a player begins where the range of its study begins', (t) => {
  t.is(playback(300_000).store.getSnapshot().context.timeMs, 300_000);
  t.is(playback().store.getSnapshot().context.timeMs, 0);
});
