import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { restMs } from '../../../storage/objects/object-files.ts';
import type { ObjectStore } from '../../../storage/objects/object-store.ts';
import { openObjectStore } from '../../../storage/objects/open-object-store.ts';
import { scratchFolder, uploadName } from '../ledger/scratch.ts';

const contentIdOf = (bytes: Uint8Array) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
const abc = Buffer.from('abc');

/** An object store that counts how often it hashes a file, and lists the damage it reports. */
async function countingStore(t: ExecutionContext) {
  const root = await scratchFolder(t);
  const points: string[] = [];
  const damaged: string[] = [];
  const objectStore = await openObjectStore({
    root,
    points: (name) => points.push(name),
    onDamage: (contentId) => damaged.push(contentId),
  });
  const hashings = () => points.filter((name) => name === 'object-store:hashed').length;
  return { root, objectStore, points, damaged, hashings };
}

const spoil = (objectStore: ObjectStore, contentId: string) => writeFile(objectStore.locate(contentId), 'abd');

test('what is put reads back, also nothing at all', async (t) => {
  const { objectStore, root } = await countingStore(t);
  for (const bytes of [abc, Buffer.alloc(0), Buffer.alloc(1_000_000, 7)]) {
    const contentId = await objectStore.put(bytes);
    t.is(contentId, contentIdOf(bytes));
    t.true((await objectStore.read(contentId, bytes.length)).equals(bytes));
  }
  t.deepEqual(await readdir(join(root, 'inbox')), []);
});

test('what was stored is recent for a quarter of an hour, also where it was there before', async (t) => {
  let elapsed = 0;
  const objectStore = await openObjectStore({ root: await scratchFolder(t), elapsed: () => elapsed });
  const contentId = await objectStore.put(abc);
  for (let again = 0; again < 2; again += 1) {
    elapsed += restMs - 1;
    t.true(objectStore.isRecent(contentId));
    elapsed += 1;
    t.false(objectStore.isRecent(contentId));
    await objectStore.put(abc);
  }
});

test('many objects go in at once, and those that are there are not written again', async (t) => {
  const { objectStore, points } = await countingStore(t);
  const first = await objectStore.put(abc);
  const inode = (await stat(objectStore.locate(first))).ino;
  const objects = ['abc', 'def', 'ghi', 'def'].map((text) => {
    const bytes = Buffer.from(text);
    return { contentId: contentIdOf(bytes), bytes };
  });
  points.length = 0;
  await objectStore.putAll(objects);
  t.is((await stat(objectStore.locate(first))).ino, inode);
  // Both are on their way at once.
  t.is(points.pop(), 'object-store:put');
  t.deepEqual(points.toSorted(), [
    'object-store:renamed',
    'object-store:renamed',
    'object-store:staged',
    'object-store:staged',
  ]);
  for (const { contentId, bytes } of objects) t.true((await objectStore.read(contentId, 3)).equals(bytes));
});

test('a file of the data root is imported under the name that was announced before it moved', async (t) => {
  const { objectStore, root, points } = await countingStore(t);
  const path = join(root, 'work', 'made.mp4');
  for (const times of [1, 2]) {
    await writeFile(path, abc, { mode: 0o644 });
    points.length = 0;
    const imported = await objectStore.import(path, async (object) => {
      t.deepEqual(object, { contentId: contentIdOf(abc), bytes: 3 });
      t.is((await stat(path)).size, 3);
      if (times === 1) t.is(await objectStore.verify(object.contentId), 'missing');
    });
    t.true((await objectStore.read(imported.contentId, 3)).equals(abc));
    t.is((await stat(objectStore.locate(imported.contentId))).mode & 0o777, 0o600);
    t.is(points.includes('object-store:renamed'), times === 1);
    t.deepEqual(await readdir(join(root, 'work')), []);
  }
});

