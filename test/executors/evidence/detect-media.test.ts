import { createCipheriv } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import test from 'ava';
import { sampleMedia } from '../../../fixtures/sample/gold.ts';
import { failureOf } from '../process/launcher-for-tests.ts';
import {
  artifactOf,
  cutsOf,
  type DetectionBench,
  detect,
  openDetectionBench,
  spansOf,
  statesOf,
  watched,
} from './detection-for-tests.ts';
import { ffmpeg } from './media-for-tests.ts';

let bench: DetectionBench;

const SOUND = ['-f', 'lavfi', '-i', 'aevalsrc=0.3*sin(2*PI*440*t)*between(t\\,2\\,4):s=44100:d=6'];
const RED = ['-f', 'lavfi', '-i', 'color=red:s=160x90:r=25:d=3'];
const WHITE = ['-f', 'lavfi', '-i', 'color=white:s=160x90:r=25:d=3'];
const X264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];
// The tone sounds from 2 to 4 s, the cut is at 3 s.
const TONE: readonly [number, number] = [2000, 4000];
const CUT = 3000;

test.before(async () => {
  bench = await openDetectionBench();
  const { folder } = bench;
  const both = ['-filter_complex', '[1][2]concat=n=2:v=1,format=yuv420p[v]', '-map', '[v]', '-map', '0:a'];
  await ffmpeg(folder, ...SOUND, ...RED, ...WHITE, ...both, ...X264, '-c:a', 'aac', 'film.mp4');
});

test.after.always(() => bench.close());

const SOUND_ONLY = { audioTrackIndex: 0, videoTrackIndex: null };
const PICTURE_ONLY = { audioTrackIndex: null, videoTrackIndex: 0 };
const file = (name: string): string => path.join(bench.folder, name);
const from = (name: string, ...args: readonly string[]) => ffmpeg(bench.folder, '-i', 'film.mp4', ...args, name);

/** The silences beside the one tone, each within the tolerance. */
function besideTone(
  t: Parameters<typeof artifactOf>[0],
  silences: readonly (readonly [number, number])[],
  end: number,
  by: number,
) {
  t.is(silences.length, 2);
  const [[start = 0, toneStart = 0] = [], [toneEnd = 0, last = 0] = []] = silences;
  t.is(start, 0);
  t.true(Math.abs(toneStart - TONE[0]) <= by, `the tone begins at ${toneStart} ms`);
  t.true(Math.abs(toneEnd - TONE[1]) <= by, `the tone ends at ${toneEnd} ms`);
  t.true(last <= end);
}

test('an FLV whose tracks begin a little late is measured from its start on', async (t) => {
  const sounds = ['-f', 'lavfi', '-i', 'sine=d=6'];
  const cut = ['-filter_complex', '[1][2]concat=n=2:v=1,format=yuv420p[v]', '-map', '[v]', '-map', '0:a'];
  // Pictures that are shown in another order than they are stored in come late, by two frames.
  const late = ['-c:v', 'libx264', '-preset', 'ultrafast', '-bf', '2', '-b_strategy', '0', '-c:a', 'aac'];
  await ffmpeg(bench.folder, ...sounds, ...RED, ...WHITE, ...cut, ...late, 'late.flv');
  const found = await detect(bench, file('late.flv'), [0, 6000]);
  const [at = 0, ...others] = cutsOf(artifactOf(t, found, 'shot_changes'));
  t.true(Math.abs(at - CUT) <= 100, `the cut is at ${at} ms`);
  t.deepEqual(others, []);
  t.deepEqual(spansOf(artifactOf(t, found, 'silence'), 'silence'), []);
});

test('media without a picture is heard', async (t) => {
  await from('sound.m4a', '-vn', '-c', 'copy');
  const found = await detect(bench, file('sound.m4a'), [0, 6000], SOUND_ONLY);
  t.deepEqual(statesOf(found), [
    ['speech_activity', 'available'],
    ['silence', 'available'],
    ['loudness', 'available'],
    ['shot_changes', 'no_video_track'],
  ]);
  besideTone(t, spansOf(artifactOf(t, found, 'silence'), 'silence'), 6000, 30);
  t.deepEqual(spansOf(artifactOf(t, found, 'speech_activity'), 'speech_window'), []);
});

test('sound of one channel that its decoder does not name (TTA) is heard as any other', async (t) => {
  await from('sound.tta', '-vn', '-c:a', 'tta');
  const found = await detect(bench, file('sound.tta'), [0, 6000], SOUND_ONLY);
  besideTone(t, spansOf(artifactOf(t, found, 'silence'), 'silence'), 6000, 30);
  const loudness = (each: typeof found) => artifactOf(t, each, 'loudness').facts;
  await from('same.wav', '-vn', '-c:a', 'pcm_s16le');
  t.deepEqual(loudness(found), loudness(await detect(bench, file('same.wav'), [0, 6000], SOUND_ONLY)));
});

