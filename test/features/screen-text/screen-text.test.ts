import { fileURLToPath } from 'node:url';
import test from 'ava';
import { version } from '../../../contract/base/program-version.ts';
import type { ReadText } from '../../../contract/screentext.ts';
import {
  differs,
  type GrayPicture,
  GrayPictures,
  grayPictureOf,
  isNoise,
} from '../../../features/screen-text/engine/gray-picture.ts';
import { demandEngine, languageData, type Resolve } from '../../../features/screen-text/engine/language-data.ts';
import { lookedAgain, stripOf } from '../../../features/screen-text/engine/second-look.ts';
import { UnreadablePicture } from '../../../features/screen-text/engine/tesseract-connection.ts';
import { readWindow } from '../../../features/screen-text/screen-texts.ts';

const [width, height] = [64, 48];

function drawn(shade: (x: number, y: number) => number): GrayPicture {
  const pixels = Buffer.from(
    Array.from({ length: width * height }, (_, at) => shade(at % width, Math.floor(at / width))),
  );
  return { width, height, pixels, pgm: Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`), pixels]) };
}

const gray = drawn(() => 100);

test('pictures are cut from output in any pieces, and a part or another form is refused', (t) => {
  const output = Buffer.concat([gray.pgm, drawn((x) => x).pgm]);
  for (const size of [1, 700, output.length]) {
    const cutter = new GrayPictures();
    const pictures = [];
    for (let at = 0; at < output.length; at += size) pictures.push(...cutter.push(output.subarray(at, at + size)));
    cutter.end();
    const sizes = pictures.map(({ pixels }) => pixels.length);
    t.deepEqual(sizes, [width * height, width * height]);
  }
  const part = new GrayPictures();
  part.push(output.subarray(0, 900));
  t.throws(() => part.end(), { message: /part of a picture/ });
  t.throws(() => new GrayPictures().push(Buffer.from('P6\n64 48\n255\n and more than a head')), { message: /unknown/ });
});

test('a few letters make another picture, noise of an encoder does not', (t) => {
  t.false(
    differs(
      gray,
      drawn((x, y) => 100 + ((x * 7 + y * 13) % 7) - 3),
    ),
  );
  t.true(
    differs(
      gray,
      drawn((x, y) => (y > 20 && y < 30 && x > 10 && x < 40 && x % 5 < 2 ? 230 : 100)),
    ),
  );
  t.true(differs(gray, { ...gray, width: 48, height: 64 }));
});

test('a pattern of single pixels is noise, and stripes as wide as letters are not', (t) => {
  t.true(isNoise(drawn((x, y) => ((x * 31 + y * 17) % 5 < 2 ? 20 : 220))));
  t.false(isNoise(drawn((x) => (x % 12 < 3 ? 20 : 220))));
});

/** Each pixel is the number of its column, so that a strip shows where it was cut. */
const ruler = grayPictureOf(200, 100, Buffer.from(Array.from({ length: 20_000 }, (_, at) => at % 200)));

const line = (
  text: string,
  [leftMilli, topMilli, rightMilli, bottomMilli]: readonly [number, number, number, number],
) => ({ text, box: { leftMilli, topMilli, rightMilli, bottomMilli }, confidenceMilli: 950 }) satisfies ReadText;

const columnsOf = ({ pixels, width }: GrayPicture) => [pixels[0], pixels[width - 1]];
const around = (...others: readonly ReadText[]) => ({ picture: ruler, others });

test('a strip reaches to both sides, a quarter up and down, and not out of its picture', (t) => {
  const strip = stripOf(line('Pier', [500, 400, 600, 480]), around(), 5);
  // A line of 8 pixels: 40 to each side, 2 above and below.
  t.deepEqual(strip?.box, { leftMilli: 300, topMilli: 380, rightMilli: 800, bottomMilli: 500 });
  t.like(strip?.picture, { width: 100, height: 12 });
  t.deepEqual(columnsOf(strip?.picture ?? ruler), [60, 159]);
  const corner = stripOf(line('Pier', [0, 0, 990, 200]), around(), 5);
  t.deepEqual(corner?.box, { leftMilli: 0, topMilli: 0, rightMilli: 1000, bottomMilli: 250 });
});

test('a strip ends at the other readings of its rows, so that two columns do not become one line', (t) => {
  const others = [
    line('Sound', [100, 410, 420, 470]),
    line('Lind', [650, 400, 900, 480]),
    line('far', [0, 0, 1000, 90]),
  ];
  const strip = stripOf(line('by', [500, 400, 600, 480]), around(...others), 5);
  t.deepEqual(strip?.box, { leftMilli: 420, topMilli: 380, rightMilli: 650, bottomMilli: 500 });
});

test('a place of too few pixels for a letter has no strip', (t) => {
  t.is(stripOf(line('', [500, 400, 500, 400]), around(), 5), null);
  t.is(stripOf(line('.', [500, 400, 600, 430]), around(), 5), null);
});

test('a picture that the engine cannot read is skipped and marked, and the next one is read', async (t) => {
  const pictures = [1000, 2000].map((atMs) => ({ ...drawn((x) => x + atMs / 20), atMs }));
  const answers = [Promise.reject(new UnreadablePicture('no JSON')), Promise.resolve([line('Pier', [0, 0, 90, 90])])];
  const found = await readWindow({ read: () => answers.shift() ?? Promise.resolve([]) }, pictures, new Set());
  t.like(found[0], { atMs: 1000, texts: [], unread: true });
  t.like(found[1], { atMs: 2000, unread: undefined, texts: [{ text: 'Pier' }] });
});

const reading = line('nd directed by', [500, 400, 600, 480]);
const again = (text: string, confidenceMilli = 960) => ({ ...line(text, [100, 200, 900, 800]), confidenceMilli });

/** Looks at narrow strips and at wide ones; what each answers, time after time. */
const looks = (near: readonly ReadText[][], wide: readonly ReadText[][] = []) => {
  const [narrow, broad] = [near.values(), wide.values()];
  return [async ({ width }: GrayPicture) => (width < 60 ? narrow : broad).next().value ?? []];
};

test('a line with the same letters in a single reading agrees, despite other spaces and signs', async (t) => {
  t.deepEqual(await lookedAgain(reading, around(), looks([[again('nd, directed  by', 300)]])), {
    ...reading,
    secondLook: 'agrees',
  });
});

test('a wider look that is sure of three more letters sees what was cut off, at its place', async (t) => {
  const near = [[again('nd directed by')]];
  const whole = [[again('Written and directed by')], [again('Written and directed by')]];
  t.deepEqual(await lookedAgain(reading, around(), looks(near, whole)), {
    text: 'Written and directed by',
    box: { leftMilli: 350, topMilli: 404, rightMilli: 750, bottomMilli: 476 },
    confidenceMilli: 960,
    secondLook: 'agrees',
  });
});

test('a wider look that adds a sign or two, or is not sure, has read the ground beside the line', async (t) => {
  for (const wide of [again('Bl nd directed by'), again('Written and directed by', 849), again('something else')]) {
    const looked = await lookedAgain(reading, around(), looks([[again('nd directed by')]], [[wide]]));
    t.deepEqual(looked, { ...reading, secondLook: 'agrees' }, wide.text);
  }
});

test('if one look differs the next may agree; if none agrees, the line stays and is marked', async (t) => {
  const other = async () => [again('nd divided by')];
  const [same] = looks([[again('nd directed by')]]);
  t.is((await lookedAgain(reading, around(), [other, same ?? other])).secondLook, 'agrees');
  for (const answer of [[again('nd divided by')], [], [again('nd directed by'), again('x')]]) {
    t.deepEqual(await lookedAgain(reading, around(), looks([answer])), { ...reading, secondLook: 'disagrees' });
  }
});

test('a line that grows with every look is not a line', async (t) => {
  let more = 'nd directed by';
  const growing = async () => {
    more = `o${more}`;
    return [again(more)];
  };
  t.is((await lookedAgain(reading, around(), [growing])).secondLook, 'disagrees');
  t.is(more, `oooo${reading.text}`);
});

const nowhere: Resolve = (specifier) => {
  throw new Error(`Cannot find module '${specifier}'`);
};

test('a package that is missing, or of another version, is named by one code', async (t) => {
  const another = fileURLToPath(new URL('../../../package.json', import.meta.url));
  const code = 'screen_text_unavailable';
  await t.throwsAsync(demandEngine(nowhere), {
    code,
    message: /^screen_text_unavailable: .*tesseract\.js is not installed/,
  });
  await t.throwsAsync(
    demandEngine(() => another),
    { code, message: new RegExp(`tesseract\\.js is ${version.replaceAll('.', '\\.')}, not 7\\.0\\.0`) },
  );
  await t.throwsAsync(languageData('xyz'), { code, message: /@tesseract\.js-data\/xyz is not installed/ });
});

test('the data of a language come with their digest', async (t) => {
  const { fileName, bytes, tool } = await languageData('kor');
  t.is(fileName, 'kor.traineddata.gz');
  t.true(bytes.length > 1_000_000);
  t.like(tool, { name: '@tesseract.js-data/kor', version: '1.0.0 4.0.0_best_int' });
  t.regex(tool.digest, /^sha256:[a-f0-9]{64}$/);
});