test('a file whose announcement is refused stays where it is, and what is no file is never imported', async (t) => {
  const { objectStore, root } = await countingStore(t);
  const path = join(root, 'work', 'made.mp4');
  await writeFile(path, abc);
  const refused = objectStore.import(path, async () => {
    throw new Error('not now');
  });
  await t.throwsAsync(refused, { message: 'not now' });
  t.is((await stat(path)).size, 3);
  await symlink(path, join(root, 'work', 'link'));
  execFileSync('mkfifo', [join(root, 'work', 'pipe')]);
  for (const name of ['link', 'pipe', 'nothing', '.']) {
    const imported = objectStore.import(join(root, 'work', name), () => Promise.resolve());
    await t.throwsAsync(imported, { code: 'storage_fault' });
  }
  t.deepEqual(await readdir(join(root, 'objects', 'sha256')), []);
});

test('bytes under a name that is not theirs are not stored, nor what came with them', async (t) => {
  const { objectStore, root } = await countingStore(t);
  const good = { contentId: contentIdOf(abc), bytes: abc };
  const bad = { contentId: contentIdOf(Buffer.from('x')), bytes: abc };
  await t.throwsAsync(objectStore.putAll([good, bad]), { code: 'object_damaged' });
  t.deepEqual(await readdir(join(root, 'objects', 'sha256')), []);
});

test('a damaged object is quarantined and reported when good bytes come in, whichever way', async (t) => {
  const { objectStore, root, damaged } = await countingStore(t);
  const contentId = await objectStore.put(abc);
  await spoil(objectStore, contentId);
  await objectStore.put(abc);
  t.deepEqual(damaged, [contentId]);
  t.true((await objectStore.read(contentId, 3)).equals(abc));
  await spoil(objectStore, contentId);
  const receiving = await objectStore.receive(uploadName(1), 3);
  receiving.write(abc);
  await receiving.finish();
  t.deepEqual(damaged, [contentId, contentId]);
  t.true((await objectStore.read(contentId, 3)).equals(abc));
  const hex = contentId.slice(7);
  const kept = (await readdir(join(root, 'quarantine'))).sort();
  t.deepEqual(kept, [`${hex}.1`, `${hex}.2`]);
  for (const name of kept) t.is(await readFile(join(root, 'quarantine', name), 'utf8'), 'abd');
});

test('quarantine moves an object away and says where it is', async (t) => {
  const { objectStore } = await countingStore(t);
  const contentId = await objectStore.put(abc);
  const place = await objectStore.quarantine(contentId);
  t.is(await readFile(place ?? '', 'utf8'), 'abc');
  t.is(await objectStore.verify(contentId), 'missing');
  t.is(await objectStore.quarantine(contentId), null);
});

test('an object that nobody needs is deleted, but not while the same bytes come in', async (t) => {
  const { objectStore } = await countingStore(t);
  const contentId = await objectStore.put(abc);
  const again = objectStore.put(abc);
  t.false(await objectStore.discard(contentId));
  await again;
  t.is(await objectStore.verify(contentId), 'intact');
  t.true(await objectStore.discard(contentId));
  t.is(await objectStore.verify(contentId), 'missing');
  t.true(await objectStore.discard(contentId));
});

test('bytes that come in while their object is deleted are there afterwards', async (t) => {
  const { objectStore } = await countingStore(t);
  const contentId = await objectStore.put(abc);
  const deleted = objectStore.discard(contentId);
  t.true(deleted instanceof Promise);
  await objectStore.put(abc);
  t.true(await deleted);
  t.is(await objectStore.verify(contentId), 'intact');
});

