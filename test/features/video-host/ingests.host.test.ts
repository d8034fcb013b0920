import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { ingestKindNames, openIngestLimit } from '../../../actors/ingest/ingest-service.ts';
import { aloneDelayMs, deathLimit } from '../../../actors/supervision/recovery.ts';
import { VideoHostFailure } from '../../../features/video-host/engine/video-host.ts';
import { rowKey } from '../../../storage/ledger/keys.ts';
import { openLife } from '../../actors/ingest/ingest-lives.ts';
import { type Left, leave, oddities } from '../../actors/ingest/odd-rows.ts';
import { mediaBytes, videoIngest } from '../../receipts/sources/sealed-clip.ts';
import { scratchFolder, withRawRows } from '../../storage/ledger/scratch.ts';
import { newVideohostLife, openVideohostLife } from './videohost-lives.ts';

test('bug: a range that failed took an object that a study had stored before, if it had the same bytes', async (t) => {
  const life = await newVideohostLife(t);
  const contentId = await life.put(mediaBytes);
  const ingestId = await life.toProbe();
  life.probings[0]?.reject(new Error('it is not media'));
  await life.reaches(ingestId, 'failed');
  await life.until(async () => (await life.notes()) === 0);
  await life.close();
  t.deepEqual(await life.objects(), [contentId.slice('sha256:'.length)]);
});

const { probe } = videoIngest;

const { resolved } = videoIngest.claim;

