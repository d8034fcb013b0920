import { createHmac } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { version } from '../../contract/base/program-version.ts';
import {
  hostChecks,
  hostHealth,
  hostProof,
  issuedPairingCode,
  ledgerSnapshot,
  ownPages,
  pageToken,
  pairing,
} from '../../contract/operation.ts';
import { TestHost } from '../host/test-host.ts';
import { pageOrigin } from './host/contract.ts';
import { followed, sampleRow, startStudy, studyRequest } from './host/study-steps.ts';

// Requests of the operator of a host.

const health = '/v1/health';

/** The host's description of itself without a token. */

test('the health of a host needs no token, and says its version and no more', async (t) => {
  const host = await TestHost.open(t);
  const answer = await host.get(health, { token: null });
  t.deepEqual(host.granted(t, answer, 200, hostHealth), {
    schema: 'studio.host-health.v1',
    status: 'ok',
    version,
  });
  t.is((await host.ask('HEAD', health, { token: null })).status, 200);
});

test('the health of a host is guarded by Host and Origin, and by its exact path', async (t) => {
  const host = await TestHost.open(t);
  const { port } = host;
  const ask = (headers: Record<string, string>, target = health) => host.get(target, { token: null, headers });
  host.refused(t, await ask({ Host: `evil.example:${port}` }), 'host_not_allowed');
  host.refused(t, await ask({ Origin: 'http://evil.example' }), 'origin_not_allowed');
  host.refused(t, await ask({}, `${health}?a=1`), 'unknown_query');
  for (const other of [`${health}/`, `${health}z`, '/v1/%68ealth', '/v1']) {
    host.refused(t, await ask({}, other), 'unauthorized', ['www-authenticate']);
  }
  const page = await ask({ Origin: pageOrigin });
  t.is(page.headers['access-control-allow-origin'], pageOrigin);
  const posted = await host.ask('POST', health, { token: null, json: {} });
  host.refused(t, posted, 'method_not_allowed', ['allow']);
});

const proofPath = '/v1/host-proof';
const nonce = '0123456789abcdef'.repeat(4);

test('a host proves to anybody that it knows its token, with the address on which it listens, and says no more', async (t) => {
  const host = await TestHost.open(t);
  const answer = await host.get(`${proofPath}?nonce=${nonce}`, { token: null });
  const { proof, ...facts } = host.granted(t, answer, 200, hostProof);
  t.deepEqual(Object.keys(facts), ['schema', 'device', 'inode', 'pid', 'startedAt']);
  const text = JSON.stringify([
    'studio.host-proof.v1',
    nonce,
    '127.0.0.1',
    String(host.port),
    facts.device,
    facts.inode,
    String(facts.pid),
    facts.startedAt ?? '',
  ]);
  t.is(proof, createHmac('sha256', host.token).update(text).digest('hex'));
});

test('a proof is for one nonce of 64 hex digits, and is guarded like the health of a host', async (t) => {
  const host = await TestHost.open(t);
  const ask = (query: string, headers: Record<string, string> = {}) =>
    host.get(`${proofPath}${query}`, { token: null, headers });
  for (const wrong of ['', '?nonce=', `?nonce=${nonce}0`, `?nonce=${nonce.toUpperCase()}`, '?nonce=%00'])
    host.refused(t, await ask(wrong), 'invalid_nonce');
  host.refused(t, await ask(`?nonce=${nonce}&nonce=${nonce}`), 'duplicate_query');
  host.refused(t, await ask(`?nonce=${nonce}&address=1`), 'unknown_query');
  host.refused(t, await ask(`?nonce=${nonce}`, { Host: `evil.example:${host.port}` }), 'host_not_allowed');
  host.refused(t, await ask(`?nonce=${nonce}`, { Origin: 'http://evil.example' }), 'origin_not_allowed');
  const other = host.granted(t, await ask(`?nonce=${'f'.repeat(64)}`), 200, hostProof);
  t.not(other.proof, host.granted(t, await ask(`?nonce=${nonce}`), 200, hostProof).proof);
});

const checksPath = '/v1/host-checks';

/** The host's findings about its machine, and its engines. */

