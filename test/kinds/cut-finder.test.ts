import test from 'ava';
import { CutFinder } from '../../kinds/pictures/cut-finder.ts';
import { SMALL_HEIGHT, SMALL_WIDTH, type SmallPicture, smallPicture } from '../../kinds/pictures/small-picture.ts';

const frameMs = 40;

/** A picture whose light is that of each place. */
function drawn(at: number, lightAt: (x: number, y: number) => number): SmallPicture {
  const rgb = new Uint8Array(SMALL_WIDTH * SMALL_HEIGHT * 3);
  for (let pixel = 0; pixel < SMALL_WIDTH * SMALL_HEIGHT; pixel += 1) {
    rgb.fill(lightAt(pixel % SMALL_WIDTH, Math.floor(pixel / SMALL_WIDTH)), pixel * 3, pixel * 3 + 3);
  }
  return smallPicture(at * frameMs, rgb);
}

const slope = (x: number, y: number): number => 40 + Math.round((x + y) / 3);
const titled = (x: number, y: number): number =>
  y >= 20 && y < 28 && x >= 20 && x < 76 && x % 4 < 2 ? 250 : slope(x, y);

test('bug: a title that went half a second before a cut was a cut, and the cut was none', (t) => {
  const cuts: number[] = [];
  const finder = new CutFinder(
    ({ atMs }) => cuts.push(atMs),
    () => undefined,
  );
  for (let at = 0; at < 80; at += 1) finder.add(drawn(at, at < 30 ? titled : at < 44 ? slope : () => 235));
  finder.end();
  t.deepEqual(cuts, [44 * frameMs]);
});
