import test, { type ExecutionContext } from 'ava';
import type { ErrorCode } from '../../../contract/base/errors.ts';
import { hostChecks } from '../../../contract/operation.ts';
import { settingsChanged } from '../../../contract/settings.ts';
import { TestHost } from '../../host/test-host.ts';
import { pageOrigin } from '../../http/host/contract.ts';
import { ingestRequest, openIngest } from '../../http/host/ingest-steps.ts';
import { rangeRequest, videoIngests } from './steps.ts';

// Ranges of video hosts on the wire: their fields and paths, without a download.

/** Bad values by field, in the order in which the fields are checked. */
const wrongInRange: readonly (readonly [field: string, code: ErrorCode, values: readonly unknown[]])[] = [
  ['localProcessingConfirmed', 'invalid_rights_attestation', [false, 'true', 1, null, undefined]],
  ['startMs', 'invalid_ingest_request', [-1, 0.5, '0', null, undefined, 2 ** 53]],
  ['endMs', 'invalid_ingest_request', [2000, 1999, 0, '6000', null, undefined]],
  ['endMs', 'ingest_range_too_large', [122_001]],
  ['url', 'invalid_ingest_request', ['', 'x', ' https://youtu.be/a', 'https://youtu.be:443/a', 7, null, undefined]],
  ['url', 'invalid_ingest_request', ['https://videos.example/a', `https://youtu.be/${'a'.repeat(2048)}`]],
];

const origin = 'http://127.0.0.1:4000';
const cors = ['access-control-allow-origin', 'access-control-expose-headers', 'vary'];

/** A host with a downloader and one open origin; nothing is fetched. */
const openVideohosts = (t: ExecutionContext): Promise<TestHost> =>
  TestHost.open(t, { downloader: true, flags: ['--allow-loopback-videohost', '--videohost-origin', origin] });

test('each field of a range is checked in its turn, before all that follow', async (t) => {
  const host = await openVideohosts(t);
  const fields = wrongInRange.map(([field]) => field);
  const bad = Object.fromEntries([...wrongInRange].reverse().map(([field, , values]) => [field, values[0]]));
  for (const [field, code, values] of wrongInRange) {
    const later = Object.entries(bad).filter(([name]) => fields.indexOf(name) > fields.indexOf(field));
    for (const value of values) {
      const others = { ...Object.fromEntries(later), [field]: value, unknown: 1 };
      const message = host.refused(t, await host.post(videoIngests, rangeRequest(`${origin}/page.html`, others)), code);
      const said = value === undefined ? `${field} is missing: ` : `${field}: `;
      if (code === 'invalid_ingest_request') t.true(message.startsWith(said), message);
    }
  }
  const unknown = rangeRequest(`${origin}/page.html`, { unknown: 1 });
  host.refused(t, await host.post(videoIngests, unknown), 'invalid_ingest_request');
});

test('an address on this machine is refused unless it is at the one open origin', async (t) => {
  const host = await openVideohosts(t);
  const { port } = new URL(origin);
  const addresses = [`http://localhost:${port}/page.html`, `http://[::1]:${port}/`, 'http://127.0.0.1/page.html'];
  const others = [`http://127.0.0.1:${host.port}/`, 'file:///etc/passwd', 'https://127.0.0.1/'];
  for (const url of [...addresses, ...others]) {
    host.refused(t, await host.post(videoIngests, rangeRequest(url)), 'invalid_ingest_request');
  }
});

test('paths, methods and ids are as exact as those of owned media', async (t) => {
  const host = await openVideohosts(t);
  const rows: [ErrorCode, string, string, object?][] = [
    ['not_found', 'GET', `${videoIngests}/`],
    ['unknown_ingest', 'GET', `${videoIngests}/videohost-ingest:none`],
    ['unknown_ingest', 'GET', `${videoIngests}/owned-ingest:none`],
    ['unknown_ingest', 'POST', `${videoIngests}/videohost-ingest:none/cancellations`, {}],
    ['invalid_ingest_request', 'POST', `${videoIngests}/videohost-ingest:none/cancellations`, { reason: 'mine' }],
    ['unknown_query', 'GET', `${videoIngests}/videohost-ingest:none?wait=1`],
    ['invalid_identity', 'GET', `${videoIngests}/%zz`],
  ];
  for (const [code, method, path, json] of rows) {
    const answer = await host.ask(method, path, json === undefined ? {} : { json });
    host.refused(t, answer, code);
  }
  host.refused(t, await host.get(`${videoIngests}?limit=0`), 'invalid_cursor');
  const methods = { [videoIngests]: 'GET, HEAD, POST, OPTIONS', [`${videoIngests}/x`]: 'GET, HEAD, OPTIONS' };
  for (const [path, allow] of Object.entries({ ...methods, [`${videoIngests}/x/cancellations`]: 'POST, OPTIONS' })) {
    const answer = await host.ask('DELETE', path);
    host.refused(t, answer, 'method_not_allowed', ['allow']);
    t.is(answer.headers.allow, allow);
  }
  const ingestId = await openIngest(t, host, ingestRequest(5));
  host.refused(t, await host.get(`${videoIngests}/${ingestId}`), 'unknown_ingest');
  host.refused(t, await host.post(`${videoIngests}/${ingestId}/cancellations`, {}), 'unknown_ingest');
});

