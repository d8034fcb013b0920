import test from 'ava';
import { movingBytes, Pace } from '../../http/listener/pace.ts';

test('a body moves once enough of it came, however small its pieces', (t) => {
  const pace = new Pace();
  const moved: number[] = [];
  for (let piece = 1; piece <= 16; piece += 1) if (pace.moves(1_024, piece * 1_000)) moved.push(piece);
  t.deepEqual(moved, [4, 8, 12, 16]);
});

test('a body that drips never moves in the time that it has', (t) => {
  const pace = new Pace();
  for (let byte = 1; byte < movingBytes; byte += 1) t.false(pace.moves(1, byte * 10));
});

test('a fast body is looked at once a second', (t) => {
  const pace = new Pace();
  let moved = 0;
  for (let at = 0; at < 10_000; at += 1) if (pace.moves(65_536, at)) moved += 1;
  t.is(moved, 10);
});
