import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { ingestKindNames } from '../../../actors/ingest/ingest-service.ts';
import { aloneDelayMs, deathLimit } from '../../../actors/supervision/recovery.ts';
import { rowKey } from '../../../storage/ledger/keys.ts';
import { mediaBytes, videoIngest } from '../../receipts/sources/sealed-clip.ts';
import { scratchFolder, withRawRows } from '../../storage/ledger/scratch.ts';
import { newVideohostLife, openVideohostLife } from './ingest-lives.ts';

const { probe } = videoIngest;

const { resolved } = videoIngest.claim;

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

test('a probe that refuses what was fetched leaves nothing of it', async (t) => {
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
  // The moment in which the sealed files are on disk and nobody has read them back.
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

test('bug: the speed of a download was wrong where the clock was set during it', async (t) => {
  const life = await newVideohostLife(t);
  const ingestId = await life.toDownload();
  const { onProgress } = life.downloads[0]?.request ?? {};
  onProgress?.({ mediaMs: 0, bytes: 0 });
  life.clock.advance(2000);
  life.clock.set(3_600_000);
  onProgress?.({ mediaMs: 1000, bytes: 4000 });
  t.like(life.progress.ingest(ingestId, ingestKindNames), { stage: 'download', bytesPerSecond: 2000 });
});

test('a step that was cut by the end of the host begins anew in the next, in an empty folder', async (t) => {
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
  // What a killed host leaves: it had no time to remove anything.
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

test('without a downloader what was being fetched fails, and what was fetched is sealed', async (t) => {
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
