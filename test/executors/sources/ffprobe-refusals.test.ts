import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import test from 'ava';
import { convert, ffmpeg, outputOf } from '../evidence/media-for-tests.ts';
import { fake } from '../process/launcher-for-tests.ts';
import { openProbeBench, type ProbeBench, refused } from './probe-for-tests.ts';

let bench: ProbeBench;

test.before(async () => {
  bench = await openProbeBench();
  await convert(bench.folder, 'base.mp4', [
    ...[...whole, ...foreign, ...others],
    ...empty.map((name) => [name, ['-map', '0:a', '-filter:a', 'aselect=0']] as const),
  ]);
  await ffmpeg(bench.folder, '-f', 'lavfi', '-i', 'color=s=600x600:d=0.2', '-c:v', 'ffv1', 'square.mkv');
});

test.after.always(() => bench.close());

async function cutTo(share: number, name: string, target: string): Promise<void> {
  const bytes = await readFile(path.join(bench.folder, name));
  await writeFile(path.join(bench.folder, target), bytes.subarray(0, Math.floor(bytes.length * share)));
}

test.serial('a file of 65 streams says so, and how to keep the ones that matter', async (t) => {
  const many = Array.from({ length: 65 }, () => ['-map', '0']).flat();
  await ffmpeg(bench.folder, '-i', 'lines.srt', ...many, '-c:s', 'srt', 'many.mkv');
  const failure = await refused(t, bench.probe('many.mkv'), 'too_many_streams');
  t.is(
    failure.message,
    'too_many_streams: more than 64 streams; keep those that matter with "ffmpeg -i IN -map 0:v:0 -map 0:a -c copy OUT.mkv"',
  );
});

const foreign = [
  [
    'moving.gif',
    ['-t', '0.2', '-an'],
    '"gif" is a picture; make a film of it with "ffmpeg -i IN -pix_fmt yuv420p OUT.mp4"',
  ],
  [
    'bare.h264',
    ['-an', '-c', 'copy'],
    '"h264" is a bare stream without times; give it some with "ffmpeg -framerate 25 -i IN -c copy OUT.mkv"',
  ],
  [
    'sound.voc',
    ['-vn', '-c:a', 'pcm_u8'],
    'the format "voc" is not read here; bring it in with "ffmpeg -i IN OUT.mkv"',
  ],
] as const;

for (const [name, , way] of foreign) {
  test.serial(`${name} is refused by what it is, with the way in`, async (t) => {
    t.is((await refused(t, bench.probe(name), 'format_not_allowed')).message, `format_not_allowed: ${way}`);
  });
}

test.serial('lines.vtt is refused by what it is, with the way in', async (t) => {
  await ffmpeg(bench.folder, '-i', 'lines.srt', 'lines.vtt');
  t.is(
    (await refused(t, bench.probe('lines.vtt'), 'format_not_allowed')).message,
    'format_not_allowed: "webvtt" is text without picture and sound; attach subtitle files to the source whose words they are',
  );
});

test.serial('a file of subtitles, or of a cover alone, holds nothing to play', async (t) => {
  await ffmpeg(bench.folder, '-i', 'lines.srt', 'lines.mkv');
  await refused(t, bench.probe('lines.mkv'), 'no_playable_track');
  const cover = ['-map', '0', '-c', 'copy', '-disposition:v', 'attached_pic'];
  await ffmpeg(bench.folder, '-i', 'cover.png', ...cover, 'only-cover.mp4');
  await refused(t, bench.probe('only-cover.mp4'), 'no_playable_track');
});

test.serial('a video whose only playable track is empty holds nothing to play', async (t) => {
  const silence = ['-f', 'lavfi', '-i', 'sine=d=2', '-i', 'lines.srt', '-map', '0', '-map', '1'];
  await ffmpeg(bench.folder, ...silence, '-filter:a', 'aselect=0', '-c:a', 'libopus', '-c:s', 'srt', 'empty-only.mkv');
  await refused(t, bench.probe('empty-only.mkv'), 'no_playable_track');
});

const empty = ['empty.wav', 'empty.avi', 'empty.flac'];

for (const name of empty) {
  test.serial(`an ${name} holds nothing to play, which the count of its packets tells`, async (t) => {
    bench.started();
    await refused(t, bench.probe(name), 'no_playable_track');
    t.deepEqual(bench.started(), ['ffmpeg', 'ffprobe', 'ffprobe']);
  });
}

test.serial('a mp4 cut at 63 percent behind its header is found out', async (t) => {
  await cutTo(0.63, 'to-cut.mp4', 'cut.mp4');
  await refused(t, bench.probe('cut.mp4'), 'container_damaged');
});

const whole = [
  ['whole.mkv', ['-c', 'copy']],
  ['whole.flac', ['-map', '0:a']],
  ['whole.wav', ['-map', '0:a']],
  ['whole.mp4', ['-c', 'copy', '-movflags', 'frag_keyframe+empty_moov', '-g', '25']],
] as const;

