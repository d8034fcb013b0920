import { createHmac } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { version } from '../../contract/base/program-version.ts';
import { runtimeEvents } from '../../contract/journal.ts';
import {
  type ActorList,
  type ActorTransitions,
  actorList,
  actorTransitions,
  readActor,
} from '../../contract/lifecycles/actors.ts';
import {
  type ChartState,
  type ChartTransition,
  chartCoverage,
  chartReleases,
  charts,
  drawnChart,
} from '../../contract/lifecycles/charts.ts';
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
import { type Release, release as releaseShape } from '../../fixtures/golden-store/release.ts';
import { machines } from '../../machines/catalogue.ts';
import { chartChanges } from '../../visualizer/chart-changes.ts';
import { fieldOf } from '../fields.ts';
import { TestHost } from '../host/test-host.ts';
import { pageOrigin } from './host/contract.ts';
import { ingestRequest, ingests, openIngest } from './host/ingest-steps.ts';
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

// The machines of a host as charts, and what its actors went through.

const actors = '/v1/actors';

const listed = async (t: ExecutionContext, host: TestHost, query = ''): Promise<ActorList> =>
  host.granted(t, await host.get(`${actors}${query}`), 200, actorList);

const transitionsOf = async (
  t: ExecutionContext,
  host: TestHost,
  actorId: string,
  query = '',
): Promise<ActorTransitions> =>
  host.granted(t, await host.get(`${actors}/${actorId}/transitions${query}`), 200, actorTransitions);

const actorOf = async (t: ExecutionContext, host: TestHost, actorId: string) =>
  host.granted(t, await host.get(`${actors}/${actorId}`), 200, readActor);

const ways = ({ transitions }: ActorTransitions): string[] =>
  transitions.map(({ states, event, cause }) => `${event ?? cause} > ${states.join()}`);

test('an ingest is an actor from its opening to its end, and keeps every state that it was in', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const ingestId = await openIngest(t, host, ingestRequest(5));
  const [open] = (await listed(t, host, '?limit=1')).actors;
  t.like(open, {
    actorId: ingestId,
    kind: 'owned-ingest',
    chartId: 'owned-ingest',
    runtimeId: null,
    value: { queued: 'awaitingMedia' },
    states: ['owned-ingest.queued.awaitingMedia'],
    phase: 'waiting',
    restarts: 0,
    resumes: 0,
  });
  await host.post(`${ingests}/${ingestId}/cancellations`, {});
  const way = await transitionsOf(t, host, ingestId);
  t.deepEqual(ways(way), ['xstate.init > owned-ingest.queued.awaitingMedia', 'ingest.cancel > owned-ingest.failed']);
  t.like(way, { kind: 'owned-ingest', isComplete: true, nextCursor: 2, reachedHead: true });
  t.is(way.recordedFrom, way.transitions[0]?.at ?? null);
  const next = await transitionsOf(t, host, ingestId, '?after=1&limit=1');
  t.deepEqual(next.transitions, way.transitions.slice(1));
  const first = await transitionsOf(t, host, ingestId, '?limit=1');
  t.like(first, { nextCursor: 1, reachedHead: false });
  const ended = (await listed(t, host, '?kind=owned-ingest&state=failed')).actors[0];
  t.like(ended, { actorId: ingestId, phase: 'ended', updatedAt: way.transitions[1]?.at });
});

test('a study is listed with its way through the chart, newest first and page by page', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const [study] = (await listed(t, host, '?kind=runtime')).actors;
  if (study === undefined) return t.fail('nothing was studied');
  t.like(study, { runtimeId: study.actorId, states: ['runtime.terminal'], phase: 'ended' });
  const way = ways(await transitionsOf(t, host, study.actorId));
  t.deepEqual(way.slice(0, 3), [
    'xstate.init > runtime.accepted',
    'worker.granted > runtime.initializing',
    'xstate.done.actor.initialize > runtime.running.detect',
  ]);
  t.is(way.at(-1), 'xstate.done.actor.admit > runtime.terminal');
  const all = (await listed(t, host)).actors;
  t.deepEqual(
    all.map(({ startedAt }) => startedAt ?? ''),
    all
      .map(({ startedAt }) => startedAt ?? '')
      .sort()
      .reverse(),
  );
  const paged: unknown[] = [];
  for (let after: string | null = ''; after !== null; ) {
    const page: ActorList = await listed(t, host, `?limit=1${after && `&after=${encodeURIComponent(after)}`}`);
    paged.push(...page.actors);
    after = page.nextCursor;
  }
  t.deepEqual(paged, all);
  t.deepEqual((await listed(t, host, '?state=running')).actors, []);
});

test('each actor is read by its id as the list has it', async (t) => {
  const host = await TestHost.open(t, { life: 'captioned' });
  for (const row of (await listed(t, host)).actors) {
    t.deepEqual(await actorOf(t, host, row.actorId), { schema: 'studio.actor.v1', ...row });
  }
});

