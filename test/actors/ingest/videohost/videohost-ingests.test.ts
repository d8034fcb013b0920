import test, { type ExecutionContext } from 'ava';
import { openIngestLimit } from '../../../../actors/ingest/ingest-service.ts';
import { VideoHostFailure } from '../../../../executors/videohost/video-host.ts';
import { mediaBytes, videoIngest } from '../../../receipts/sources/sealed-clip.ts';
import { scratchFolder } from '../../../storage/ledger/scratch.ts';
import { openVideohostLife } from './videohost-life.ts';

const { probe } = videoIngest;
const { resolved } = videoIngest.claim;

const newLife = async (t: ExecutionContext) => openVideohostLife(t, await scratchFolder(t));

test('a range goes from its address to a source that says where it comes from', async (t) => {
  const life = await newLife(t);
  const ingestId = await life.open();
  t.is(life.service.status(ingestId).schema, 'studio.videohost-local-ingest.v1');
  await life.reaches(ingestId, 'resolving');
  await life.begun(life.resolvings, 1);
  t.like(life.resolvings[0]?.request, { url: 'https://youtu.be/abcdefghijk?t=9', extractor: 'youtube' });
  life.resolvings[0]?.resolve(resolved);
  await life.reaches(ingestId, 'downloading');
  await life.begun(life.downloads, 1);
  const { request } = life.downloads[0] ?? {};
  t.like(request, { range: { startMs: 9000, endMs: 13_000 }, extractor: 'youtube', wallMs: 600_000 });
  t.deepEqual(request?.resolved, resolved);
  life.downloads[0]?.resolve(await life.fetched(0, mediaBytes));
  await life.reaches(ingestId, 'probing');
  await life.begun(life.probings, 1);
  t.deepEqual(await life.work(), []);
  life.probings[0]?.resolve(probe);
  const { source, failure } = await life.reaches(ingestId, 'registered');
  t.is(failure, null);
  t.like(source, { sourceKind: 'videohost_local', label: 'A walk by the sea', durationMs: 4000 });
  t.deepEqual(life.registry.list().rows, source === null ? [] : [source]);
  t.like(life.registry.revision(source?.sourceRevisionId ?? ''), {
    provider: { externalId: 'abcdefghijk', range: { startMs: 9000, endMs: 13_000 } },
  });
  await life.until(async () => (await life.notes()) === 0);
  t.is((await life.objects()).length, 5);
});

test('what a registered range rests on is there again in the next life', async (t) => {
  const root = await scratchFolder(t);
  const first = await openVideohostLife(t, root);
  const ingestId = await first.toProbe();
  first.probings[0]?.resolve(probe);
  const { source } = await first.reaches(ingestId, 'registered');
  await first.close();
  const life = await openVideohostLife(t, root);
  t.deepEqual(life.service.status(ingestId).source, source);
  t.deepEqual(life.registry.list().rows, source === null ? [] : [source]);
});

test('ranges are fetched one after the other, in the order in which they were asked for', async (t) => {
  const life = await newLife(t);
  const [first, second] = [await life.open(), await life.open({ startMs: 0 })];
  await life.begun(life.resolvings, 1);
  life.resolvings[0]?.resolve(resolved);
  await life.begun(life.downloads, 1);
  t.is(life.service.status(second).status, 'queued');
  life.downloads[0]?.reject(new VideoHostFailure('host_unreachable', 'it broke off'));
  t.deepEqual((await life.reaches(first, 'failed')).failure, {
    code: 'download_failed',
    message: 'host_unreachable: it broke off',
  });
  await life.reaches(second, 'resolving');
});

test('a host may be told to fetch several at once', async (t) => {
  const life = await openVideohostLife(t, await scratchFolder(t), { workers: 2 });
  const ids = [await life.open(), await life.open(), await life.open()];
  await life.begun(life.resolvings, 2);
  t.deepEqual(
    ids.map((id) => life.service.status(id).status),
    ['resolving', 'resolving', 'queued'],
  );
});

test('the same range of the same video again is the revision that there is', async (t) => {
  const life = await newLife(t);
  const first = await life.toProbe();
  life.probings[0]?.resolve(probe);
  const { source } = await life.reaches(first, 'registered');
  life.clock.advance(5000);
  const again = await life.open();
  await life.begun(life.resolvings, 2);
  life.resolvings[1]?.resolve(resolved);
  await life.begun(life.downloads, 2);
  life.downloads[1]?.resolve(await life.fetched(1, mediaBytes));
  await life.begun(life.probings, 2);
  life.probings[1]?.resolve(probe);
  t.deepEqual((await life.reaches(again, 'registered')).source, source);
});

