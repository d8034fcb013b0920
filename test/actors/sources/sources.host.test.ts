import { cp, mkdir, mkdtemp, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { loadSourceFolder } from '../../../actors/sources/source-folder.ts';
import { UnusedMedia } from '../../../actors/sources/unused-media.ts';
import { SourceInconsistent } from '../../../contract/sources/source-receipt.ts';
import type { RegisteredSource } from '../../../contract/sources/source-session.ts';
import { sampleFolder } from '../../../fixtures/sample/gold.ts';
import { indentedFile } from '../../../formats/canonical-json.ts';
import { sealWithSubtitles } from '../../../receipts/sources/seal-source.ts';
import { openObjectStore } from '../../../storage/objects/open-object-store.ts';
import { attachedClip, attachedTrack } from '../../receipts/sources/attached-clip.ts';
import { chainOf, edited, mediaBytes, recordOf, sealedClip } from '../../receipts/sources/sealed-clip.ts';
import { openScratchLedger, scratchFolder } from '../../storage/ledger/scratch.ts';

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

test('a sealed folder may hold subtitle files, each verified where it lies', async (t) => {
  const { folder, load } = await sealedFolder(t, 1);
  const { chain, files } = attachedClip();
  const sealed = sealWithSubtitles(chain, [attachedTrack(4)], files);
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

  test(`${file} missing is told`, async (t) => {
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

test('a folder or root that is not there is told', async (t) => {
  const { folder, root, load } = await sealedFolder(t);
  t.is(await refusalOf(t, load(path.join(root, 'nowhere'))), 'file_missing: folder');
  t.is(await refusalOf(t, load(folder, path.join(root, 'nowhere'))), 'file_missing: source_root');
  t.is(await refusalOf(t, load(path.join(folder, 'media'))), 'file_missing: preflight');
});

test('what the system cannot resolve is unreadable', async (t) => {
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

test('noted media is removed with its note once nobody holds it', async (t) => {
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

test('what an earlier process noted is removed by the next', async (t) => {
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