test('media without sound is seen', async (t) => {
  await from('picture.mp4', '-an', '-c', 'copy');
  const found = await detect(bench, file('picture.mp4'), [0, 6000], PICTURE_ONLY);
  t.deepEqual(statesOf(found), [
    ['speech_activity', 'no_audio_track'],
    ['silence', 'no_audio_track'],
    ['loudness', 'no_audio_track'],
    ['shot_changes', 'available'],
  ]);
  t.deepEqual(cutsOf(artifactOf(t, found, 'shot_changes')), [CUT]);
});

test('without any track nothing is run', async (t) => {
  const ffmpegThatIsGone = { ...bench.ffmpeg, path: file('no-such-tool') };
  const none = { audioTrackIndex: null, videoTrackIndex: null };
  const found = await detect({ ...bench, ffmpeg: ffmpegThatIsGone }, file('film.mp4'), [0, 6000], none);
  t.deepEqual(statesOf(found), [
    ['speech_activity', 'no_audio_track'],
    ['silence', 'no_audio_track'],
    ['loudness', 'no_audio_track'],
    ['shot_changes', 'no_video_track'],
  ]);
});

test('a cover on a piece of music is never looked at', async (t) => {
  const { folder } = bench;
  await ffmpeg(folder, '-f', 'lavfi', '-i', 'color=red:s=64x64', '-frames:v', '1', 'cover.png');
  const covered = ['-map', '0', '-map', '1', '-c:v', 'copy', '-c:a', 'libmp3lame', '-disposition:v', 'attached_pic'];
  await ffmpeg(folder, ...SOUND, '-i', 'cover.png', ...covered, 'song.mp3');
  const found = await detect(bench, file('song.mp3'), [0, 6000], SOUND_ONLY);
  t.is(statesOf(found)[3]?.[1], 'no_video_track');
  besideTone(t, spansOf(artifactOf(t, found, 'silence'), 'silence'), 6000, 60);
});

for (const [name, args] of [
  ['a transport stream, whose clock starts late', ['film.ts', '-c', 'copy']],
  ['Matroska, whose clock counts milliseconds', ['film.mkv', '-c', 'copy']],
  ['Matroska that starts late', ['late.mkv', '-c', 'copy', '-output_ts_offset', '5.5']],
  ['AVI with PCM', ['film.avi', '-c:v', 'mpeg4', '-c:a', 'pcm_s16le']],
] as const) {
  test(`times count from the start of ${name}`, async (t) => {
    const [target, ...options] = args;
    await from(target, ...options);
    for (const [startMs, endMs] of [
      [0, 5500],
      [2500, 3501],
    ] as const) {
      const tracks = { audioTrackIndex: 1, videoTrackIndex: 0 };
      const found = await detect(bench, file(target), [startMs, endMs], tracks);
      const [cut = 0, ...more] = cutsOf(artifactOf(t, found, 'shot_changes'));
      t.is(more.length, 0);
      // Sound may begin a frame before the picture, which moves the start of the container.
      t.true(Math.abs(cut - CUT) <= 40, `the cut is at ${cut} ms`);
      const silences = spansOf(artifactOf(t, found, 'silence'), 'silence');
      if (startMs === 0) besideTone(t, silences, endMs, 60);
      else t.deepEqual(silences, []);
      t.is(artifactOf(t, found, 'speech_activity').input.derivedAudio?.samples, (endMs - startMs) * 16);
    }
  });
}

test('a container that can be entered in the middle is decoded once', async (t) => {
  const { launcher, requests } = watched(bench.launcher);
  await detect({ ...bench, launcher }, sampleMedia, [30_000, 31_000]);
  t.is(requests.length, 1);
});

test('sound that begins after the picture keeps its place', async (t) => {
  await ffmpeg(
    bench.folder,
    '-i',
    'film.mp4',
    '-itsoffset',
    '1',
    '-i',
    'film.mp4',
    '-map',
    '0:v',
    '-map',
    '1:a',
    '-c',
    'copy',
    'late-sound.mp4',
  );
  for (const range of [
    [0, 6000],
    [500, 6000],
  ] as const) {
    const found = await detect(bench, file('late-sound.mp4'), range);
    const [[start = 0, toneStart = 0] = []] = spansOf(artifactOf(t, found, 'silence'), 'silence');
    t.is(start, range[0]);
    t.true(Math.abs(toneStart - 3000) <= 30, `the tone begins at ${toneStart} ms`);
  }
});

test('sound that ends before the picture leaves the rest of the range without speech', async (t) => {
  await ffmpeg(
    bench.folder,
    '-i',
    'film.mp4',
    '-t',
    '2.5',
    '-i',
    'film.mp4',
    '-map',
    '0:v',
    '-map',
    '1:a',
    '-c',
    'copy',
    'brief-sound.mp4',
  );
  const found = await detect(bench, file('brief-sound.mp4'), [0, 6000]);
  const { input, facts } = artifactOf(t, found, 'speech_activity');
  t.true((input.derivedAudio?.samples ?? 0) < 2600 * 16);
  t.deepEqual(
    facts.map((fact) => fact.kind === 'non_speech_window' && fact.endMs),
    [6000],
  );
});

