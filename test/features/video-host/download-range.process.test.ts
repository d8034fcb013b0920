import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import type { DownloadProgress } from '../../../features/video-host/engine/video-host.ts';
import { VIDEO_FORMS } from '../../../fixtures/video-host/server.ts';
import { builtProcess } from '../../built-process.ts';
import { temporaryFolder } from '../../executors/process/launcher-for-tests.ts';
import { FRAME_MS, makeLanguages, ONSET_MS, openVideoHostBench } from './video-host-for-tests.ts';

const run = promisify(execFile);
const SAMPLES_PER_MS = 8;
const AUDIBLE = 0.05 * 32_768;

async function decoded(...args: readonly string[]): Promise<Buffer> {
  const options = { encoding: 'buffer', maxBuffer: 64 * 1024 * 1024 } as const;
  const { stdout } = await run('ffmpeg', ['-v', 'error', '-nostdin', ...args, '-'], options);
  return stdout;
}

/** How light each frame of a film is, 16-235, in order of presentation. */
async function frameShades(file: string): Promise<readonly number[]> {
  const picture = ['-map', '0:v:0', '-vf', 'scale=16:16', '-pix_fmt', 'yuv420p', '-fps_mode', 'passthrough'];
  const bytes = await decoded('-i', file, ...picture, '-f', 'rawvideo');
  const frameBytes = (16 * 16 * 3) / 2;
  return Array.from({ length: bytes.length / frameBytes }, (_, at) => bytes[at * frameBytes + 8 * 16 + 8] ?? 0);
}

/** Start of the first sound of the first audio track, in milliseconds, or null if it is silent. */
async function firstSoundMs(file: string): Promise<number | null> {
  const bytes = await decoded(
    '-i',
    file,
    '-map',
    '0:a:0',
    '-ac',
    '1',
    '-ar',
    String(SAMPLES_PER_MS * 1000),
    '-f',
    's16le',
  );
  for (let at = 0; at + 1 < bytes.length; at += 2) {
    if (Math.abs(bytes.readInt16LE(at)) > AUDIBLE) return at / 2 / SAMPLES_PER_MS;
  }
  return null;
}

/** The stated duration of a file and the kinds of its tracks. */
async function tracksOf(file: string): Promise<{ durationMs: number; tracks: readonly string[] }> {
  const words = ['-v', 'error', '-show_entries', 'format=duration:stream=codec_type', '-of', 'json', file];
  const { stdout } = await run('ffprobe', words);
  const { format, streams }: { format: { duration: string }; streams: { codec_type: string }[] } = JSON.parse(stdout);
  return { durationMs: Number(format.duration) * 1000, tracks: streams.map(({ codec_type }) => codec_type) };
}

const bench = await openVideoHostBench();
/** The shade of each frame of the whole film. */
const whole = await frameShades(bench.media);
test.after.always(() => bench.close());

const TOLERANCE_MS = 60;

const ranges = [
  { startMs: 5010, endMs: 8330 },
  { startMs: 0, endMs: 1500 },
  { startMs: 10_400, endMs: 12_000 },
];

// Frames differ by three, and encoding again changes none by more than one.
const isSameShade = (one = Number.NaN, other = Number.NaN) => Math.abs(one - other) <= 1;

