import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import test from 'ava';
import { downloadRange } from '../../../features/video-host/engine/download-range.ts';
import { STALLING_FORM } from '../../../fixtures/video-host/server.ts';
import { builtProcess } from '../../built-process.ts';
import { fake, waitUntilDead } from '../../executors/process/launcher-for-tests.ts';
import { placeMedia } from '../../media/made-media.ts';
import { eventually, patienceMs, within } from '../../patience.ts';
import { countedFilm, failed, film, openVideoHostBench } from './video-host-for-tests.ts';

const bench = await openVideoHostBench();
test.after.always(() => bench.close());

test.afterEach.always(async (t) => t.deepEqual(await bench.leftovers(), []));

const toolAt = (path: string) => ({ ytdlp: { ...bench.deps.ytdlp, path } });
const quoted = (address: string) => encodeURIComponent(address);
const playing = { ...film, formats: [{ formatId: 'mp4', language: null, width: null, height: null }] };

/** Waits until the host gets a request. */
const asked = (request: string, from: number): Promise<void> =>
  eventually(request, () => bench.host.requests.slice(from).includes(request), 20);

/** The ids of all processes that were started with a home below a folder. */
async function processesOf(folder: string): Promise<number[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const homes = await Promise.all(ids.map((id) => readFile(`/proc/${id}/environ`, 'utf8').catch(() => '')));
  return ids.filter((_, at) => homes[at]?.includes(`HOME=${folder}/`));
}

// In turn: each test looks for what it has left in the folders of all.
for (const [form, reason] of [
  ['/media-that-is-gone.mp4', 'host_refused'],
  ['/bad/forbidden.mp4', 'host_refused'],
  ['/bad/empty.html', 'tool_exit'],
  ['/bad/breaks-off.mp4', 'host_unreachable'],
] as const) {
  test.serial(`a download of ${form} is ${reason}`, async (t) => {
    await failed(t, bench.download(form, { resolved: playing }), reason);
  });
}

test.serial('a format that the host no longer has ends the download', async (t) => {
  const resolved = { ...film, formats: [{ formatId: 'gone', language: null, width: null, height: null }] };
  const failure = await failed(t, bench.download('/media.mp4', { resolved }), 'tool_exit');
  t.regex(failure.message, /format/i);
});

for (const address of ['http://127.0.0.1:9/film.ts', 'http://named.example/film.ts', 'https://named.example/film.ts']) {
  test.serial(`a segment at ${address} is refused`, async (t) => {
    await failed(t, bench.download(`/bad/embeds.m3u8?address=${quoted(address)}`, {}), 'address_refused');
  });
}

test.serial('a segment that is a file of this machine is not opened', async (t) => {
  const address = quoted(`file://${bench.folder}/secret.ts`);
  const words = ['-i', 'film.mp4', '-map', '0:v', '-map', '0:a:0', '-c', 'copy'];
  const secret = { words, extension: 'ts', inputs: { 'film.mp4': countedFilm } };
  await placeMedia(bench.folder, { 'secret.ts': secret });
  await failed(t, bench.download(`/bad/embeds.m3u8?address=${address}`, {}), 'tool_exit');
});

test.serial('more bytes than were allowed end the download, whichever of its limits is reached first', async (t) => {
  const resolved = await bench.resolved('/media.mp4');
  await failed(t, bench.download('/media.mp4', { resolved, maximumBytes: 2000 }), 'too_many_bytes');
  const many = bench.download('/media.mp4', { maximumBytes: 1_000_000 }, toolAt(fake('downloads-without-end')));
  await failed(t, many, 'too_many_bytes');
});

test.serial('a host that falls silent is left at the wall', async (t) => {
  const range = { startMs: 0, endMs: 11_000 };
  const download = bench.download(STALLING_FORM, { range, wallMs: 4000 });
  await failed(t, within('the wall', download), 'deadline');
});

for (const [name, reason] of [
  ['prints-nonsense', 'no_file'],
  ['downloads-elsewhere', 'no_file'],
  ['downloads-twice', 'several_files'],
  ['downloads-another', 'another_video'],
  ['crashes', 'tool_signal'],
  ['ignores-sigterm', 'deadline'],
  ['floods-stderr', 'output_limit'],
] as const) {
  test.serial(`a downloader like ${name} ends as ${reason}`, async (t) => {
    const wallMs = reason === 'deadline' ? 2000 : patienceMs;
    await failed(t, bench.download('/media.mp4', { wallMs }, toolAt(fake(name))), reason);
  });
}

test.serial('a folder that cannot be made is a fault of the system', async (t) => {
  const file = path.join(bench.folder, 'in-the-way');
  await writeFile(file, '');
  await failed(t, bench.download('/media.mp4', { folder: path.join(file, 'folder') }), 'launch_failed');
});

test.serial('remains of an earlier host in the folder are removed before the download begins', async (t) => {
  const folder = await mkdtemp(path.join(bench.folder, 'left-'));
  await writeFile(path.join(folder, 'media.mp4.part'), 'half a film');
  await mkdir(path.join(folder, 'deeper'));
  const resolved = await bench.resolved('/media.mp4');
  const got = await bench.download('/media.mp4', { resolved, folder });
  t.deepEqual(await readdir(folder), [path.basename(got.path)]);
});

test.serial('an abort in the middle ends every process and removes the partial file', async (t) => {
  const workRoot = path.join(
    bench.folder,
    (await readdir(bench.folder)).find((name) => name.startsWith('work-')) ?? '',
  );
  const folder = path.join(bench.folder, 'aborted');
  const stop = new AbortController();
  const before = bench.host.requests.length;
  const work = downloadRange(
    bench.deps,
    {
      url: bench.host.origin + STALLING_FORM,
      extractor: 'generic',
      resolved: film,
      folder,
      range: { startMs: 0, endMs: 11_000 },
      maximumBytes: 4_000_000,
      wallMs: 60_000,
      onProgress: () => {},
    },
    stop.signal,
  );
  await asked('GET /stalls/index1.ts', before);
  const ids = await processesOf(workRoot);
  t.true(ids.length >= 2, 'yt-dlp and its ffmpeg run');
  stop.abort();
  await failed(t, work, 'aborted');
  t.deepEqual(await waitUntilDead(ids), []);
  await t.throwsAsync(stat(folder), { code: 'ENOENT' });
});

test.serial('the processes of a download die with a host that is killed', async (t) => {
  const workRoot = await mkdtemp(path.join(bench.folder, 'killed-'));
  const script = builtProcess('test/features/video-host/video-host-to-be-killed.ts');
  const folder = path.join(bench.folder, 'killed-download');
  const before = bench.host.requests.length;
  const words = [script, bench.host.origin + STALLING_FORM, bench.host.origin, folder, workRoot];
  const host = spawn(process.execPath, words, { stdio: 'inherit' });
  await asked('GET /stalls/index1.ts', before);
  const ids = await processesOf(workRoot);
  t.true(ids.length >= 2, 'yt-dlp and its ffmpeg run');
  host.kill('SIGKILL');
  await once(host, 'exit');
  t.deepEqual(await waitUntilDead(ids), []);
});
