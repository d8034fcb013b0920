import { cp, mkdir, mkdtemp, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { readSourceFile } from '../../../actors/sources/source-files.ts';
import { loadSourceFolder } from '../../../actors/sources/source-folder.ts';
import { type Admission, SourceRegistry } from '../../../actors/sources/source-registry.ts';
import { demandReadable, SubtitleTracks } from '../../../actors/sources/subtitle-tracks.ts';
import { UnusedMedia } from '../../../actors/sources/unused-media.ts';
import { ServiceError } from '../../../contract/base/errors.ts';
import { SourceInconsistent } from '../../../contract/sources/source-receipt.ts';
import type { RegisteredSource } from '../../../contract/sources/source-session.ts';
import { sampleFolder } from '../../../fixtures/sample/gold.ts';
import { indentedFile } from '../../../formats/canonical-json.ts';
import { resultOfSteps } from '../../../formats/steps.ts';
import { openSubtitleFile, type SubtitleFile } from '../../../formats/subtitles.ts';
import { readChain } from '../../../receipts/sources/reopen-source.ts';
import { sealOwnedIngest } from '../../../receipts/sources/seal-source.ts';
import type { StoredContent } from '../../../receipts/stored-records.ts';
import { KeyedMutex } from '../../../storage/keyed-mutex.ts';
import { rowKey } from '../../../storage/ledger/keys.ts';
import type { Ledger } from '../../../storage/ledger/ledger.ts';
import type { ObjectStore } from '../../../storage/objects/object-store.ts';
import { ObjectStoreError } from '../../../storage/objects/object-store-error.ts';
import { openObjectStore } from '../../../storage/objects/open-object-store.ts';
import { type DetectionBench, openDetectionBench } from '../../executors/evidence/detection-for-tests.ts';
import { attachedClip, attachedTrack } from '../../receipts/sources/attached-clip.ts';
import {
  chainOf,
  clipIngest,
  edited,
  mediaBytes,
  recordOf,
  sealedClip,
  withSubtitles,
} from '../../receipts/sources/sealed-clip.ts';
import { openScratchLedger, scratchFolder, withRawRows } from '../../storage/ledger/scratch.ts';
import { threadTimeMs } from '../../thread-time.ts';
import { newDataRoot, openStore } from '../reopening/stored-studies.ts';

interface Bench {
  readonly root: string;
  /** The folder of the sealed clip, two levels below `root`. */
  readonly folder: string;
  load(directory?: string, sourceRoot?: string | null): Promise<RegisteredSource>;
}

async function sealedFolder(t: ExecutionContext, version: 1 | 2 | 3 = 3): Promise<Bench> {
  const root = await mkdtemp(path.join(tmpdir(), 'source-folder-'));
  t.teardown(() => rm(root, { recursive: true, force: true }));
  const folder = path.join(root, 'sources', 'clip');
  await mkdir(path.join(folder, 'media'), { recursive: true });
  await writeFile(path.join(folder, 'media', 'original'), mediaBytes);
  for (const object of sealedClip(version).objects) await writeFile(path.join(folder, object.path), object.bytes);
  const objectStore = await openObjectStore({ root: path.join(root, 'data') });
  const verifyFile = (file: string, contentId: string) => objectStore.verifyFile(file, contentId);
  const load = (directory = folder, sourceRoot: string | null = null) =>
    loadSourceFolder(directory, { sourceRoot, verifyFile });
  return { root, folder, load };
}

async function refusalOf(t: ExecutionContext, loading: Promise<unknown>): Promise<string> {
  const refusal = await t.throwsAsync(loading, { instanceOf: SourceInconsistent });
  return refusal instanceof Error ? refusal.message : '';
}

const changedPreflight = (at: string, value: unknown): Buffer =>
  indentedFile(Object(edited(recordOf(chainOf(sealedClip(3)).preflight), at, value)));

for (const version of [1, 2, 3] as const) {
  test(`a sealed folder of version ${version} is registered where it lies`, async (t) => {
    const { folder, load } = await sealedFolder(t, version);
    const source = await load();
    const sealed = sealedClip(version).source;
    t.deepEqual(source.session, sealed.session);
    t.is(source.folder, folder);
    t.deepEqual(
      source.files.map(({ contentId }) => contentId),
      sealed.files.map(({ contentId }) => contentId),
    );
    t.true(source.files.every((file) => file.path?.startsWith(`${folder}${path.sep}`)));
  });
}

test('a sealed folder may hold subtitle files, each verified in its place', async (t) => {
  const { folder, load } = await sealedFolder(t, 1);
  const { chain, files } = attachedClip();
  const sealed = withSubtitles(chain, [attachedTrack(4)], files);
  await mkdir(path.join(folder, 'subtitles'));
  for (const object of sealed.objects) await writeFile(path.join(folder, object.path), object.bytes);
  const source = await load();
  t.deepEqual(source.session, sealed.source.session);
  t.deepEqual(source.subtitleTracks, sealed.source.subtitleTracks);
  t.is(source.files.at(-1)?.path, path.join(folder, 'subtitles', '4.utf-8.srt'));
  await writeFile(path.join(folder, 'subtitles', '4.srt'), 'other');
  t.regex(await refusalOf(t, load()), /^file_missing|^content_mismatch/);
  await rm(path.join(folder, 'subtitles', '4.srt'));
  t.is(await refusalOf(t, load()), 'file_missing: subtitle-track');
});

test('the highest preflight version in the folder counts', async (t) => {
  const { folder, load } = await sealedFolder(t, 3);
  for (const version of [1, 2] as const) {
    for (const object of sealedClip(version).objects) await writeFile(path.join(folder, object.path), object.bytes);
  }
  t.is((await load()).session.preflight.schema, 'studio.preflight-bundle.v3');
  await rm(path.join(folder, 'preflight.v3.json'));
  t.is((await load()).session.preflight.schema, 'studio.preflight-bundle.v2');
  await rm(path.join(folder, 'preflight.v2.json'));
  t.is((await load()).session.preflight.schema, 'studio.preflight-bundle.v1');
});

test('a damaged highest version is refused, not passed over', async (t) => {
  const { folder, load } = await sealedFolder(t, 3);
  await writeFile(path.join(folder, 'preflight.v1.json'), chainOf(sealedClip(1)).preflight);
  await writeFile(path.join(folder, 'preflight.v3.json'), '{}\n');
  t.regex(await refusalOf(t, load()), /^record_malformed: preflight/);
});

test('a preflight under the name of another version is refused', async (t) => {
  const { folder, load } = await sealedFolder(t, 1);
  await rename(path.join(folder, 'preflight.v1.json'), path.join(folder, 'preflight.v2.json'));
  t.is(await refusalOf(t, load()), 'link_mismatch: preflight.v2.json.schema');
});

test('a folder that was moved as a whole is the same revision', async (t) => {
  const { folder, root, load } = await sealedFolder(t);
  const moved = path.join(root, 'elsewhere');
  const before = await load();
  await cp(folder, moved, { recursive: true });
  t.deepEqual((await load(moved)).session, before.session);
});

for (const [file, place] of [
  ['media/original', 'raw-media'],
  ['source-receipt.json', 'preflight.artifacts.source-receipt.content'],
  ['media-probe.json', 'preflight.artifacts.container-probe.content'],
  ['speech-activity.json', 'preflight.artifacts.speech-activity.content'],
  ['language-ranges.json', 'preflight.artifacts.language-ranges.content'],
] as const) {
  test(`a changed byte in ${file} is a content mismatch`, async (t) => {
    const { folder, load } = await sealedFolder(t);
    const bytes = file === 'media/original' ? mediaBytes : sealedClip(3).objects.find((o) => o.path === file)?.bytes;
    const changed = Buffer.from(bytes ?? []);
    changed[10] = (changed[10] ?? 0) ^ 1;
    await writeFile(path.join(folder, file), changed);
    t.is(await refusalOf(t, load()), `content_mismatch: ${place}`);
  });

  test(`${file} missing is reported`, async (t) => {
    const { folder, load } = await sealedFolder(t);
    await rm(path.join(folder, file));
    t.regex(await refusalOf(t, load()), /^file_missing: /);
  });

  test(`${file} as a link out of the folder is refused, whatever its bytes`, async (t) => {
    const { folder, root, load } = await sealedFolder(t);
    await rename(path.join(folder, file), path.join(root, 'outside'));
    await symlink(path.join(root, 'outside'), path.join(folder, file));
    t.regex(await refusalOf(t, load()), /^source_outside_root: /);
  });
}

test('a preflight that says something else is refused', async (t) => {
  const { folder, load } = await sealedFolder(t);
  await writeFile(path.join(folder, 'preflight.v3.json'), changedPreflight('source.receipt_id', 'owned-local:0'));
  t.is(await refusalOf(t, load()), 'link_mismatch: preflight.source');
});

test('a preflight that is a link out of the folder is refused', async (t) => {
  const { folder, root, load } = await sealedFolder(t);
  await rename(path.join(folder, 'preflight.v3.json'), path.join(root, 'outside.json'));
  await symlink(path.join(root, 'outside.json'), path.join(folder, 'preflight.v3.json'));
  t.is(await refusalOf(t, load()), 'source_outside_root: preflight.v3.json');
});

test('a folder inside that is a link is refused', async (t) => {
  const { folder, root, load } = await sealedFolder(t);
  await rename(path.join(folder, 'media'), path.join(root, 'media'));
  await symlink(path.join(root, 'media'), path.join(folder, 'media'));
  t.is(await refusalOf(t, load()), 'source_outside_root: raw-media');
});

for (const recorded of [
  '../../outside',
  '/etc/hostname',
  'media/../../../outside',
  './media/original',
  'media//original',
]) {
  test(`the recorded path ${recorded} is refused`, async (t) => {
    const { folder, root, load } = await sealedFolder(t);
    await writeFile(path.join(root, 'outside'), mediaBytes);
    await writeFile(path.join(folder, 'preflight.v3.json'), changedPreflight('artifacts.0.path', recorded));
    t.is(await refusalOf(t, load()), 'source_outside_root: preflight.artifacts.raw-media.path');
  });
}

test('a folder outside the source root is refused, one inside is not', async (t) => {
  const { folder, root, load } = await sealedFolder(t);
  await t.notThrowsAsync(load(folder, path.join(root, 'sources')));
  await t.notThrowsAsync(load(folder, folder));
  const narrow = path.join(root, 'sources', 'cl');
  await mkdir(narrow);
  t.is(await refusalOf(t, load(folder, narrow)), 'source_outside_root: folder');
  await symlink(folder, path.join(narrow, 'link'));
  t.is(await refusalOf(t, load(path.join(narrow, 'link'), narrow)), 'source_outside_root: folder');
});

test('a missing folder or root is reported', async (t) => {
  const { folder, root, load } = await sealedFolder(t);
  t.is(await refusalOf(t, load(path.join(root, 'nowhere'))), 'file_missing: folder');
  t.is(await refusalOf(t, load(folder, path.join(root, 'nowhere'))), 'file_missing: source_root');
  t.is(await refusalOf(t, load(path.join(folder, 'media'))), 'file_missing: preflight');
});

test('a path that the system cannot resolve is unreadable', async (t) => {
  const { folder, load } = await sealedFolder(t);
  await rm(path.join(folder, 'media-probe.json'));
  await symlink('media-probe.json', path.join(folder, 'media-probe.json'));
  t.is(await refusalOf(t, load()), 'file_unreadable: container-probe');
});

test('a folder in the place of a record is a content mismatch', async (t) => {
  const { folder, load } = await sealedFolder(t);
  await rm(path.join(folder, 'media-probe.json'));
  await mkdir(path.join(folder, 'media-probe.json'));
  t.is(await refusalOf(t, load()), 'content_mismatch: container-probe');
});

test('a record beyond 16 MiB is refused before it is read', async (t) => {
  const { folder, load } = await sealedFolder(t);
  await truncate(path.join(folder, 'source-receipt.json'), 16 * 1024 * 1024 + 1);
  t.is(await refusalOf(t, load()), 'record_too_large: source-receipt');
});

test('a sealed record beyond 16 MiB is not read back, from a folder, the store or a bundle', async (t) => {
  const { root, folder, load } = await sealedFolder(t);
  const source = await load();
  const { contentId } = source.session.sourceReceipt;
  const objectStore = await openObjectStore({ root: path.join(root, 'data') });
  const stored = { ...source, files: source.files.map((file) => ({ ...file, path: null })) };
  const object = objectStore.locate(contentId);
  await mkdir(path.dirname(object), { recursive: true });
  for (const [file, of] of [
    [path.join(folder, 'source-receipt.json'), source],
    [object, stored],
  ] as const) {
    await writeFile(file, '');
    const refused = (bytes: number, code: string) =>
      truncate(file, bytes).then(() => t.throwsAsync(readSourceFile(objectStore, of, contentId), { code }));
    await refused(16 * 1024 * 1024, 'object_damaged');
    await refused(16 * 1024 * 1024 + 1, 'object_too_large');
  }
  const most: number[] = [];
  const content = {
    sourceFile: async (_: unknown, maximumBytes: number) => {
      most.push(maximumBytes);
      return 'missing';
    },
  } as unknown as StoredContent;
  await t.throwsAsync(readChain(source, content, () => undefined));
  t.deepEqual(most, [16 * 1024 * 1024]);
});

async function loadSample(t: ExecutionContext) {
  const root = await mkdtemp(path.join(tmpdir(), 'sample-'));
  t.teardown(() => rm(root, { recursive: true, force: true }));
  const objectStore = await openObjectStore({ root: path.join(root, 'data') });
  return loadSourceFolder(sampleFolder, {
    sourceRoot: path.dirname(sampleFolder),
    verifyFile: (file, contentId) => objectStore.verifyFile(file, contentId),
  });
}

test('the sample is sealed with measured speech, scripted languages and the right to pass it on', async (t) => {
  const { session, sourceKind, label, trackCount, tracks, pinnedEvidence } = await loadSample(t);
  t.is(sourceKind, 'owned_local');
  t.is(label, 'Reading room (sample)');
  t.is(session.preflight.schema, 'studio.preflight-bundle.v3');
  t.is(session.sourceReceipt.rightsScope, 'redistribution');
  t.is(session.source.durationMs, 50_000);
  t.is(session.detectedLanguageEvidenceContentIds.length, 1);
  t.is(trackCount, 4);
  t.deepEqual(
    tracks.map(({ kind, codec }) => `${kind}:${codec}`),
    ['video:h264', 'audio:aac', 'subtitle:mov_text', 'subtitle:mov_text'],
  );
  t.deepEqual(
    pinnedEvidence.map(({ kind }) => kind),
    ['speech-activity-receipt', 'language-ranges-receipt'],
  );
});

async function openUnused(t: ExecutionContext) {
  const objectStore = await openObjectStore({ root: await scratchFolder(t) });
  const ledger = await openScratchLedger(t, await scratchFolder(t));
  t.teardown(() => ledger.close());
  const held = new Set<string>();
  const registered = new Set<string>();
  const unused = () => {
    const isRegistered = (contentId: string) => registered.has(contentId);
    const media = new UnusedMedia({ ledger, objectStore, isRegistered, report: (line) => t.log(line) });
    for (const holder of [() => false, (contentId: string) => held.has(contentId)]) media.heldBy(holder);
    return media;
  };
  const notes = async () => (await ledger.list('record')).map(({ key }) => key);
  return { objectStore, ledger, held, registered, unused, notes };
}

test('noted media is removed with its note once it is no longer in use', async (t) => {
  const { objectStore, ledger, held, unused, notes } = await openUnused(t);
  const media = unused();
  const contentId = await objectStore.put(Buffer.from('of no use'));
  await ledger.commit([media.note(contentId, 9)]);
  held.add(contentId);
  await media.remove();
  t.is(await objectStore.verify(contentId), 'intact');
  held.clear();
  await media.remove();
  t.is(await objectStore.verify(contentId), 'missing');
  t.deepEqual(await notes(), []);
});

test('notes of an earlier process are removed by the next', async (t) => {
  const { objectStore, ledger, unused, notes } = await openUnused(t);
  const contentId = await objectStore.put(Buffer.from('of no use'));
  const other = await objectStore.put(Buffer.from('of some use'));
  await ledger.commit([unused().note(contentId, 9)]);
  const next = unused();
  await next.remove();
  t.is(await objectStore.verify(contentId), 'intact');
  await next.load();
  await next.remove();
  t.is(await objectStore.verify(contentId), 'missing');
  t.is(await objectStore.verify(other), 'intact');
  t.deepEqual(await notes(), []);
});

test('media that became part of a source after all is kept, and its note forgotten', async (t) => {
  const { objectStore, ledger, registered, unused, notes } = await openUnused(t);
  const media = unused();
  const contentId = await objectStore.put(Buffer.from('of use after all'));
  await ledger.commit([media.note(contentId, 9)]);
  registered.add(contentId);
  await media.remove();
  t.is(await objectStore.verify(contentId), 'intact');
  t.deepEqual(await notes(), []);
});

test('media is kept while the same bytes are being stored once more', async (t) => {
  const { objectStore, ledger, unused, notes } = await openUnused(t);
  const media = unused();
  const bytes = Buffer.from('twice the same');
  const contentId = await objectStore.put(bytes);
  await ledger.commit([media.note(contentId, bytes.length)]);
  const storing = objectStore.put(bytes);
  await media.remove();
  await storing;
  t.is(await objectStore.verify(contentId), 'intact');
  t.is((await notes()).length, 1);
  await media.remove();
  t.is(await objectStore.verify(contentId), 'missing');
});

test('a note that cannot be read is left aside', async (t) => {
  const { objectStore, ledger, unused, notes } = await openUnused(t);
  const contentId = await objectStore.put(Buffer.from('of no use'));
  await ledger.commit([{ put: 'record', key: `unused/${contentId}`, value: 'nine' }]);
  const media = unused();
  await media.load();
  await media.remove();
  t.is(await objectStore.verify(contentId), 'intact');
  t.deepEqual(await notes(), [`unused/${contentId}`]);
});

const clip = sealedClip(1).source;

interface Variant {
  readonly session?: string;
  readonly revision: string;
  readonly folder?: string;
  readonly label?: string;
}

/** The sealed clip as another revision, by default of one and the same session. */
const sourceOf = ({ session = 'session:1', revision, folder, label = 'A clip' }: Variant): RegisteredSource => ({
  ...clip,
  label,
  folder: folder ?? null,
  files: clip.files.map((file) => ({ ...file, path: folder === undefined ? null : `${folder}/${file.contentId}` })),
  session: { ...clip.session, sessionId: session, revisionId: revision },
});

/** The thread time in ms to find the revisions of every one of so many sources, and to see that their media has a source. */
function timeToFind(t: ExecutionContext, sources: number): number {
  const registry = new SourceRegistry();
  const contentIdOf = (at: number) => `sha256:${String(at).padStart(64, '0')}`;
  for (let at = 0; at < sources; at += 1) {
    const source = sourceOf({ session: `session:${at}`, revision: `revision:${at}` });
    const media = { ...source.session.source, contentId: contentIdOf(at) };
    registry.admitUpload({ ...source, session: { ...source.session, source: media } });
  }
  const begunAt = threadTimeMs();
  for (const [at, sessionId] of registry.sessionIds().entries()) {
    t.is(registry.revisionsOf(sessionId).length, 1);
    t.true(registry.isOf(contentIdOf(at)));
  }
  return threadTimeMs() - begunAt;
}

test('bug: the use of the disk blocked other requests for a time that grew with the square of the number of sources', (t) => {
  const few = Math.max(timeToFind(t, 500), 4);
  const many = timeToFind(t, 8000);
  t.log(`500 sources ${few} ms, 8000 sources ${many} ms`);
  // Sixteen times as many: four times the growth in proportion, a quarter of that of the square.
  t.true(many < 64 * few);
});

test('the media of a source that was removed has a source while another revision rests on it', (t) => {
  const registry = new SourceRegistry();
  const { contentId } = clip.session.source;
  t.false(registry.isOf(contentId));
  for (const session of ['session:1', 'session:2'])
    registry.admitUpload(sourceOf({ session, revision: `${session}:r` }));
  registry.remove('session:1');
  t.deepEqual(registry.revisionsOf('session:1'), []);
  t.true(registry.isOf(contentId));
  registry.remove('session:2');
  t.false(registry.isOf(contentId));
});

/** One life of a registry: what it admits is committed and then shown. */
async function living(ledger: Ledger) {
  const registry = new SourceRegistry();
  const damaged = await registry.load(ledger);
  const keep = async ({ revisionId, writes }: Admission) => {
    await ledger.commit(writes);
    registry.committed();
    return revisionId;
  };
  return {
    registry,
    damaged,
    folder: (source: RegisteredSource) => keep(registry.admitFolder(source)),
    upload: (source: RegisteredSource) => keep(registry.admitUpload(source)),
    listed: () => registry.list().rows.map(({ sourceRevisionId }) => sourceRevisionId),
  };
}

const ledgerOf = async (t: ExecutionContext): Promise<Ledger> => {
  const ledger = await openScratchLedger(t, await scratchFolder(t));
  t.teardown(() => ledger.close());
  return ledger;
};

test('a session has one row in the list, its newest revision; the older ones can still be found', async (t) => {
  const life = await living(await ledgerOf(t));
  await life.upload(sourceOf({ revision: 'r:1' }));
  t.is(await life.upload(sourceOf({ revision: 'r:2', label: 'Another label' })), 'r:2');
  t.deepEqual(life.listed(), ['r:2']);
  t.is(life.registry.current('session:1')?.session.revisionId, 'r:2');
  t.is(life.registry.revision('r:1')?.label, 'A clip');
  t.is(life.registry.current('session:none'), undefined);
});

test('the same bytes under the same names are the revision that there is', async (t) => {
  const life = await living(await ledgerOf(t));
  await life.upload(sourceOf({ revision: 'r:1' }));
  const again = life.registry.admitUpload(sourceOf({ revision: 'r:2' }));
  t.deepEqual(again, { revisionId: 'r:1', writes: [] });
  t.is(life.registry.revision('r:2'), undefined);
});

test('the same bytes are a new revision if a track is now known to be flagged as default', async (t) => {
  const life = await living(await ledgerOf(t));
  await life.upload(sourceOf({ revision: 'r:1' }));
  t.is(await life.upload({ ...sourceOf({ revision: 'r:2' }), defaultTracks: [1] }), 'r:2');
  t.deepEqual(life.listed(), ['r:2']);
});

test('an admission that did not reach the disk is written when it is repeated', async (t) => {
  const ledger = await ledgerOf(t);
  const first = await living(ledger);
  const { writes } = first.registry.admitUpload(sourceOf({ revision: 'r:1' }));
  t.deepEqual(first.registry.admitUpload(sourceOf({ revision: 'r:1' })).writes, writes);
  await first.upload(sourceOf({ revision: 'r:1' }));
  t.deepEqual((await living(ledger)).listed(), ['r:1']);
});

test('the list is sorted by session and follows the commit only', async (t) => {
  const life = await living(await ledgerOf(t));
  for (const session of ['session:b', 'session:C', 'session:a']) {
    await life.upload(sourceOf({ session, revision: `${session}.r1` }));
  }
  t.deepEqual(life.listed(), ['session:C.r1', 'session:a.r1', 'session:b.r1']);
  const before = life.registry.list();
  life.registry.admitUpload(sourceOf({ session: 'session:a', revision: 'r:new', label: 'New' }));
  t.is(life.registry.list(), before);
  life.registry.committed();
  t.deepEqual(life.listed(), ['session:C.r1', 'r:new', 'session:b.r1']);
  t.true(life.registry.list().version > before.version);
});

test('committed data is present in the next life', async (t) => {
  const ledger = await ledgerOf(t);
  const first = await living(ledger);
  await first.upload(sourceOf({ revision: 'r:1' }));
  await first.upload(sourceOf({ revision: 'r:2', label: 'Another label' }));
  const life = await living(ledger);
  t.deepEqual(life.damaged, []);
  t.deepEqual(life.listed(), ['r:2']);
  t.deepEqual(life.registry.revision('r:1'), sourceOf({ revision: 'r:1' }));
});

test('an upload of a folder’s bytes takes over until the files of the folder change', async (t) => {
  const ledger = await ledgerOf(t);
  const first = await living(ledger);
  await first.folder(sourceOf({ revision: 'folder:1', folder: '/clip' }));
  t.is(await first.upload(sourceOf({ revision: 'upload:1' })), 'upload:1');
  t.deepEqual(first.listed(), ['upload:1']);

  const unchanged = await living(ledger);
  await unchanged.folder(sourceOf({ revision: 'folder:1', folder: '/clip' }));
  t.deepEqual(unchanged.listed(), ['upload:1']);

  const changed = await living(ledger);
  await changed.folder(sourceOf({ revision: 'folder:2', folder: '/clip' }));
  t.deepEqual(changed.listed(), ['folder:2']);
});

test('a moved folder is read at its new place; one not given is known, but not offered', async (t) => {
  const ledger = await ledgerOf(t);
  const first = await living(ledger);
  await first.folder(sourceOf({ revision: 'folder:1', folder: '/clip' }));

  const moved = await living(ledger);
  await moved.folder(sourceOf({ revision: 'folder:1', folder: '/moved' }));
  t.is(moved.registry.current('session:1')?.files[0]?.path?.startsWith('/moved/'), true);

  const without = await living(ledger);
  t.deepEqual(without.listed(), []);
  t.is(without.registry.current('session:1'), undefined);
  t.is(without.registry.withContent(clip.session.source.contentId), undefined);
  t.is(without.registry.revision('folder:1')?.folder, '/moved');
});

test('bytes are held by revisions whose files are objects, not by folders', async (t) => {
  const life = await living(await ledgerOf(t));
  const { contentId } = clip.session.source;
  await life.folder(sourceOf({ revision: 'folder:1', folder: '/clip' }));
  t.false(life.registry.holds(contentId));
  await life.upload(sourceOf({ revision: 'upload:1' }));
  await life.upload(sourceOf({ revision: 'upload:2', label: 'Another label' }));
  t.true(life.registry.holds(contentId));
  t.is(life.registry.withContent(contentId)?.session.revisionId, 'upload:2');
});

test('a damaged row takes its own revision out of the list and no other', async (t) => {
  const folder = await scratchFolder(t);
  const first = await openScratchLedger(t, folder);
  const life = await living(first);
  for (const session of ['session:a', 'session:b', 'session:c']) {
    await life.upload(sourceOf({ session, revision: `${session}.r1` }));
  }
  await first.close();
  await withRawRows(folder, async (rows) => {
    await rows.put(rowKey('source', 'session:a.r1'), Buffer.from('not a row at all'));
    await rows.put(rowKey('session', 'session:c'), Buffer.from('not a row at all'));
  });
  const ledger = await openScratchLedger(t, folder);
  t.teardown(() => ledger.close());
  const next = await living(ledger);
  t.deepEqual(next.damaged, ['session:a.r1', 'session:a', 'session:c']);
  t.deepEqual(next.listed(), ['session:b.r1']);
});

let bench: DetectionBench;

test.before(async () => {
  bench = await openDetectionBench();
});

test.after.always(() => bench.close());

const fileOf = (text: string): SubtitleFile =>
  resultOfSteps(openSubtitleFile(Buffer.from(text, 'utf8'), { format: null, encoding: null }));

const read = (file: SubtitleFile) => demandReadable(bench, file, new AbortController().signal);

const events = 'Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text';

const dialogue = (start: string, end: string, text: string) => `Dialogue: 3,${start},${end},Default,A,0,0,0,,${text}`;

const whole = {
  'SubRip with overlaps, repeats and cues without text or time':
    '1\r\n00:00:05,000 --> 00:00:08,000\r\n{\\an8}<b>a</b>\r\n\r\nb\r\n\r\n2\r\n00:00:06,000 --> 00:00:07,000\r\n1984\r\n\r\n3\r\n00:00:01,000 --> 00:00:02,000\r\n\r\n4\r\n00:00:01,000 --> 00:00:01,000\r\nnever\r\n\r\n5\r\n00:00:06,000 --> 00:00:07,000\r\n1984\r\n',
  'WebVTT with styles, regions, notes, settings, names and voices':
    'WEBVTT\n\nREGION\nid:a\n\nSTYLE\n::cue(b) { color: red }\n\nNOTE x\ny\n\nfirst\n00:01.000 --> 01:00:02.000 line:0 align:start\n<v A>1 &lt; 2\n\n01:00.500 --> 01:01.000\n<00:01:00.700><c.x>z</c>\n',
  'WebVTT with cues named as comments and heads of files begin':
    'WEBVTT\n\nNOTEBOOK\n00:01.000 --> 00:02.000\none\n\nNOTE-1\n00:03.000 --> 00:04.000\ntwo\n\nNOTE three\n\nWEBVTT4\n00:05.000 --> 00:06.000\nfour\n',
  'ASS with overrides, drawings, commas and breaks': `[Script Info]\nScriptType: v4.00+\n\n[V4+ Styles]\nFormat: Name\n\n[Events]\n${events}\n${dialogue('0:00:09.50', '0:00:10.00', '{\\pos(1,2)}a, b\\Nc')}\n${dialogue('0:00:01.00', '0:00:02.00', '{\\p1}m 0 0 l 1 1{\\p0}')}\n${dialogue('0:00:01.00', '0:00:02.00', 'd')}\nComment: 0,0:00:01.00,0:00:02.00,,,0,0,0,,no\n`,
};

for (const [what, text] of Object.entries(whole)) {
  test(`ffmpeg reads every cue of ${what}`, async (t) => {
    await t.notThrowsAsync(read(fileOf(text)));
  });
}

const adapted = {
  'SubRip with lone carriage returns':
    '1\r00:00:01,000 --> 00:00:02,000\ra\rb\r\r2\r00:00:03,000 --> 00:00:04,000\rc\r',
  'SubRip without numbers':
    '00:00:01,000 --> 00:00:02,000\na\n\n00:00:03,000 --> 00:00:04,000\nb\n\nc\n\n00:00:05,000 --> 00:00:06,000\nd\n',
};

for (const [what, text] of Object.entries(adapted)) {
  test(`ffmpeg reads the same cues of ${what} as it is and as it is adapted`, async (t) => {
    const file = fileOf(text);
    await t.notThrowsAsync(read(file));
    await t.notThrowsAsync(read({ ...file, text: Buffer.from(text, 'utf8') }));
  });
}

test('ffmpeg reads files that it would not read without being adapted', async (t) => {
  const head = '[Script Info]\n\n[Events]\nFormat: Start, End, Style, Text\n';
  const ass = `${head}Dialogue: 0:00:01.00,0:00:02.00,Big,a, b\n`;
  const srt = '00:00:01,000 --> 00:00:02,000\na\n5 dogs\n\n00:00:03,000 --> 00:00:04,000\nb\n';
  const vtt = 'WEBVTT\r\r00:01.000 --> 00:02.000\ra\rb\r\r00:03.000 --> 00:04.000\rc\r';
  for (const text of [ass, srt, vtt]) {
    const file = fileOf(text);
    await t.notThrowsAsync(read(file), text);
    await t.throwsAsync(read({ ...file, text: Buffer.from(text, 'utf8') }), { code: 'invalid_subtitle_file' }, text);
  }
});

test('ffmpeg reads odd files as they are read here', async (t) => {
  const cues = '1\n00:00:01,000 --> 00:00:02,000\na\n\n2\n00:00:03,000 --> 00:00:04,000\nb\n';
  const vtt = 'WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:900000,LOCAL:00:00:00.000\n\n00:01.000 --> 00:02.000\na --> b\n\n';
  const odd = [
    `\u200E${cues}`,
    cues.replace('\n2\n', '\n\uFEFF2\n'),
    cues.replaceAll(',000', ''),
    cues.replaceAll(',000', ',5'),
    cues.replace('\nb\n', '\nHome --> Edit\n5 --> 6\n'),
    `${cues}\u001A`,
    `${cues}\0\0`,
    vtt,
    vtt + vtt,
    `\uFEFF\uFEFF${vtt.replaceAll('.', ',')}`,
    `[Script Info]\n\n[Events]\n${events}\n${dialogue('0:00:01.00', '0:00:02.00', 'a\u2028b')}\n`,
  ];
  for (const text of odd) await t.notThrowsAsync(read(fileOf(text)), text);
});

test('a file that ffmpeg reads differently from its text is refused with the cue', async (t) => {
  const file = fileOf('1\n00:00:01,000 --> 00:00:02,000\na\n\n2\n00:00:03,000 --> 00:00:04,000\nb\n');
  const other = (text: string): SubtitleFile => ({ ...file, text: Buffer.from(text, 'utf8') });
  const refusal = (message: RegExp) => ({ instanceOf: ServiceError, code: 'invalid_subtitle_file', message }) as const;
  await t.throwsAsync(
    read(other('1\n00:00:01,000 --> 00:00:02,000\na\n')),
    refusal(/^line 6: ffmpeg reads this cue differently/),
  );
  await t.throwsAsync(read(other(`${Buffer.from(file.text)}\n3\n00:00:05,000 --> 00:00:05,500\nc\n`)), refusal(/./));
  await t.throwsAsync(read(other('no subtitles')), refusal(/./));
});

const lines = Buffer.from('1\n00:00:01,000 --> 00:00:02,000\nHello\n', 'utf8');

const said = (label: string): ReadonlyMap<string, string> =>
  new Map(Object.entries({ rightsScope: 'local_processing', ownershipAttested: 'true', rightsHolder: 'Me', label }));

const sealed = sealOwnedIngest(clipIngest);

const { sessionId, revisionId } = sealed.source.session;

/** The service over a real store that has the sealed media; `storing` gets everything before it is stored. */
async function open(t: ExecutionContext) {
  const root = await newDataRoot(t);
  const { ledger, objectStore, close } = await openStore(root);
  t.teardown(close);
  await objectStore.put(mediaBytes);
  await objectStore.putAll(sealed.objects);
  const registry = new SourceRegistry();
  await ledger.commit(registry.admitUpload(sealed.source).writes);
  registry.committed();
  const hook = { storing: async (): Promise<void> => undefined, free: Number.MAX_SAFE_INTEGER };
  const watched: ObjectStore = new Proxy(objectStore, {
    get: (target, key) => {
      if (key === 'freeBytes') return async () => hook.free;
      if (key === 'putAll') {
        return async (objects: Parameters<ObjectStore['putAll']>[0]) => {
          await hook.storing();
          await target.putAll(objects);
        };
      }
      const member: unknown = Reflect.get(target, key, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  const mutex = new KeyedMutex();
  const { launcher, ffmpeg } = bench;
  const clock = { now: () => Date.parse('2026-01-02T03:04:05.678Z') };
  const tracks = new SubtitleTracks({ ledger, objectStore: watched, registry, mutex, launcher, ffmpeg, clock });
  const stored = async (): Promise<SourceRegistry> => {
    const read = new SourceRegistry();
    t.deepEqual(await read.load(ledger), []);
    return read;
  };
  return { ledger, registry, mutex, tracks, hook, stored };
}

const labelsOf = (tracks: SubtitleTracks): string[] => tracks.list(sessionId).subtitleTracks.map(({ label }) => label);

test('adaptations of a file are in the answer and in the receipt that is read again', async (t) => {
  const { tracks, stored } = await open(t);
  const bare = Buffer.from('00:00:01,000 --> 00:00:02,000\nHello\n\n00:00:02,000 --> 00:00:03,000\nagain\n', 'utf8');
  const { body } = await tracks.attach(sessionId, said('a'), bare);
  t.deepEqual(body.track.notes, [{ note: 'cue_number', line: 1, count: 2 }]);
  t.deepEqual((await stored()).current(sessionId)?.subtitleTracks?.[0]?.notes, body.track.notes);
  t.false('notes' in (await tracks.attach(sessionId, said('b'), lines)).body.track);
});

test('a volume without room takes no file, and the source stays as it is', async (t) => {
  const { tracks, hook, stored } = await open(t);
  hook.free = 1024;
  await t.throwsAsync(tracks.attach(sessionId, said('a'), lines), { code: 'insufficient_storage' });
  hook.free = Number.MAX_SAFE_INTEGER;
  hook.storing = async () => {
    throw new ObjectStoreError('storage_fault', 'full', Object.assign(new Error('full'), { code: 'ENOSPC' }));
  };
  await t.throwsAsync(tracks.attach(sessionId, said('a'), lines), { code: 'insufficient_storage' });
  t.is(tracks.list(sessionId).sourceRevisionId, revisionId);
  t.is((await stored()).current(sessionId)?.session.revisionId, revisionId);
});

test('a file that is attached twice at once is one track, and others beside it are each one', async (t) => {
  const { tracks, stored } = await open(t);
  const all = await Promise.all(['a', 'b', 'a'].map((label) => tracks.attach(sessionId, said(label), lines)));
  // Of the two that are equal either may come first.
  const [first, other, second] = all;
  t.deepEqual([other?.isNew, first?.isNew !== second?.isNew], [true, true]);
  t.deepEqual(second?.body.track, first?.body.track);
  t.deepEqual(labelsOf(tracks).toSorted(), ['a', 'b']);
  const read = await stored();
  t.deepEqual(read.current(sessionId)?.subtitleTracks, tracks.list(sessionId).subtitleTracks);
  t.is(read.revision(revisionId)?.subtitleTracks, undefined);
});

test('a revision that an ingest registers meanwhile gets the file, too', async (t) => {
  const { tracks, registry, hook } = await open(t);
  const other = sealOwnedIngest({ ...clipIngest, claim: { ...clipIngest.claim, label: 'Another label' } });
  hook.storing = async () => {
    hook.storing = async () => undefined;
    registry.admitUpload(other.source);
  };
  // The bytes of the other revision come with it, as they do in an ingest.
  await t.throwsAsync(tracks.attach(sessionId, said('a'), lines), { code: 'source_revalidation_failed' });
  t.is(registry.current(sessionId)?.label, 'Another label');
  registry.admitUpload(sealed.source);
  hook.storing = async () => {
    hook.storing = async () => undefined;
    registry.admitRevision(withSubtitles(sealed.chain, [], new Map()).source);
  };
  await tracks.attach(sessionId, said('a'), lines);
  t.deepEqual(labelsOf(tracks), ['a']);
});

test('a source that is deleted while a file waits for it takes none', async (t) => {
  const { ledger, tracks, registry, mutex } = await open(t);
  let end = (): void => undefined;
  const deleting = mutex.take(sessionId, () => new Promise<void>((resolve) => (end = resolve)));
  const attaching = tracks.attach(sessionId, said('a'), lines);
  const checked = mutex.take('subtitle-check', async () => undefined);
  await checked;
  await ledger.commit(registry.remove(sessionId));
  end();
  await deleting;
  await t.throwsAsync(attaching, { code: 'unknown_source_session' });
  await t.throwsAsync(tracks.detach(sessionId, '4'), { code: 'unknown_source_session' });
});
