import { copyFile, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import test from 'ava';
import { madeMedia, placeMedia } from '../../media/made-media.ts';
import { base, drawn, ofBase, quickH264, redPicture } from '../../media/recipes.ts';
import { ffmpeg } from '../evidence/media-for-tests.ts';
import { kindsOf, openProbeBench, refused, twoLines } from './probe-for-tests.ts';

const bench = await openProbeBench();
test.after.always(() => bench.close());

test.before(async () => {
  const shifted = late.map(
    ({ file, words, seconds }) => [file, [...words, '-output_ts_offset', `${seconds}`]] as const,
  );
  await bench.place([...ordinary, ...flagged, ...recorded, ...shifted, ...others]);
});

// In turn: some tests count the tools that were started since the last look.
test.serial('an ordinary mp4 is measured whole, and the probe tells how far it has read', async (t) => {
  const plain = { language: null, isCoverArt: false };
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
      { index: 0, type: 'video', codec: 'h264', durationMs: 4000, width: 320, height: 180, ...plain },
      { index: 1, type: 'audio', codec: 'aac', durationMs: 4000, sampleRate: 44_100, channels: 1, ...plain },
    ],
  });
});

// The format of a DV camera: 720x576 and stereo at 48 kHz.
const dvWords = [
  ...['-s', '720x576', '-pix_fmt', 'yuv420p', '-c:v', 'dvvideo'],
  ...['-c:a', 'pcm_s16le', '-ar', '48000', '-ac', '2'],
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
  // Its header lists the tracks that hold packets.
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
  const words = [...drawn('sine=frequency=440:duration=10.9'), '-ar', '44100'];
  const long = await madeMedia({ words, extension: 'wv' });
  const whole = await bench.probe(long);
  t.deepEqual([whole.durationMs, whole.incomplete], [10_900, undefined]);
  const bytes = await readFile(long);
  await writeFile(path.join(bench.folder, 'cut.wv'), bytes.subarray(0, Math.floor(bytes.length * 0.95)));
  const cut = await bench.probe('cut.wv');
  t.deepEqual([cut.durationMs, cut.incomplete?.cause, cut.incomplete?.statedMs], [10_000, 'ends_early', 10_900]);
});

test.serial('FLAC of few samples a second, in large blocks, counts to the end of its last block', async (t) => {
  const coded = ['-ar', '8000', '-c:a', 'flac', '-frame_size', '4096'];
  const words = [...drawn('sine=frequency=440:duration=4.6'), ...coded];
  const { durationMs, incomplete } = await bench.probe(await madeMedia({ words, extension: 'flac' }));
  t.deepEqual([durationMs, incomplete], [4600, undefined]);
});

test.serial('a file needs no extension to be known', async (t) => {
  await copyFile(path.join(bench.folder, 'base.mp4'), path.join(bench.folder, '0a1b2c'));
  t.deepEqual(kindsOf(await bench.probe('0a1b2c')), ['video:h264', 'audio:aac']);
});

test.serial('cover art is not taken for moving pictures', async (t) => {
  const words = ['-map', '0:a', '-map', '1', '-c:v', 'mjpeg', '-disposition:v', 'attached_pic'];
  const inputs = { 'base.mp4': base, 'cover.png': redPicture };
  const song = await madeMedia({ words: ['-i', 'base.mp4', '-i', 'cover.png', ...words], extension: 'mp3', inputs });
  bench.started();
  const { tracks } = await bench.probe(song);
  t.deepEqual(bench.started(), ['ffmpeg', 'ffprobe']);
  const kinds = tracks.map(({ type, isCoverArt }) => [type, isCoverArt]);
  t.deepEqual(kinds, [
    ['audio', false],
    ['video', true],
  ]);
});

