import path from 'node:path';
import test from 'ava';
import { regionSound } from '../../../executors/recognition/region-sound.ts';
import { type DetectionBench, openDetectionBench } from '../evidence/detection-for-tests.ts';
import { ffmpeg } from '../evidence/media-for-tests.ts';

let bench: DetectionBench;

test.before(async () => {
  bench = await openDetectionBench();
  // The sound begins a second behind the picture, and has a tone one second later.
  const picture = ['-f', 'lavfi', '-i', 'testsrc=s=160x90:r=25:d=6'];
  const tone = ['-f', 'lavfi', '-i', 'aevalsrc=0.3*sin(2*PI*440*t)*between(t\\,1\\,2):s=48000:d=4'];
  const late = ['-filter_complex', '[1]asetpts=PTS+1/TB[late]', '-map', '0', '-map', '[late]'];
  const coded = ['-pix_fmt', 'yuv420p', '-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'mp2'];
  await ffmpeg(bench.folder, ...picture, ...tone, ...late, ...coded, 'late.ts');
  await ffmpeg(bench.folder, '-i', 'late.ts', '-map', '0', '-c', 'copy', 'late.mkv');
});

test.after.always(() => bench.close());

/** The loud samples of the first four seconds of a file, each with its place in the sound. */
async function loudSamples(name: string, videoTrackIndex: number | null): Promise<readonly number[]> {
  const sound = await regionSound(bench, {
    ...{ path: path.join(bench.folder, name), audioTrackIndex: 1, videoTrackIndex },
    region: { startMs: 0, endMs: 4000 },
    signal: new AbortController().signal,
  });
  const samples = new Int16Array(sound.buffer, sound.byteOffset, sound.length / 2);
  return [...samples.keys()].filter((at) => Math.abs(samples[at] ?? 0) > 2000);
}

/** From when to when a file is loud, in tenths of a second. */
async function loudIn(name: string, videoTrackIndex: number | null): Promise<readonly number[]> {
  const loud = await loudSamples(name, videoTrackIndex);
  return [loud[0], loud.at(-1)].map((at) => Math.round((at ?? Number.NaN) / 1600));
}

test('the sound of a region of a transport stream counts from the first picture, as what was detected there does', async (t) => {
  t.deepEqual(await loudIn('late.mkv', 0), [20, 30]);
  t.deepEqual(await loudIn('late.ts', 0), [20, 30]);
});

test('where there is no picture it counts from the first sound', async (t) => {
  t.deepEqual(await loudIn('late.ts', null), [10, 20]);
});

test('bug: the first sound of a Matroska file with a picture was not recognised', async (t) => {
  const picture = ['-f', 'lavfi', '-i', 'testsrc=s=160x90:r=25:d=2'];
  const click = ['-f', 'lavfi', '-i', 'aevalsrc=0.6*sin(2*PI*1000*t)*between(t\\,0\\,0.01):s=48000:d=2'];
  const coded = ['-pix_fmt', 'yuv420p', '-c:v', 'libx264', '-preset', 'ultrafast'];
  for (const codec of ['aac', 'libopus', 'libmp3lame']) {
    const name = `${codec}.mkv`;
    await ffmpeg(bench.folder, ...picture, ...click, ...coded, '-c:a', codec, name);
    // Each codec begins a little late; the tone of 10 ms is there from its first wave to its last.
    const loud = await loudSamples(name, 0);
    const [first = Number.NaN, last = Number.NaN] = [loud[0], loud.at(-1)];
    t.true(first < 400 && last - first > 140 && last - first < 170, `${codec} ${first} ${last}`);
  }
});
