import test from 'ava';
import type { PixelBox } from '../../../features/screen-text/engine/connected-components.ts';
import { type GrayPicture, grayPictureOf } from '../../../features/screen-text/engine/gray-picture.ts';
import { LINE_RULE, linesIn } from '../../../features/screen-text/engine/line-finder.ts';
import { filesBelow, loadedBy } from '../../docs/source-files.ts';

// Pictures of bars that have the size of letters.

const width = 320;
const height = 120;

/** A picture of a ground, by column, with boxes of a gray on it. */
function pictureOf(
  ground: (x: number) => number,
  boxes: readonly (PixelBox & { readonly gray: number })[],
): GrayPicture {
  const pixels = Buffer.alloc(width * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const over = boxes.find((box) => x >= box.left && x < box.right && y >= box.top && y < box.bottom);
      pixels[y * width + x] = over?.gray ?? ground(x);
    }
  }
  return grayPictureOf(width, height, pixels);
}

/** Bars of 6 by 24 pixels, 14 apart, in one row. */
const bars = (count: number, gray: number, left = 100) =>
  Array.from({ length: count }, (_, at) => ({
    left: left + 14 * at,
    right: left + 14 * at + 6,
    top: 50,
    bottom: 74,
    gray,
  }));

const dark = () => 20;

test('letters in a row are one place, whether they are light or dark', async (t) => {
  for (const [ground, gray] of [
    [20, 230],
    [235, 15],
  ] as const) {
    const places = linesIn(pictureOf(() => ground, bars(6, gray)));
    t.deepEqual(
      places.map(([first]) => first?.box),
      [{ left: 100, top: 50, right: 176, bottom: 74 }],
    );
    t.false(places[0]?.[0]?.isCut);
  }
});

test('three letters are not a line, nor are letters one above the other', async (t) => {
  t.deepEqual(linesIn(pictureOf(dark, bars(LINE_RULE.leastLetters - 1, 230))), []);
  const column = [0, 1, 2, 3].map((at) => ({
    left: 100,
    right: 106,
    top: 4 + 28 * at,
    bottom: 26 + 28 * at,
    gray: 230,
  }));
  t.deepEqual(linesIn(pictureOf(dark, column)), []);
});

test('a shape whose ends meet further down, or at the edges of the picture, is one letter', (t) => {
  // A fork joins two labels in its last row; bars at both edges of one row touch across the end of it and are two.
  const fork = (left: number) => [
    { left, right: left + 3, top: 50, bottom: 74, gray: 230 },
    { left: left + 6, right: left + 9, top: 50, bottom: 74, gray: 230 },
    { left, right: left + 9, top: 72, bottom: 74, gray: 230 },
  ];
  const edges = [
    { left: 0, right: 6, top: 50, bottom: 74, gray: 230 },
    { left: width - 6, right: width, top: 49, bottom: 73, gray: 230 },
  ];
  const forks = [0, 1, 2, 3].flatMap((at) => fork(100 + 16 * at));
  const [place, ...more] = linesIn(pictureOf(dark, [...forks, ...edges]));
  t.deepEqual(place?.[0]?.box, { left: 100, top: 50, right: 157, bottom: 74 });
  t.deepEqual(more, []);
  // Three forks are three letters, not six.
  t.deepEqual(linesIn(pictureOf(dark, forks.slice(0, 9))), []);
});

test('letters of another gray are another line', async (t) => {
  const places = linesIn(pictureOf(dark, [...bars(5, 230, 20), ...bars(5, 120, 20 + 14 * 5)]));
  t.true(places.every(([first]) => first !== undefined && first.box.right - first.box.left <= 62));
});

test('a line whose letters fade into a ground as light as they are may be cut', async (t) => {
  const lighter = (x: number) => Math.min(232, Math.max(20, 20 + 2 * (x - 120)));
  const places = linesIn(pictureOf(lighter, bars(12, 230)));
  t.true(places.length > 0);
  t.true(places.flat().every(({ isCut }) => isCut));
});

test('a line with something of the size of a letter close behind its end may be cut', async (t) => {
  const behind = { left: 185, right: 191, top: 50, bottom: 74, gray: 180 };
  t.true(linesIn(pictureOf(dark, [...bars(6, 230), behind]))[0]?.[0]?.isCut);
  const far = { ...behind, left: 260, right: 266 };
  t.false(linesIn(pictureOf(dark, [...bars(6, 230), far]))[0]?.[0]?.isCut);
});