test('a range goes from its address to a source that names its origin', async (t) => {
  const life = await newVideohostLife(t);
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

test('the basis of a registered range is present again in the next life', async (t) => {
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

test('ranges are fetched one after the other, in the order of their requests', async (t) => {
  const life = await newVideohostLife(t);
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

test('an option lets a host fetch several ranges at once', async (t) => {
  const life = await newVideohostLife(t, { workers: 2 });
  const ids = [await life.open(), await life.open(), await life.open()];
  await life.begun(life.resolvings, 2);
  t.deepEqual(
    ids.map((id) => life.service.status(id).status),
    ['resolving', 'resolving', 'queued'],
  );
});

test('the same range of the same video again is the revision that there is', async (t) => {
  const life = await newVideohostLife(t);
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
  const life = await newVideohostLife(t);
  const ingestId = await life.open();
  await life.begun(life.resolvings, 1);
  life.resolvings[0]?.resolve({ ...resolved, durationMs: 12_999 });
  t.deepEqual((await life.reaches(ingestId, 'failed')).failure, {
    code: 'resolution_failed',
    message: 'range_past_end: the video is 12999 ms long',
  });
});

test('only the beginning of an endless answer is kept', async (t) => {
  const life = await newVideohostLife(t);
  const ingestId = await life.open();
  await life.begun(life.resolvings, 1);
  life.resolvings[0]?.resolve({ ...resolved, title: 'x'.repeat(5_000_000), creator: `${'y'.repeat(999)}😀` });
  await life.begun(life.downloads, 1);
  t.is(life.service.status(ingestId).status, 'downloading');
  t.like(life.downloads[0]?.request.resolved, { title: 'x'.repeat(1000), creator: 'y'.repeat(999) });
});

test('a description that cannot be kept is refused', async (t) => {
  const life = await newVideohostLife(t);
  const ingestId = await life.open();
  await life.begun(life.resolvings, 1);
  life.resolvings[0]?.resolve({ ...resolved, canonicalUrl: 'ftp://files.example/video' });
  const { failure } = await life.reaches(ingestId, 'failed');
  t.like(failure, { code: 'resolution_failed' });
  t.regex(failure?.message ?? '', /^tool_output: /);
});

test('a failure to resolve names the age of the downloader, however long its reason is', async (t) => {
  const life = await newVideohostLife(t, { remark: 'yt-dlp 1 is old' });
  const ingestId = await life.open();
  await life.begun(life.resolvings, 1);
  life.resolvings[0]?.reject(new VideoHostFailure('no_media', 'x'.repeat(300)));
  const { failure } = await life.reaches(ingestId, 'failed');
  t.regex(failure?.message ?? '', /^no_media: x+ \(yt-dlp 1 is old\)$/);
  t.is(failure?.message.length, 256);
});

test('each field is checked in its turn, before all that follow', async (t) => {
  const life = await newVideohostLife(t);
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
  const life = await newVideohostLife(t);
  await Promise.all(Array.from({ length: openIngestLimit }, () => life.open()));
  await t.throwsAsync(life.open(), { code: 'ingest_capacity' });
});

test('a range for which the volume has no room is refused', async (t) => {
  const megabyte = 1024 * 1024;
  const short = await newVideohostLife(t, { freeBytes: 768 * megabyte - 1 });
  await t.throwsAsync(short.open(), { code: 'insufficient_storage' });
  const enough = await newVideohostLife(t, { freeBytes: 768 * megabyte });
  await t.notThrowsAsync(enough.open());
});

const videohost: readonly Left[] = [
  { status: 'queued', value: 'queued', hasMedia: false, code: 'resolution_failed' },
  { status: 'resolving', value: 'resolving', hasMedia: false, code: 'resolution_failed' },
  { status: 'downloading', value: 'downloading', hasMedia: false, code: 'download_failed' },
  { status: 'probing', value: 'probing', hasMedia: true, code: 'probe_failed' },
  { status: 'sealing', value: { sealing: 'writing' }, hasMedia: true, code: 'seal_failed' },
  { status: 'sealing', value: { sealing: 'registering' }, hasMedia: true, code: 'seal_failed' },
];

for (const left of videohost) {
  for (const [how, way] of Object.entries(oddities)) {
    test(`a range in ${JSON.stringify(left.value)}, ${how}, fails by its code`, async (t) => {
      const root = await scratchFolder(t);
      const first = await openVideohostLife(t, root);
      const ingestId = left.hasMedia ? await first.toProbe() : await first.open();
      await first.close();
      await leave(root, ingestId, left, way(left.value));
      const life = await openVideohostLife(t, root);
      const { failure } = await life.reaches(ingestId, 'failed');
      t.is(failure?.code, left.code);
    });
  }
}

/** Changes every object of an object store at once. */
function spoilObjects(root: string): void {
  const objects = join(root, 'objects', 'sha256');
  for (const name of readdirSync(objects, { recursive: true, encoding: 'utf8' })) {
    if (statSync(join(objects, name)).isFile()) writeFileSync(join(objects, name), 'spoiled');
  }
}

test('a file that the data root refuses ends the download with the reason of the system', async (t) => {
  const root = await scratchFolder(t);
  const life = await openVideohostLife(t, root);
  for (const [at, reason] of ['ENOENT', 'ENOSPC'].entries()) {
    const ingestId = await life.open();
    await life.begun(life.resolvings, at + 1);
    life.resolvings[at]?.resolve(resolved);
    await life.begun(life.downloads, at + 1);
    if (reason === 'ENOENT') life.downloads[at]?.resolve({ path: join(root, 'work', 'nothing'), bytes: 9 });
    else life.downloads[at]?.reject(Object.assign(new Error('no space'), { syscall: 'mkdir', code: reason }));
    t.deepEqual((await life.reaches(ingestId, 'failed')).failure, {
      code: 'download_failed',
      message: `storage_fault: the data root refused a file (${reason})`,
    });
  }
  t.deepEqual(await life.objects(), []);
});

test('media that is not as long as the range fails when it is sealed, and is removed', async (t) => {
  const life = await newVideohostLife(t);
  const ingestId = await life.toProbe();
  life.probings[0]?.resolve({ ...probe, durationMs: 2499, durationSeconds: 2.499 });
  t.deepEqual((await life.reaches(ingestId, 'failed')).failure, {
    code: 'seal_failed',
    message: 'duration_mismatch: source-receipt.selection',
  });
  await life.leavesNothing();
});

test('a probe that refuses a fetched file leaves nothing of it', async (t) => {
  const life = await newVideohostLife(t);
  const ingestId = await life.toProbe();
  life.probings[0]?.reject(new Error('not_media: nothing in it'));
  t.deepEqual((await life.reaches(ingestId, 'failed')).failure, {
    code: 'probe_failed',
    message: 'not_media: nothing in it',
  });
  await life.leavesNothing();
});

test('records that do not read back end the ingest before it becomes a source', async (t) => {
  const root = await scratchFolder(t);
  const life = await openVideohostLife(t, root);
  const ingestId = await life.toProbe();
  // At this moment the sealed files are on disk and not yet read back.
  life.at('object-store:put', () => spoilObjects(root));
  life.probings[0]?.resolve(probe);
  const { failure } = await life.reaches(ingestId, 'failed');
  t.is(failure?.code, 'registration_failed');
  t.deepEqual(life.registry.list().rows, []);
  await life.leavesNothing();
});

test('an ingest can be canceled in each state that is not final, and only then', async (t) => {
  const life = await newVideohostLife(t, { workers: 3 });
  const ids = [await life.open(), await life.open(), await life.open(), await life.open()];
  await life.begun(life.resolvings, 3);
  for (const at of [1, 2]) life.resolvings[at]?.resolve(resolved);
  await life.begun(life.downloads, 2);
  life.downloads[1]?.resolve(await life.fetched(1, mediaBytes));
  await life.begun(life.probings, 1);
  t.deepEqual(
    ids.map((id) => life.service.status(id).status),
    ['resolving', 'downloading', 'probing', 'queued'],
  );
  for (const id of [...ids].reverse()) {
    t.like(await life.service.cancel(id), { status: 'failed', failure: { code: 'canceled' }, source: null });
    await t.throwsAsync(life.service.cancel(id), { code: 'ingest_already_terminal' });
  }
  for (const { signal } of [life.resolvings[0], life.downloads[0], life.probings[0]].flatMap((step) => step ?? [])) {
    t.true(signal.aborted);
  }
  await life.leavesNothing();
  t.deepEqual(await life.work(), []);
  await t.throwsAsync(life.service.cancel('videohost-ingest:none'), { code: 'unknown_ingest' });
});

test('an ingest that is canceled while its media is being noted or stored leaves no media behind', async (t) => {
  for (const moment of ['object-store:renamed', 'object-store:imported']) {
    const life = await newVideohostLife(t);
    const ingestId = await life.toDownload();
    life.at(moment, () => void life.service.cancel(ingestId));
    life.downloads[0]?.resolve(await life.fetched(0, mediaBytes));
    t.is((await life.reaches(ingestId, 'failed')).failure?.code, 'canceled');
    await life.leavesNothing();
  }
});

test('an ingest that is canceled while its records are being stored leaves none of them behind', async (t) => {
  for (const moment of ['object-store:staged', 'object-store:put']) {
    const life = await newVideohostLife(t);
    const ingestId = await life.toProbe();
    life.at(moment, () => void life.service.cancel(ingestId).catch(() => undefined));
    life.probings[0]?.resolve(probe);
    t.is((await life.reaches(ingestId, 'failed')).failure?.code, 'canceled');
    await life.leavesNothing();
  }
});

/** A life that ends with the commit that names the records of an ingest, before the one that registers them. */
async function sealedOnly(t: ExecutionContext, root: string): Promise<string> {
  const life = await openVideohostLife(t, root);
  const ingestId = await life.toProbe();
  const key = sealedKey(ingestId);
  life.at('object-store:put', () => life.ledger.shut());
  life.probings[0]?.resolve(probe);
  await life.until(() => life.ledger.commits.at(-1)?.some((write) => 'key' in write && write.key === key) ?? false);
  life.ledger.open();
  life.ledger.refuse(new Error('the plug is pulled'));
  await life.until(() => life.ledger.get('record', key) !== undefined);
  await life.close();
  return ingestId;
}

const sealedKey = (ingestId: string): string => `ingest/${ingestId}/sealed`;

test('a damaged row of a seal ends its own ingest, and nothing else is removed for it', async (t) => {
  const root = await scratchFolder(t);
  const ingestId = await sealedOnly(t, root);
  await withRawRows(join(root, 'ledger'), (rows) => rows.put(rowKey('record', sealedKey(ingestId)), Buffer.from('x')));
  const life = await openVideohostLife(t, root);
  t.is((await life.reaches(ingestId, 'failed')).failure?.code, 'registration_failed');
  const other = await life.open();
  t.not(life.service.status(other).status, 'failed');
});

test('records that an earlier process has stored are removed when their ingest fails in this one', async (t) => {
  const root = await scratchFolder(t);
  const ingestId = await sealedOnly(t, root);
  spoilObjects(root);
  const life = await openVideohostLife(t, root);
  t.is((await life.reaches(ingestId, 'failed')).failure?.code, 'registration_failed');
  await life.leavesNothing();
});

test('media that was stored and that no snapshot names yet is removed at the next start', async (t) => {
  const root = await scratchFolder(t);
  const first = await openVideohostLife(t, root);
  const ingestId = await first.toDownload();
  const ended = new Promise<void>((resolve) => first.at('object-store:renamed', () => resolve(first.close())));
  first.downloads[0]?.resolve(await first.fetched(0, mediaBytes));
  await ended;
  t.is((await first.objects()).length, 1);

  const life = await openVideohostLife(t, root);
  t.is(life.service.status(ingestId).status, 'downloading');
  t.deepEqual(await life.objects(), []);
  t.is(await life.notes(), 0);
  await life.begun(life.downloads, 1);
  life.downloads[0]?.resolve(await life.fetched(0, mediaBytes));
  await life.reaches(ingestId, 'probing');
});

test('bug: the speed of a download was wrong if the clock was set during it', async (t) => {
  const life = await newVideohostLife(t);
  const ingestId = await life.toDownload();
  const { onProgress } = life.downloads[0]?.request ?? {};
  onProgress?.({ mediaMs: 0, bytes: 0 });
  life.clock.advance(2000);
  life.clock.set(3_600_000);
  onProgress?.({ mediaMs: 1000, bytes: 4000 });
  t.like(life.progress.ingest(ingestId, ingestKindNames), { stage: 'download', bytesPerSecond: 2000 });
});

test('a step that was cut by the end of the host starts over in the next, in an empty folder', async (t) => {
  const root = await scratchFolder(t);
  const first = await openVideohostLife(t, root);
  const [ingestId, waiting] = [await first.open(), await first.open()];
  await first.begun(first.resolvings, 1);
  await first.close();

  const second = await openVideohostLife(t, root);
  t.is(second.service.status(ingestId).status, 'resolving');
  await second.begun(second.resolvings, 1);
  second.resolvings[0]?.resolve(resolved);
  await second.begun(second.downloads, 1);
  const folder = second.downloads[0]?.request.folder ?? '';
  t.is(dirname(folder), join(root, 'work'));
  second.downloads[0]?.request.onProgress({ mediaMs: 900, bytes: 4000 });
  t.like(second.progress.ingest(ingestId, ingestKindNames), {
    stage: 'download',
    completed: 900,
    bytes: 4000,
    etaMs: null,
  });
  await second.close();
  // Remains of a killed host: it had no time to remove anything.
  await mkdir(folder);
  await writeFile(join(folder, 'range.mp4.part'), 'half');

  const life = await openVideohostLife(t, root);
  t.deepEqual(life.swept, { made: [join('work', basename(folder))], foreign: [] });
  t.deepEqual(await life.work(), []);
  await life.begun(life.downloads, 1);
  t.like(life.progress.ingest(ingestId, ingestKindNames), { stage: 'download', completed: null, bytes: null });
  t.is(life.service.status(waiting).status, 'queued');
  life.downloads[0]?.resolve(await life.fetched(0, mediaBytes));
  await life.begun(life.probings, 1);
  life.probings[0]?.resolve(probe);
  await life.reaches(ingestId, 'registered');
  await life.reaches(waiting, 'resolving');
});

test('without a downloader a running fetch fails, and a fetched file is sealed', async (t) => {
  const root = await scratchFolder(t);
  const first = await openVideohostLife(t, root, { workers: 3 });
  const ids = [await first.open(), await first.open(), await first.open()];
  await first.begun(first.resolvings, 3);
  for (const at of [1, 2]) first.resolvings[at]?.resolve(resolved);
  await first.begun(first.downloads, 2);
  first.downloads[1]?.resolve(await first.fetched(1, mediaBytes));
  await first.begun(first.probings, 1);
  await first.close();
  const life = await openVideohostLife(t, root, { canFetch: false });
  const failures = [];
  for (const id of ids.slice(0, 2)) failures.push((await life.reaches(id, 'failed')).failure);
  t.deepEqual(failures, [
    { code: 'resolution_failed', message: 'tool_missing: there is no yt-dlp that answers' },
    { code: 'download_failed', message: 'tool_missing: there is no yt-dlp that answers' },
  ]);
  await life.begun(life.probings, 1);
  life.probings[0]?.resolve(probe);
  await life.reaches(ids[2] ?? '', 'registered');
});

test('a step that five hosts died of, with nothing else at work, ends the ingest', async (t) => {
  const root = await scratchFolder(t);
  let ingestId = '';
  for (const at of [0, 1, 2]) {
    const life = await openVideohostLife(t, root);
    if (at === 0) ingestId = await life.open();
    await life.begun(life.resolvings, 1);
    await life.close();
  }
  for (let deaths = 0; deaths < deathLimit; deaths += 1) {
    const life = await openVideohostLife(t, root);
    life.clock.advance(aloneDelayMs(deaths));
    await life.begun(life.resolvings, 1);
    await life.close();
  }
  const { failure } = (await openVideohostLife(t, root)).service.status(ingestId);
  t.is(failure?.code, 'resolution_failed');
  t.regex(failure?.message ?? '', /^resumes exhausted: /);
});

test('a host that is no longer known is not asked, although the range was acknowledged', async (t) => {
  const root = await scratchFolder(t);
  const first = await openVideohostLife(t, root, { added: { 'videos.example': 'example' } });
  const ingestId = await first.open({ url: 'https://videos.example/1' });
  await first.begun(first.resolvings, 1);
  await first.close();
  const life = await openVideohostLife(t, root);
  t.deepEqual((await life.reaches(ingestId, 'failed')).failure, {
    code: 'resolution_failed',
    message: 'extractor_not_allowed: the address is not at one of the known video hosts',
  });
  t.is(life.resolvings.length, 0);
});

test('a program without this feature leaves a waiting range alone, and the next one with it goes on', async (t) => {
  const root = await scratchFolder(t);
  const first = await openVideohostLife(t, root);
  const ingestId = await first.open();
  await first.close();
  const without = await openLife(t, root);
  t.deepEqual(without.recovered, { resumed: 0, waiting: 0, ended: [], damaged: [], unserved: [ingestId] });
  await without.close();
  const life = await openVideohostLife(t, root);
  await life.begun(life.resolvings, 1);
  t.is(life.service.status(ingestId).status, 'resolving');
});
