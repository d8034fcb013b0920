import { createHash } from 'node:crypto';
import { readdir, readFile, rename, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { restMs } from '../../../storage/objects/object-files.ts';
import type { IncomingFile, ObjectRef, ObjectStore } from '../../../storage/objects/object-store.ts';
import { openObjectStore } from '../../../storage/objects/open-object-store.ts';
import { rawId } from '../../receipts/core/independent-ids.ts';
import { scratchFolder, seededBytes, seededNumbers, uploadName } from '../ledger/scratch.ts';

const abc = Buffer.from('abc');
/** No record has to name what these tests receive. */
const unannounced = async () => undefined;

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

test('a stored value reads back, also an empty one', async (t) => {
  const { objectStore, root } = await countingStore(t);
  for (const bytes of [abc, Buffer.alloc(0), Buffer.alloc(1_000_000, 7)]) {
    const contentId = await objectStore.put(bytes);
    t.is(contentId, rawId(bytes));
    t.true((await objectStore.read(contentId, bytes.length)).equals(bytes));
  }
  t.deepEqual(await readdir(join(root, 'inbox')), []);
});

test('a stored object is recent for a quarter of an hour, even if it existed before', async (t) => {
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

test('bug: a store had no end of what it was storing, so its host ended before', async (t) => {
  const { objectStore, points } = await countingStore(t);
  await objectStore.settled();
  const storing = Promise.all([objectStore.put(abc), objectStore.put(Buffer.from('def'))]);
  t.false(points.includes('object-store:renamed'));
  await objectStore.settled();
  t.is(points.filter((name) => name === 'object-store:renamed').length, 2);
  await storing;
});

test('many objects go in at once, and those that are there are not written again', async (t) => {
  const { objectStore, points } = await countingStore(t);
  const first = await objectStore.put(abc);
  const inode = (await stat(objectStore.locate(first))).ino;
  const objects = ['abc', 'def', 'ghi', 'def'].map((text) => {
    const bytes = Buffer.from(text);
    return { contentId: rawId(bytes), bytes };
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
      t.deepEqual(object, { contentId: rawId(abc), bytes: 3 });
      t.is((await stat(path)).size, 3);
      if (times === 1) t.is(await objectStore.verify(object.contentId), 'missing');
    });
    t.true((await objectStore.read(imported.contentId, 3)).equals(abc));
    t.is((await stat(objectStore.locate(imported.contentId))).mode & 0o777, 0o600);
    t.is(points.includes('object-store:renamed'), times === 1);
    t.deepEqual(await readdir(join(root, 'work')), []);
  }
});

test('bytes under a name that is not theirs are not stored, nor what came with them', async (t) => {
  const { objectStore, root } = await countingStore(t);
  const good = { contentId: rawId(abc), bytes: abc };
  const bad = { contentId: rawId(Buffer.from('x')), bytes: abc };
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
  await send(objectStore, uploadName(1), 3, [abc]);
  t.deepEqual(damaged, [contentId, contentId]);
  t.true((await objectStore.read(contentId, 3)).equals(abc));
  const hex = contentId.slice(7);
  const kept = (await readdir(join(root, 'quarantine'))).sort();
  t.deepEqual(kept, [`${hex}.1`, `${hex}.2`]);
  for (const name of kept) t.is(await readFile(join(root, 'quarantine', name), 'utf8'), 'abd');
});

test('quarantine moves an object away and returns its new place', async (t) => {
  const { objectStore } = await countingStore(t);
  const contentId = await objectStore.put(abc);
  const place = await objectStore.quarantine(contentId);
  t.is(await readFile(place ?? '', 'utf8'), 'abc');
  t.is(await objectStore.verify(contentId), 'missing');
  t.is(await objectStore.quarantine(contentId), null);
});

test('an unused object is deleted, but not while the same bytes come in', async (t) => {
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
  const asked = Array.from({ length: 5 }, () => objectStore.verifyFile(path, rawId(bytes)));
  t.deepEqual(await Promise.all(asked), Array(5).fill('intact'));
  t.is(hashings(), 1);
});

test('a file elsewhere is verified in place', async (t) => {
  const { objectStore } = await countingStore(t);
  const folder = await scratchFolder(t);
  const path = join(folder, 'media.mp4');
  t.is(await objectStore.verifyFile(path, rawId(abc)), 'missing');
  await writeFile(path, abc);
  t.is(await objectStore.verifyFile(path, rawId(abc)), 'intact');
  t.is(await objectStore.verifyFile(path, rawId(Buffer.from('x'))), 'damaged');
  // Another file of the same size under the same name.
  await writeFile(join(folder, 'other'), 'abd');
  await rename(join(folder, 'other'), path);
  t.is(await objectStore.verifyFile(path, rawId(abc)), 'damaged');
  t.is(await objectStore.verifyFile(join(path, 'below'), rawId(abc)), 'missing');
});

test('reading never serves a missing, damaged or oversized object', async (t) => {
  const { objectStore } = await countingStore(t);
  const contentId = await objectStore.put(abc);
  await t.throwsAsync(objectStore.read(contentId, 2), { code: 'object_too_large' });
  await spoil(objectStore, contentId);
  await t.throwsAsync(objectStore.read(contentId, 3), { code: 'object_damaged' });
  await writeFile(objectStore.locate(contentId), '');
  await t.throwsAsync(objectStore.read(contentId, 3), { code: 'object_damaged' });
  await t.throwsAsync(objectStore.read(rawId(Buffer.from('never')), 3), { code: 'object_missing' });
});

test('there is room to store, in bytes', async (t) => {
  const { objectStore } = await countingStore(t);
  const free = await objectStore.freeBytes();
  t.true(Number.isSafeInteger(free) && free > 0);
});

const inbox = (root: string) => readdir(join(root, 'inbox'));

async function begun(objectStore: ObjectStore, name: string): Promise<IncomingFile> {
  const file = objectStore.receive(name);
  await file.open(0);
  return file;
}

/** Makes an object of all that a file has taken. */
async function finished(file: IncomingFile, bytes: number): Promise<ObjectRef> {
  await file.drained();
  await file.sync();
  return file.finish(bytes, unannounced);
}

async function send(objectStore: ObjectStore, name: string, declaredBytes: number, chunks: readonly Buffer[]) {
  const file = await begun(objectStore, name);
  for (const chunk of chunks) file.write(chunk);
  return finished(file, declaredBytes);
}

test('a file that arrives whole lies under the SHA-256 of its bytes, and the inbox is empty', async (t) => {
  const { root, objectStore } = await countingStore(t);
  const seed = 99;
  t.log(`seed ${seed}`);
  const below = seededNumbers(seed);
  for (const size of [0, 1, 4095, 65_536, 300_001, 9_000_000]) {
    const bytes = seededBytes(size + 1, size);
    const chunks: Buffer[] = [];
    for (let at = 0; at < size; ) {
      const next = at + below(200_000);
      chunks.push(bytes.subarray(at, next));
      at = next;
    }
    const received = await send(objectStore, uploadName(size), size, chunks);
    t.deepEqual(received, { contentId: rawId(bytes), bytes: size });
    t.true((await readFile(objectStore.locate(received.contentId))).equals(bytes));
    t.is((await stat(objectStore.locate(received.contentId))).mode & 0o777, 0o600);
  }
  t.deepEqual(await inbox(root), []);
});

test('an object lies at objects/sha256, two digits, all digits', async (t) => {
  const { root, objectStore } = await countingStore(t);
  const { contentId } = await send(objectStore, uploadName(1), 3, [Buffer.from('abc')]);
  const hex = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
  t.is(contentId, `sha256:${hex}`);
  t.is(objectStore.locate(contentId), join(root, 'objects', 'sha256', 'ba', hex));
});

test('a file that ends too early becomes no object, and one that is given up leaves nothing', async (t) => {
  const { root, objectStore } = await countingStore(t);
  const file = await begun(objectStore, uploadName(1));
  file.write(Buffer.from('abcd'));
  await t.throwsAsync(finished(file, 5), { code: 'storage_fault' });
  t.deepEqual(await inbox(root), [uploadName(1)]);
  await Promise.all([file.remove(), file.remove()]);
  t.true(file.write(Buffer.from('late')));
  t.deepEqual(await inbox(root), []);
  t.deepEqual(await readdir(join(root, 'objects', 'sha256')), []);
  const other = await send(objectStore, uploadName(1), 3, [Buffer.from('abc')]);
  await file.remove();
  t.is(await objectStore.verify(other.contentId, { always: true }), 'intact');
});

test('bytes of a file that starts over do not count', async (t) => {
  const { objectStore } = await countingStore(t);
  const file = await begun(objectStore, uploadName(1));
  file.write(Buffer.from('xyz'));
  await file.drained();
  file.settle(file.written);
  await file.open(0);
  file.write(Buffer.from('abc'));
  t.is((await finished(file, 3)).contentId, rawId(Buffer.from('abc')));
});

test('a slow disk asks the sender to wait, and says once when it may go on', async (t) => {
  const { objectStore } = await countingStore(t);
  const total = 64 * 1024 * 1024;
  const chunk = seededBytes(7, 1024 * 1024);
  const receiving = await begun(objectStore, uploadName(1));
  let drains = 0;
  let pauses = 0;
  let resume = () => {};
  receiving.onDrain(() => {
    drains += 1;
    resume();
  });
  for (let sent = 0; sent < total; sent += chunk.length) {
    const drained = new Promise<void>((resolve) => {
      resume = resolve;
    });
    if (receiving.write(chunk)) continue;
    pauses += 1;
    await drained;
  }
  const received = await finished(receiving, total);
  t.true(pauses > 0);
  t.is(drains, pauses);
  const expected = createHash('sha256');
  for (let sent = 0; sent < total; sent += chunk.length) expected.update(chunk);
  t.is(received.contentId, `sha256:${expected.digest('hex')}`);
});

test('equal bytes are stored once, one after the other and at the same time', async (t) => {
  const { root, objectStore } = await countingStore(t);
  const bytes = seededBytes(3, 100_000);
  const first = await send(objectStore, uploadName(1), bytes.length, [bytes]);
  const inode = (await stat(objectStore.locate(first.contentId))).ino;
  const others = await Promise.all([2, 3, 4].map((nth) => send(objectStore, uploadName(nth), bytes.length, [bytes])));
  for (const other of others) t.deepEqual(other, first);
  t.is((await stat(objectStore.locate(first.contentId))).ino, inode);
  t.deepEqual(await inbox(root), []);
  const fresh = seededBytes(4, 100_000);
  const both = await Promise.all([5, 6].map((nth) => send(objectStore, uploadName(nth), fresh.length, [fresh])));
  t.deepEqual(both[0], both[1]);
  t.deepEqual(await inbox(root), []);
});

test('a name that could leave the inbox is refused', async (t) => {
  const { root, objectStore } = await countingStore(t);
  for (const name of [
    '',
    '.',
    '..',
    'a/b',
    '../a',
    'a.b',
    'ä',
    'a\0',
    'a'.repeat(81),
    uploadName(1).slice(1),
    `${uploadName(1)}.1`,
  ]) {
    t.throws(() => objectStore.receive(name), { code: 'invalid_name' });
    t.throws(() => objectStore.partial(name), { code: 'invalid_name' });
  }
  for (const contentId of ['', 'sha256:..', `sha256:${'A'.repeat(64)}`, 'a'.repeat(64)]) {
    t.throws(() => objectStore.locate(contentId), { code: 'invalid_name' });
  }
  t.deepEqual(await inbox(root), []);
});
