import { chmod, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { exposure, prepareDataRoot } from '../../../storage/objects/data-root.ts';
import { dataRootAt } from '../../../storage/objects/data-root-layout.ts';
import { markerName } from '../../../storage/objects/data-root-marker.ts';
import { openObjectStore } from '../../../storage/objects/open-object-store.ts';
import { within } from '../../patience.ts';
import { openScratchLedger, scratchFolder } from '../ledger/scratch.ts';

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

test('an existing data root that others can look into is refused with the command that mends it, and stays as it is', async (t) => {
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

test('a storage fault of the data root says why, and a file is not told to be private', async (t) => {
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