const others = [
  ['to-cut.mp4', ['-c', 'copy', '-movflags', '+faststart']],
  ['live.mkv', ['-c', 'copy', '-f', 'matroska', '-live', '1']],
  ['still.mkv', ['-map', '0:v', '-frames:v', '1', '-c:v', 'libx264', '-f', 'matroska', '-live', '1']],
] as const;

for (const [name] of whole) {
  test.serial(`a cut ${name} is found out`, async (t) => {
    await cutTo(0.63, name, `cut-${name}`);
    await refused(t, bench.probe(`cut-${name}`), 'container_damaged');
  });
}

test.serial('a mp4 cut between two packets is found out by its length', async (t) => {
  await ffmpeg(
    bench.folder,
    '-f',
    'lavfi',
    '-i',
    'sine=d=4',
    '-c:a',
    'pcm_s16le',
    '-movflags',
    '+faststart',
    'even.mov',
  );
  const bytes = await readFile(path.join(bench.folder, 'even.mov'));
  const media = bytes.indexOf('mdat') + 4;
  await writeFile(path.join(bench.folder, 'even-cut.mov'), bytes.subarray(0, media + 1024 * 2 * 80));
  const failure = await refused(t, bench.probe('even-cut.mov'), 'container_damaged');
  t.regex(failure.message, /holds \d+ ms of the stated 4000 ms$/);
});

test.serial('a mp4 without its index is damaged', async (t) => {
  await cutTo(0.63, 'base.mp4', 'no-index.mp4');
  await refused(t, bench.probe('no-index.mp4'), 'container_damaged');
});

test.serial('bug: the refusal of a mp4 that was cut before its index did not say what to do', async (t) => {
  await cutTo(0.63, 'base.mp4', 'no-index.mp4');
  const { message } = await refused(t, bench.probe('no-index.mp4'), 'container_damaged');
  t.regex(
    message,
    /: the file is incomplete: .*; copy or download it again, or let the program that records it finish it$/,
  );
});

test.serial('a wav whose writer could not fill in its length is whole', async (t) => {
  const bytes = await readFile(path.join(bench.folder, 'whole.wav'));
  bytes.writeUInt32LE(0xffff_ffff, 4);
  bytes.writeUInt32LE(0xffff_ffff, bytes.indexOf('data') + 4);
  await writeFile(path.join(bench.folder, 'open.wav'), bytes);
  t.true(Math.abs((await bench.probe('open.wav')).durationMs - 4000) < 100);
});

test.serial('a recording that states no duration is as long as what it holds', async (t) => {
  t.true(Math.abs((await bench.probe('live.mkv')).durationMs - 4000) < 100);
});

test.serial('a file that states no duration and holds one picture without a length is refused', async (t) => {
  await refused(t, bench.probe('still.mkv'), 'duration_unknown');
});

/** Makes a mkv whose header states a picture of this size, whatever the packets hold. */
async function mkvOf(name: string, width: number, height: number): Promise<void> {
  const bytes = await readFile(path.join(bench.folder, 'square.mkv'));
  // PixelWidth and PixelHeight: an EBML id of one byte, the length 2, the value 600.
  for (const [id, value] of [
    [0xb0, width],
    [0xba, height],
  ] as const) {
    bytes.writeUInt16BE(value, bytes.indexOf(Buffer.from([id, 0x82, 0x02, 0x58])) + 2);
  }
  await writeFile(path.join(bench.folder, name), bytes);
}

for (const [what, width, height] of [
  ['too wide', 16_385, 16],
  ['too high', 16, 16_385],
  ['of too many pixels', 8193, 8193],
  ['beyond what the tool itself can hold', 65_535, 65_535],
] as const) {
  test.serial(`a picture ${what} is refused`, async (t) => {
    await mkvOf(`${width}x${height}.mkv`, width, height);
    const failure = await refused(t, bench.probe(`${width}x${height}.mkv`), 'dimensions_too_large');
    t.is(failure.message, `dimensions_too_large: a picture of ${width}x${height}`);
  });
}

test.serial('a file that is not there, a folder and a pipe are unreadable', async (t) => {
  await refused(t, bench.probe('nowhere.mp4'), 'media_unreadable');
  await refused(t, bench.probe('.'), 'media_unreadable');
  await outputOf(bench.folder, 'mkfifo', 'pipe.mp4');
  await refused(t, bench.probe('pipe.mp4'), 'media_unreadable');
});

test.serial('a tool that hangs, crashes, fails or talks nonsense is a closed reason', async (t) => {
  const withTool = (path: string, signal?: AbortSignal) => bench.probe('base.mp4', { ffprobe: { path } }, signal);
  await refused(t, withTool(fake('crashes')), 'tool_signal');
  await refused(t, withTool('/bin/sh'), 'tool_exit');
  await refused(t, withTool(fake('prints-nonsense')), 'tool_output_invalid');
  await refused(t, withTool(fake('floods-stdout')), 'output_limit');
  await refused(t, withTool(fake('absent')), 'tool_missing');
  await refused(t, withTool(fake('hangs'), AbortSignal.timeout(200)), 'aborted');
  await refused(t, bench.probe('base.mp4', { ffmpeg: { path: fake('crashes') } }), 'tool_signal');
});
