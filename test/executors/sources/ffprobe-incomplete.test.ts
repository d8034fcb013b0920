import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import test from 'ava';
import { convert, ffmpeg } from '../evidence/media-for-tests.ts';
import { kindsOf, openProbeBench, type ProbeBench, refused } from './probe-for-tests.ts';

let bench: ProbeBench;

test.before(async () => {
  bench = await openProbeBench();
  const shifted = late.map(
    ({ file, words, seconds }) => [file, [...words, '-output_ts_offset', `${seconds}`]] as const,
  );
  await convert(bench.folder, 'base.mp4', [...recorded, ...shifted, ...others]);
});

test.after.always(() => bench.close());

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
  ['first.ts', ['-t', '2', '-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'aac', '-ac', '2']],
  ['clear.mp4', ['-map', '0:a', '-c:a', 'flac', '-strict', '-2', '-movflags', '+faststart']],
] as const;

test.serial('a wav that is cut between two packets is found out by the length in its header', async (t) => {
  const bytes = await read('recorded.wav');
  await write('even-cut.wav', bytes.subarray(0, bytes.indexOf('data') + 8 + 4096 * 77));
  const { incomplete } = await bench.probe('even-cut.wav');
  t.is(incomplete?.cause, 'ends_early');
});

test.serial('a recording without a stated length that breaks off is as long as what it holds', async (t) => {
  await cutTo(0.9, 'live.mkv', 'crashed.mkv');
  const { durationMs, incomplete } = await bench.probe('crashed.mkv');
  t.deepEqual(incomplete, { cause: 'ends_early', statedMs: null, measuredMs: durationMs });
  t.true(durationMs > 3200 && durationMs < 3800, String(durationMs));
});

test.serial('what the refusal of a cut file advises makes a file that is taken', async (t) => {
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
    const second = ['-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'aac'];
    await ffmpeg(bench.folder, '-ss', '2', '-i', 'base.mp4', ...second, ...words, 'second.ts');
    await write('joined.ts', Buffer.concat([await read('first.ts'), await read('second.ts')]));
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
  const words = ['-filter_complex', 'sine=440:d=4[a];anullsrc=d=16:r=44100[b];[a][b]concat=v=0:a=1'];
  await ffmpeg(bench.folder, ...words, '-c:a', 'libmp3lame', '-q:a', '9', '-write_xing', '0', 'vbr.mp3');
  const { durationMs, incomplete } = await bench.probe('vbr.mp3');
  t.true(Math.abs(durationMs - 20_000) < 80, String(durationMs));
  t.is(incomplete, undefined);
});

test.serial('a mp4 that claims 4,294,967,294 ms is as long as its packets, with a note', async (t) => {
  const bytes = Buffer.from(await read('base.mp4'));
  // Version 0 of the box: flags, two times and the scale stand before the duration.
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
  t.is(message, 'container_damaged: not one frame of picture or sound can be decoded; copy the file anew');
});
