import { rm } from 'node:fs/promises';
import type { Server } from 'node:net';
import path from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { resolveVideo } from '../../../features/video-host/engine/resolve-video.ts';
import { bomb } from '../../../fixtures/video-host/attacks.ts';
import { type Canary, openCanary } from '../../attacks/canary.ts';
import { fake, request } from '../../executors/process/launcher-for-tests.ts';
import { failed, film, openVideoHostBench, type VideoHostBench } from './video-host-for-tests.ts';

let bench: VideoHostBench;
test.before(async () => {
  bench = await openVideoHostBench();
});
test.after.always(() => bench.close());
test.afterEach.always(async (t) => t.deepEqual(await bench.leftovers(), []));

/** The same address, with the order to yt-dlp to send its request by another proxy, or by none. */
const smuggled = (address: string, proxy: string) =>
  `${address}#__youtubedl_smuggle=${encodeURIComponent(JSON.stringify({ http_headers: { 'Ytdl-request-proxy': proxy } }))}`;

/** Both steps at an address of the host, with any result; the host got requests and the canary got none. */
async function bothSteps(t: ExecutionContext, canary: Canary, form: string): Promise<void> {
  const before = bench.host.requests.length;
  const resolved = await bench.resolve(form).catch(() => null);
  t.not(resolved?.title, 'Canary');
  const formats = [{ formatId: '0', language: null, width: null, height: null }];
  const got = await bench.download(form, { resolved: resolved ?? { ...film, formats } }).catch(() => null);
  if (got !== null) await rm(path.dirname(got.path), { recursive: true });
  t.true(bench.host.requests.length > before, 'the attack was never served');
  t.is(canary.reached(), 0);
}

const schemes: Readonly<Record<string, (port: number) => string>> = {
  httpproxy: (port) => `httpproxy://127.0.0.1:${port}/x y.ts`,
  http: (port) => `http://127.0.0.1:${port}/film.ts`,
  'http to ::1': (port) => `http://[::1]:${port}/film.ts`,
  https: (port) => `https://127.0.0.1:${port}/film.ts`,
  tcp: (port) => `tcp://127.0.0.1:${port}`,
  tls: (port) => `tls://127.0.0.1:${port}`,
  crypto: (port) => `crypto+httpproxy://127.0.0.1:${port}/x.ts`,
};

for (const form of ['segment', 'later-segment', 'map', 'key', 'variant', 'audio', 'subtitles'] as const) {
  test.serial(`a playlist whose ${form} is at another port reaches no server, by any protocol`, async (t) => {
    const canary = await openCanary(t);
    for (const [name, addressOf] of Object.entries(schemes)) {
      // The other protocols go by the same way in each place; trying them all once is enough.
      if (form !== 'segment' && name !== 'httpproxy' && name !== 'http') continue;
      await bothSteps(t, canary, `/attack/${form}.m3u8?address=${encodeURIComponent(addressOf(canary.port))}`);
    }
  });
}

test.serial('a manifest, an embedded address and a redirect to another port reach no server there', async (t) => {
  const canary = await openCanary(t);
  for (const place of ['/attack/dash.mpd', '/bad/embeds.html', '/bad/redirect']) {
    for (const scheme of ['http', 'httpproxy']) {
      const address = schemes[scheme]?.(canary.port) ?? '';
      await bothSteps(t, canary, `${place}?address=${encodeURIComponent(address)}`);
    }
  }
});

test.serial('a page whose refresh tells yt-dlp to use no proxy, or another, reaches no server', async (t) => {
  const canary = await openCanary(t);
  const inside = `http://127.0.0.1:${canary.port}/film.html`;
  for (const address of [
    smuggled(inside, '__noproxy__'),
    smuggled(`${bench.host.origin}/page.html`, `http://127.0.0.1:${canary.port}`),
    inside,
  ]) {
    await bothSteps(t, canary, `/attack/refresh.html?address=${encodeURIComponent(address)}`);
  }
});

test.serial('an address whose fragment names another proxy reaches no server, for no extractor', async (t) => {
  const canary = await openCanary(t);
  const { signal } = new AbortController();
  const proxy = `http://127.0.0.1:${canary.port}`;
  for (const [address, extractor] of [
    ['https://vimeo.com/76979871', 'vimeo'],
    ['https://www.youtube.com/watch?v=dQw4w9WgXcQ', 'youtube'],
    [`${bench.host.origin}/page.html`, 'generic'],
  ] as const) {
    const request = { url: smuggled(address, proxy), extractor, wallMs: 30_000 };
    await resolveVideo(bench.deps, request, signal).catch(() => null);
    t.is(canary.reached(), 0, extractor);
  }
});

test.serial('a tool that ignores its proxy reaches nothing, and a tool without one neither', async (t) => {
  const canary = await openCanary(t);
  const proxy = { environmentAt: () => ({}), serve: (listener: Server) => listener.close() };
  const tool = request(fake('connects-past-proxy'), [String(canary.port)]);
  for (const asked of [tool, { ...tool, proxy }]) {
    const { stdout } = await bench.deps.launcher.run(asked);
    t.is(stdout.toString(), 'unreachable\n');
  }
  t.is(canary.reached(), 0);
});

test.serial('an answer that unpacks to a thousand times its size ends the tool, not the machine', async (t) => {
  bomb();
  const failure = await failed(t, bench.resolve('/attack/bomb.html'), 'extraction_failed');
  t.regex(failure.message, /memory/);
});
