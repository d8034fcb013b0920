import {
  appendFile,
  chmod,
  mkdir,
  readdir,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  unlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { ByteReader } from '../../../contract/base/stored-object.ts';
import { dataRootAt, exposure, markerName, prepareDataRoot } from '../../../storage/objects/data-root.ts';
import { openObjectStore } from '../../../storage/objects/open-object-store.ts';
import { within } from '../../patience.ts';
import { openScratchLedger, scratchFolder, seededBytes, seededNumbers } from '../ledger/scratch.ts';

const bytes = seededBytes(7, 300_000);

test('a file that has to be hashed tells how far that is, and one that is known tells nothing', async (t) => {
  const { objectStore, contentId } = await storedBytes(t);
  const hashed: number[] = [];
  const how = { hashed: (count: number) => hashed.push(count) };
  t.is(await objectStore.verify(contentId, how), 'intact');
  t.deepEqual(hashed, []);
  t.is(await objectStore.verify(contentId, { ...how, always: true }), 'intact');
  const sorted = [...new Set(hashed)].toSorted((one, other) => one - other);
  t.deepEqual(sorted, hashed);
  t.is(hashed.at(-1), bytes.length);
});

async function storedBytes(t: ExecutionContext) {
  const root = await scratchFolder(t);
  const points: string[] = [];
  const objectStore = await openObjectStore({ root, points: (name) => points.push(name) });
  const contentId = await objectStore.put(bytes);
  const path = objectStore.locate(contentId);
  return {
    root,
    objectStore,
    contentId,
    path,
    hashings: () => points.filter((name) => name === 'object-store:hashed').length,
  };
}

function opened(found: ByteReader | 'missing' | 'damaged'): ByteReader {
  if (typeof found === 'string') throw new Error(`the file is ${found}`);
  return found;
}

/** Rewrites a file with an old time: changes within one tick of the system's clock would be invisible. */
async function rewrite(path: string, content: Buffer): Promise<void> {
  await writeFile(path, content);
  await utimes(path, 1, 1);
}

/** How many descriptors of this process are of a file. */
async function descriptorsOf(path: string): Promise<number> {
  const names = await readdir('/proc/self/fd');
  const targets = await Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')));
  return targets.filter((target) => target === path).length;
}

test('a reader gives any part of its file, and as much as there is at its end', async (t) => {
  const { objectStore, contentId, path } = await storedBytes(t);
  const reader = opened(await objectStore.openFile(path, contentId));
  t.is(reader.bytes, bytes.length);
  const below = seededNumbers(3);
  for (let round = 0; round < 50; round += 1) {
    const start = below(bytes.length);
    const target = Buffer.alloc(1 + below(70_000));
    const read = await reader.read(target, start);
    t.is(read, Math.min(target.length, bytes.length - start));
    t.true(target.subarray(0, read).equals(bytes.subarray(start, start + read)));
  }
  t.is(await reader.read(Buffer.alloc(10), bytes.length), 0);
  t.true(reader.isUnchanged());
  reader.close();
});

test('a file that is known is not hashed again to be read', async (t) => {
  const { objectStore, contentId, path, hashings } = await storedBytes(t);
  for (let round = 0; round < 3; round += 1) opened(await objectStore.openFile(path, contentId)).close();
  t.is(hashings(), 0);
  await rewrite(path, bytes);
  for (let round = 0; round < 3; round += 1) opened(await objectStore.openFile(path, contentId)).close();
  t.is(hashings(), 1);
});

test('a file is handed over in the same turn only while it is as it was when it was hashed', async (t) => {
  const { root, objectStore, contentId, path } = await storedBytes(t);
  t.true(objectStore.isKnown(path, contentId));
  const reader = objectStore.openKnown(path, contentId);
  const start = Buffer.alloc(100);
  await reader?.read(start, 0);
  t.true(start.equals(bytes.subarray(0, 100)));
  reader?.close();
  const other = contentId.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
  const link = join(root, 'link');
  await symlink(path, link);
  for (const [at, id] of [[path, other] as const, [link, contentId] as const, [root, contentId] as const]) {
    t.false(objectStore.isKnown(at, id));
    t.is(objectStore.openKnown(at, id), null);
  }
  // The same bytes, but not hashed since.
  await rewrite(path, bytes);
  t.false(objectStore.isKnown(path, contentId));
  t.is(objectStore.openKnown(path, contentId), null);
  t.is(await objectStore.verify(contentId), 'intact');
  t.true(objectStore.isKnown(path, contentId));
  await unlink(path);
  t.false(objectStore.isKnown(path, contentId));
  t.is(objectStore.openKnown(path, contentId), null);
  t.is(await descriptorsOf(path), 0);
});

test('what is missing, changed or no regular file is not handed out, and nothing stays open', async (t) => {
  const { objectStore, contentId, path, root } = await storedBytes(t);
  t.is(await objectStore.openFile(join(root, 'none'), contentId), 'missing');
  t.is(await objectStore.openFile(path, `sha256:${'0'.repeat(64)}`), 'damaged');
  await mkdir(join(root, 'folder'));
  t.is(await objectStore.openFile(join(root, 'folder'), contentId), 'damaged');
  await symlink(path, join(root, 'link'));
  t.is(await objectStore.openFile(join(root, 'link'), contentId), 'damaged');
  t.is(await objectStore.verifyFile(join(root, 'link'), contentId), 'damaged');
  await rewrite(path, Buffer.from(bytes).fill(0, 5, 6));
  t.is(await objectStore.openFile(path, contentId), 'damaged');
  t.is(await descriptorsOf(path), 0);
  await unlink(path);
  t.is(await objectStore.openFile(path, contentId), 'missing');
  t.is(await objectStore.verifyFile(path, contentId), 'missing');
});

test('a reader notices that its file changes, and keeps it when another takes the name', async (t) => {
  const { objectStore, contentId, path, root } = await storedBytes(t);
  const changes = [
    () => appendFile(path, 'x'),
    () => truncate(path, bytes.length - 1),
    () => writeFile(path, Buffer.from(bytes).fill(0, 5, 6)),
  ];
  for (const change of changes) {
    await rewrite(path, bytes);
    const reader = opened(await objectStore.openFile(path, contentId));
    t.true(reader.isUnchanged());
    await change();
    t.false(reader.isUnchanged());
    reader.close();
  }
  await rewrite(path, bytes);
  const reader = opened(await objectStore.openFile(path, contentId));
  await writeFile(join(root, 'other'), 'other');
  await rename(join(root, 'other'), path);
  const target = Buffer.alloc(bytes.length);
  t.is(await reader.read(target, 0), bytes.length);
  t.true(target.equals(bytes));
  reader.close();
});

test('a closed reader has given its descriptor back, and reads no more', async (t) => {
  const { objectStore, contentId, path } = await storedBytes(t);
  const reader = opened(await objectStore.openFile(path, contentId));
  t.is(await descriptorsOf(path), 1);
  const reading = reader.read(Buffer.alloc(100_000), 0);
  reader.close();
  reader.close();
  t.is(await reading, 100_000);
  t.is(await descriptorsOf(path), 0);
  await t.throwsAsync(reader.read(Buffer.alloc(1), 0), { code: 'storage_fault' });
  t.throws(() => reader.isUnchanged(), { code: 'storage_fault' });
});

test('a file whose bytes were all read is known until it is touched; other bytes never are', async (t) => {
  const { objectStore, contentId, path, hashings } = await storedBytes(t);
  await rewrite(path, bytes);
  t.false(objectStore.isKnown(path, contentId));
  t.true((await objectStore.readFile(path, contentId, bytes.length)).equals(bytes));
  t.true(objectStore.isKnown(path, contentId));
  t.is(await objectStore.verify(contentId), 'intact');
  t.is(hashings(), 1);
  await rewrite(path, Buffer.from(bytes).fill(0, 5, 6));
  await t.throwsAsync(objectStore.readFile(path, contentId, bytes.length), { code: 'object_damaged' });
  t.false(objectStore.isKnown(path, contentId));
  t.is(await objectStore.verify(contentId), 'damaged');
});

test('everything under a new data root is for its owner alone, the ledger included', async (t) => {
  const root = join(await scratchFolder(t), 'deep', 'root');
  const objectStore = await openObjectStore({ root });
  const ledger = await openScratchLedger(t, dataRootAt(root).ledger);
  await ledger.commit([{ put: 'live', key: 'a', value: 1 }]);
  await ledger.close();
  await objectStore.put(Buffer.from('abc'));
  const folders = ['inbox', 'ledger', 'objects', 'quarantine', 'work'];
  t.deepEqual((await readdir(root)).sort(), [markerName, 'ledger.mark', ...folders].sort());
  for (const name of ['', ...(await readdir(root, { recursive: true }))]) {
    const found = await stat(join(root, name));
    t.is(found.mode & 0o777, found.isDirectory() ? 0o700 : 0o600, name);
  }
});

test('hosts that begin at once on a new folder all find it marked', async (t) => {
  for (let round = 0; round < 10; round += 1) {
    const root = join(await scratchFolder(t), 'root');
    await Promise.all([1, 2, 3, 4].map(() => prepareDataRoot(root)));
    t.deepEqual((await readdir(root)).sort(), [markerName, 'inbox', 'ledger', 'objects', 'quarantine', 'work'].sort());
  }
});

test('a data root that is open to others is refused with the remedy, and stays as it is', async (t) => {
  const root = await scratchFolder(t);
  await openObjectStore({ root });
  const names = await readdir(root);
  for (const mode of [0o755, 0o710, 0o701, 0o720]) {
    await chmod(root, mode);
    await t.throwsAsync(openObjectStore({ root }), {
      code: 'data_root_permissions',
      message: new RegExp(`open to others .*; chmod 700 ${root} mends that$`),
    });
    t.deepEqual(await readdir(root), names);
    t.is((await stat(root)).mode & 0o777, mode);
  }
  await chmod(root, 0o700);
  await openObjectStore({ root });
});

test("an empty folder of one's own that others can look into is made private and used", async (t) => {
  const root = await scratchFolder(t);
  await chmod(root, 0o755);
  await openObjectStore({ root });
  t.is((await stat(root)).mode & 0o777, 0o700);
  t.true((await readdir(root)).includes(markerName));
});

test('a host that died while it marked an empty folder leaves one that can be used', async (t) => {
  const root = await scratchFolder(t);
  await writeFile(join(root, `${markerName}.new`), 'Signa');
  await openObjectStore({ root });
  t.false((await readdir(root)).includes(`${markerName}.new`));
});

test('a data root of another user is refused', (t) => {
  t.is(exposure({ uid: 1000, mode: 0o40700 }, 1000), null);
  t.is(exposure({ uid: 1000, mode: 0o40700 }, 0), 'belongs to user 1000');
  t.is(exposure({ uid: 0, mode: 0o40750 }, 0), 'is open to others (mode 0750)');
});

test('a data root that is a file, or cannot be made, is a storage fault', async (t) => {
  const folder = await scratchFolder(t);
  await writeFile(join(folder, 'file'), '', { mode: 0o600 });
  await t.throwsAsync(openObjectStore({ root: join(folder, 'file') }), { code: 'storage_fault' });
  await t.throwsAsync(openObjectStore({ root: join(folder, 'file', 'below') }), { code: 'storage_fault' });
});

test('a storage fault of the data root has its reason, and does not ask for a private file', async (t) => {
  const folder = await scratchFolder(t);
  const file = join(folder, 'file');
  await writeFile(file, '', { mode: 0o644 });
  await t.throwsAsync(openObjectStore({ root: file }), { message: `storage_fault: ${file} is not a folder` });
  await t.throwsAsync(openObjectStore({ root: join(file, 'below') }), {
    message: /^storage_fault: .*: ENOTDIR: not a directory/,
  });
});

for (const root of ['/proc/media-study/data', '/sys/media-study']) {
  (process.platform === 'linux' ? test : test.skip)(
    `a data root at ${root}, where no folder can be made, is refused at once`,
    async (t) => {
      const error = await t.throwsAsync(within('the refusal', openObjectStore({ root })));
      t.regex(error?.message ?? '', /^(?:storage_fault|storage_\w+): \/\w+\/media-study/);
    },
  );
}

test('a data root that lost its ledger is refused, not started empty', async (t) => {
  const root = await scratchFolder(t);
  const { ledger: directory } = dataRootAt(root);
  const objectStore = await openObjectStore({ root });
  await (await openScratchLedger(t, directory)).close();
  const contentId = await objectStore.put(Buffer.from('abc'));
  await rm(directory, { recursive: true });
  for (const attempt of ['first', 'second']) {
    const again = await openObjectStore({ root });
    await t.throwsAsync(openScratchLedger(t, directory), { code: 'ledger_missing' }, attempt);
    t.is(await again.verify(contentId), 'intact');
    t.deepEqual(await readdir(directory), []);
  }
});

test('a deleted object takes its damaged files in the quarantine with it, and nothing else', async (t) => {
  const { root, objectStore, contentId, path } = await storedBytes(t);
  await rewrite(path, Buffer.from('damaged'));
  const damaged = await objectStore.quarantine(contentId);
  t.not(damaged, null);
  const { quarantine } = dataRootAt(root);
  const other = join(quarantine, `${'0'.repeat(64)}.1`);
  await writeFile(other, 'of another object');
  t.true(await objectStore.discard(contentId));
  t.deepEqual(await readdir(quarantine), [`${'0'.repeat(64)}.1`]);
});
