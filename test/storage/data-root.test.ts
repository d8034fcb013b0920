import { chmod, mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { dataRootAt, exposure } from '../../storage/data-root.ts';
import { openVault } from '../../storage/open-vault.ts';
import { openScratchLedger, scratchFolder } from './scratch.ts';

test('everything under a new data root is for its owner alone, the ledger included', async (t) => {
  const root = join(await scratchFolder(t), 'deep', 'root');
  const vault = await openVault({ root });
  const ledger = await openScratchLedger(t, dataRootAt(root).ledger);
  await ledger.commit([{ put: 'live', key: 'a', value: 1 }]);
  await ledger.close();
  await vault.put(Buffer.from('abc'));
  t.deepEqual((await readdir(root)).sort(), ['inbox', 'ledger', 'objects', 'quarantine', 'work']);
  for (const name of ['', ...(await readdir(root, { recursive: true }))]) {
    const found = await stat(join(root, name));
    t.is(found.mode & 0o777, found.isDirectory() ? 0o700 : 0o600, name);
  }
});

test('an existing data root that others can look into is refused and stays as it is', async (t) => {
  const root = await scratchFolder(t);
  for (const mode of [0o755, 0o710, 0o701, 0o720]) {
    await chmod(root, mode);
    await t.throwsAsync(openVault({ root }), { code: 'data_root_permissions' });
    t.deepEqual(await readdir(root), []);
    t.is((await stat(root)).mode & 0o777, mode);
  }
  await chmod(root, 0o700);
  await openVault({ root });
});

test('a data root of another user is refused', (t) => {
  t.is(exposure({ uid: 1000, mode: 0o40700 }, 1000), null);
  t.is(exposure({ uid: 1000, mode: 0o40700 }, 0), 'belongs to user 1000');
  t.is(exposure({ uid: 0, mode: 0o40750 }, 0), 'is open to others (mode 0750)');
});

test('a data root that is a file, or cannot be made, is a storage fault', async (t) => {
  const folder = await scratchFolder(t);
  await writeFile(join(folder, 'file'), '', { mode: 0o600 });
  await t.throwsAsync(openVault({ root: join(folder, 'file') }), { code: 'storage_fault' });
  await t.throwsAsync(openVault({ root: join(folder, 'file', 'below') }), { code: 'storage_fault' });
});

test('a storage fault of the data root says why, and a file is not told to be private', async (t) => {
  const folder = await scratchFolder(t);
  const file = join(folder, 'file');
  await writeFile(file, '', { mode: 0o644 });
  await t.throwsAsync(openVault({ root: file }), { message: `storage_fault: ${file} is not a folder` });
  await t.throwsAsync(openVault({ root: join(file, 'below') }), {
    message: /^storage_fault: .*: ENOTDIR: not a directory/,
  });
});

test('leftovers of an earlier process are swept and named; nothing outside is touched', async (t) => {
  const root = await scratchFolder(t);
  const outside = await scratchFolder(t);
  await writeFile(join(outside, 'kept'), 'kept');
  const first = await openVault({ root });
  const contentId = await first.put(Buffer.from('abc'));
  (await first.receive('cut', 10)).write(Buffer.from('abc'));
  await mkdir(join(root, 'work', 'probe-1', 'deep'), { recursive: true });
  await symlink(outside, join(root, 'work', 'probe-1', 'link'));
  await symlink(outside, join(root, 'work', 'link'));
  const second = await openVault({ root });
  t.deepEqual(await second.sweep(), ['inbox/cut', 'work/link', 'work/probe-1']);
  t.deepEqual(await second.sweep(), []);
  t.deepEqual(await readdir(outside), ['kept']);
  t.is(await second.verify(contentId), 'intact');
});
