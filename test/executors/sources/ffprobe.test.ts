import { copyFile, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import test from 'ava';
import { convert, ffmpeg } from '../evidence/media-for-tests.ts';
import { kindsOf, openProbeBench, type ProbeBench } from './probe-for-tests.ts';

let bench: ProbeBench;

test.before(async () => {
  bench = await openProbeBench();
  await convert(bench.folder, 'base.mp4', [...ordinary, ...flagged]);
});

test.after.always(() => bench.close());

test.serial('an ordinary mp4 is measured whole, and the probe tells how far it has read', async (t) => {
  const read: [number, number][] = [];
  const onRead = (...measure: [number, number]) => read.push(measure);
  const { bitRate, ...found } = await bench.probe('base.mp4', {}, undefined, onRead);
  const [completed = 0, total] = read.at(-1) ?? [];
  t.is(total, 4000);
  t.true(Math.abs(completed - 4000) < 100, String(completed));
  t.true(bitRate !== null && bitRate > 10_000);
  t.deepEqual(found, {
    durationMs: 4000,
    durationSeconds: 4,
    containerNames: ['mov', 'mp4', 'm4a', '3gp', '3g2', 'mj2'],
    containerLongName: 'QuickTime / MOV',
    tracks: [
      {
        index: 0,
        type: 'video',
        codec: 'h264',
        durationMs: 4000,
        width: 320,
        height: 180,
        language: null,
        isCoverArt: false,
      },
      {
        index: 1,
        type: 'audio',
        codec: 'aac',
        durationMs: 4000,
        sampleRate: 44_100,
        channels: 1,
        language: null,
        isCoverArt: false,
      },
    ],
  });
});

// What a DV camera records: 720x576 and stereo at 48 kHz.
const dvWords = [
  '-s',
  '720x576',
  '-pix_fmt',
  'yuv420p',
  '-c:v',
  'dvvideo',
  '-c:a',
  'pcm_s16le',
  '-ar',
  '48000',
  '-ac',
  '2',
];

const ordinary: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['fast.mp4', ['-c', 'copy', '-movflags', '+faststart'], ['video:h264', 'audio:aac']],
  ['fragments.mp4', ['-c', 'copy', '-movflags', 'frag_keyframe+empty_moov'], ['video:h264', 'audio:aac']],
  ['film.mov', ['-c', 'copy', '-timecode', '01:00:00:00'], ['video:h264', 'audio:aac', 'data:unknown']],
  ['film.mkv', ['-c', 'copy'], ['video:h264', 'audio:aac']],
  [
    'film.webm',
    ['-c:v', 'libvpx', '-deadline', 'realtime', '-cpu-used', '8', '-c:a', 'libopus'],
    ['video:vp8', 'audio:opus'],
  ],
  ['film.avi', ['-c:v', 'mpeg4', '-c:a', 'mp3'], ['video:mpeg4', 'audio:mp3']],
  ['film.ts', ['-c', 'copy'], ['video:h264', 'audio:aac']],
  ['film.wmv', ['-c:v', 'wmv2', '-c:a', 'wmav2'], ['video:wmv2', 'audio:wmav2']],
  ['sound.m4a', ['-map', '0:a', '-c', 'copy'], ['audio:aac']],
  ['sound.aac', ['-map', '0:a', '-c', 'copy'], ['audio:aac']],
  ['sound.mp3', ['-map', '0:a'], ['audio:mp3']],
  ['sound.wav', ['-map', '0:a'], ['audio:pcm_s16le']],
  ['sound.flac', ['-map', '0:a'], ['audio:flac']],
  ['sound.ogg', ['-map', '0:a', '-c:a', 'libvorbis'], ['audio:vorbis']],
  ['sound.aiff', ['-map', '0:a'], ['audio:pcm_s16be']],
  ['sound.au', ['-map', '0:a'], ['audio:pcm_s16be']],
  ['sound.wv', ['-map', '0:a'], ['audio:wavpack']],
  ['sound.tta', ['-map', '0:a'], ['audio:tta']],
  ['sound.dts', ['-map', '0:a', '-strict', '-2', '-ar', '48000', '-c:a', 'dca'], ['audio:dts']],
  ['film.mxf', ['-c:v', 'mpeg2video', '-c:a', 'pcm_s16le', '-ar', '48000'], ['video:mpeg2video', 'audio:pcm_s16le']],
  ['film.dv', dvWords, ['video:dvvideo', 'audio:pcm_s16le']],
  ['film-dv.avi', dvWords, ['video:dvvideo', 'audio:pcm_s16le']],
];

for (const [name, , kinds] of ordinary) {
  test.serial(`an ordinary ${name} passes`, async (t) => {
    const found = await bench.probe(name);
    t.deepEqual([...kindsOf(found)].sort(), [...kinds].sort());
    t.true(Math.abs(found.durationMs - 4000) < 100, String(found.durationMs));
    t.is(found.durationSeconds, found.durationMs / 1000);
    t.is(found.incomplete, undefined);
  });
}

for (const [name, tools] of [
  // Its header says which tracks hold packets.
  ['fast.mp4', ['ffmpeg', 'ffprobe']],
  ['film.mkv', ['ffmpeg', 'ffprobe', 'ffprobe']],
  ['sound.mp3', ['ffmpeg', 'ffprobe']],
  ['sound.wav', ['ffmpeg', 'ffprobe']],
] as const) {
  test.serial(`no more tools are started for ${name} than its tracks need`, async (t) => {
    bench.started();
    await bench.probe(name);
    t.deepEqual(bench.started(), [...tools]);
  });
}

