import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { type CopiedLedger, writeBackup } from '../../storage/backup/write-backup.ts';
import { copyLedger } from '../../storage/ledger/numbered-store.ts';
import { openDatabase } from '../../storage/ledger/open-database.ts';
import { dataRootAt } from '../../storage/objects/data-root.ts';
import { runCommand } from '../cli/command.ts';
import { livedRoot } from '../host/lives.ts';
import { scratchFolder } from './ledger/scratch.ts';

const manifestName = 'MEDIA-STUDY-BACKUP.json';

interface BackedUp {
  readonly folder: string;
  readonly copy: string;
  readonly target: string;
  /** The content of the manifest. */
  readonly manifest: { readonly commit: number; readonly objects: readonly { readonly contentId: string }[] };
}

async function backedUp(t: ExecutionContext): Promise<BackedUp> {
  const folder = await scratchFolder(t);
  const [copy, target] = [join(folder, 'copy'), join(folder, 'target')];
  const { exit, stderr } = await runCommand(['backup', copy, '--data-root', livedRoot(t, 'ingested')]);
  t.is(exit, 0, stderr);
  return { folder, copy, target, manifest: JSON.parse(await readFile(join(copy, manifestName), 'utf8')) };
}

const objectIn = (folder: string, contentId: string): string => {
  const hex = contentId.slice('sha256:'.length);
  return join(folder, 'objects', 'sha256', hex.slice(0, 2), hex);
};

/** Puts a pipe without a writer in the place of a file. */
async function pipeAt(path: string): Promise<void> {
  await rm(path);
  execFileSync('mkfifo', [path]);
}

const restore = ({ copy, target }: BackedUp) => runCommand(['restore', copy, '--data-root', target]);

test('bug: restore waited forever for a pipe among the objects of a backup, and left its folder', async (t) => {
  const backup = await backedUp(t);
  const [object] = backup.manifest.objects;
  await pipeAt(objectIn(backup.copy, object?.contentId ?? ''));
  const { exit, stderr } = await restore(backup);
  t.is(exit, 1);
  t.regex(stderr, /backup_damaged: .* is missing or damaged/);
  t.deepEqual(await readdir(backup.folder), ['copy']);
});

test('bug: restore waited forever for a pipe in the place of the manifest', async (t) => {
  const backup = await backedUp(t);
  await pipeAt(join(backup.copy, manifestName));
  const { exit, stderr } = await restore(backup);
  t.is(exit, 1);
  t.regex(stderr, /^backup_unreadable: /m);
  t.deepEqual(await readdir(backup.folder), ['copy']);
});

test('bug: restore took a whole ledger of another commit than the manifest says', async (t) => {
  const backup = await backedUp(t);
  const path = join(backup.copy, manifestName);
  for (const change of [
    { commit: backup.manifest.commit + 1 },
    { commit: backup.manifest.commit - 1 },
    { format: 1 },
  ]) {
    await writeFile(path, JSON.stringify({ ...backup.manifest, ...change }));
    const { exit, stderr } = await restore(backup);
    t.is(exit, 1, JSON.stringify(change));
    t.regex(stderr, /backup_damaged: the ledger of .* ends with commit \d+, its manifest says/);
    t.deepEqual(await readdir(backup.folder), ['copy']);
  }
  await writeFile(path, JSON.stringify(backup.manifest));
  t.is((await restore(backup)).exit, 0);
});

test('bug: restore that was interrupted left its folder', async (t) => {
  const backup = await backedUp(t);
  // The signal comes from within, with the first file that is verified: a parent on a busy machine may be later than the restore.
  const interrupting = `const write = process.stderr.write.bind(process.stderr);
    process.stderr.write = (...line) => {
      process.stderr.write = write;
      process.kill(process.pid, 'SIGINT');
      return write(...line);
    };`;
  const child = spawn(
    process.execPath,
    [
      `--import=data:text/javascript,${encodeURIComponent(interrupting)}`,
      'build/media-study.js',
      'restore',
      backup.copy,
      '--data-root',
      backup.target,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  t.teardown(() => child.kill('SIGKILL'));
  const said: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk));
  const [exit] = await once(child, 'close');
  t.is(exit, 130, Buffer.concat(said).toString());
  t.regex(Buffer.concat(said).toString(), /^interrupted$/m);
  t.deepEqual(await readdir(backup.folder), ['copy']);
});

test('bug: backup waited forever for a pipe in the place of an object, and says now that it is damaged', async (t) => {
  const folder = await scratchFolder(t);
  const root = livedRoot(t, 'studied');
  const [shard = ''] = (await readdir(join(root, 'objects', 'sha256'))).filter((name) => /^[0-9a-f]{2}$/.test(name));
  const [hex = ''] = await readdir(join(root, 'objects', 'sha256', shard));
  const object = join(root, 'objects', 'sha256', shard, hex);
  await mkdir(dirname(join(folder, hex)), { recursive: true });
  await rename(object, join(folder, hex));
  execFileSync('mkfifo', [object]);
  const { exit, stderr } = await runCommand(['backup', join(folder, 'copy'), '--data-root', root]);
  t.is(exit, 1);
  t.regex(stderr, /backup_incomplete: the object sha256:[0-9a-f]{64} of the data root is damaged/);
});

/** Writes a backup beside a data root, whose ledger is copied in the given way. */
const backUp = (root: string, target: string, copyLedger: () => Promise<CopiedLedger>) =>
  writeBackup({ layout: dataRootAt(root), target, clock: { now: () => 0 }, newId: randomUUID, copyLedger });