test('every recorded step names the arrows that it took, and these lead from state to state', async (t) => {
  const host = await TestHost.open(t, { life: 'captioned' });
  for (const { actorId, chartId } of (await listed(t, host)).actors) {
    const { chart } = host.granted(t, await host.get(`${chartList}/${chartId}`), 200, drawnChart);
    const arrows = new Map(transitionsIn(chart.root).map((each) => [each.id, each]));
    const { transitions } = await transitionsOf(t, host, actorId);
    for (const { taken, event, states, seq } of transitions) {
      t.is(taken?.length === 0, event === 'xstate.init', `${actorId} ${seq} ${event}`);
      const last = taken?.map((id) => arrows.get(id)).at(-1);
      if (last === undefined) continue;
      t.true(last.targets.length === 0 || last.targets.some((target) => states.some((id) => id.startsWith(target))));
    }
  }
});

test('the steps of a study, its review and its captions name every entry of its journal once', async (t) => {
  const host = await TestHost.open(t, { life: 'captioned' });
  const [made] = (await listed(t, host, '?kind=caption-production')).actors;
  const runtimeId = made?.runtimeId ?? '';
  const journal = host.granted(t, await host.get(`/v1/runtimes/${runtimeId}/events?limit=200`), 200, runtimeEvents, [
    'access-control-expose-headers',
    'studio-journal-head',
  ]);
  const own = (await listed(t, host)).actors.filter((each) => each.runtimeId === runtimeId);
  const ways = await Promise.all(own.map(({ actorId }) => transitionsOf(t, host, actorId)));
  const ranges = new Map(
    ways
      .flatMap(({ transitions }) => transitions)
      .flatMap(({ commit, journal }) => (journal ? [[`${commit} ${journal.fromSeq}`, journal] as const] : [])),
  );
  const sorted = [...ranges.values()].toSorted((one, other) => one.fromSeq - other.fromSeq);
  t.deepEqual(
    sorted.flatMap(({ fromSeq, toSeq }) => Array.from({ length: toSeq - fromSeq + 1 }, (_, at) => fromSeq + at)),
    journal.events.map(({ seq }) => seq),
  );
});

test('a missing actor, and an invalid cursor or filter, are refused', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  host.refused(t, await host.get(`${actors}/runtime:none/transitions`), 'unknown_actor');
  host.refused(t, await host.get(`${actors}/runtime:none`), 'unknown_actor');
  const [{ actorId } = { actorId: '' }] = (await listed(t, host, '?limit=1')).actors;
  host.refused(t, await host.get(`${actors}/${actorId}/transitions?after=99`), 'cursor_past_head');
  host.refused(t, await host.get(`${actors}/${actorId}/transitions?after=x`), 'invalid_cursor');
  host.refused(t, await host.get(`${actors}?kind=none`), 'invalid_filter');
  host.refused(t, await host.get(`${actors}?after=none`), 'invalid_cursor');
  host.refused(t, await host.get(`${actors}?limit=201`), 'invalid_limit');
  host.refused(t, await host.get(actors, { token: null }), 'unauthorized', ['www-authenticate']);
});

test('actors and their transitions are the same after the host was killed', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const [study] = (await listed(t, host, '?kind=runtime')).actors;
  const before = [await listed(t, host), await transitionsOf(t, host, study?.actorId ?? '')];
  await host.die();
  t.deepEqual([await listed(t, host), await transitionsOf(t, host, study?.actorId ?? '')], before);
});

test('reviews and captions are actors of their study', async (t) => {
  const host = await TestHost.open(t, { life: 'captioned' });
  const [made] = (await listed(t, host, '?kind=caption-production&state=checked')).actors;
  if (made === undefined) return t.fail('no captions were made');
  t.deepEqual(ways(await transitionsOf(t, host, made.actorId)), [
    'xstate.init > caption-production.producing',
    'xstate.done.actor.produceCaptions > caption-production.checking',
    'xstate.done.actor.checkCaptions > caption-production.checked',
  ]);
  const reviews = (await listed(t, host, '?kind=publish-review')).actors;
  const review = reviews.find(({ runtimeId }) => runtimeId === made.runtimeId);
  if (review === undefined) return t.fail('the study was not reviewed');
  const { transitions, isComplete } = await transitionsOf(t, host, review.actorId);
  t.true(isComplete);
  t.deepEqual(
    transitions.slice(0, 3).map(({ event, value }) => `${event} ${JSON.stringify(value)}`),
    ['xstate.init "queued"', 'decision.started "deciding"', 'decision.approved "approved"'],
  );
  t.is(transitions[1]?.commit, transitions[2]?.commit);
  t.deepEqual(review.states, transitions.at(-1)?.states);
});

