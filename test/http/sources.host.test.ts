import { appendFile, mkdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { ErrorCode } from '../../contract/base/errors.ts';
import { deletions as deletionList, deletionReceipt, diskUse, garbageCollection } from '../../contract/deletion.ts';
import {
  attachedSubtitleTrack,
  subtitleTracks as listedTracks,
  type SourceSessionRow,
  sourceSessionList,
} from '../../contract/sources/source-session.ts';
import { maximumSubtitleBytes } from '../../contract/sources/subtitle-track.ts';
import { runtimePlan } from '../../contract/study/start.ts';
import { runtimes } from '../../contract/study/status.ts';
import { sampleMedia } from '../../fixtures/sample/gold.ts';
import { contentIdOfBytes } from '../../formats/canonical-json.ts';
import { endpointsOf } from '../../http/exchange/route.ts';
import { describedRoutes } from '../../scripts/docs/openapi/document.ts';
import { knownLives } from '../host/lives.ts';
import { TestHost } from '../host/test-host.ts';
import type { WireAnswer } from '../host/wire-question.ts';
import { eventually } from '../patience.ts';
import { pageOrigin } from './host/contract.ts';
import { ingest, ingestRequest, ingests, openIngest, putMedia, reached, storedFiles } from './host/ingest-steps.ts';
import { humWav } from './host/media.ts';
import { followed, plans, runtimeOf, sampleRow, startStudy, starts, studyRequest } from './host/study-steps.ts';
import { attach, attached, attachedTo, hello, srt, tracksOf } from './host/subtitle-steps.ts';

// The material of a host: its sources and their revisions, and the subtitle files that are attached to them.

const sources = '/v1/source-sessions';

test('the list of sources begins with the sample alone', async (t) => {
  const host = await TestHost.open(t);
  const { sourceSessions } = host.granted(t, await host.get(sources), 200, sourceSessionList);
  t.like(sourceSessions, { length: 1, 0: { sourceKind: 'owned_local', rightsScope: 'redistribution' } });
  t.true(sourceSessions[0]?.detectedLanguageEvidenceAvailable);
  t.is(sourceSessions[0]?.preflightSchema, 'studio.preflight-bundle.v3');
});

/** Bytes that were registered before. */

const rows = async (t: ExecutionContext, host: TestHost) =>
  host.granted(t, await host.get('/v1/source-sessions'), 200, sourceSessionList).sourceSessions;

test('the same bytes under the same names are the same revision; its receipts are kept', async (t) => {
  const host = await TestHost.open(t, { mediaTools: true });
  const media = humWav(50);
  const first = (await ingest(t, host, media)).source;
  const before = await storedFiles(host);
  const list = await rows(t, host);
  const again = await ingest(t, host, media);
  t.is(again.status, 'registered');
  t.deepEqual(again.source, first);
  t.deepEqual(await rows(t, host), list);
  const after = await storedFiles(host);
  t.true(after.length > before.length);
  t.is(
    after.filter((file) => file.endsWith(` ${media.length}`)).length,
    before.filter((file) => file.endsWith(` ${media.length}`)).length,
  );
});

for (const others of [{ label: 'Another hum' }, { filename: 'other.wav' }, { rightsHolder: 'Somebody else' }]) {
  const [changed] = Object.keys(others);
  test(`the same bytes with another ${changed} are a new revision, and the old one is stale`, async (t) => {
    const host = await TestHost.open(t, { mediaTools: true });
    const media = humWav(60 + String(changed).length);
    const older = (await ingest(t, host, media)).source;
    const newer = (await ingest(t, host, media, others)).source;
    if (older === null || newer === null) throw new Error('not registered');
    t.is(newer.sourceSessionId, older.sourceSessionId);
    t.is(newer.sourceContentId, older.sourceContentId);
    t.not(newer.sourceRevisionId, older.sourceRevisionId);
    const listed = (await rows(t, host)).filter(({ sourceSessionId }) => sourceSessionId === newer.sourceSessionId);
    t.deepEqual(listed, [newer]);
    const range = { range: { startMs: 0, endMs: newer.durationMs } };
    for (const path of [plans, starts]) {
      host.refused(t, await host.post(path, studyRequest(older, range)), 'stale_source_revision');
    }
    host.granted(t, await host.post(plans, studyRequest(newer, range)), 200, runtimePlan);
  });
}

test('the list has one row a session, sorted', async (t) => {
  const host = await TestHost.open(t, { mediaTools: true, life: 'ingested' });
  await Promise.all([2, 3, 4, 5].map((seed) => ingest(t, host, humWav(seed))));
  const ids = (await rows(t, host)).map(({ sourceSessionId }) => sourceSessionId);
  t.deepEqual(ids, [...new Set(ids)].sort());
  t.is(ids.length, 6);
});

test('an upload of the bytes of the sample carries its pinned evidence over', async (t) => {
  const host = await TestHost.open(t, { mediaTools: true, life: 'studied' });
  const sample = await sampleRow(t, host);
  const { runtimeId } = await startStudy(t, host, studyRequest(sample));
  await followed(t, host, runtimeId);
  const studied = await startStudy(t, host, studyRequest(sample));
  const { source } = await ingest(t, host, await readFile(sampleMedia), { filename: 'sample.mp4' });
  if (source === null) throw new Error('not registered');
  const { sourceSessionId, sourceContentId, durationMs, trackCount, preflightSchema } = sample;
  t.like(source, { sourceSessionId, sourceContentId, durationMs, trackCount, preflightSchema });
  t.like(source, { rightsScope: 'local_processing', detectedLanguageEvidenceAvailable: true });
  t.not(source.sourceRevisionId, sample.sourceRevisionId);
  const fresh = studyRequest(sample, { clientRequestId: 'too-late' });
  host.refused(t, await host.post(starts, fresh), 'stale_source_revision');
  t.deepEqual(await startStudy(t, host, studyRequest(sample)), studied);
  t.is((await runtimeOf(t, host, studied.runtimeId)).lifecycle, 'terminal');
  const started = await startStudy(t, host, studyRequest(source));
  t.not(started.runtimeId, studied.runtimeId);
});

test('a source whose sealed file changed is neither planned nor studied until it is whole again', async (t) => {
  const host = await TestHost.open(t, { mediaTools: true });
  const media = humWav(150);
  const { source } = await ingest(t, host, media);
  if (source === null) throw new Error('not registered');
  const request = studyRequest(source, { range: { startMs: 0, endMs: source.durationMs } });
  host.granted(t, await host.post(plans, request), 200, runtimePlan);
  const file = (await storedFiles(host)).find((each) => each.includes(source.sourceContentId.slice(7)));
  const path = file?.split(' ')[0] ?? '';
  await appendFile(path, 'x');
  for (const target of [plans, starts]) {
    host.refused(t, await host.post(target, request), 'source_revalidation_failed');
  }
  await truncate(path, media.length);
  t.true((await readFile(path)).equals(media));
  host.granted(t, await host.post(plans, request), 200, runtimePlan);
});

/** The hum that was ingested before. */
async function humOf(t: ExecutionContext, host: TestHost): Promise<SourceSessionRow> {
  const hum = (await rows(t, host)).find(({ label }) => label === 'A hum');
  if (hum === undefined) throw new Error('the hum is not listed');
  return hum;
}

/** Bytes and words that are refused, the code, and what the message says. */
const refusals: readonly (readonly [what: string, Buffer, others: object, ErrorCode, message: RegExp])[] = [
  [
    'no attestation',
    hello,
    { ownershipAttested: 'no' },
    'invalid_rights_attestation',
    /ownershipAttested must be true/,
  ],
  ['a language that is no tag', hello, { language: 'k o' }, 'invalid_subtitle_request', /^language: must match \^/],
  ['no label', hello, { label: ' ' }, 'invalid_subtitle_request', /^label: /],
  ['an encoding that is none', hello, { encoding: 'ebcdic' }, 'invalid_subtitle_request', /^encoding: ebcdic /],
  ['a format that is none', hello, { format: 'docx' }, 'invalid_subtitle_request', /^format: /],
  [
    'another encoding',
    Buffer.from([...hello, 0xe9]),
    {},
    'subtitle_encoding_mismatch',
    /not text in utf-8; they look like windows-1252$/,
  ],
  ['a binary file', Buffer.from([...hello, 10, 0, 1]), {}, 'subtitle_encoding_mismatch', /^line 5 .* U\+0000/],
  ['a lying format', hello, { format: 'webvtt' }, 'subtitle_format_mismatch', /its text is srt, not webvtt$/],
  [
    'text that is no file of subtitles',
    Buffer.from('Hello\n'),
    {},
    'subtitle_format_mismatch',
    /this is not an SRT, WebVTT or ASS file/,
  ],
  ['blank lines alone', Buffer.from('\n \n'), {}, 'invalid_subtitle_file', /^the file is empty$/],
  ['a head without cues', Buffer.from('WEBVTT\n'), {}, 'invalid_subtitle_file', /^the file holds no cue$/],
  ['an end before its start', srt('00:00:02,000 --> 00:00:01,000\nx'), {}, 'invalid_subtitle_file', /^line 2: /],
  ['half a time', srt('00:00:02 -->\nx'), {}, 'invalid_subtitle_file', /^line 2: times are needed/],
];

test('an attached file is a track of a new revision, once, and can be taken off', async (t) => {
  const host = await TestHost.open(t, { life: 'ingested', mediaTools: true });
  const source = await humOf(t, host);
  const { sourceSessionId, sourceRevisionId } = source;
  t.deepEqual((await attachedTo(t, host, sourceSessionId)).subtitleTracks, []);
  const first = await attached(t, host, sourceSessionId, hello, { language: 'en' });
  t.like(first.track, { trackIndex: 1, language: 'en', format: 'srt', encoding: 'utf-8', bytes: hello.length });
  t.deepEqual(first.source, { ...source, ...first.source, trackCount: 2 });
  t.not(first.source.sourceRevisionId, sourceRevisionId);
  const range = { range: { startMs: 0, endMs: source.durationMs } };
  host.refused(t, await host.post(plans, studyRequest(source, range)), 'stale_source_revision');
  host.granted(t, await host.post(plans, studyRequest(first.source, range)), 200, runtimePlan);

  const again = host.granted(
    t,
    await attach(host, sourceSessionId, [hello], { language: 'en' }),
    200,
    attachedSubtitleTrack,
  );
  t.deepEqual(again, first);
  const other = await attached(t, host, sourceSessionId, hello, { language: 'de' });
  t.is(other.track.trackIndex, 2);
  t.deepEqual((await attachedTo(t, host, sourceSessionId)).subtitleTracks, [first.track, other.track]);

  const detach = (index: number) => host.ask('DELETE', `${tracksOf(sourceSessionId)}/${index}`);
  t.deepEqual(host.granted(t, await detach(1), 200, listedTracks).subtitleTracks, [other.track]);
  host.refused(t, await detach(1), 'unknown_subtitle_track');
  const bare = host.granted(t, await detach(2), 200, listedTracks);
  t.is(bare.sourceRevisionId, sourceRevisionId);
});

test('files that are attached at once all stay, and outlive a kill of the host', async (t) => {
  const host = await TestHost.open(t, { life: 'ingested', mediaTools: true });
  const { sourceSessionId } = await humOf(t, host);
  const labels = ['one', 'two', 'three'];
  await Promise.all(labels.map((label) => attached(t, host, sourceSessionId, hello, { label })));
  const before = await attachedTo(t, host, sourceSessionId);
  t.deepEqual(before.subtitleTracks.map(({ label }) => label).sort(), [...labels].sort());
  t.deepEqual(
    before.subtitleTracks.map(({ trackIndex }) => trackIndex),
    [1, 2, 3],
  );
  await host.die();
  t.deepEqual(await attachedTo(t, host, sourceSessionId), before);
  const cut = attach(host, sourceSessionId, hello, { label: 'four' }).catch(() => null);
  await host.die();
  await cut;
  const { status } = await attach(host, sourceSessionId, hello, { label: 'four' });
  t.true([200, 201].includes(status));
  const after = await attachedTo(t, host, sourceSessionId);
  t.deepEqual(after.subtitleTracks.slice(0, 3), before.subtitleTracks);
  t.is(after.subtitleTracks.length, 4);
  const { source } = await ingest(t, host, humWav(1), { label: 'Another hum' });
  t.is(source?.trackCount, 5);
  t.deepEqual((await attachedTo(t, host, sourceSessionId)).subtitleTracks, after.subtitleTracks);
});

test('a file that cannot be read without a guess is refused, and the source stays', async (t) => {
  const host = await TestHost.open(t, { life: 'ingested', mediaTools: true });
  const { sourceSessionId, sourceRevisionId } = await humOf(t, host);
  for (const [what, body, others, code, message] of refusals) {
    t.regex(host.refused(t, await attach(host, sourceSessionId, body, others), code), message, what);
  }
  const large = Buffer.concat([hello, Buffer.alloc(maximumSubtitleBytes, 'x')]);
  host.refused(t, await attach(host, sourceSessionId, large), 'subtitle_file_too_large');
  host.refused(t, await attach(host, sourceSessionId, [hello, large]), 'subtitle_file_too_large');
  host.refused(t, await attach(host, sourceSessionId, Buffer.alloc(0)), 'empty_request_body');
  const text = { headers: { 'Content-Type': 'text/plain' }, body: hello };
  host.refused(t, await host.ask('POST', tracksOf(sourceSessionId), text), 'unsupported_content_type');
  host.refused(t, await attach(host, 'source-session:none', hello), 'unknown_source_session');
  host.refused(t, await host.get(tracksOf('source-session:none')), 'unknown_source_session');
  const sample = await sampleRow(t, host);
  host.refused(t, await attach(host, sample.sourceSessionId, hello), 'source_read_in_place');
  t.is((await attachedTo(t, host, sourceSessionId)).sourceRevisionId, sourceRevisionId);
});

test('nothing is attached to a source whose files have changed', async (t) => {
  const host = await TestHost.open(t, { life: 'ingested', mediaTools: true });
  const source = await humOf(t, host);
  await rm(host.objectFile(source.sourceContentId));
  host.refused(t, await attach(host, source.sourceSessionId, hello), 'source_revalidation_failed');
});

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

/** Deletions of a host, its refusals to delete, and its answers about deleted things. */

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

test('every path of a deleted runtime answers 410 to every method', async (t) => {
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

test('an impossible deletion is refused with its reason', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  host.refused(t, await remove(host, `/v1/runtimes/${nowhere}`), 'unknown_runtime');
  host.refused(t, await remove(host, '/v1/runtimes/x'), 'unknown_runtime');
  host.refused(t, await remove(host, '/v1/source-sessions/x'), 'unknown_source_session');
  host.refused(t, await remove(host, `/v1/runtimes/${nowhere}?operator=%20`), 'unknown_query');
  const { sourceSessionId } = await sampleRow(t, host);
  host.refused(t, await remove(host, `/v1/source-sessions/${sourceSessionId}`), 'source_read_in_place');
});

test('bug: what was deleted was answered by the routes of another kind', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const { ingests: known } = knownLives();
  const { runtimeId } = await deletedStudy(t, host);
  const { source } = await reached(t, host, known.registered);
  const { sourceSessionId = '' } = source ?? {};
  granted(t, host, await remove(host, `/v1/source-sessions/${sourceSessionId}`));
  for (const target of [sourceSessionId, known.registered].map((id) => `/v1/runtimes/${id}`)) {
    host.refused(t, await remove(host, target), 'unknown_runtime');
    host.refused(t, await host.get(target), 'unknown_runtime');
  }
  host.refused(t, await remove(host, `/v1/source-sessions/${runtimeId}`), 'unknown_source_session');
  host.refused(t, await host.get(`${ingests}/${runtimeId}`), 'unknown_ingest');
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
  // A source is its media: sending the same media again restores it.
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