test.serial('a recording in WavPack counts to the end of its last block, whole and cut', async (t) => {
  await ffmpeg(bench.folder, '-f', 'lavfi', '-i', 'sine=frequency=440:duration=10.9', '-ar', '44100', 'long.wv');
  const whole = await bench.probe('long.wv');
  t.deepEqual([whole.durationMs, whole.incomplete], [10_900, undefined]);
  const bytes = await readFile(path.join(bench.folder, 'long.wv'));
  await writeFile(path.join(bench.folder, 'cut.wv'), bytes.subarray(0, Math.floor(bytes.length * 0.95)));
  const cut = await bench.probe('cut.wv');
  t.deepEqual([cut.durationMs, cut.incomplete?.cause, cut.incomplete?.statedMs], [10_000, 'ends_early', 10_900]);
});

test.serial('FLAC of few samples a second, in large blocks, counts to the end of its last block', async (t) => {
  const words = ['-ar', '8000', '-c:a', 'flac', '-frame_size', '4096'];
  await ffmpeg(bench.folder, '-f', 'lavfi', '-i', 'sine=frequency=440:duration=4.6', ...words, 'slow.flac');
  const { durationMs, incomplete } = await bench.probe('slow.flac');
  t.deepEqual([durationMs, incomplete], [4600, undefined]);
});

test.serial('a file needs no extension to be known', async (t) => {
  await copyFile(path.join(bench.folder, 'base.mp4'), path.join(bench.folder, '0a1b2c'));
  t.deepEqual(kindsOf(await bench.probe('0a1b2c')), ['video:h264', 'audio:aac']);
});

test.serial('cover art is told from moving pictures', async (t) => {
  const words = ['-map', '0:a', '-map', '1', '-c:v', 'mjpeg', '-disposition:v', 'attached_pic'];
  await ffmpeg(bench.folder, '-i', 'base.mp4', '-i', 'cover.png', ...words, 'cover.mp3');
  bench.started();
  const { tracks } = await bench.probe('cover.mp3');
  t.deepEqual(bench.started(), ['ffmpeg', 'ffprobe']);
  t.deepEqual(
    tracks.map(({ type, isCoverArt }) => [type, isCoverArt]),
    [
      ['audio', false],
      ['video', true],
    ],
  );
});

test.serial('a mkv with two languages keeps its tracks, their languages and their own durations', async (t) => {
  const inputs = ['base.mp4', 'base.mp4', 'lines.srt', 'lines.srt'].flatMap((name) => ['-i', name]);
  const maps = ['0:v', '0:a', '1:a', '2', '3'].flatMap((stream) => ['-map', stream]);
  const languages = ['a:0', 'a:1', 's:0', 's:1'].flatMap((stream, at) => [
    `-metadata:s:${stream}`,
    `language=${at % 2 === 0 ? 'kor' : 'eng'}`,
  ]);
  const copies = ['-c:v', 'copy', '-c:a', 'copy', '-c:s', 'srt'];
  await ffmpeg(bench.folder, ...inputs, ...maps, ...copies, ...languages, 'two.mkv');
  const { tracks } = await bench.probe('two.mkv');
  t.deepEqual(
    tracks.map(({ type, language }) => [type, language]),
    [
      ['video', null],
      ['audio', 'kor'],
      ['audio', 'eng'],
      ['subtitle', 'kor'],
      ['subtitle', 'eng'],
    ],
  );
  t.true(tracks.every(({ durationMs }) => durationMs !== null && Math.abs(durationMs - 3500) < 600));
});

const flagged = (
  [
    ['the first', ['default', '0'], [undefined, undefined]],
    ['the second', ['0', 'default'], [undefined, true]],
    ['both', ['default', 'default'], [undefined, undefined]],
    ['neither', ['0', '0'], [undefined, undefined]],
  ] as const
).map(([title, flags, expected]) => {
  const maps = ['-map', '0:v', '-map', '0:a', '-map', '0:a', '-c', 'copy'];
  const dispositions = flags.flatMap((flag, at) => [`-disposition:a:${at}`, flag]);
  return [`${title} flagged.mkv`, [...maps, ...dispositions], expected] as const;
});

for (const [name, , expected] of flagged) {
  test.serial(`the default flag of audio tracks is recorded where the first lacks it: ${name}`, async (t) => {
    const { tracks } = await bench.probe(name);
    t.deepEqual(
      tracks.filter(({ type }) => type === 'audio').map(({ isDefault }) => isDefault),
      [...expected],
    );
    t.true(tracks.every((track) => !('isDefault' in track) || track.type === 'audio'));
  });
}

for (const [name, codec] of [
  ['empty-track.mp4', 'aac'],
  ['empty-track.mkv', 'libopus'],
] as const) {
  test.serial(`an audio track without packets in ${name} is no track`, async (t) => {
    const silence = ['-f', 'lavfi', '-i', 'sine=d=4', '-map', '0:v', '-map', '1:a', '-filter:a', 'aselect=0'];
    await ffmpeg(bench.folder, '-i', 'base.mp4', ...silence, '-c:v', 'copy', '-c:a', codec, name);
    t.deepEqual(kindsOf(await bench.probe(name)), ['video:h264']);
  });
}

for (const name of ['-i.mp4', 'a%d.mp4', 'http:x.mp4', 'new\nline.mp4', `quo'te".mp4`, '한글 🎬.mp4', '$(id).mp4']) {
  test.serial(`a file called ${JSON.stringify(name)} is only a name`, async (t) => {
    await copyFile(path.join(bench.folder, 'base.mp4'), path.join(bench.folder, name));
    t.is((await bench.probe(name)).durationMs, 4000);
  });
}