/** An honest copy of the ledger of a data root that no host uses. */
async function copied(root: string): Promise<CopiedLedger> {
  const folder = join(root, 'work', `snapshot-${randomUUID()}`);
  const database = await openDatabase(join(root, 'ledger'));
  try {
    return { ...(await copyLedger(database, join(folder, 'ledger'))), folder };
  } finally {
    await database.close();
  }
}

test('bug: a backup whose copy of the ledger was taken away replaced an earlier backup by an empty one', async (t) => {
  const root = livedRoot(t, 'ingested');
  const target = join(await scratchFolder(t), 'copy');
  const { objects } = await backUp(root, target, () => copied(root));
  t.true(objects.length > 0);
  const before = await readFile(join(target, manifestName), 'utf8');
  // LevelDB opens a removed folder as a new store.
  const emptied = async () => {
    const copy = await copied(root);
    await rm(join(copy.folder, 'ledger'), { recursive: true });
    await (await openDatabase(join(copy.folder, 'ledger'))).close();
    return copy;
  };
  const removed = async () => {
    const copy = await copied(root);
    await rm(copy.folder, { recursive: true });
    return copy;
  };
  for (const takenAway of [emptied, removed]) {
    await t.throwsAsync(backUp(root, target, takenAway), { code: 'backup_incomplete', message: /went away/ });
    t.is(await readFile(join(target, manifestName), 'utf8'), before);
    for (const { contentId } of objects) t.true((await stat(objectIn(target, contentId))).isFile());
    const turns = [takenAway, () => copied(root)];
    t.deepEqual((await backUp(root, target, () => (turns.shift() ?? takenAway)())).objects, objects);
    await writeFile(join(target, manifestName), before);
  }
});

test('bug: a link to a folder took no backup, and a link into the data root took one', async (t) => {
  const root = livedRoot(t, 'ingested');
  const folder = await scratchFolder(t);
  const [disk, link, inside] = [join(folder, 'disk'), join(folder, 'link'), join(folder, 'inside')];
  await mkdir(disk);
  await symlink(disk, link);
  await symlink(root, inside);
  const first = await runCommand(['backup', link, '--data-root', root]);
  t.is(first.exit, 0, first.stderr);
  t.true((await readdir(disk)).includes(manifestName));
  t.is((await runCommand(['backup', join(link, 'below'), '--data-root', root])).exit, 0);
  const names = await readdir(root);
  for (const [target, dataRoot] of [
    [join(inside, 'new'), root],
    [join(root, 'new'), inside],
  ] as const) {
    const { exit, stderr } = await runCommand(['backup', target, '--data-root', dataRoot]);
    t.is(exit, 1);
    t.regex(stderr, /^backup_target_unrecognized: .* lies in the data root itself/m);
  }
  t.deepEqual(await readdir(root), names);
});

test('bug: two backups in one folder removed each other', async (t) => {
  const root = livedRoot(t, 'ingested');
  const folder = await scratchFolder(t);
  const target = join(folder, 'copy');
  const { objects } = await backUp(root, target, async () => {
    const second = await runCommand(['backup', target, '--data-root', root]);
    t.is(second.exit, 1);
    t.regex(second.stderr, /^backup_target_busy: /m);
    return copied(root);
  });
  t.is((await runCommand(['restore', target, '--data-root', join(folder, 'restored')])).exit, 0);
  t.is((await runCommand(['backup', target, '--data-root', root])).exit, 0);
  t.deepEqual(JSON.parse(await readFile(join(target, manifestName), 'utf8')).objects, objects);
});

test('bug: the settings of a data root were in no backup', async (t) => {
  const folder = await scratchFolder(t);
  const [root, copy, target] = [livedRoot(t, 'ingested'), join(folder, 'copy'), join(folder, 'target')];
  const settings = join(root, 'settings.json');
  const backUp = () => runCommand(['backup', copy, '--data-root', root]);
  const keptIn = async () => (await readdir(copy)).filter((name) => name.startsWith('settings-'));
  t.is((await backUp()).exit, 0);
  t.deepEqual(await keptIn(), []);
  for (const port of [1, 2]) {
    await writeFile(settings, `{\n  // My port.\n  "port": ${port}\n}\n`);
    t.is((await backUp()).exit, 0);
    t.is((await keptIn()).length, 1, 'that of the backup before goes');
  }
  const [kept = ''] = await keptIn();
  t.is((await stat(join(copy, kept))).mode & 0o777, 0o600);
  const restored = await runCommand(['restore', copy, '--data-root', target]);
  t.is(restored.exit, 0, restored.stderr);
  t.regex(
    restored.stderr,
    /^its settings are restored, too, and may name folders, ports and servers of another machine: /m,
  );
  t.is(await readFile(join(target, 'settings.json'), 'utf8'), '{\n  // My port.\n  "port": 2\n}\n');
  t.is((await stat(join(target, 'settings.json'))).mode & 0o777, 0o600);

  await writeFile(join(copy, kept), 'x');
  const damaged = await runCommand(['restore', copy, '--data-root', `${target}-2`]);
  t.is(damaged.exit, 1);
  t.regex(damaged.stderr, /backup_damaged: .*settings-[0-9a-f]{64}\.json is missing or damaged/);

  await pipeAt(settings);
  const without = await backUp();
  t.is(without.exit, 0, without.stderr);
  t.true(without.stderr.includes(`${settings} is not in the backup: it is not a regular file\n`), without.stderr);
  t.deepEqual(await keptIn(), []);
});
