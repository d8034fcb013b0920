import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { videohostIngests } from '../../../contract/ingest.ts';
import { sourceSessionList } from '../../../contract/sources/source-session.ts';
import { openVideoHost } from '../../../fixtures/video-host/server.ts';
import { checkRuntimes } from '../../crash/checks.ts';
import { processesOf } from '../../crash/processes.ts';
import { HostContract } from '../../http/host/contract.ts';
import { storedFiles } from '../../http/host/ingest-steps.ts';
import { followed, startStudy, studyRequest } from '../../http/host/study-steps.ts';
import { eventually } from '../../patience.ts';
import { askRange, cancel, comesTo, rangeRequest, standing, videoIngests, workFolders, writes } from './steps.ts';

// The fate of ranges, with the real downloader and a video host on this machine. A host with a downloader takes seconds
// to start, so tests that neither stop it nor hold its work share one. They run one after the other because each checks
// the remains of its downloads; none needs another.

const media = fileURLToPath(new URL('../../../fixtures/sample/source/media/sample.mp4', import.meta.url));

/** Host processes that fetch, each from a video host of its own, until they are closed. */
class Fetching {
  readonly #ends: (() => Promise<unknown>)[] = [];

  /** `environment` is read at each start. */
  async open(environment: Record<string, string> = {}): Promise<Fetcher> {
    const videos = await openVideoHost({ media, statedSeconds: 50, port: 0 });
    const flags = ['--allow-loopback-videohost', '--videohost-origin', videos.origin];
    const host = new HostContract('node', flags, environment);
    this.#ends.push(
      () => host.close(),
      () => videos.close(),
    );
    await host.open();
    return { host, address: (path) => `${videos.origin}${path}` };
  }

  async close(): Promise<void> {
    for (const end of this.#ends) await end();
  }
}

interface Fetcher {
  readonly host: HostContract;
  address(path: string): string;
}

/** A host for one test alone. */
async function openAlone(t: ExecutionContext, environment: Record<string, string> = {}): Promise<Fetcher> {
  const fetching = new Fetching();
  t.teardown(() => fetching.close());
  return fetching.open(environment);
}

const together = new Fetching();
let shared: Promise<Fetcher> | undefined;
test.after.always(() => together.close());

/** The host of the tests that share one. */
function openShared(): Promise<Fetcher> {
  shared ??= together.open();
  return shared;
}

for (const form of ['/page.html', '/structured.html', '/media.mp4', '/hls/index.m3u8']) {
  test.serial(`a range of ${form} becomes a source of exactly its length`, async (t) => {
    const { host, address } = await openShared();
    const ingestId = await askRange(t, host, rangeRequest(address(form)));
    const { source, failure } = await comesTo(t, host, ingestId);
    t.is(failure, null);
    t.like(source, { sourceKind: 'videohost_local', rightsScope: 'local_processing' });
    // One frame of the sample, which has 25 a second, or one of its sound.
    t.true(Math.abs((source?.durationMs ?? 0) - 4000) <= 60, `${source?.durationMs}`);
    const list = host.granted(t, await host.get('/v1/source-sessions'), 200, sourceSessionList);
    t.deepEqual(
      list.sourceSessions.find(({ sourceRevisionId }) => sourceRevisionId === source?.sourceRevisionId),
      source ?? undefined,
    );
    t.deepEqual(await workFolders(host), []);
  });
}

test.serial('a failed fetch ends with a closed reason, and leaves nothing', async (t) => {
  const { host, address } = await openShared();
  const before = await storedFiles(host);
  const rows: [path: string, code: string, message: RegExp, others?: object][] = [
    ['/nothing.mp4', 'resolution_failed', /^host_refused: .*404/],
    ['/bad/forbidden.mp4', 'resolution_failed', /^host_refused: .*403/],
    ['/bad/empty.html', 'resolution_failed', /^[a-z_]+: /],
    ['/bad/redirect?address=http://127.0.0.1:9/', 'resolution_failed', /^address_refused: /],
    ['/page.html', 'resolution_failed', /^range_past_end: /, { startMs: 48_000, endMs: 52_000 }],
  ];
  for (const [path, code, message, others] of rows) {
    const ingestId = await askRange(t, host, rangeRequest(address(path), others));
    const { failure } = await comesTo(t, host, ingestId);
    t.is(failure?.code, code, path);
    t.regex(failure?.message ?? '', message, path);
  }
  const page = host.granted(t, await host.get(`${videoIngests}?limit=2`), 200, videohostIngests);
  t.like(page.ingests[0], {
    url: address('/page.html'),
    range: { startMs: 48_000, endMs: 52_000 },
    status: 'failed',
  });
  t.is(page.ingests[1]?.url, address(rows[3]?.[0] ?? ''));
  t.deepEqual(await storedFiles(host), before);
  t.deepEqual(await workFolders(host), []);
});