test('bug: a line was whole although its next letter touches a lighter shape', (t) => {
  // Together they are higher than a letter.
  const letter = [
    { left: 184, right: 190, top: 50, bottom: 74, gray: 230 },
    { left: 184, right: 200, top: 70, bottom: 74, gray: 230 },
  ];
  const shape = { left: 200, right: width, top: 4, bottom: height, gray: 230 };
  t.true(linesIn(pictureOf(dark, [...bars(6, 230), ...letter, shape]))[0]?.[0]?.isCut);
  // The shape alone has no stroke.
  t.false(linesIn(pictureOf(dark, [...bars(6, 230), shape]))[0]?.[0]?.isCut);
});

/** A syllable of two strokes that are lower than a letter. */
const flat = (left: number) => [
  { left, right: left + 20, top: 52, bottom: 58, gray: 230 },
  { left, right: left + 20, top: 64, bottom: 70, gray: 230 },
];

test('bug: a syllable of low strokes cut a line of Korean in two', (t) => {
  const places = linesIn(pictureOf(dark, [...bars(4, 230, 40), ...flat(96), ...bars(4, 230, 122), ...flat(178)]));
  t.deepEqual(
    places.map(([first]) => first?.box),
    [{ left: 40, top: 50, right: 198, bottom: 74 }],
  );
  t.false(places[0]?.[0]?.isCut);
});

test('two lines of one gray that follow each other on the same rows may be parts of one', (t) => {
  // The gap is wider than that between words.
  const places = linesIn(pictureOf(dark, [...bars(5, 230, 20), ...bars(5, 230, 20 + 14 * 5 + 30)]));
  t.is(places.length, 2);
  t.true(places.flat().every(({ isCut }) => isCut));
  const other = linesIn(pictureOf(dark, [...bars(5, 230, 20), ...bars(5, 110, 20 + 14 * 5 + 30)]));
  t.true(other.flat().some(({ isCut }) => !isCut));
});

test('a line with a stroke of its gray that was not drawn may be cut', (t) => {
  // The third letter hangs on a bar.
  const shape = { left: 128, right: 134, top: 10, bottom: 118, gray: 230 };
  const places = linesIn(pictureOf(dark, [...bars(8, 230).filter((_, at) => at !== 2), shape]));
  t.true(places.length > 0);
  t.true(places.flat().every(({ isCut }) => isCut));
});

test('a line is drawn black on white at a given height, with its dots and without what is beside it', async (t) => {
  const dot = { left: 114, right: 119, top: 44, bottom: 48, gray: 230 };
  const beside = { left: 60, right: 90, top: 20, bottom: 110, gray: 230 };
  const [line] = linesIn(pictureOf(dark, [...bars(6, 230), dot, beside])).flat();
  const drawn = line?.drawn(48);
  if (drawn === undefined) throw new Error('no line is found');
  const columnsOf = (y: number) =>
    Array.from({ length: drawn.width }, (_, x) => x).filter((x) => (drawn.pixels[y * drawn.width + x] ?? 255) < 64);
  const rows = Array.from({ length: drawn.height }, (_, y) => y).filter((y) => columnsOf(y).length > 0);
  const tops = rows.filter((y) => columnsOf(y).length >= 6 * 10);
  // Bars of 24 pixels become 48, give or take their soft edges.
  t.true(Math.abs(tops.length - 48) <= 3, `${tops.length} rows`);
  t.true(rows.length - tops.length >= 6, 'the dot is there');
  t.true(Math.max(...rows.map((y) => columnsOf(y).length)) <= 6 * 14, 'and nothing else');
  t.is(drawn.pixels[0], 255);
});

test('bug: a page full of small letters held the host for a minute and a half', async (t) => {
  const page = grayPictureOf(
    640,
    360,
    Buffer.from(
      Array.from({ length: 640 * 360 }, (_, at) => ((at % 640) % 8 < 4 && Math.floor(at / 640) % 16 < 9 ? 230 : 30)),
    ),
  );
  t.deepEqual(linesIn(page), []);
});

test('no command loads the search for lines of letters: it would hold the thread that answers calls', (t) => {
  const search = 'features/screen-text/engine/line-finder.ts';
  t.true(loadedBy('features/screen-text/engine/tesseract-process.ts').has(search));
  const commands = filesBelow('cli');
  t.true(commands.some((file) => loadedBy(file).has('features/screen-text/engine/tesseract.ts')));
  t.deepEqual(
    commands.filter((file) => loadedBy(file).has(search)),
    [],
  );
});