test.serial('a mkv with two languages keeps its tracks, their languages and their own durations', async (t) => {
  const inputs = ['base.mp4', 'base.mp4', 'lines.srt', 'lines.srt'].flatMap((name) => ['-i', name]);
  const maps = ['0:v', '0:a', '1:a', '2', '3'].flatMap((stream) => ['-map', stream]);
  const languages = ['a:0', 'a:1', 's:0', 's:1'].flatMap((stream, at) => [
    `-metadata:s:${stream}`,
    `language=${at % 2 === 0 ? 'kor' : 'eng'}`,
  ]);
  const copies = ['-c:v', 'copy', '-c:a', 'copy', '-c:s', 'srt'];
  const words = [...inputs, ...maps, ...copies, ...languages];
  const two = { words, extension: 'mkv', inputs: { 'base.mp4': base, 'lines.srt': twoLines } };
  const { tracks } = await bench.probe(await madeMedia(two));
  const kinds = tracks.map(({ type, language }) => [type, language]);
  t.deepEqual(kinds, [
    ['video', null],
    ['audio', 'kor'],
    ['audio', 'eng'],
    ['subtitle', 'kor'],
    ['subtitle', 'eng'],
  ]);
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
  test.serial(`the default flag of audio is recorded where the first lacks it: ${name}`, async (t) => {
    const { tracks } = await bench.probe(name);
    const defaults = tracks.filter(({ type }) => type === 'audio').map(({ isDefault }) => isDefault);
    t.deepEqual(defaults, [...expected]);
    t.true(tracks.every((track) => !('isDefault' in track) || track.type === 'audio'));
  });
}

for (const [name, codec] of [
  ['empty-track.mp4', 'aac'],
  ['empty-track.mkv', 'libopus'],
] as const) {
  test.serial(`an audio track without packets in ${name} does not count`, async (t) => {
    const silence = [...drawn('sine=d=4'), '-map', '0:v', '-map', '1:a', '-filter:a', 'aselect=0'];
    const words = [...silence, '-c:v', 'copy', '-c:a', codec];
    await placeMedia(bench.folder, { [name]: ofBase(path.extname(name).slice(1), words) });
    t.deepEqual(kindsOf(await bench.probe(name)), ['video:h264']);
  });
}

for (const name of ['-i.mp4', 'a%d.mp4', 'http:x.mp4', 'new\nline.mp4', `quo'te".mp4`, '한글 🎬.mp4', '$(id).mp4']) {
  test.serial(`a file called ${JSON.stringify(name)} is only a name`, async (t) => {
    await copyFile(path.join(bench.folder, 'base.mp4'), path.join(bench.folder, name));
    t.is((await bench.probe(name)).durationMs, 4000);
  });
}

// ffmpeg's first elementary stream in a transport stream; the bit that says that a picture begins is not set.
const PICTURE_PID = 0x0100;
const read = (name: string) => readFile(path.join(bench.folder, name));
const write = (name: string, bytes: Uint8Array) => writeFile(path.join(bench.folder, name), bytes);

async function cutTo(share: number, name: string, target: string): Promise<void> {
  const bytes = await read(name);
  await write(target, bytes.subarray(0, Math.floor(bytes.length * share)));
}

const recorded = [
  ['recorded.mkv', ['-c', 'copy']],
  ['recorded.mka', ['-map', '0:a', '-c', 'copy']],
  ['recorded.wav', ['-map', '0:a']],
  ['recorded.mp3', ['-map', '0:a']],
  ['recorded.flac', ['-map', '0:a']],
  ['recorded.mp4', ['-c', 'copy', '-movflags', '+faststart']],
] as const;

for (const [name] of recorded) {
  test.serial(`${name} cut at 90 percent is taken as far as it goes, with a note`, async (t) => {
    const { durationMs: wholeMs } = await bench.probe(name);
    await cutTo(0.9, name, `cut-${name}`);
    const { durationMs, incomplete, tracks } = await bench.probe(`cut-${name}`);
    t.is(incomplete?.cause, 'ends_early');
    t.true(Math.abs((incomplete?.statedMs ?? 0) - wholeMs) <= 25, String(incomplete?.statedMs));
    t.is(incomplete?.measuredMs, durationMs);
    t.true(durationMs > wholeMs * 0.8 && durationMs < wholeMs * 0.95, String(durationMs));
    t.true(tracks.every((track) => track.durationMs === null || track.durationMs <= durationMs));
  });
}

const others = [
  ['live.mkv', ['-c', 'copy', '-f', 'matroska', '-live', '1']],
  ['whole.ts', ['-map', '0:v', '-c:v', 'mpeg2video', '-q:v', '2']],
  ['first.ts', ['-t', '2', ...quickH264, '-c:a', 'aac', '-ac', '2']],
  ['clear.mp4', ['-map', '0:a', '-c:a', 'flac', '-strict', '-2', '-movflags', '+faststart']],
] as const;

test.serial('a wav that is cut between two packets is found out by the length in its header', async (t) => {
  const bytes = await read('recorded.wav');
  await write('even-cut.wav', bytes.subarray(0, bytes.indexOf('data') + 8 + 4096 * 77));
  const { incomplete } = await bench.probe('even-cut.wav');
  t.is(incomplete?.cause, 'ends_early');
});

test.serial('a recording without a stated length that breaks off is as long as its content', async (t) => {
  await cutTo(0.9, 'live.mkv', 'crashed.mkv');
  const { durationMs, incomplete } = await bench.probe('crashed.mkv');
  t.deepEqual(incomplete, { cause: 'ends_early', statedMs: null, measuredMs: durationMs });
  t.true(durationMs > 3200 && durationMs < 3800, String(durationMs));
});

test.serial('the advice in the refusal of a cut file makes a file that is accepted', async (t) => {
  await cutTo(0.5, 'recorded.mkv', 'half.mkv');
  const { message } = await refused(t, bench.probe('half.mkv'), 'container_damaged');
  t.regex(message, /"ffmpeg -i IN -c copy OUT.mkv"/);
  await ffmpeg(bench.folder, '-i', 'half.mkv', '-c', 'copy', 'rest.mkv');
  t.is((await bench.probe('rest.mkv')).incomplete, undefined);
});

test.serial('a transport stream with a gap of three packets in a picture is taken, with a note', async (t) => {
  const bytes = await read('whole.ts');
  // Five packets in a row that go on with a picture: none of them begins one.
  const isMiddle = (at: number) => bytes.readUInt16BE(at + 1) === PICTURE_PID;
  const run = [0, 1, 2, 3, 4].map((nth) => nth * 188);
  let lost = 188 * Math.floor(bytes.length / 2 / 188);
  while (!run.every((offset) => isMiddle(lost - 188 + offset))) lost += 188;
  await write('gap.ts', Buffer.concat([bytes.subarray(0, lost), bytes.subarray(lost + 3 * 188)]));
  const { durationMs, incomplete } = await bench.probe('gap.ts');
  t.true(Math.abs(durationMs - 4000) < 100, String(durationMs));
  t.deepEqual(incomplete, { cause: 'corrupt_packets', statedMs: null, measuredMs: durationMs });
});

for (const [what, words] of [
  ['from stereo to mono', ['-ac', '1']],
  ['the size of its picture', ['-s', '160x90', '-ac', '2']],
] as const) {
  test.serial(`a joined transport stream that changes ${what} is as long as both parts`, async (t) => {
    const from2s = ['-ss', '2', '-i', 'base.mp4', ...quickH264, '-c:a', 'aac', ...words];
    const second = await madeMedia({ words: from2s, extension: 'ts', inputs: { 'base.mp4': base } });
    await write('joined.ts', Buffer.concat([await read('first.ts'), await readFile(second)]));
    const found = await bench.probe('joined.ts');
    t.deepEqual(kindsOf(found), ['video:h264', 'audio:aac']);
    t.true(Math.abs(found.durationMs - 4050) < 150, String(found.durationMs));
  });
}

const late = (
  [
    ['late.mkv', ['-c', 'copy']],
    ['late.mp4', ['-c', 'copy']],
    ['late.webm', ['-c:v', 'libvpx', '-deadline', 'realtime', '-cpu-used', '8', '-c:a', 'libopus']],
  ] as const
).flatMap(([name, words]) => [1, 7].map((seconds) => ({ name, words, seconds, file: `${seconds}-${name}` })));

for (const { name, seconds, file } of late) {
  test.serial(`${name} whose clock begins at ${seconds} s is as long as what it holds`, async (t) => {
    const { durationMs, startOffsetMs, incomplete } = await bench.probe(file);
    t.true(Math.abs(durationMs - 4000) < 60, String(durationMs));
    t.true(Math.abs((startOffsetMs ?? 0) - seconds * 1000) < 60, String(startOffsetMs));
    t.is(incomplete, undefined);
  });
}

test.serial('a mp3 of varying bit rate without a table is as long as its frames', async (t) => {
  const graph = 'sine=440:d=4[a];anullsrc=d=16:r=44100[b];[a][b]concat=v=0:a=1';
  const words = ['-filter_complex', graph, '-c:a', 'libmp3lame', '-q:a', '9', '-write_xing', '0'];
  const { durationMs, incomplete } = await bench.probe(await madeMedia({ words, extension: 'mp3' }));
  t.true(Math.abs(durationMs - 20_000) < 80, String(durationMs));
  t.is(incomplete, undefined);
});

test.serial('a mp4 that claims 4,294,967,294 ms is as long as its packets, with a note', async (t) => {
  const bytes = Buffer.from(await read('base.mp4'));
  // Version 0 of the box: flags, two times and the scale precede the duration.
  bytes.writeUInt32BE(4_294_967_294, bytes.indexOf('mvhd') + 20);
  await write('claims.mp4', bytes);
  const { durationMs, incomplete, bitRate } = await bench.probe('claims.mp4');
  t.true(Math.abs(durationMs - 4000) < 60, String(durationMs));
  t.deepEqual(incomplete, { cause: 'length_misstated', statedMs: 4_294_967_294, measuredMs: durationMs });
  t.true((bitRate ?? 0) > 10_000);
});

test.serial('a damaged file of which nothing can be decoded is refused', async (t) => {
  const bytes = Buffer.from(await read('clear.mp4'));
  bytes.fill(0xff, bytes.indexOf('mdat') + 4);
  await write('noise.mp4', bytes.subarray(0, Math.floor(bytes.length * 0.95)));
  const { message } = await refused(t, bench.probe('noise.mp4'), 'container_damaged');
  t.is(message, 'container_damaged: not one frame of picture or sound can be decoded; copy the file again');
});
