import test from 'ava';
import { grayPictureOf } from '../../../features/screen-text/engine/gray-picture.ts';
import { spacesBehind } from '../../../features/screen-text/engine/syllable-spaces.ts';

// Lines of dark blocks that have the size of syllables, 48 pixels high.

const height = 48;

/** A line of blocks, each by its first and last column. */
function lineOf(blocks: readonly (readonly [number, number])[]) {
  const width = Math.max(...blocks.map(([, right]) => right)) + 12;
  const isDark = (x: number) => blocks.some(([left, right]) => x >= left && x < right);
  const pixels = Buffer.from(Array.from({ length: width * height }, (_, at) => (isDark(at % width) ? 0 : 255)));
  return { picture: grayPictureOf(width, height, pixels), columns: { left: 0, right: width } };
}

test('a space is where the middles of two syllables are more than a step apart', (t) => {
  const { picture, columns } = lineOf([
    [12, 52],
    [58, 98],
    [119, 159],
    [165, 205],
    [211, 251],
  ]);
  t.deepEqual(spacesBehind(picture, columns, height, 5), [false, true, false, false]);
});

test('the gaps beside a thin syllable and within a syllable are not taken for spaces', (t) => {
  // The second syllable is thin; the third is two strokes.
  const { picture, columns } = lineOf([
    [12, 52],
    [71, 85],
    [104, 118],
    [130, 144],
    [165, 205],
    [211, 251],
  ]);
  t.deepEqual(spacesBehind(picture, columns, height, 5), [false, false, true, false]);
});

test('syllables that touch are cut at their least ink', (t) => {
  const { picture, columns } = lineOf([
    [12, 98],
    [119, 159],
    [165, 205],
  ]);
  t.deepEqual(spacesBehind(picture, columns, height, 4), [false, true, false]);
});

test('a line with too few pixels for its syllables, or too many, has no spaces', (t) => {
  const { picture, columns } = lineOf([
    [12, 52],
    [58, 98],
    [104, 250],
  ]);
  t.is(spacesBehind(picture, columns, height, 2), null);
  t.is(spacesBehind(picture, { left: 52, right: 57 }, height, 2), null);
  t.is(spacesBehind(picture, { left: 57, right: 52 }, height, 2), null);
  t.deepEqual(spacesBehind(picture, columns, height, 1), []);
});