test('a file is hashed once while its identity stays, and again when it changes or when asked to', async (t) => {
  const { objectStore, hashings } = await countingStore(t);
  const contentId = await objectStore.put(abc);
  t.is(await objectStore.verify(contentId), 'intact');
  t.is(hashings(), 0, 'it was hashed while it was written');
  t.is(await objectStore.verify(contentId, { always: true }), 'intact');
  t.is(hashings(), 1);
  await utimes(objectStore.locate(contentId), 1, 1);
  t.is(await objectStore.verify(contentId), 'intact');
  t.is(await objectStore.verify(contentId), 'intact');
  t.is(hashings(), 2);
  await spoil(objectStore, contentId);
  t.is(await objectStore.verify(contentId), 'damaged');
  t.is(await objectStore.verify(contentId), 'damaged');
  t.is(hashings(), 3);
});

test('a new process trusts no earlier one', async (t) => {
  const { objectStore, root } = await countingStore(t);
  const contentId = await objectStore.put(abc);
  let hashings = 0;
  const later = await openObjectStore({ root, points: () => (hashings += 1) });
  t.is(await later.verify(contentId), 'intact');
  t.is(hashings, 1);
});

test('many who ask for one big file at once share one hashing', async (t) => {
  const { objectStore, root, hashings } = await countingStore(t);
  const bytes = Buffer.alloc(20_000_000, 5);
  const path = join(root, 'work', 'media');
  await writeFile(path, bytes);
  const asked = Array.from({ length: 5 }, () => objectStore.verifyFile(path, contentIdOf(bytes)));
  t.deepEqual(await Promise.all(asked), Array(5).fill('intact'));
  t.is(hashings(), 1);
});

test('a file elsewhere is verified in place', async (t) => {
  const { objectStore } = await countingStore(t);
  const folder = await scratchFolder(t);
  const path = join(folder, 'media.mp4');
  t.is(await objectStore.verifyFile(path, contentIdOf(abc)), 'missing');
  await writeFile(path, abc);
  t.is(await objectStore.verifyFile(path, contentIdOf(abc)), 'intact');
  t.is(await objectStore.verifyFile(path, contentIdOf(Buffer.from('x'))), 'damaged');
  // Another file of the same size under the same name.
  await writeFile(join(folder, 'other'), 'abd');
  await rename(join(folder, 'other'), path);
  t.is(await objectStore.verifyFile(path, contentIdOf(abc)), 'damaged');
  t.is(await objectStore.verifyFile(join(path, 'below'), contentIdOf(abc)), 'missing');
});

test('links, folders and pipes are never taken for files, whatever they lead to', async (t) => {
  const { objectStore } = await countingStore(t);
  const folder = await scratchFolder(t);
  const real = join(folder, 'real');
  await writeFile(real, abc);
  await symlink(real, join(folder, 'link'));
  await mkdir(join(folder, 'folder'));
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  for (const name of ['link', 'folder', 'pipe']) {
    t.is(await objectStore.verifyFile(join(folder, name), contentIdOf(abc)), 'damaged', name);
  }
  const contentId = await objectStore.put(abc);
  await rename(objectStore.locate(contentId), join(folder, 'moved'));
  await symlink(join(folder, 'moved'), objectStore.locate(contentId));
  t.is(await objectStore.verify(contentId), 'damaged');
  await t.throwsAsync(objectStore.read(contentId, 3), { code: 'object_damaged' });
});

test('reading never serves what is missing, damaged or larger than asked for', async (t) => {
  const { objectStore } = await countingStore(t);
  const contentId = await objectStore.put(abc);
  await t.throwsAsync(objectStore.read(contentId, 2), { code: 'object_too_large' });
  await spoil(objectStore, contentId);
  await t.throwsAsync(objectStore.read(contentId, 3), { code: 'object_damaged' });
  await writeFile(objectStore.locate(contentId), '');
  await t.throwsAsync(objectStore.read(contentId, 3), { code: 'object_damaged' });
  await t.throwsAsync(objectStore.read(contentIdOf(Buffer.from('never')), 3), { code: 'object_missing' });
});

test('there is room to store, in bytes', async (t) => {
  const { objectStore } = await countingStore(t);
  const free = await objectStore.freeBytes();
  t.true(Number.isSafeInteger(free) && free > 0);
});
