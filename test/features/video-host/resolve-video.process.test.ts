import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { createServer } from 'node:http';
import test from 'ava';
import { resolveVideo } from '../../../features/video-host/engine/resolve-video.ts';
import { lookupAddresses } from '../../../features/video-host/engine/video-host.ts';
import { VIDEO_FORMS } from '../../../fixtures/video-host/server.ts';
import { fake } from '../../executors/process/launcher-for-tests.ts';
import { patienceMs, within } from '../../patience.ts';
import { failed, openVideoHostBench } from './video-host-for-tests.ts';

const bench = await openVideoHostBench();
test.after.always(() => bench.close());

test.afterEach.always(async (t) => t.deepEqual(await bench.leftovers(), []));

const toolAt = (path: string) => ({ ytdlp: { ...bench.deps.ytdlp, path } });

/** A wall that is reached long after the limits that these tests are about. */
const longMs = 2 * patienceMs;
const quoted = (address: string) => encodeURIComponent(address);

// In turn: each test looks for what it has left in the folders of all.
for (const form of VIDEO_FORMS) {
  test.serial(`${form} is resolved to one video of known length`, async (t) => {
    const video = await bench.resolved(form);
    t.true(Math.abs(video.durationMs - 12_000) <= 60, String(video.durationMs));
    t.is(video.durationSource, form === '/structured.html' ? 'metadata' : 'measured');
    t.is(video.canonicalUrl, bench.host.origin + form);
    t.regex(video.externalId, /^[a-z0-9-]{1,40}$/);
    t.is(video.formats.length, 1);
  });
}

test.serial('structured data names the video and who made it', async (t) => {
  const video = await bench.resolved('/structured.html');
  t.is(video.title, 'A described film');
  t.is(video.creator, 'Somebody');
});

for (const [form, reason] of [
  ['/media-that-is-gone.mp4', 'host_refused'],
  ['/bad/forbidden.mp4', 'host_refused'],
  ['/bad/broken.mp4', 'host_refused'],
  ['/bad/empty.html', 'extraction_failed'],
  ['/bad/text.mp4', 'no_media'],
  ['/bad/two.html', 'not_one_video'],
  ['/bad/endless.html', 'too_many_bytes'],
  ['/bad/breaks-off.mp4', 'host_unreachable'],
] as const) {
  test.serial(`${form} is ${reason}`, async (t) => {
    await failed(t, bench.resolve(form), reason);
  });
}

test.serial('a host that does not answer is left at the wall', async (t) => {
  await failed(t, within('the wall', bench.resolve('/bad/hang.mp4', {}, 3000)), 'deadline');
});

test.serial('media that trickles is measured for twenty seconds and no longer', async (t) => {
  await failed(t, within('the end of measuring', bench.resolve('/bad/slow.mp4', {}, longMs)), 'deadline');
});

test.serial('media that never comes is waited for fifteen seconds and no longer', async (t) => {
  const page = `/bad/embeds.html?address=${quoted('/bad/hang.mp4')}`;
  await failed(t, within('the end of waiting', bench.resolve(page, {}, longMs)), 'no_media');
});

for (const address of [
  'http://127.0.0.1:9/film.mp4',
  'http://[::1]:9/film.mp4',
  'http://[::ffff:127.0.0.1]:9/film.mp4',
  'http://169.254.169.254/latest/film.mp4',
  'http://named.example/film.mp4',
  'https://named.example/film.mp4',
  'ftp://127.0.0.1/film.mp4',
]) {
  test.serial(`a redirect to ${address} is refused`, async (t) => {
    await failed(t, bench.resolve(`/bad/redirect?address=${quoted(address)}`), 'address_refused');
  });
}

test.serial('a page that embeds an address of this machine reaches no server there', async (t) => {
  let requests = 0;
  const neighbor = createServer((_, response) => {
    requests += 1;
    response.end();
  });
  neighbor.listen(0, '127.0.0.1');
  await once(neighbor, 'listening');
  t.teardown(() => neighbor.close());
  const address = neighbor.address();
  const port = typeof address === 'object' ? address?.port : 0;
  for (const page of ['/bad/embeds.html', '/bad/embeds.m3u8']) {
    const inner = quoted(`http://127.0.0.1:${port}/film.mp4`);
    await failed(t, bench.resolve(`${page}?address=${inner}`), 'address_refused');
  }
  t.is(requests, 0);
});

test.serial('a page that embeds a file of this machine is not followed', async (t) => {
  await failed(t, bench.resolve(`/bad/embeds.html?address=${quoted(`file://${bench.media}`)}`), 'no_media');
  const failure = await t.throwsAsync(bench.resolve(`/bad/embeds.m3u8?address=${quoted(`file://${bench.media}`)}`));
  t.regex(failure?.message ?? '', /^(no_media|duration_unknown): /);
});

test.serial('the generic extractor looks at the open origin and at nothing else', async (t) => {
  const before = bench.host.requests.length;
  await failed(t, bench.resolve('/media.mp4', { openOrigin: null }), 'extractor_not_allowed');
  await failed(t, bench.resolve('https://named.example/film'), 'extractor_not_allowed');
  t.is(bench.host.requests.length, before);
});

test.serial('a name that resolves to a private address is refused', async (t) => {
  const { signal } = new AbortController();
  const request = { url: 'https://www.youtube.com/watch?v=dQw4w9WgXcQ', extractor: 'youtube' };
  await failed(t, resolveVideo(bench.deps, request, signal), 'address_refused');
});

test.serial('an address that the extractor does not know is not a video, and causes no request', async (t) => {
  const { signal } = new AbortController();
  const before = bench.host.requests.length;
  const request = { url: `${bench.host.origin}/page.html`, extractor: 'youtube' };
  await failed(t, resolveVideo(bench.deps, request, signal), 'not_one_video');
  t.is(bench.host.requests.length, before);
});

test.serial('unreadable output, a crash, a flood and a hang of the tool have distinct causes', async (t) => {
  await failed(t, bench.resolve('/media.mp4', toolAt(fake('prints-nonsense'))), 'tool_output');
  await failed(t, bench.resolve('/media.mp4', toolAt(fake('crashes'))), 'tool_signal');
  await failed(t, bench.resolve('/media.mp4', toolAt(fake('floods-stdout'))), 'output_limit');
  await failed(t, bench.resolve('/media.mp4', toolAt(fake('ignores-sigterm')), 1000), 'deadline');
  await failed(t, bench.resolve('/media.mp4', toolAt('/nowhere/yt-dlp')), 'tool_missing');
});

for (const [name, reason] of [
  ['describes-live', 'live_stream'],
  ['describes-members-only', 'login_required'],
  ['describes-adults-only', 'login_required'],
  ['describes-protected', 'no_media'],
] as const) {
  test.serial(`a tool that ${name.replaceAll('-', ' ')} ends as ${reason}`, async (t) => {
    const before = bench.host.requests.length;
    await failed(t, bench.resolve('/media.mp4', { ytdlp: { ...bench.deps.ytdlp, path: fake(name) } }), reason);
    t.is(bench.host.requests.length, before);
  });
}

test('names are looked up as the system does', async (t) => {
  const { address } = await lookup('localhost');
  t.true((await lookupAddresses('localhost')).includes(address));
});
