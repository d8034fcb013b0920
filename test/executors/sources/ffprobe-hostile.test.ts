import { createCipheriv, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { openLauncher, type SandboxedLauncher } from '../../../executors/process/launcher.ts';
import { resolveTools } from '../../../executors/process/tools.ts';
import { probeMedia } from '../../../executors/sources/ffprobe.ts';
import { ProbeFailure } from '../../../executors/sources/probe-failure.ts';
import { withoutDownloader } from '../../without-downloader.ts';
import { ffmpeg, outputOf } from '../evidence/media-for-tests.ts';
import { temporaryFolder } from '../process/launcher-for-tests.ts';

let workRoot = '';
let launcher: SandboxedLauncher;
let tools: Awaited<ReturnType<typeof resolveTools>>;

test.before(async () => {
  workRoot = await mkdtemp(path.join(os.tmpdir(), 'probe-work-'));
  launcher = await openLauncher({ workRoot, newId: randomUUID });
  tools = await resolveTools(launcher, { ...process.env, ...withoutDownloader });
});

test.after.always(async () => {
  await launcher.close();
  await rm(workRoot, { recursive: true, force: true });
});

/** Probes bytes under a name that promises a film, and gives the reason of the refusal. */
async function refusalOf(t: ExecutionContext, folder: string, bytes: string | Buffer): Promise<string> {
  const file = path.join(folder, 'film.mp4');
  await writeFile(file, bytes);
  const work = probeMedia(launcher, tools, file, new AbortController().signal);
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
  await ffmpeg(folder, '-f', 'lavfi', '-i', 'color=red:s=64x64', '-frames:v', '1', '-f', 'image2', 'film.png');
  t.is(await refusalOf(t, folder, await readFile(path.join(folder, 'film.png'))), 'format_not_allowed');
});

/** A pipe that holds a mark: whoever reads the pipe takes the mark away. */
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
  await outputOf(folder, 'timeout', '-s', 'KILL', '2', 'ffprobe', '-v', 'quiet', 'film.mp4');
  t.not(await mark(handle), 'untouched');
});

for (const [what, words] of [
  ['a playlist with a relative target', () => playlist('other.ts')],
  ['a playlist with an absolute target', (target: string) => playlist(target)],
  ['a playlist with a file URL', (target: string) => playlist(`file:${target}`)],
  ['a concat script with a relative target', () => script('other.ts')],
  ['a concat script with an absolute target', (target: string) => script(target)],
] as const) {
  test.serial(`${what}, named like a film, is refused and its target never read`, async (t) => {
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

test.serial(
  'the counter works: an ffprobe that may use the network calls the host that a playlist names',
  async (t) => {
    const folder = await temporaryFolder(t);
    const { port, calls } = await counter(t);
    await writeFile(path.join(folder, 'film.m3u8'), playlist(`http://127.0.0.1:${port}/a.ts`));
    await outputOf(folder, 'ffprobe', '-v', 'quiet', '-protocol_whitelist', 'file,http,tcp', 'film.m3u8');
    t.true(calls() > 0);
  },
);

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
  test.serial(`${what} that points to the network, named like a film, is refused and calls nobody`, async (t) => {
    const { port, calls } = await counter(t);
    t.is(await refusalOf(t, await temporaryFolder(t), words(port)), 'format_not_allowed');
    t.is(calls(), 0);
  });
}
