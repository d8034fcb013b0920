import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { deletions as deletionList, deletionReceipt, diskUse, garbageCollection } from '../../contract/deletion.ts';
import { runtimes } from '../../contract/study/status.ts';
import { contentIdOfBytes } from '../../formats/canonical-json.ts';
import { endpointsOf } from '../../http/exchange/route.ts';
import { describedRoutes } from '../../scripts/docs/openapi/document.ts';
import { TestHost } from '../host/test-host.ts';
import type { WireAnswer } from '../host/wire-question.ts';
import { eventually } from '../patience.ts';
import { pageOrigin } from './host/contract.ts';
import { ingestRequest, ingests, openIngest, putMedia, reached } from './host/ingest-steps.ts';
import { humWav } from './host/media.ts';
import { followed, plans, sampleRow, startStudy, starts, studyRequest } from './host/study-steps.ts';

const nowhere = 'runtime:00000000-0000-4000-8000-000000000000';
const examplesPath = new URL('../../fixtures/recorded-run/exchanges.json', import.meta.url);

/** Bodies that a real run sent, by the names of the operations. */
const sent = async (): Promise<Readonly<Record<string, { request?: unknown; params: Record<string, string> }>>> =>
  JSON.parse(await readFile(examplesPath, 'utf8')).operations;

/** No run records a check of captions, which takes a crash. */
const checkRequest = {
  candidate: {
    jobId: `caption-production:${'1'.repeat(64)}`,
    captionArtifactId: `artifact:${'2'.repeat(64)}`,
    captionContentId: `sha256:${'3'.repeat(64)}`,
    captionReceiptId: `caption-production-receipt:${'4'.repeat(64)}`,
    captionReceiptContentId: `sha256:${'5'.repeat(64)}`,
  },
};

/** What a host deletes, what it refuses to delete, and how it answers for what is gone. */

const remove = (host: TestHost, path: string) => host.ask('DELETE', path);

const granted = (t: ExecutionContext, host: TestHost, answer: WireAnswer) =>
  host.granted(t, answer, 200, deletionReceipt);

/** A study that ended, and was deleted. */
async function deletedStudy(t: ExecutionContext, host: TestHost) {
  const request = studyRequest(await sampleRow(t, host), { clientRequestId: 'to-be-deleted' });
  const { runtimeId, commandId } = await startStudy(t, host, request);
  await followed(t, host, runtimeId);
  granted(t, host, await remove(host, `/v1/runtimes/${runtimeId}`));
  return { runtimeId, commandId, request };
}

test('a study that waits or runs is not deleted, and one that has ended is', async (t) => {
  const host = await TestHost.open(t, { life: 'studied', mediaTools: true });
  const request = studyRequest(await sampleRow(t, host), { range: { startMs: 500, endMs: 1500 } });
  host.launcher.hold();
  const { runtimeId, commandId } = await startStudy(t, host, request);
  host.refused(t, await remove(host, `/v1/runtimes/${runtimeId}`), 'runtime_live');
  host.launcher.release();
  await followed(t, host, runtimeId);
  const receipt = granted(t, host, await remove(host, `/v1/runtimes/${runtimeId}?operator=Somebody`));
  t.like(receipt, {
    operator: 'Somebody',
    deleted: { kind: 'runtime', runtimeId, commandId, lifecycle: 'terminal' },
  });
  t.deepEqual(
    granted(t, host, await remove(host, `/v1/runtimes/${runtimeId}`)),
    receipt,
    'once more answers as the first time',
  );
  const list = host.granted(t, await host.get('/v1/deletions?limit=1'), 200, deletionList);
  t.deepEqual(list, { schema: 'studio.deletions.v1', deletions: [receipt], damaged: [], nextCursor: null });
});

test('every path of a deleted runtime answers 410, whatever its method', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const gone = await deletedStudy(t, host);
  const examples = await sent();
  const asked: string[] = [];
  for (const route of describedRoutes()) {
    const { path } = route;
    if (!/:(runtimeId|commandId)/.test(path)) continue;
    for (const [method, endpoint] of endpointsOf(route)) {
      if (method === 'DELETE') continue;
      const { request, params = {} } = examples[endpoint.description.id] ?? {};
      const names = { ...params, runtimeId: gone.runtimeId, commandId: gone.commandId };
      const target = path.replace(/:([^./]+)/g, (_, name: keyof typeof names) =>
        encodeURIComponent(names[name] ?? 'x'),
      );
      const body = endpoint.body === 'json' ? { json: request ?? checkRequest } : {};
      const answer = await host.ask(method, target, { ...body, headers: { Origin: pageOrigin } });
      const { error } = JSON.parse(answer.body.toString());
      t.is(`${answer.status} ${error.code}`, '410 runtime_deleted', `${method} ${target}`);
      asked.push(`${method} ${path}`);
    }
  }
  t.true(asked.length >= 20, asked.join('\n'));
});

test('an equal start is refused, another attempt is not, and lists do not show it', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const gone = await deletedStudy(t, host);
  for (const path of [plans, starts]) host.refused(t, await host.post(path, gone.request), 'runtime_deleted');
  const listed = host.granted(t, await host.get('/v1/runtimes'), 200, runtimes);
  t.false(listed.runtimes.some(({ runtimeId }) => runtimeId === gone.runtimeId));
  const again = await startStudy(t, host, { ...gone.request, clientRequestId: 'another' });
  t.not(again.runtimeId, gone.runtimeId);
  await followed(t, host, again.runtimeId);
});

