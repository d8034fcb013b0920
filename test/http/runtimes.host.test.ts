import test, { type ExecutionContext } from 'ava';
import { ownedIngests } from '../../contract/ingest.ts';
import { sourceSessionList } from '../../contract/sources/source-session.ts';
import { type Runtimes, runtimes } from '../../contract/study/status.ts';
import { TestHost } from '../host/test-host.ts';
import { ingests } from './host/ingest-steps.ts';
import { followed, plans, runtimeOf, sampleRow, startStudy, starts, studyRequest } from './host/study-steps.ts';

// The list of studies, newest first, and the place that a host has for them.

const label = 'Reading room (sample)';
const oneWorker = ['--study-workers', '1'];

const listed = async (t: ExecutionContext, host: TestHost, query = ''): Promise<Runtimes> =>
  host.granted(t, await host.get(`/v1/runtimes${query}`), 200, runtimes);

const idsOf = ({ runtimes }: Runtimes) => runtimes.map(({ runtimeId }) => runtimeId);

/** Starts a study of the sample; only its first second, ten and twelve need no pass over the media. */
async function started(t: ExecutionContext, host: TestHost, clientRequestId: string, endMs = 1000): Promise<string> {
  const request = studyRequest(await sampleRow(t, host), { range: { startMs: 0, endMs }, clientRequestId });
  return (await startStudy(t, host, request)).runtimeId;
}

const cancel = (host: TestHost, runtimeId: string) => host.post(`/v1/runtimes/${runtimeId}/cancellations`, {});

test('studies are listed with where they stand, newest first', async (t) => {
  const host = await TestHost.open(t, { life: 'studied', flags: oneWorker });
  host.launcher.hold();
  const held = await started(t, host, 'held', 1500);
  const ids = [
    await started(t, host, 'a', 1000),
    await started(t, host, 'b', 10_000),
    await started(t, host, 'c', 12_000),
  ];
  const [row] = (await listed(t, host, '?limit=1')).runtimes;
  const status = await runtimeOf(t, host, ids[2] ?? '');
  const { commandId, lifecycle, acceptedAt, lastTransitionAt, sourceSessionId } = status;
  t.like(row, { runtimeId: ids[2], commandId, lifecycle, acceptedAt, lastTransitionAt, sourceSessionId });
  t.like(row, { label, range: { startMs: 0, endMs: 12_000 }, reason: null, terminal: false });
  t.deepEqual(idsOf(await listed(t, host)).slice(0, 4), [...ids.toReversed(), held]);
  t.is((await cancel(host, held)).status, 202);
  for (const runtimeId of ids) await followed(t, host, runtimeId);
  t.like((await listed(t, host, '?limit=1')).runtimes[0], { runtimeId: ids[2], lifecycle: 'terminal', terminal: true });
});

test('a list is read page by page, and what comes meanwhile moves no page', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const all = idsOf(await listed(t, host, '?limit=200'));
  const paged: string[] = [];
  let page = await listed(t, host, '?limit=2');
  const newest = await started(t, host, 'meanwhile');
  for (;;) {
    paged.push(...idsOf(page));
    if (page.nextCursor === null) break;
    page = await listed(t, host, `?limit=2&after=${encodeURIComponent(page.nextCursor)}`);
  }
  t.deepEqual(paged, all);
  t.is(new Set(paged).size, 3);
  t.is((await listed(t, host, '?limit=1')).runtimes[0]?.runtimeId, newest);
  await followed(t, host, newest);
});

