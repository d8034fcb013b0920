import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import type { ObjectStore } from '../../../storage/objects/object-store.ts';
import { openObjectStore } from '../../../storage/objects/open-object-store.ts';
import { scratchFolder, seededBytes, seededNumbers, uploadName } from '../ledger/scratch.ts';

const contentIdOf = (bytes: Uint8Array) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
const inbox = (root: string) => readdir(join(root, 'inbox'));

async function send(objectStore: ObjectStore, name: string, declaredBytes: number, chunks: readonly Buffer[]) {
  const receiving = await objectStore.receive(name, declaredBytes);
  for (const chunk of chunks) receiving.write(chunk);
  return receiving.finish();
}

test('a file that arrives whole lies under the SHA-256 of its bytes, and the inbox is empty', async (t) => {
  const root = await scratchFolder(t);
  const objectStore = await openObjectStore({ root });
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
    t.deepEqual(received, { contentId: contentIdOf(bytes), bytes: size });
    t.true((await readFile(objectStore.locate(received.contentId))).equals(bytes));
    t.is((await stat(objectStore.locate(received.contentId))).mode & 0o777, 0o600);
  }
  t.deepEqual(await inbox(root), []);
});

test('an object lies at objects/sha256, two digits, all digits', async (t) => {
  const root = await scratchFolder(t);
  const objectStore = await openObjectStore({ root });
  const { contentId } = await send(objectStore, uploadName(1), 3, [Buffer.from('abc')]);
  const hex = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
  t.is(contentId, `sha256:${hex}`);
  t.is(objectStore.locate(contentId), join(root, 'objects', 'sha256', 'ba', hex));
});

test('a file that ends too early, or never begins, is upload_too_short and leaves nothing', async (t) => {
  const root = await scratchFolder(t);
  const objectStore = await openObjectStore({ root });
  await t.throwsAsync(send(objectStore, uploadName(1), 5, [Buffer.from('abcd')]), { code: 'upload_too_short' });
  await t.throwsAsync(send(objectStore, uploadName(1), 5, []), { code: 'upload_too_short' });
  t.deepEqual(await inbox(root), []);
  t.deepEqual(await readdir(join(root, 'objects', 'sha256')), []);
});

test('a file that goes on too long is upload_too_long at once, takes no more bytes and leaves nothing', async (t) => {
  const root = await scratchFolder(t);
  const objectStore = await openObjectStore({ root });
  const receiving = await objectStore.receive(uploadName(1), 5);
  t.true(receiving.write(Buffer.from('abcde')));
  t.is(receiving.failure, null);
  t.true(receiving.write(Buffer.from('f')));
  t.is(receiving.failure?.code, 'upload_too_long');
  t.true(receiving.write(Buffer.alloc(8 * 1024 * 1024)));
  await t.throwsAsync(receiving.finish(), { code: 'upload_too_long' });
  t.deepEqual(await inbox(root), []);
});

test('a file that is given up leaves nothing, and its name is free again', async (t) => {
  const root = await scratchFolder(t);
  const objectStore = await openObjectStore({ root });
  const receiving = await objectStore.receive(uploadName(1), 100);
  receiving.write(Buffer.from('abc'));
  await Promise.all([receiving.discard(), receiving.discard()]);
  t.true(receiving.write(Buffer.from('late')));
  t.deepEqual(await inbox(root), []);
  await send(objectStore, uploadName(1), 3, [Buffer.from('abc')]);
});

test('giving up after the end changes nothing', async (t) => {
  const objectStore = await openObjectStore({ root: await scratchFolder(t) });
  const receiving = await objectStore.receive(uploadName(1), 3);
  receiving.write(Buffer.from('abc'));
  const finished = receiving.finish();
  await receiving.discard();
  t.is(await receiving.finish(), await finished);
  t.is(await objectStore.verify((await finished).contentId, { always: true }), 'intact');
});

test('a slow disk asks the sender to wait, and says once when it may go on', async (t) => {
  const objectStore = await openObjectStore({ root: await scratchFolder(t) });
  const total = 64 * 1024 * 1024;
  const chunk = seededBytes(7, 1024 * 1024);
  const receiving = await objectStore.receive(uploadName(1), total);
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
  const received = await receiving.finish();
  t.true(pauses > 0);
  t.is(drains, pauses);
  const expected = createHash('sha256');
  for (let sent = 0; sent < total; sent += chunk.length) expected.update(chunk);
  t.is(received.contentId, `sha256:${expected.digest('hex')}`);
});

test('equal bytes are stored once, one after the other and at the same time', async (t) => {
  const root = await scratchFolder(t);
  const objectStore = await openObjectStore({ root });
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

test('a name that could leave the inbox, or is in use, is refused', async (t) => {
  const root = await scratchFolder(t);
  const objectStore = await openObjectStore({ root });
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
    await t.throwsAsync(objectStore.receive(name, 1), { code: 'invalid_name' });
  }
  const receiving = await objectStore.receive(uploadName(1), 1);
  await t.throwsAsync(objectStore.receive(uploadName(1), 1), { code: 'invalid_name' });
  for (const contentId of ['', 'sha256:..', `sha256:${'A'.repeat(64)}`, 'a'.repeat(64)]) {
    t.throws(() => objectStore.locate(contentId), { code: 'invalid_name' });
  }
  t.deepEqual(await inbox(root), [uploadName(1)]);
  await receiving.discard();
});