const chartList = '/v1/charts';
const stored = async (name: string) =>
  JSON.parse(await readFile(new URL(`../../docs/charts/${name}`, import.meta.url), 'utf8'));
const transitionsIn = (state: ChartState): ChartTransition[] => [
  ...state.transitions,
  ...state.states.flatMap(transitionsIn),
];
const idsIn = (state: ChartState): string[] => [state.id, ...state.states.flatMap(idsIn)];

/** The machines of a host as data. */

/** The releases that the project keeps stores of, the oldest first. */
async function describedReleases(): Promise<[string, Release][]> {
  const folder = fileURLToPath(new URL('../../fixtures/golden-store/releases', import.meta.url));
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  return Promise.all(
    names
      .sort((one, other) => one.localeCompare(other, 'en', { numeric: true }))
      .map(async (name): Promise<[string, Release]> => {
        const described: unknown = JSON.parse(await readFile(join(folder, name, 'release.json'), 'utf8'));
        return [name, releaseShape.parse(described)];
      }),
  );
}

test('a chart of an earlier release has the states that the stores of that release are in', async (t) => {
  const host = await TestHost.open(t);
  for (const [release, { charts: described }] of await describedReleases()) {
    for (const [id, { version, states }] of Object.entries(described)) {
      const answer = await host.get(`${chartList}/${id}/releases/${release}`);
      const { chart, drawing } = host.granted(t, answer, 200, drawnChart);
      t.is(chart.machineVersion, String(version));
      t.true(
        Object.keys(states).every((path) => idsIn(chart.root).includes(`${id}.${path}`)),
        `${id} of ${release}`,
      );
      t.deepEqual(drawing.boxes.map((box) => box.id).sort(), idsIn(chart.root).sort());
    }
  }
  host.refused(t, await host.get(`${chartList}/runtime/releases/9.9.9`), 'unknown_chart_release');
});

test('the releases that had a chart are listed, newest first, with those in which it was the same', async (t) => {
  const host = await TestHost.open(t);
  const listed = async (id: string) =>
    host.granted(t, await host.get(`${chartList}/${id}/releases`), 200, chartReleases).releases;
  const versions = (await listed('runtime')).map(({ release, machineVersion }) => `${release} ${machineVersion}`);
  const kept = (await describedReleases()).map(([release, { charts: each }]) => `${release} ${each.runtime?.version}`);
  t.deepEqual(versions, kept.reverse());
  for (const { id } of machines) {
    const present = host.granted(t, await host.get(`${chartList}/${id}`), 200, drawnChart).chart;
    for (const { release, isSame } of await listed(id)) {
      const answer = await host.get(`${chartList}/${id}/releases/${release}`);
      const { changes, isOtherWay } = chartChanges(host.granted(t, answer, 200, drawnChart).chart, present);
      t.is(isSame, changes.length === 0 && !isOtherWay, `${id} of ${release}`);
    }
  }
});

test('the coverage of a chart counts walks through each of its states and transitions', async (t) => {
  const host = await TestHost.open(t);
  for (const { id } of machines) {
    const { chart } = host.granted(t, await host.get(`${chartList}/${id}`), 200, drawnChart);
    const covered = host.granted(t, await host.get(`${chartList}/${id}/coverage`), 200, chartCoverage);
    t.is(covered.machineVersion, chart.machineVersion);
    t.deepEqual(fieldOf(covered.states, 'id'), idsIn(chart.root));
    t.deepEqual(fieldOf(covered.transitions, 'id'), fieldOf(transitionsIn(chart.root), 'id'));
  }
});

test('every machine is a chart, the one that the docs show', async (t) => {
  const host = await TestHost.open(t);
  const listed = host.granted(t, await host.get(chartList), 200, charts).charts;
  t.deepEqual(
    listed.map(({ machineId }) => machineId),
    machines.map(({ id }) => id),
  );
  for (const chart of listed) t.deepEqual(chart, await stored(`${chart.machineId}.json`));
});

test('a chart comes with its drawing, which has a box for each of its states', async (t) => {
  const host = await TestHost.open(t);
  for (const { id } of machines) {
    const { chart, drawing } = host.granted(t, await host.get(`${chartList}/${id}`), 200, drawnChart);
    t.deepEqual(drawing, await stored(`${id}.drawing.json`));
    t.is(drawing.machineVersion, chart.machineVersion);
    t.deepEqual(drawing.boxes.map((box) => box.id).sort(), idsIn(chart.root).sort());
  }
  for (const path of ['none', 'none/releases', 'none/releases/0.3.0', 'none/coverage'])
    host.refused(t, await host.get(`${chartList}/${path}`), 'unknown_chart');
  host.refused(t, await host.get(chartList, { token: null }), 'unauthorized', ['www-authenticate']);
});
