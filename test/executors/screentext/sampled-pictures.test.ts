import path from 'node:path';
import test from 'ava';
import { type SampleRequest, sampledPictures } from '../../../executors/screentext/sampled-pictures.ts';
import { type DetectionBench, openDetectionBench, watched } from '../evidence/detection-for-tests.ts';
import { ffmpeg } from '../evidence/media-for-tests.ts';

let bench: DetectionBench;

test.before(async () => {
  bench = await openDetectionBench();
  // One key frame in ten seconds: where a transport stream is entered, the next one may be far away.
  const picture = ['-f', 'lavfi', '-i', 'testsrc=s=160x90:r=10:d=26', '-pix_fmt', 'yuv420p'];
  const rare = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '100', '-sc_threshold', '0'];
  await ffmpeg(bench.folder, ...picture, ...rare, 'rare.ts');
  await ffmpeg(bench.folder, '-i', 'rare.ts', '-c', 'copy', 'rare.mkv');
});

test.after.always(() => bench.close());

async function sampled(name: string, [startMs, endMs]: readonly [number, number], deps = watched(bench.launcher)) {
  const request: SampleRequest = {
    ...{ path: path.join(bench.folder, name), videoTrackIndex: 0, window: { startMs, endMs }, keyframesMs: [] },
    signal: new AbortController().signal,
  };
  const pictures = await sampledPictures({ launcher: deps.launcher, ffmpeg: bench.ffmpeg }, request);
  return { pictures, runs: deps.requests.length };
}

test('no picture is missing in a window that begins far behind a key frame of a transport stream', async (t) => {
  const { pictures } = await sampled('rare.ts', [17_000, 22_000]);
  const { pictures: others } = await sampled('rare.mkv', [17_000, 22_000]);
  t.deepEqual(
    pictures.map(({ atMs }) => atMs),
    [17_000, 18_000, 19_000, 20_000, 21_000],
  );
  t.deepEqual(
    pictures.map(({ pixels }) => pixels),
    others.map(({ pixels }) => pixels),
  );
});

test('a container that can be entered in the middle is decoded once', async (t) => {
  t.is((await sampled('rare.mkv', [17_000, 22_000])).runs, 1);
  t.is((await sampled('rare.ts', [0, 3000])).runs, 1);
});

test('a window behind the last picture has none, and is not looked for from the start', async (t) => {
  const { pictures, runs } = await sampled('rare.mkv', [100_000, 103_000]);
  t.deepEqual(pictures, []);
  t.is(runs, 2);
});