test('a list has only the studies of a source, a lifecycle or a label that is asked for', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const { sourceSessions } = host.granted(t, await host.get('/v1/source-sessions'), 200, sourceSessionList);
  const hum = sourceSessions.find(({ rightsScope }) => rightsScope === 'local_processing');
  if (hum === undefined) throw new Error('the hum is not listed');
  // No tool runs here: the study of the hum fails.
  const range = { startMs: 0, endMs: hum.durationMs };
  await followed(t, host, (await startStudy(t, host, studyRequest(hum, { range }))).runtimeId);
  host.launcher.hold();
  const canceled = await started(t, host, 'canceled', 1500);
  await cancel(host, canceled);
  const all = (await listed(t, host, '?limit=200')).runtimes;
  t.is(all.length, 5);
  for (const [query, isAskedFor] of [
    [`source=${encodeURIComponent(hum.sourceSessionId)}`, (row) => row.sourceSessionId === hum.sourceSessionId],
    ['lifecycle=interrupted', ({ lifecycle }) => lifecycle === 'interrupted'],
    [`label=${encodeURIComponent(label)}`, (row) => row.label === label],
    ['label=none', () => false],
  ] as readonly [string, (row: Runtimes['runtimes'][number]) => boolean][]) {
    t.deepEqual((await listed(t, host, `?limit=200&${query}`)).runtimes, all.filter(isAskedFor), query);
  }
  t.deepEqual(idsOf(await listed(t, host, '?lifecycle=interrupted')), [canceled]);
  host.refused(t, await host.get('/v1/runtimes?source=runtime-list-of-nobody'), 'unknown_source_session');
  host.refused(t, await host.get('/v1/runtimes?lifecycle=done'), 'invalid_filter');
  host.refused(t, await host.get('/v1/runtimes?after=1'), 'invalid_cursor');
  host.refused(t, await host.get('/v1/runtimes?limit=0'), 'invalid_cursor');
  host.refused(t, await host.get('/v1/runtimes?limit=201'), 'invalid_limit');
});

test('the lists are the same after the host was killed', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const listedIngests = async () => host.granted(t, await host.get(ingests), 200, ownedIngests);
  const before = [await listed(t, host), await listedIngests()];
  await host.die();
  t.deepEqual([await listed(t, host), await listedIngests()], before);
});

const threeStudies = ['--maximum-live-studies', '3', ...oneWorker];

test('a start without room is refused and says when to ask again; equal ones are answered', async (t) => {
  const host = await TestHost.open(t, { flags: threeStudies });
  host.launcher.hold();
  const source = await sampleRow(t, host);
  const asked = (clientRequestId: string) => studyRequest(source, { clientRequestId });
  const attempts = [await started(t, host, 'one'), await started(t, host, 'two')];
  // They arrive together where there is room for one.
  const ids = Array.from({ length: 12 }, (_, at) => `together-${at}`);
  const together = await Promise.all(ids.map((id) => host.post(starts, asked(id))));
  t.is(together.filter(({ status }) => status === 202).length, 1);
  for (const answer of together.filter(({ status }) => status !== 202)) {
    host.refused(t, answer, 'study_queue_full', ['retry-after', 'access-control-expose-headers']);
    t.is(answer.headers['retry-after'], '10');
  }
  const again = await startStudy(t, host, asked('one'));
  t.true(attempts.includes(again.runtimeId));
  t.is((await host.post(plans, asked('four'))).status, 200);
});

test('whoever was refused has its place once a study has ended', async (t) => {
  const host = await TestHost.open(t, { life: 'studied', flags: threeStudies });
  host.launcher.hold();
  const held = await started(t, host, 'one', 1500);
  const waiting = [await started(t, host, 'two'), await started(t, host, 'three')];
  const four = studyRequest(await sampleRow(t, host), { clientRequestId: 'four' });
  const fields = ['retry-after', 'access-control-expose-headers'];
  host.refused(t, await host.post(starts, four), 'study_queue_full', fields);
  await cancel(host, held);
  for (const runtimeId of waiting) await followed(t, host, runtimeId);
  const { runtimeId } = await startStudy(t, host, four);
  await followed(t, host, runtimeId);
  t.is((await runtimeOf(t, host, runtimeId)).lifecycle, 'terminal');
});
