import test from 'ava';
import { grayPictureOf } from '../../../features/screen-text/engine/gray-picture.ts';
import { type EngineLine, type TextEngine, textsIn } from '../../../features/screen-text/engine/picture-reader.ts';

// A picture of bars that have the size of letters, and an engine that answers what a test tells it.

const [width, height] = [400, 120];

/** Ten light bars of 6 by 24 pixels on dark ground, from column 100 to 232. */
const picture = grayPictureOf(
  width,
  height,
  Buffer.from(
    Array.from({ length: width * height }, (_, at) => {
      const [x, y] = [(at % width) - 100, Math.floor(at / width)];
      return x >= 0 && x < 140 && x % 14 < 6 && y >= 50 && y < 74 ? 230 : 20;
    }),
  ),
);

/** One line of one word, in this part of the width of its picture. */
function lineOf(text: string, [left, right]: readonly [number, number], confidence = 96): EngineLine {
  const bbox = { x0: left, y0: 50, x1: right, y1: 74 };
  return { bbox, confidence, words: [{ text, bbox }] };
}

const sizeOf = (pgm: Uint8Array): readonly number[] =>
  Buffer.from(pgm).toString('latin1', 3, 12).split(/\s/).slice(0, 2).map(Number);

/** An engine that reads the page, the strips of second looks, and lines that are drawn alone: these are 40 pixels high and more. */
const engineOf =
  (answers: {
    readonly page?: EngineLine;
    readonly strip?: string;
    readonly drawn?: (wide: number) => EngineLine;
  }): TextEngine =>
  async (pgm, { tessedit_pageseg_mode: mode }) => {
    const [wide = 0, high = 0] = sizeOf(pgm);
    if (mode === '11') return answers.page === undefined ? [] : [answers.page];
    if (high >= 40) return answers.drawn === undefined ? [] : [answers.drawn(wide)];
    return answers.strip === undefined ? [] : [lineOf(answers.strip, [0, wide])];
  };

const looksOf = async (engine: TextEngine) =>
  (await textsIn(picture.pgm, engine)).map(({ text, secondLook }) => [text, secondLook]);

test('a line that is read alone up to its ends agrees', async (t) => {
  t.deepEqual(await looksOf(engineOf({ drawn: (wide) => lineOf('Afternoon', [12, wide - 12]) })), [
    ['Afternoon', 'agrees'],
  ]);
});

test('bug: a line was read alone without its first word, and two readings agreed', async (t) => {
  t.deepEqual(await looksOf(engineOf({ drawn: (wide) => lineOf('noon', [wide / 2, wide - 12]) })), [
    ['noon', 'disagrees'],
  ]);
});

test('bug: a reading of the page passed that begins or ends within the line that was found there', async (t) => {
  const read = (part: readonly [number, number]) =>
    looksOf(engineOf({ page: lineOf('Closed until', part), strip: 'Closed until' }));
  t.deepEqual(await read([100, 232]), [['Closed until', 'agrees']]);
  t.deepEqual(await read([100, 176]), [['Closed until', 'disagrees']]);
  t.deepEqual(await read([156, 232]), [['Closed until', 'disagrees']]);
});

test('bug: a reading of the page passed that has more beside the line than was found there', async (t) => {
  t.deepEqual(await looksOf(engineOf({ page: lineOf('we Closed until', [40, 232]), strip: 'we Closed until' })), [
    ['we Closed until', 'disagrees'],
  ]);
});

test('a reading of the page with the letters of its line agrees, although its box has a little more', async (t) => {
  const engine = engineOf({
    page: lineOf('| Afternoon', [60, 232]),
    strip: '| Afternoon',
    // The engine is not sure enough of the line alone.
    drawn: (wide) => lineOf('Afternoon', [12, wide - 12], 92),
  });
  t.deepEqual(await looksOf(engine), [['| Afternoon', 'agrees']]);
});