test('without a downloader all paths say why', async (t) => {
  const host = await TestHost.open(t);
  const paths = [videoIngests, `${videoIngests}/x`, `${videoIngests}/x/cancellations`];
  for (const path of paths) {
    for (const method of ['GET', 'POST', 'DELETE']) {
      const said = host.refused(t, await host.ask(method, path), 'videohost_local_ingest_unavailable');
      t.is(said, 'video hosts are off: no yt-dlp answers on this machine');
    }
  }
});

test('a path of a service that is off says so after the checks of the target, before those of the request', async (t) => {
  const host = await TestHost.open(t);
  host.refused(t, await host.ask('DELETE', `${videoIngests}/%zz`), 'invalid_identity');
  host.refused(t, await host.ask('DELETE', `${videoIngests}?x`), 'videohost_local_ingest_unavailable');
});

test('a stream follows no range without a downloader, and says why', async (t) => {
  const host = await TestHost.open(t);
  const ingest = 'videohost-ingest:00000000-0000-4000-8000-000000000000';
  const said = host.refused(t, await host.get(`/v1/events?ingests=${ingest}`), 'videohost_local_ingest_unavailable');
  t.is(said, 'video hosts are off: no yt-dlp answers on this machine');
});

test('the progress of a range is its own alone, with and without a downloader', async (t) => {
  for (const host of [await TestHost.open(t), await openVideohosts(t)]) {
    for (const ingestId of ['videohost-ingest:none', await openIngest(t, host, ingestRequest(5))]) {
      host.refused(t, await host.get(`${videoIngests}/${ingestId}/progress`), 'unknown_ingest');
    }
  }
});

test('checks and engines of a host name its downloader, or its lack', async (t) => {
  const said = async (host: TestHost) => {
    const { checks, engines } = host.granted(t, await host.get('/v1/host-checks'), 200, hostChecks);
    const named = checks.flatMap(({ check, state }) => (/^(yt-dlp|video hosts)$/.test(check) ? [[check, state]] : []));
    const row = engines.find(({ engine }) => engine === 'video_hosts');
    return { named, row: [row?.isOn, row?.reach, row?.mayCost] };
  };
  const without = { named: [['video hosts', 'weak']], row: [false, 'this_host', false] };
  t.deepEqual(await said(await TestHost.open(t)), without);
  const { named, row } = await said(await openVideohosts(t));
  t.deepEqual(
    named.map(([check]) => check),
    ['yt-dlp'],
  );
  t.deepEqual(row, [true, 'outside', false]);
});

test('waiting ranges are a queue of the metrics', async (t) => {
  const host = await TestHost.open(t);
  t.regex((await host.get('/v1/metrics')).body.toString(), /^media_study_queue_waiting\{queue="videohosts"\} 0$/m);
});

test('the longest range changes at once, for every request from then on', async (t) => {
  const host = await openVideohosts(t);
  const range = rangeRequest(`${origin}/page.html`, { startMs: 0, endMs: 130_000 });
  host.refused(t, await host.post(videoIngests, range), 'ingest_range_too_large');
  const change = async (longest: number) => {
    const json = { schema: 'studio.settings-change.v1', set: { 'maximum-videohost-local-range-ms': longest } };
    const answer = await host.ask('POST', '/v1/settings-changes', { headers: { Origin: pageOrigin }, json });
    t.like(host.granted(t, answer, 200, settingsChanged, cors), { atOnce: Object.keys(json.set), afterRestart: [] });
  };
  await change(130_000);
  t.is((await host.post(videoIngests, range)).status, 202);
  await change(129_999);
  host.refused(t, await host.post(videoIngests, range), 'ingest_range_too_large');
});