test('what cannot be deleted is refused with its reason', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  host.refused(t, await remove(host, `/v1/runtimes/${nowhere}`), 'unknown_runtime');
  host.refused(t, await remove(host, '/v1/runtimes/x'), 'unknown_runtime');
  host.refused(t, await remove(host, '/v1/source-sessions/x'), 'unknown_source_session');
  host.refused(t, await remove(host, `/v1/runtimes/${nowhere}?operator=%20`), 'unknown_query');
  const { sourceSessionId } = await sampleRow(t, host);
  host.refused(t, await remove(host, `/v1/source-sessions/${sourceSessionId}`), 'source_read_in_place');
});

test('a source goes with its ingest, once no runtime and no live ingest needs it', async (t) => {
  const host = await TestHost.open(t, { life: 'studied', mediaTools: true });
  const media = humWav(7, 1200);
  const sendOne = async (label: string) => {
    const ingestId = await openIngest(t, host, ingestRequest(media.length, { label }));
    t.is((await putMedia(host, ingestId, media)).status, 202);
    return ingestId;
  };
  const registered = async (ingestId: string) => {
    const { source } = await reached(t, host, ingestId);
    if (source === null) throw new Error('the ingest has no source');
    return source;
  };
  const first = await sendOne('To be deleted');
  const path = `/v1/source-sessions/${(await registered(first)).sourceSessionId}`;
  host.launcher.hold();
  const second = await sendOne('Another revision');
  t.regex(host.refused(t, await remove(host, path), 'source_in_use'), new RegExp(`1 live ingests.*${second}`));
  host.launcher.release();
  const source = await registered(second);
  host.launcher.hold();
  const { runtimeId } = await startStudy(t, host, studyRequest(source));
  t.regex(host.refused(t, await remove(host, path), 'source_in_use'), new RegExp(`1 runtime needs it: ${runtimeId}`));
  host.launcher.release();
  const { last } = await followed(t, host, runtimeId);
  t.like(last, { lifecycle: 'terminal', reason: null }, 'the refused deletion has left the study alone');
  t.regex(host.refused(t, await remove(host, path), 'source_in_use'), new RegExp(`1 runtime needs it: ${runtimeId}`));
  granted(t, host, await remove(host, `/v1/runtimes/${runtimeId}`));
  const { deleted } = granted(t, host, await remove(host, path));
  t.deepEqual(deleted.kind === 'source' && [...deleted.ingestIds].sort(), [first, second].sort());
  t.is(deleted.kind === 'source' && deleted.sourceRevisionIds.length, 2);
  for (const target of [`${path}/media-probe`, `${ingests}/${first}`, `/v1/runtimes?source=${source.sourceSessionId}`])
    host.refused(t, await host.get(target), 'source_deleted');
  host.refused(t, await host.post(starts, studyRequest(source, { clientRequestId: 'x' })), 'source_deleted');
  host.refused(t, await host.post(`${ingests}/${first}/cancellations`, {}), 'source_deleted');
  // A source is its media: whoever brings that once more has it back.
  const again = await registered(await sendOne('Back again'));
  t.is(again.sourceSessionId, source.sourceSessionId);
  t.is((await host.get(`${path}/media-probe`)).status, 200);
  const { sources } = host.granted(t, await host.get('/v1/disk-use'), 200, diskUse);
  t.is(sources.find(({ label }) => label === 'Back again')?.media.bytes, media.length);
});

test('a collection counts what no record reaches, and a dry run removes nothing', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  host.refused(t, await host.post('/v1/garbage-collections', {}), 'invalid_collection_request');
  const collect = async (dryRun: boolean) => {
    const answer = await host.post('/v1/garbage-collections', { dryRun });
    return host.granted(t, answer, 200, garbageCollection);
  };
  await deletedStudy(t, host);
  const usage = async (query = '') => host.granted(t, await host.get(`/v1/disk-use${query}`), 200, diskUse);
  // The deletion was answered before the last of its objects was let go.
  await eventually('what the deletion leaves', async () => {
    const { unreached } = (await usage()).total;
    return unreached.files > 0 && unreached.files === (await collect(true)).kept.object.files;
  });
  const before = await usage('?limit=1');
  t.true(before.runtimes.length <= 1);
  t.like(await collect(true), { dryRun: true, kept: { object: before.total.unreached } });
  t.is((await collect(false)).removed.object.files, 0, 'all of it was stored a moment ago');
  await host.stop();
  const stray = Buffer.from('what no record names');
  const file = host.objectFile(contentIdOfBytes(stray));
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, stray);
  await host.start();
  const dry = await collect(true);
  const after = await usage();
  t.deepEqual(dry.removed.object, after.total.unreached);
  t.like(dry.removed.object, { files: 1, bytes: stray.length });
  const figure = async (name: string): Promise<number | null> => {
    const text = (await host.get('/v1/metrics')).body.toString();
    const value = text.split('\n').find((line) => line.startsWith(`media_study_${name} `));
    return value === undefined ? null : Number(value.split(' ')[1]);
  };
  t.is(await figure('collections_total'), 0, 'a dry run is none');
  const { removed } = await collect(false);
  t.deepEqual(removed.object, dry.removed.object);
  t.is(await figure('collections_total'), 1);
  t.is(await figure('collected_files_total{kind="object"}'), removed.object.files);
  t.is(await figure('collected_bytes_total{kind="object"}'), removed.object.bytes);
});