test('a host lists its findings about the machine, and the data that each engine sends out', async (t) => {
  const host = await TestHost.open(t);
  const { checks, engines } = host.granted(t, await host.get(checksPath), 200, hostChecks);
  t.deepEqual(
    checks.filter(({ state }) => state === 'failed'),
    [],
  );
  for (const check of ['ffmpeg', 'ffprobe', 'sandbox', 'space']) {
    t.true(
      checks.some((each) => each.check === check),
      check,
    );
  }
  t.deepEqual(engines.filter(({ isOn }) => isOn).map(({ engine, reach, mayCost }) => [engine, reach, mayCost])[0], [
    'detectors',
    'this_host',
    false,
  ]);
  host.refused(t, await host.get(checksPath, { token: null }), 'unauthorized', ['www-authenticate']);
  host.refused(t, await host.get(`${checksPath}?a=1`), 'unknown_query');
});

const metrics = '/v1/metrics';

/** The samples of a text, by the text before the value. */
function samplesOf(text: string): ReadonlyMap<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

/** Measurements of a host. */

const read = async (host: TestHost) => samplesOf((await host.get(metrics)).body.toString());

test('metrics are for holders of the token, as text in the Prometheus format', async (t) => {
  const host = await TestHost.open(t);
  host.refused(t, await host.get(metrics, { token: null }), 'unauthorized', ['www-authenticate']);
  const answer = await host.get(metrics);
  t.is(answer.status, 200);
  t.is(answer.headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8');
  const lines = answer.body.toString().trimEnd().split('\n');
  const comment = /^# (HELP|TYPE) [a-z_]+ \S/;
  const sample = /^[a-z_]+(\{([a-z]+="[^"]*",?)+\})? (-?\d+(\.\d+)?(e[+-]\d+)?|\+Inf|NaN)$/;
  for (const line of lines) t.true(comment.test(line) || sample.test(line), line);
});

test('answers are counted by the pattern of their path, never by an id', async (t) => {
  const host = await TestHost.open(t);
  const key = 'media_study_http_requests_total{path="/v1/runtimes/:runtimeId",status="404"}';
  const before = (await read(host)).get(key) ?? 0;
  for (const id of ['a', 'b', 'c']) await host.get(`/v1/runtimes/runtime:${id}`);
  const after = await read(host);
  t.is((after.get(key) ?? 0) - before, 3);
  t.deepEqual(
    [...after.keys()].filter((name) => name.includes('runtime:')),
    [],
  );
});

test('a study shows in steps, commits, bytes, and in the end in no queue', async (t) => {
  const host = await TestHost.open(t, { mediaTools: true });
  const before = await read(host);
  const { runtimeId } = await startStudy(t, host, studyRequest(await sampleRow(t, host)));
  await followed(t, host, runtimeId);
  const after = await read(host);
  const risen = (name: string) => (after.get(name) ?? 0) - (before.get(name) ?? 0);
  t.true(risen('media_study_commit_seconds_count') >= 5);
  t.true(risen('media_study_commit_seconds_sum') > 0);
  t.true(risen('media_study_http_sent_bytes_total') > 1000);
  t.true(risen('media_study_http_received_bytes_total') > 100);
  t.is(risen('media_study_step_seconds_count{actor="runtime",state="running.detect"}'), 1);
  for (const queue of ['probes', 'studies']) {
    t.is(after.get(`media_study_queue_waiting{queue="${queue}"}`), 0, queue);
  }
  // The detector process waits for more work.
  t.is(after.get('media_study_external_processes'), 1);
  t.true((after.get('media_study_event_loop_delay_seconds{quantile="1"}') ?? 0) > 0);
  t.true((after.get('media_study_event_loop_pause_seconds_count') ?? 0) > 0);
  t.true((after.get('process_resident_memory_bytes') ?? 0) > 1e7);
});

const snapshots = '/v1/ledger-snapshots';

/** Copies of the ledger that a host makes while it works. */

test('a snapshot of the ledger lies in the data root, and there is one at a time', async (t) => {
  const host = await TestHost.open(t);
  const taken = await Promise.all([1, 2, 3].map(() => host.post(snapshots, {})));
  const folders = taken.map((answer) => host.granted(t, answer, 201, ledgerSnapshot).folder);
  t.is(new Set(folders).size, 3);
  const names = (await readdir(join(host.dataRoot, 'work'))).filter((name) => name.startsWith('snapshot-'));
  t.deepEqual(
    names.map((name) => `work/${name}`),
    folders.slice(-1),
  );
  t.deepEqual((await readdir(join(host.dataRoot, folders[2] ?? ''))).sort(), ['ledger', 'ledger.mark']);
});

test('a snapshot needs the token and an empty object', async (t) => {
  const host = await TestHost.open(t);
  host.refused(t, await host.post(snapshots, { directory: '/tmp' }), 'invalid_snapshot_request');
  const unknown = await host.ask('POST', snapshots, { json: {}, token: null });
  host.refused(t, unknown, 'unauthorized', ['www-authenticate']);
});

const codes = '/v1/pairing-codes';
const pairings = '/v1/pairings';
const pageFields = ['access-control-allow-origin', 'access-control-expose-headers', 'vary'];

/** How a page without a token gets one. */

const exchange = (host: TestHost, code: string, headers: Record<string, string> = { Origin: pageOrigin }) =>
  host.ask('POST', pairings, { token: null, headers, json: { schema: 'studio.pairing-request.v1', code } });

test('a page gets a token of its own for a code of the owner, once', async (t) => {
  const host = await TestHost.open(t);
  host.refused(t, await host.ask('POST', codes, { token: null, json: {} }), 'unauthorized', ['www-authenticate']);
  const { code } = host.granted(t, await host.post(codes, {}), 201, issuedPairingCode);
  host.refused(t, await exchange(host, code, {}), 'origin_required');
  host.refused(t, await exchange(host, code, { Origin: 'http://evil.example' }), 'origin_not_allowed');
  const { authorizationToken } = host.granted(t, await exchange(host, code), 201, pairing, pageFields);
  t.is((await host.get('/v1/source-sessions', { token: authorizationToken })).status, 200);
  host.refused(t, await exchange(host, code), 'pairing_refused', pageFields);
  host.refused(t, await host.post(codes, { code }), 'invalid_pairing_request');
  host.refused(t, await exchange(host, 'short'), 'invalid_pairing_request', pageFields);
  await host.die();
  const late = await host.get('/v1/source-sessions', { token: authorizationToken });
  host.refused(t, late, 'unauthorized', ['www-authenticate']);
});

test('a page with a token gets another one that it may keep, which ends with the host', async (t) => {
  const host = await TestHost.open(t);
  const json = { schema: 'studio.page-token-request.v1' };
  const ask = (options: object = {}) =>
    host.ask('POST', '/v1/page-tokens', { headers: { Origin: pageOrigin }, json, ...options });
  host.refused(t, await ask({ token: null }), 'unauthorized', ['www-authenticate', ...pageFields]);
  host.refused(t, await ask({ headers: {} }), 'origin_required');
  host.refused(t, await ask({ headers: { Origin: 'http://evil.example' } }), 'origin_not_allowed');
  host.refused(t, await ask({ json: {} }), 'invalid_pairing_request', pageFields);
  const paired = await exchange(host, host.granted(t, await host.post(codes, {}), 201, issuedPairingCode).code);
  const given = [host.granted(t, paired, 201, pairing, pageFields).authorizationToken];
  for (let pages = 0; pages <= ownPages; pages += 1) {
    given.push(host.granted(t, await ask(), 201, pageToken, pageFields).authorizationToken);
  }
  const isTaken = async (token = '') => (await host.get('/v1/source-sessions', { token })).status === 200;
  // The 65th ends the first one, and never that of a page that was paired.
  t.deepEqual([await isTaken(given[0]), await isTaken(given[1]), await isTaken(given[2])], [true, false, true]);
  await host.die();
  t.false(await isTaken(given.at(-1)));
});

test('a refusal can be read by a page of an allowed origin, and by no other', async (t) => {
  const host = await TestHost.open(t);
  const ask = (path: string, origin: string, token?: null) =>
    host.get(path, { headers: { Origin: origin }, ...(token === null && { token }) });
  host.refused(t, await ask('/v1/source-sessions', pageOrigin, null), 'unauthorized', [
    ...pageFields,
    'www-authenticate',
  ]);
  host.refused(t, await ask('/v1/nothing', pageOrigin), 'not_found', pageFields);
  host.refused(t, await ask('/v1/runtimes?limit=0', pageOrigin), 'invalid_cursor', pageFields);
  host.refused(t, await ask('/v1/nothing', 'http://evil.example'), 'origin_not_allowed');
});
