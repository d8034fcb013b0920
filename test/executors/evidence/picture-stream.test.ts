import test from 'ava';
import { DetectionFailure } from '../../../executors/detector/detection-failure.ts';
import type { FrameMetadata } from '../../../executors/evidence/frame-metadata.ts';
import { PictureFacts } from '../../../executors/evidence/picture-facts.ts';
import { PictureStream } from '../../../executors/evidence/picture-stream.ts';
import { SMALL_BYTES, type SmallPicture, smallPicture } from '../../../executors/pictures/small-picture.ts';

const at = (ms: number): FrameMetadata => ({ number: 0, pts: ms * 1000, values: new Map() });
const even = (value: number): Buffer => Buffer.alloc(SMALL_BYTES, value);

test('pixels and times are joined in their order, whatever the pieces they come in', async (t) => {
  const pictures: SmallPicture[] = [];
  const stream = new PictureStream(9000, (picture) => pictures.push(picture));
  const pixels = Buffer.concat([even(10), even(200), even(30)]);
  stream.addTime(at(0));
  for (let from = 0; from < pixels.length; from += 10_000) await stream.write(pixels.subarray(from, from + 10_000));
  stream.addTime(at(40.4));
  stream.addTime(at(80));
  stream.end();
  t.deepEqual(
    pictures.map(({ atMs, light }) => [atMs, Math.round(light)]),
    [
      [9000, 10],
      [9040, 200],
      [9080, 30],
    ],
  );
});

test('a picture without a time, and a time without a picture, are refused', async (t) => {
  const bad = { instanceOf: DetectionFailure, message: /^tool_output: / };
  for (const pixels of [even(1), even(1).subarray(1)]) {
    const stream = new PictureStream(0, () => undefined);
    await stream.write(pixels);
    t.throws(() => stream.end(), bad);
  }
  const stream = new PictureStream(0, () => undefined);
  stream.addTime(at(0));
  t.throws(() => stream.end(), bad);
});

/** Half of the picture is light, on the left or on the right. */
function half(side: 'left' | 'right'): Uint8Array {
  const rgb = new Uint8Array(SMALL_BYTES);
  for (let pixel = 0; pixel < SMALL_BYTES / 3; pixel += 1) {
    if (pixel % 96 < 48 === (side === 'left')) rgb.fill(180, pixel * 3, pixel * 3 + 3);
  }
  return rgb;
}

function factsOf(cutMs: number, fromMs = 9000, toMs = 21_000) {
  const shots = new PictureFacts({ startMs: 10_000, endMs: 20_000 });
  for (let ms = fromMs; ms < toMs; ms += 40) shots.add(smallPicture(ms, half(ms < cutMs ? 'left' : 'right')));
  shots.end();
  return shots.shots();
}

test('a cut on the first picture of the range belongs to it, one behind it does not', (t) => {
  t.deepEqual(factsOf(10_000), [{ kind: 'shot_change', index: 0, atMs: 10_000, scoreMilli: 100_000 }]);
  t.deepEqual(factsOf(20_000), []);
});

test('no picture in the range is something else than no cut', (t) => {
  t.is(factsOf(0, 9000, 9990), null);
  t.deepEqual(factsOf(0), []);
});