test('sound that changes its channels on the way is measured as a whole', async (t) => {
  const { folder } = bench;
  const tone = (channels: string, ...more: readonly string[]) =>
    ffmpeg(folder, ...SOUND, '-ac', channels, '-c:a', 'aac', '-f', 'mpegts', ...more);
  await tone('1', 'mono.ts');
  await tone('2', '-output_ts_offset', '6', 'stereo.ts');
  await ffmpeg(folder, '-i', 'concat:mono.ts|stereo.ts', '-c', 'copy', 'change.ts');
  const found = await detect(bench, file('change.ts'), [0, 12_000], SOUND_ONLY);
  t.is(artifactOf(t, found, 'speech_activity').input.derivedAudio?.samples, 12_000 * 16);
  const silences = spansOf(artifactOf(t, found, 'silence'), 'silence').flat();
  t.is(silences.length, 6);
  for (const [at, ms] of [0, 2000, 4000, 8000, 10_000, 12_000].entries()) {
    t.true(Math.abs((silences[at] ?? -1) - ms) <= 60, `${silences[at]} ms`);
  }
});

test('a flash is no change of shot, and a slow dissolve none', async (t) => {
  const { folder } = bench;
  const flash = "[0]drawbox=color=white:t=fill:enable='between(n,30,31)',format=yuv420p[v]";
  await ffmpeg(folder, ...RED, '-filter_complex', flash, '-map', '[v]', ...X264, 'flash.mp4');
  t.deepEqual(
    cutsOf(artifactOf(t, await detect(bench, file('flash.mp4'), [0, 3000], PICTURE_ONLY), 'shot_changes')),
    [],
  );
  const dissolve = '[0][1]xfade=duration=1.5:offset=1,format=yuv420p[v]';
  await ffmpeg(folder, ...RED, ...WHITE, '-filter_complex', dissolve, '-map', '[v]', ...X264, 'dissolve.mp4');
  t.deepEqual(
    cutsOf(artifactOf(t, await detect(bench, file('dissolve.mp4'), [0, 4000], PICTURE_ONLY), 'shot_changes')),
    [],
  );
});

test('a digital silence has no loudness', async (t) => {
  await ffmpeg(bench.folder, '-f', 'lavfi', '-i', 'anullsrc=r=48000:cl=stereo', '-t', '4', 'nothing.wav');
  const found = await detect(bench, file('nothing.wav'), [0, 4000], SOUND_ONLY);
  t.deepEqual(artifactOf(t, found, 'loudness').facts, [
    {
      kind: 'loudness',
      startMs: 0,
      endMs: 4000,
      integratedCentiLufs: null,
      rangeCentiLu: null,
      truePeakCentiDbtp: null,
    },
  ]);
  t.deepEqual(spansOf(artifactOf(t, found, 'silence'), 'silence'), [[0, 4000]]);
});

test('loudness is measured as the standard prescribes', async (t) => {
  // EBU Tech 3341, case 1: a stereo sine of 1 kHz at -23 dBFS measures -23 LUFS.
  const sine = `aevalsrc=${Array(2)
    .fill(`${10 ** (-23 / 20)}*sin(2*PI*1000*t)`)
    .join('|')}:s=48000:d=20`;
  await ffmpeg(bench.folder, '-f', 'lavfi', '-i', sine, 'standard.wav');
  const [fact] = artifactOf(t, await detect(bench, file('standard.wav'), [0, 20_000], SOUND_ONLY), 'loudness').facts;
  if (fact?.kind !== 'loudness') throw new Error('no loudness');
  t.true(Math.abs((fact.integratedCentiLufs ?? 0) + 2300) <= 10);
  t.true(Math.abs((fact.truePeakCentiDbtp ?? 0) + 2300) <= 10);
  t.is(fact.rangeCentiLu, 0);
});

test('sound of which more than a tenth cannot be decoded is a closed failure', async (t) => {
  await from('damaged.m4a', '-vn', '-c:a', 'aac', '-b:a', '128k');
  const bytes = await readFile(file('damaged.m4a'));
  const start = bytes.indexOf('mdat') + 2000;
  // The keystream of a fixed key: noise, and the same on every run.
  const noise = createCipheriv('aes-128-ctr', Buffer.alloc(16, 7), Buffer.alloc(16));
  noise.update(Buffer.alloc(Math.floor(bytes.length / 2))).copy(bytes, start);
  await writeFile(file('damaged.m4a'), bytes);
  t.is((await failureOf(t, detect(bench, file('damaged.m4a'), [0, 6000], SOUND_ONLY))).reason, 'tool_exit');
});

test('a track that the file does not have is a closed failure without a path', async (t) => {
  const failure = await t.throwsAsync(
    detect(bench, sampleMedia, [0, 1000], { audioTrackIndex: 9, videoTrackIndex: null }),
  );
  t.regex(failure?.message ?? '', /^tool_exit: [^/]+$/);
});
