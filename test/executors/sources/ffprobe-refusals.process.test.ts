import { createCipheriv } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, readFile, writeFile } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { ProbeFailure } from '../../../executors/sources/probe-failure.ts';
import { madeMedia } from '../../media/made-media.ts';
import { drawn, redPicture } from '../../media/recipes.ts';
import { outputOf } from '../evidence/media-for-tests.ts';
import { fake, temporaryFolder } from '../process/launcher-for-tests.ts';
import { openProbeBench, refused, twoLines } from './probe-for-tests.ts';

const bench = await openProbeBench();
test.after.always(() => bench.close());

test.before(async () => {
  await bench.place([
    ...[...whole, ...foreign, ...others],
    ...empty.map((name) => [name, ['-map', '0:a', '-filter:a', 'aselect=0']] as const),
  ]);
});

/** Output of ffmpeg from `lines.srt` for these arguments. */
const ofLines = (extension: string, ...words: readonly string[]): Promise<string> =>
  madeMedia({ words: ['-i', 'lines.srt', ...words], extension, inputs: { 'lines.srt': twoLines } });

async function cutTo(share: number, name: string, target: string): Promise<void> {
  const bytes = await readFile(path.join(bench.folder, name));
  await writeFile(path.join(bench.folder, target), bytes.subarray(0, Math.floor(bytes.length * share)));
}