test('a range that ends after the video is refused when the video is known', async (t) => {
  const life = await newLife(t);
  const ingestId = await life.open();
  await life.begun(life.resolvings, 1);
  life.resolvings[0]?.resolve({ ...resolved, durationMs: 12_999 });
  t.deepEqual((await life.reaches(ingestId, 'failed')).failure, {
    code: 'resolution_failed',
    message: 'range_past_end: the video is 12999 ms long',
  });
});

test('of what a host says without end only the beginning is kept', async (t) => {
  const life = await newLife(t);
  const ingestId = await life.open();
  await life.begun(life.resolvings, 1);
  life.resolvings[0]?.resolve({ ...resolved, title: 'x'.repeat(5_000_000), creator: `${'y'.repeat(999)}😀` });
  await life.begun(life.downloads, 1);
  t.is(life.service.status(ingestId).status, 'downloading');
  t.like(life.downloads[0]?.request.resolved, { title: 'x'.repeat(1000), creator: 'y'.repeat(999) });
});

test('a description that cannot be kept is refused', async (t) => {
  const life = await newLife(t);
  const ingestId = await life.open();
  await life.begun(life.resolvings, 1);
  life.resolvings[0]?.resolve({ ...resolved, canonicalUrl: 'ftp://files.example/video' });
  const { failure } = await life.reaches(ingestId, 'failed');
  t.like(failure, { code: 'resolution_failed' });
  t.regex(failure?.message ?? '', /^tool_output: /);
});

test('the age of the downloader is said with a failure to resolve, however long its reason is', async (t) => {
  const life = await openVideohostLife(t, await scratchFolder(t), { remark: 'yt-dlp 1 is old' });
  const ingestId = await life.open();
  await life.begun(life.resolvings, 1);
  life.resolvings[0]?.reject(new VideoHostFailure('no_media', 'x'.repeat(300)));
  const { failure } = await life.reaches(ingestId, 'failed');
  t.regex(failure?.message ?? '', /^no_media: x+ \(yt-dlp 1 is old\)$/);
  t.is(failure?.message.length, 256);
});

test('each field is checked in its turn, before all that follow', async (t) => {
  const life = await newLife(t);
  const good = { localProcessingConfirmed: true, startMs: 0, endMs: 120_000, url: 'https://youtu.be/x' };
  const bad = { localProcessingConfirmed: 1, startMs: -1, endMs: 0, url: 'x', other: 1 };
  const rows: [code: string, place: RegExp, body: object][] = [
    ['invalid_rights_attestation', /^localProcessingConfirmed/, bad],
    ['invalid_ingest_request', /^startMs: /, { ...bad, localProcessingConfirmed: true }],
    ['invalid_ingest_request', /^endMs: /, { ...bad, localProcessingConfirmed: true, startMs: 1 }],
    ['invalid_ingest_request', /^endMs: /, { ...good, startMs: 5, endMs: 5, url: 'x' }],
    ['ingest_range_too_large', /120000/, { ...good, endMs: 120_001, url: 'x', other: 1 }],
    ['invalid_ingest_request', /^url: /, { ...good, url: 'x', other: 1 }],
    ['invalid_ingest_request', /^url: must be trimmed/, { ...good, url: ' https://youtu.be/x' }],
    ['invalid_ingest_request', /^url: /, { ...good, url: `https://youtu.be/${'x'.repeat(2048)}` }],
    ['invalid_ingest_request', /^body: /, { ...good, other: 1 }],
  ];
  for (const [code, place, body] of rows) {
    const error = await t.throwsAsync(life.service.open(body), { code });
    t.regex(error?.message ?? '', place);
  }
  await t.throwsAsync(life.service.open(null), { code: 'invalid_rights_attestation' });
  t.is((await life.service.open(good)).status, 'queued');
});

test('no more ingests are open than may be', async (t) => {
  const life = await newLife(t);
  await Promise.all(Array.from({ length: openIngestLimit }, () => life.open()));
  await t.throwsAsync(life.open(), { code: 'ingest_capacity' });
});

test('a range for which the volume has no room is refused', async (t) => {
  const megabyte = 1024 * 1024;
  const short = await openVideohostLife(t, await scratchFolder(t), { freeBytes: 768 * megabyte - 1 });
  await t.throwsAsync(short.open(), { code: 'insufficient_storage' });
  const enough = await openVideohostLife(t, await scratchFolder(t), { freeBytes: 768 * megabyte });
  await t.notThrowsAsync(enough.open());
});
