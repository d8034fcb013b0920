import { randomUUID } from 'node:crypto';
import { lstat, mkdir, readdir, readFile, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { dataRootAt, markerName, prepareDataRoot } from '../../storage/objects/data-root.ts';
import { workFolderName } from '../../storage/objects/leftovers.ts';
import { openObjectStore } from '../../storage/objects/open-object-store.ts';
import { openScratchLedger, scratchFolder, uploadName } from '../storage/ledger/scratch.ts';

/** Everything below a folder: path, kind, mode, times and bytes. */
async function treeOf(folder: string): Promise<unknown[]> {
  const names = (await readdir(folder, { recursive: true })).sort();
  return Promise.all(
    ['', ...names].map(async (name) => {
      const path = join(folder, name);
      const found = await lstat(path);
      const content = found.isFile()
        ? await readFile(path, 'utf8')
        : found.isSymbolicLink()
          ? await readlink(path)
          : null;
      return [name, found.mode, found.mtimeMs, content];
    }),
  );
}

async function write(path: string, text = 'precious'): Promise<void> {
  await mkdir(join(path, '..'), { recursive: true, mode: 0o700 });
  await writeFile(path, text);
}

const markDatabase = (root: string) =>
  Promise.all([
    write(join(root, 'ledger', 'CURRENT'), 'MANIFEST-000002\n'),
    write(join(root, 'ledger', 'MANIFEST-000002')),
  ]);

const ofPeople: Readonly<Record<string, (root: string) => Promise<unknown>>> = {
  'a home with an inbox and a work folder': async (root) => {
    await write(join(root, 'inbox', 'mail', 'precious.txt'));
    await write(join(root, 'work', 'project', 'src', 'main.c'));
  },
  'one file': (root) => write(join(root, 'notes.txt')),
  'a hidden file': (root) => write(join(root, '.profile')),
  'an empty folder': (root) => mkdir(join(root, 'inbox')),
  'a marker with other words': (root) => write(join(root, markerName), 'Signature: something else'),
  'a marker that is a link to a true one': async (root) => {
    await prepareDataRoot(join(root, 'inner'));
    await symlink(join(root, 'inner', markerName), join(root, markerName));
  },
  'another LevelDB beside objects of git': async (root) => {
    await markDatabase(root);
    await write(join(root, 'objects', 'sha256', 'pack', 'one.idx'));
  },
  'objects without a store': (root) => write(join(root, 'objects', 'sha256', 'ab', 'ab')),
};

for (const [what, make] of Object.entries(ofPeople)) {
  test(`a folder of a person with ${what} is refused untouched`, async (t) => {
    const root = await scratchFolder(t);
    await make(root);
    const before = await treeOf(root);
    await t.throwsAsync(openObjectStore({ root }), {
      code: 'data_root_unrecognized',
      message: /nothing in it was touched/,
    });
    t.deepEqual(await treeOf(root), before);
  });
}

for (const name of ['ledger', 'objects', join('objects', 'sha256'), 'inbox', 'quarantine', 'work']) {
  test(`a data root whose ${name} is a link is refused, and what it leads to stays`, async (t) => {
    const root = join(await scratchFolder(t), 'data');
    const outside = join(await scratchFolder(t), 'outside');
    await openObjectStore({ root });
    const place = join(root, name);
    await rename(place, outside);
    await write(join(outside, uploadName(1)));
    await write(join(outside, workFolderName('process', randomUUID()), 'precious.txt'));
    await symlink(outside, place);
    const before = [await treeOf(outside), await treeOf(root)];
    await t.throwsAsync(openObjectStore({ root }), {
      code: 'data_root_unrecognized',
      message: new RegExp(`${name} is a link`),
    });
    t.deepEqual([await treeOf(outside), await treeOf(root)], before);
    await rm(place);
    await writeFile(place, '');
    await t.throwsAsync(openObjectStore({ root }), {
      code: 'data_root_unrecognized',
      message: new RegExp(`${name} is a file`),
    });
  });
}

test('a start removes what a host made and nothing else, and names both', async (t) => {
  const root = await scratchFolder(t);
  const outside = await scratchFolder(t);
  await write(join(outside, 'precious.txt'));
  const { inbox, work } = dataRootAt(root);
  const objectStore = await openObjectStore({ root });
  const staged = `${'0a'.repeat(32)}.7`;
  const [ran, fetched, linked] = [randomUUID(), randomUUID(), randomUUID()];
  const made = [
    join('inbox', uploadName(1)),
    join('inbox', staged),
    join('inbox', `${uploadName(4)}.part`),
    join('work', workFolderName('download', fetched)),
    join('work', workFolderName('process', ran)),
  ];
  const received = objectStore.receive(uploadName(1));
  await received.open(0);
  received.write(Buffer.from('abc'));
  await received.close();
  for (const number of [4, 5]) await write(join(inbox, `${uploadName(number)}.part`));
  await write(join(inbox, staged));
  await write(join(work, workFolderName('process', ran), 'deep', 'left.txt'));
  await symlink(outside, join(work, workFolderName('process', ran), 'link'));
  await mkdir(join(work, workFolderName('download', fetched)));

  await write(join(inbox, 'mail', 'precious.txt'));
  await write(join(inbox, 'precious.txt'));
  await write(join(inbox, uploadName(2), 'precious.txt'));
  await symlink(join(outside, 'precious.txt'), join(inbox, uploadName(3)));
  await symlink(join(outside, 'precious.txt'), join(inbox, `${uploadName(6)}.part`));
  await write(join(work, 'project', 'src', 'main.c'));
  await write(join(work, 'process-of-mine', 'precious.txt'));
  await write(join(work, workFolderName('download', linked).toUpperCase(), 'precious.txt'));
  await write(join(work, workFolderName('process', randomUUID())), 'a file, not a folder');
  await symlink(outside, join(work, workFolderName('download', linked)));
  const isMade = (entry: unknown) => made.some((name) => String((entry as unknown[])[0]).startsWith(name));
  const kept = (await treeOf(root)).filter((entry) => !isMade(entry));

  const noted = new Set([uploadName(5), uploadName(6)]);
  const { made: removed, foreign } = await (await openObjectStore({ root })).sweep(noted);
  t.deepEqual([...removed].sort(), [...made].sort());
  t.is(foreign.length, 10);
  const timeless = (tree: unknown[]) => tree.map((entry) => (entry as unknown[]).filter((_, at) => at !== 2));
  t.deepEqual(timeless(await treeOf(root)), timeless(kept));
  t.deepEqual(await readdir(outside), ['precious.txt']);
});

test('a data root without a marker opens, is marked, and keeps what others put beside it', async (t) => {
  const root = await scratchFolder(t);
  const first = await openObjectStore({ root });
  const ledger = await openScratchLedger(t, dataRootAt(root).ledger);
  await ledger.commit([{ put: 'live', key: 'a', value: 1 }]);
  const contentId = await first.put(Buffer.from('abc'));
  await ledger.close();
  await rm(join(root, markerName));
  await write(join(root, 'inbox', 'mail', 'precious.txt'));
  await write(join(root, 'token'));

  const objectStore = await openObjectStore({ root });
  const again = await openScratchLedger(t, dataRootAt(root).ledger);
  t.is(again.get('live', 'a'), 1);
  await again.close();
  t.deepEqual(await objectStore.sweep(), { made: [], foreign: ['inbox/mail'] });
  t.is(await objectStore.verify(contentId), 'intact');
  t.true((await readdir(root)).includes(markerName));
  t.is(await readFile(join(root, 'inbox', 'mail', 'precious.txt'), 'utf8'), 'precious');
});