test.serial('a range can be given up while it waits and while it is fetched, and only once', async (t) => {
  const { host, address } = await openAlone(t);
  const before = await storedFiles(host);
  await host.gate.close();
  const first = await askRange(t, host, rangeRequest(address('/page.html')));
  const second = await askRange(t, host, rangeRequest(address('/page.html')));
  await comesTo(t, host, first, ['downloading']);
  await writes(host);
  t.is((await standing(t, host, second)).status, 'queued');
  for (const ingestId of [second, first]) {
    const canceled = await cancel(t, host, ingestId);
    t.like(canceled, { status: 'failed', failure: { code: 'canceled', message: 'canceled by the client' } });
    const again = await host.post(`${videoIngests}/${ingestId}/cancellations`, {});
    host.refused(t, again, 'ingest_already_terminal');
    t.deepEqual(await standing(t, host, ingestId), canceled);
  }
  await t.notThrowsAsync(eventually('no folder', async () => (await workFolders(host)).length === 0, 50));
  t.deepEqual(await storedFiles(host), before);
  await host.gate.open();
  const third = await askRange(t, host, rangeRequest(address('/page.html')));
  t.is((await comesTo(t, host, third)).status, 'registered');
});

for (const how of ['stop', 'kill'] as const) {
  test.serial(`after a ${how} in the middle of a download the range is fetched again`, async (t) => {
    const { host, address } = await openAlone(t);
    await host.gate.close();
    const request = rangeRequest(address('/media.mp4'), { startMs: how === 'stop' ? 1000 : 500 });
    const ids = [await askRange(t, host, request), await askRange(t, host, request)];
    await comesTo(t, host, ids[0] ?? '', ['downloading']);
    await writes(host);
    const before = await Promise.all(ids.map((id) => standing(t, host, id)));
    await host[how]();
    await t.notThrowsAsync(eventually('nothing left', async () => (await processesOf(host.dataRoot)).length === 0, 50));
    await host.start();
    if (how === 'kill') t.regex(host.host.stderr, /^removed a leftover of an earlier run: work\/download-/m);
    t.deepEqual(await Promise.all(ids.map((id) => standing(t, host, id))), before);
    await host.gate.open();
    for (const ingestId of ids) t.is((await comesTo(t, host, ingestId)).status, 'registered');
    t.deepEqual(await workFolders(host), []);
    t.deepEqual(await readdir(join(host.dataRoot, 'inbox')), []);
  });
}

test.serial('a study over a range ends with evidence that reopens', async (t) => {
  const { host, address } = await openShared();
  const ingestId = await askRange(t, host, rangeRequest(address('/page.html')));
  const { source } = await comesTo(t, host, ingestId);
  if (source === null) throw new Error('the range was not registered');
  const { runtimeId } = await startStudy(t, host, studyRequest(source));
  const { last } = await followed(t, host, runtimeId);
  t.like(last, { lifecycle: 'terminal', reason: null });
  t.is((await host.get(`/v1/runtimes/${runtimeId}/evidence`)).status, 200);
});

test.serial('without a downloader all paths give the reason, and waiting ranges keep waiting', async (t) => {
  const environment: Record<string, string> = {};
  const { host, address } = await openAlone(t, environment);
  const request = rangeRequest(address('/page.html'));
  const done = await askRange(t, host, request);
  const registered = await comesTo(t, host, done);
  await host.gate.close();
  const [fetching, waiting] = [await askRange(t, host, request), await askRange(t, host, request)];
  await comesTo(t, host, fetching, ['downloading']);
  await host.stop();
  await checkRuntimes(t, host.dataRoot);

  environment.MEDIA_STUDY_YTDLP = `${host.dataRoot}/no-yt-dlp`;
  await host.start();
  await host.gate.open();
  t.like(await host.host.announced(), { videohostLocalIngest: { enabled: false } });
  for (const path of [videoIngests, `${videoIngests}/${done}`, `${videoIngests}/${done}/cancellations`]) {
    for (const method of ['GET', 'POST', 'DELETE']) {
      const said = host.refused(t, await host.ask(method, path), 'videohost_local_ingest_unavailable');
      t.is(said, 'video hosts are off: no yt-dlp answers on this machine');
    }
  }
  await host.stop();

  delete environment.MEDIA_STUDY_YTDLP;
  await host.start();
  t.like(await host.host.announced(), { videohostLocalIngest: { enabled: true } });
  t.deepEqual(await standing(t, host, done), registered);
  t.like((await standing(t, host, fetching)).failure, {
    code: 'download_failed',
    message: 'tool_missing: there is no yt-dlp that answers',
  });
  t.is((await comesTo(t, host, waiting)).status, 'registered');
});
