import { createHash } from 'node:crypto';
import path from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { StoredObject } from '../../../contract/base/stored-object.ts';
import type { KeyframeFact } from '../../../contract/evidence/evidence-object.ts';
import { furtherArtifact } from '../../../contract/evidence/further-evidence.ts';
import { DetectionFailure } from '../../../executors/detector/detection-failure.ts';
import { detectRange } from '../../../executors/evidence/detect.ts';
import { JpegStream, jpegSize } from '../../../executors/evidence/jpeg-stream.ts';
import { type DetectionBench, openDetectionBench, sourceContentId } from './detection-for-tests.ts';

let bench: DetectionBench;
let film: string;

const limits = {
  ...{ wallMs: 60_000, cpuSeconds: 60, fileSizeBytes: 1e7, stdoutBytes: 1e5, stderrBytes: 1e5 },
  memoryBytes: 1 << 30,
};

/** Three shots of drawn pictures (0, 3 and 14 s to 14.4 s) whose pixels are wider than high. */
test.before(async () => {
  bench = await openDetectionBench();
  film = path.join(bench.folder, 'shots.mkv');
  const shots = [
    'testsrc2=s=160x120:r=10:d=3',
    'mandelbrot=s=160x120:r=10,trim=duration=11',
    'smptebars=s=160x120:r=10:d=0.4',
  ];
  const graph = `${shots.map((shot, at) => `${shot},setsar=2,format=yuv420p[s${at}]`).join(';')};[s0][s1][s2]concat=n=3`;
  await bench.launcher.run({
    tool: bench.ffmpeg.path,
    args: ['-v', 'error', '-f', 'lavfi', '-i', `${graph},setsar=2`, '-c:v', 'libx264', '-preset', 'ultrafast', film],
    limits,
    signal: new AbortController().signal,
  });
});

test.after.always(() => bench.close());

async function keyframesOf(t: ExecutionContext, [startMs, endMs]: readonly [number, number], of: string = film) {
  const objects: StoredObject[] = [];
  const { further } = await detectRange(bench, {
    ...{ path: of, sourceContentId, range: { startMs, endMs }, audioTrackIndex: null, videoTrackIndex: 0 },
    signal: new AbortController().signal,
    keep: async (object) => void objects.push(object),
  });
  const artifact = further.find(({ kind }) => kind === 'keyframes');
  t.deepEqual(furtherArtifact.parse(artifact), artifact);
  return { facts: (artifact?.facts ?? []) as KeyframeFact[], objects };
}

test('each shot of a film has a keyframe, and a long one has more', async (t) => {
  const { facts, objects } = await keyframesOf(t, [0, 14_400]);
  t.deepEqual(
    facts.map(({ startMs, endMs, atMs }) => [startMs, endMs, atMs]),
    [
      [0, 3000, 1400],
      [3000, 13_000, 8000],
      [14_000, 14_400, 14_200],
    ],
  );
  t.is(objects.length, facts.length);
  for (const [at, fact] of facts.entries()) {
    const { contentId, bytes } = objects[at] ?? { contentId: '', bytes: new Uint8Array() };
    t.is(contentId, `sha256:${createHash('sha256').update(bytes).digest('hex')}`);
    t.deepEqual([fact.index, fact.contentId, fact.bytes], [at, contentId, bytes.length]);
    // Square pixels, of the height that the film has.
    t.deepEqual([fact.width, fact.height], [320, 120]);
    t.deepEqual(jpegSize(bytes), { width: 320, height: 120 });
  }
});

test('the keyframes of a film that a telephone recorded upright stand upright, and its cuts are where they were', async (t) => {
  const upright = path.join(bench.folder, 'upright.mov');
  await bench.launcher.run({
    tool: bench.ffmpeg.path,
    args: ['-v', 'error', '-i', film, '-c', 'copy', '-metadata:s:v:0', 'rotate=90', upright],
    limits,
    signal: new AbortController().signal,
  });
  const { facts, objects } = await keyframesOf(t, [0, 14_400], upright);
  // Square pixels, of the width that the turned film has: its pixels are higher than wide.
  t.deepEqual(
    facts.map(({ startMs, endMs, width, height }) => [startMs, endMs, width, height]),
    [
      [0, 3000, 60, 160],
      [3000, 13_000, 60, 160],
      [14_000, 14_400, 60, 160],
    ],
  );
  t.deepEqual(jpegSize(objects[0]?.bytes ?? new Uint8Array()), { width: 60, height: 160 });
});

test('a part of a film has the keyframes of that part alone', async (t) => {
  const { facts } = await keyframesOf(t, [2550, 3350]);
  t.deepEqual(
    facts.map(({ startMs, endMs, atMs }) => [startMs, endMs, atMs]),
    [
      [2550, 3000, 2800],
      [3000, 3350, 3200],
    ],
  );
});

test('the pass fails when a keyframe cannot be kept, for that reason', async (t) => {
  const full = new Error('the disk is full');
  const working = detectRange(bench, {
    ...{ path: film, sourceContentId, range: { startMs: 0, endMs: 5000 }, audioTrackIndex: null, videoTrackIndex: 0 },
    signal: new AbortController().signal,
    keep: () => Promise.reject(full),
  });
  t.is(await t.throwsAsync(working), full);
});

const bad = { instanceOf: DetectionFailure, message: /^tool_output: / };

test('what is no JPEG, or is framed otherwise, is refused', async (t) => {
  for (const bytes of [[], [0xff, 0xd8], [0xff, 0xd8, 0xff, 0xc0, 0, 11, 8, 0, 0, 0, 0]]) {
    t.throws(() => jpegSize(Uint8Array.from(bytes)), bad);
  }
  const stream = () => new JpegStream(0, () => undefined);
  await t.throwsAsync(stream().write(Buffer.alloc(200, 'x')), bad);
  const head = (bytes: number) =>
    Buffer.from(`--ffmpeg\r\nContent-type: image/jpeg\r\nContent-length: ${bytes}\r\n\r\n`);
  await t.throwsAsync(stream().write(head(99_999_999)), bad);
  const cut = stream();
  await cut.write(Buffer.concat([head(10), Buffer.alloc(5)]));
  t.throws(() => cut.end(), bad);
  const timeless = stream();
  await timeless.write(Buffer.concat([head(4), Buffer.alloc(4), Buffer.from('\r\n--ffmpeg\r\n')]));
  t.throws(() => timeless.end(), bad);
});
