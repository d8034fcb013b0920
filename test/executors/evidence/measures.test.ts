import test from 'ava';
import { DetectionFailure } from '../../../executors/detector/detection-failure.ts';
import { type FrameMetadata, FrameMetadataReader } from '../../../executors/evidence/frame-metadata.ts';
import { Loudness } from '../../../executors/evidence/loudness.ts';

const bad = { instanceOf: DetectionFailure, message: /^tool_output: / };

function framesOf(text: string, pieceLength = text.length): FrameMetadata[] {
  const frames: FrameMetadata[] = [];
  const reader = new FrameMetadataReader((frame) => frames.push(frame));
  for (let at = 0; at < text.length; at += pieceLength) reader.push(Buffer.from(text.slice(at, at + pieceLength)));
  reader.end();
  return frames;
}

const frame = (values: Readonly<Record<string, string>>, pts = 0, number = 0): FrameMetadata => ({
  number,
  pts,
  values: new Map(Object.entries(values)),
});

const PRINTED = [
  'frame:0    pts:0       pts_time:0',
  'lavfi.scd.score=0.000',
  'frame:17   pts:680000  pts_time:0.68',
  'lavfi.scd.mafd=24.5=1',
  'lavfi.scd.score=24.501',
  '',
].join('\n');

test('printed frames are read whatever the pieces they come in', (t) => {
  for (const length of [PRINTED.length, 64, 7, 1]) {
    const [first, second, ...more] = framesOf(PRINTED, length);
    t.is(more.length, 0);
    t.deepEqual(first, frame({ 'lavfi.scd.score': '0.000' }));
    t.deepEqual(second, frame({ 'lavfi.scd.mafd': '24.5=1', 'lavfi.scd.score': '24.501' }, 680_000, 17));
  }
  t.deepEqual(framesOf(''), []);
});

test('anything that is no printed frame is refused', (t) => {
  for (const text of [
    'words\n',
    'key=value\n',
    'frame:0    pts:NOPTS   pts_time:NOPTS\n',
    'frame:0    pts:0       pts_time:0\nno key\n',
    'frame:0    pts:0       pts_time:0\n=1\n',
    'frame:0    pts:0       pts_time:0\nlavfi.scd.score=0.0',
  ]) {
    t.throws(() => framesOf(text), bad, text);
  }
  t.throws(() => framesOf('x'.repeat(70_000), 10_000), bad);
});

const range = { startMs: 10_000, endMs: 20_000 };

const heard = (more: Readonly<Record<string, string>> = {}) => ({
  'lavfi.r128.I': '-23.456',
  'lavfi.r128.LRA': '4.160',
  'lavfi.r128.LRA.low': '-30.100',
  'lavfi.r128.LRA.high': '-25.940',
  'lavfi.r128.true_peak': '0.500',
  ...more,
});

function loudnessOf(...frames: readonly FrameMetadata[]) {
  const loudness = new Loudness();
  for (const each of frames) loudness.add(each);
  const { integratedCentiLufs, rangeCentiLu, truePeakCentiDbtp } = loudness.fact(range);
  return [integratedCentiLufs, rangeCentiLu, truePeakCentiDbtp];
}

test('the last word on loudness counts, in hundredths', (t) => {
  t.deepEqual(loudnessOf(frame(heard({ 'lavfi.r128.I': '-1' })), frame(heard(), 4800, 1)), [-2346, 416, -602]);
  t.deepEqual(loudnessOf(frame(heard({ 'lavfi.r128.true_peak': '1.000' }))), [-2346, 416, 0]);
});

test('what could not be measured is null', (t) => {
  t.deepEqual(loudnessOf(), [null, null, null]);
  const quiet = { 'lavfi.r128.I': '-70.000', 'lavfi.r128.true_peak': '0.000' };
  const brief = { 'lavfi.r128.LRA': '0.000', 'lavfi.r128.LRA.low': '0.000', 'lavfi.r128.LRA.high': '0.000' };
  t.deepEqual(loudnessOf(frame(heard({ ...quiet, ...brief }))), [null, null, null]);
  t.deepEqual(loudnessOf(frame(heard(brief))), [-2346, null, -602]);
});

test('loudness without its values, or measured from anew on the way, is refused', (t) => {
  t.throws(() => loudnessOf(frame({ 'lavfi.r128.I': '-20' })), bad);
  t.throws(() => loudnessOf(frame(heard({ 'lavfi.r128.I': 'nan' }))), bad);
  t.throws(() => loudnessOf(frame(heard({ 'lavfi.r128.true_peak': '-3' }))), bad);
  t.throws(() => loudnessOf(frame(heard(), 0, 5), frame(heard(), 0, 0)), bad);
});