for (const form of VIDEO_FORMS) {
  for (const range of form === '/page.html' ? ranges : ranges.slice(0, 1)) {
    const rangeMs = range.endMs - range.startMs;
    test.serial(`${form} from ${range.startMs} to ${range.endMs} ms comes exact to one frame`, async (t) => {
      const resolved = await bench.resolved(form);
      const progress: DownloadProgress[] = [];
      const got = await bench.download(form, { resolved, range, onProgress: (step) => progress.push(step) });
      t.is((await stat(got.path)).size, got.bytes);
      t.is((await stat(path.dirname(got.path))).mode & 0o777, 0o700);

      const { durationMs, tracks } = await tracksOf(got.path);
      t.true(Math.abs(durationMs - rangeMs) <= TOLERANCE_MS, `${durationMs} ms`);
      // HLS carries one track of sound here, the file two.
      t.deepEqual(tracks, ['video', 'audio', ...(form.startsWith('/hls/') ? [] : ['audio'])]);

      const cut = await frameShades(got.path);
      // Shades repeat every 67 frames, far beyond what is tolerated.
      const nearest = Math.round(range.startMs / FRAME_MS);
      const first = [nearest, nearest - 1, nearest + 1].find((at) => isSameShade(whole[at], cut[0]));
      if (first === undefined) throw new Error('begins with another frame');
      t.true(Math.abs(cut.length - rangeMs / FRAME_MS) <= 1, `${cut.length} frames`);
      for (const [at, shade] of cut.entries()) t.true(isSameShade(whole[first + at], shade), `frame ${at}`);

      const sound = await firstSoundMs(got.path);
      const expected = range.startMs >= ONSET_MS ? 0 : ONSET_MS - range.startMs;
      if (range.endMs <= ONSET_MS) t.is(sound, null);
      else t.true(Math.abs((sound ?? Number.NaN) - expected) <= TOLERANCE_MS, `sound from ${sound} ms`);

      t.deepEqual(progress.at(-1), { mediaMs: rangeMs, bytes: got.bytes });
      t.true(progress.length > 1);
      const steps = progress.map(({ mediaMs }) => mediaMs);
      const sorted = [...steps].sort((one, other) => one - other);
      t.deepEqual(steps, sorted);
    });
  }
}

// In turn: each downloads and encodes by several processes.
test.serial('each language that the host keeps apart becomes a track of its own', async (t) => {
  const form = `/more/${await makeLanguages(bench.folder)}`;
  const resolved = await bench.resolve(form);
  const languages = resolved.formats.map(({ language }) => language);
  t.deepEqual(languages, [null, 'eng', 'kor']);
  const range = { startMs: 5000, endMs: 8000 };
  const got = await bench.download(form, { resolved, range });
  const { durationMs, tracks } = await tracksOf(got.path);
  t.deepEqual(tracks, ['video', 'audio', 'audio']);
  t.true(Math.abs(durationMs - 3000) <= TOLERANCE_MS, `${durationMs} ms`);
  const sound = await firstSoundMs(got.path);
  t.true(Math.abs((sound ?? Number.NaN) - 1000) <= TOLERANCE_MS, `sound from ${sound} ms`);
});

test.serial('the processes of a download find no way but the proxy, and leave nothing', async (t) => {
  const resolved = await bench.resolved('/media.mp4');
  const before = bench.host.requests.length;
  await bench.download('/media.mp4', { resolved });
  t.true(bench.host.requests.length > before);
  const [folder, ...more] = await bench.leftovers();
  t.truthy(folder);
  t.true(more.every((name) => /^[0-9a-f-]{36}$/.test(name)));
});

test('the video host of the fixtures serves the sample by command, and leaves nothing behind', async (t) => {
  const TMPDIR = await temporaryFolder(t);
  const script = builtProcess('fixtures/video-host/serve.ts');
  const env = { PATH: process.env.PATH, TMPDIR };
  const host = spawn(process.execPath, [script, '--port', '0'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.teardown(() => host.kill('SIGKILL'));
  let printed = '';
  for await (const chunk of host.stdout.setEncoding('utf8')) {
    printed += chunk;
    if (printed.split('\n').length > VIDEO_FORMS.length) break;
  }
  const addresses = printed.trim().split('\n');
  const paths = addresses.map((address) => new URL(address).pathname);
  t.deepEqual(paths, [...VIDEO_FORMS]);
  for (const address of addresses) {
    const response = await fetch(address, { headers: { Range: 'bytes=10-19' } });
    t.true(response.ok);
    const bytes = await response.arrayBuffer();
    if (address.endsWith('/media.mp4')) t.is(bytes.byteLength, 10);
  }
  host.kill('SIGTERM');
  t.deepEqual(await once(host, 'exit'), [0, null]);
  const left = (await readdir(TMPDIR)).filter((name) => name.startsWith('video-host-'));
  t.deepEqual(left, []);
});