// In turn: some tests count the tools that were started since the last look.
test.serial('a file of 65 streams says so, and how to keep the ones that matter', async (t) => {
  const many = Array.from({ length: 65 }, () => ['-map', '0']).flat();
  const failure = await refused(t, bench.probe(await ofLines('mkv', ...many, '-c:s', 'srt')), 'too_many_streams');
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

test.serial('lines.vtt is refused by its kind, with the right way to attach it', async (t) => {
  t.is(
    (await refused(t, bench.probe(await ofLines('vtt')), 'format_not_allowed')).message,
    'format_not_allowed: "webvtt" is text without picture and sound; attach subtitle files to the source whose words they are',
  );
});

test.serial('a file of subtitles, or of a cover alone, holds nothing to play', async (t) => {
  await refused(t, bench.probe(await ofLines('mkv')), 'no_playable_track');
  const words = ['-i', 'cover.png', '-map', '0', '-c', 'copy', '-disposition:v', 'attached_pic'];
  const cover = { words, extension: 'mp4', inputs: { 'cover.png': redPicture } };
  await refused(t, bench.probe(await madeMedia(cover)), 'no_playable_track');
});

test.serial('a video whose only playable track is empty holds nothing to play', async (t) => {
  const silence = [...drawn('sine=d=2'), '-map', '0', '-map', '1', '-filter:a', 'aselect=0'];
  const empty = await ofLines('mkv', ...silence, '-c:a', 'libopus', '-c:s', 'srt');
  await refused(t, bench.probe(empty), 'no_playable_track');
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
  const words = [...drawn('sine=d=4'), '-c:a', 'pcm_s16le', '-movflags', '+faststart'];
  const bytes = await readFile(await madeMedia({ words, extension: 'mov' }));
  const media = bytes.indexOf('mdat') + 4;
  await writeFile(path.join(bench.folder, 'even-cut.mov'), bytes.subarray(0, media + 1024 * 2 * 80));
  const failure = await refused(t, bench.probe('even-cut.mov'), 'container_damaged');
  t.regex(failure.message, /holds \d+ ms of the stated 4000 ms$/);
});

test.serial('a mp4 without its index is damaged', async (t) => {
  await cutTo(0.63, 'base.mp4', 'no-index.mp4');
  await refused(t, bench.probe('no-index.mp4'), 'container_damaged');
});

test.serial('bug: the refusal of an mp4 that was cut before its index did not name the remedy', async (t) => {
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

test.serial('a recording without a stated duration is as long as its content', async (t) => {
  t.true(Math.abs((await bench.probe('live.mkv')).durationMs - 4000) < 100);
});

test.serial('a file that states no duration and holds one picture without a length is refused', async (t) => {
  await refused(t, bench.probe('still.mkv'), 'duration_unknown');
});

/** Makes a mkv whose header states a picture of this size, whatever the packets hold. */
async function mkvOf(name: string, width: number, height: number): Promise<void> {
  const words = [...drawn('color=s=600x600:d=0.2'), '-c:v', 'ffv1'];
  const bytes = await readFile(await madeMedia({ words, extension: 'mkv' }));
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

/** Probes bytes under a name that promises a film, and gives the reason of the refusal. */
async function refusalOf(t: ExecutionContext, folder: string, bytes: string | Buffer): Promise<string> {
  const file = path.join(folder, 'film.mp4');
  await writeFile(file, bytes);
  const work = bench.probe(file);
  const failure = await t.throwsAsync(work, { instanceOf: ProbeFailure });
  if (!(failure instanceof ProbeFailure)) throw new Error('no refusal came');
  t.false(failure.message.includes('/'));
  return failure.reason;
}

test.serial('text, noise, zeros and nothing are not media', async (t) => {
  const folder = await temporaryFolder(t);
  t.is(await refusalOf(t, folder, 'only words, line after line\n'.repeat(500)), 'not_media');
  // The keystream of a fixed key: noise, and the same on every run.
  const noise = createCipheriv('aes-128-ctr', Buffer.alloc(16, 7), Buffer.alloc(16)).update(Buffer.alloc(2_000_000));
  t.is(await refusalOf(t, folder, noise), 'not_media');
  t.is(await refusalOf(t, folder, Buffer.alloc(20_000_000)), 'not_media');
  t.is(await refusalOf(t, folder, ''), 'not_media');
});

test.serial('a container that ends within its first bytes is damaged', async (t) => {
  const folder = await temporaryFolder(t);
  t.is(await refusalOf(t, folder, 'RIFF\u0000\u0001\u0000\u0000WAVE'), 'container_damaged');
  t.is(await refusalOf(t, folder, Buffer.from([0x1a, 0x45, 0xdf, 0xa3, 0x9f])), 'container_damaged');
});

test.serial('a picture in the clothes of a film is not allowed', async (t) => {
  const folder = await temporaryFolder(t);
  t.is(await refusalOf(t, folder, await readFile(await madeMedia(redPicture))), 'format_not_allowed');
});

/** A pipe that holds a mark: the first reader takes the mark away. */
async function trap(folder: string, name: string): Promise<FileHandle> {
  const file = path.join(folder, name);
  await outputOf(folder, 'mkfifo', file);
  const handle = await open(file, constants.O_RDWR | constants.O_NONBLOCK);
  await handle.write('untouched');
  return handle;
}

async function mark(handle: FileHandle): Promise<string> {
  const { bytesRead, buffer } = await handle
    .read(Buffer.alloc(64))
    .catch(() => ({ bytesRead: 0, buffer: Buffer.alloc(0) }));
  return buffer.toString('latin1', 0, bytesRead);
}

const playlist = (target: string) =>
  `#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-MEDIA-SEQUENCE:0\n#EXTINF:4,\n${target}\n#EXT-X-ENDLIST\n`;

const script = (target: string) => `ffconcat version 1.0\nfile '${target}'\nduration 4\n`;

test.serial('the trap works: a bare ffprobe reads the file that a disguised script names', async (t) => {
  const folder = await temporaryFolder(t);
  const handle = await trap(folder, 'other.ts');
  t.teardown(() => handle.close());
  await writeFile(path.join(folder, 'film.mp4'), script('other.ts'));
  // It reads the pipe for ever. A busy machine may start it late.
  let left = 'untouched';
  for (const seconds of ['2', '10', '60', '180']) {
    await outputOf(folder, 'timeout', '-s', 'KILL', seconds, 'ffprobe', '-v', 'quiet', 'film.mp4');
    left = await mark(handle);
    if (left !== 'untouched') break;
    await handle.write(left);
  }
  t.not(left, 'untouched');
});

for (const [what, words] of [
  ['a playlist with a relative target', () => playlist('other.ts')],
  ['a playlist with an absolute target', (target: string) => playlist(target)],
  ['a playlist with a file URL', (target: string) => playlist(`file:${target}`)],
  ['a concat script with a relative target', () => script('other.ts')],
  ['a concat script with an absolute target', (target: string) => script(target)],
] as const) {
  test.serial(`${what}, named like a film, is refused and not followed`, async (t) => {
    const folder = await temporaryFolder(t);
    const target = path.join(folder, 'other.ts');
    const handle = await trap(folder, 'other.ts');
    t.teardown(() => handle.close());
    t.is(await refusalOf(t, folder, words(target)), 'format_not_allowed');
    t.is(await mark(handle), 'untouched');
  });
}

/** A loopback server that counts who calls and hangs up. */
async function counter(t: ExecutionContext): Promise<{ port: number; calls: () => number }> {
  let calls = 0;
  const server = net.createServer((socket) => {
    calls += 1;
    socket.on('error', () => {}).destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return { port: address.port, calls: () => calls };
}

const manifest = (url: string) =>
  `<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT4S" ` +
  `profiles="urn:mpeg:dash:profile:isoff-on-demand:2011"><Period><AdaptationSet mimeType="video/mp4">` +
  `<Representation id="1" bandwidth="1" width="320" height="180" codecs="avc1.42c00d"><BaseURL>${url}</BaseURL>` +
  `</Representation></AdaptationSet></Period></MPD>`;

test.serial('the counter works: an ffprobe with the network calls the host that a playlist names', async (t) => {
  const folder = await temporaryFolder(t);
  const { port, calls } = await counter(t);
  await writeFile(path.join(folder, 'film.m3u8'), playlist(`http://127.0.0.1:${port}/a.ts`));
  await outputOf(folder, 'ffprobe', '-v', 'quiet', '-protocol_whitelist', 'file,http,tcp', 'film.m3u8');
  t.true(calls() > 0);
});

for (const [what, words] of [
  ['a playlist', (port: number) => playlist(`http://127.0.0.1:${port}/a.ts`)],
  [
    'a playlist with a key',
    (port: number) =>
      playlist('a.ts').replace('#EXTINF', `#EXT-X-KEY:METHOD=AES-128,URI="http://127.0.0.1:${port}/k"\n#EXTINF`),
  ],
  ['a concat script', (port: number) => script(`http://127.0.0.1:${port}/a.ts`)],
  ['a DASH manifest', (port: number) => manifest(`http://127.0.0.1:${port}/a.mp4`)],
  [
    'a session description',
    (port: number) =>
      `v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video ${port} TCP/RTP/AVP 96\na=rtpmap:96 H264/90000\n`,
  ],
] as const) {
  test.serial(`${what} to the network, named like a film, is refused without any connection`, async (t) => {
    const { port, calls } = await counter(t);
    t.is(await refusalOf(t, await temporaryFolder(t), words(port)), 'format_not_allowed');
    t.is(calls(), 0);
  });
}
