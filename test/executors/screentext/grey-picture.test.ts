import test from 'ava';
import { differs, type GreyPicture, GreyPictures, isNoise } from '../../../executors/screentext/grey-picture.ts';

const [width, height] = [64, 48];

function drawn(shade: (x: number, y: number) => number): GreyPicture {
  const pixels = Buffer.from(
    Array.from({ length: width * height }, (_, at) => shade(at % width, Math.floor(at / width))),
  );
  return { width, height, pixels, pgm: Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`), pixels]) };
}

const grey = drawn(() => 100);

test('pictures are cut from an output in pieces of any size, and a part or another form is refused', (t) => {
  const output = Buffer.concat([grey.pgm, drawn((x) => x).pgm]);
  for (const size of [1, 700, output.length]) {
    const cutter = new GreyPictures();
    const pictures = [];
    for (let at = 0; at < output.length; at += size) pictures.push(...cutter.push(output.subarray(at, at + size)));
    cutter.end();
    t.deepEqual(
      pictures.map(({ pixels }) => pixels.length),
      [width * height, width * height],
    );
  }
  const part = new GreyPictures();
  part.push(output.subarray(0, 900));
  t.throws(() => part.end(), { message: /part of a picture/ });
  t.throws(() => new GreyPictures().push(Buffer.from('P6\n64 48\n255\n and more than a head')), { message: /unknown/ });
});

test('a few letters make another picture, noise of an encoder does not', (t) => {
  t.false(
    differs(
      grey,
      drawn((x, y) => 100 + ((x * 7 + y * 13) % 7) - 3),
    ),
  );
  t.true(
    differs(
      grey,
      drawn((x, y) => (y > 20 && y < 30 && x > 10 && x < 40 && x % 5 < 2 ? 230 : 100)),
    ),
  );
  t.true(differs(grey, { ...grey, width: 48, height: 64 }));
});

test('a pattern of single pixels is noise, and stripes as wide as letters are not', (t) => {
  t.true(isNoise(drawn((x, y) => ((x * 31 + y * 17) % 5 < 2 ? 20 : 220))));
  t.false(isNoise(drawn((x) => (x % 12 < 3 ? 20 : 220))));
});
