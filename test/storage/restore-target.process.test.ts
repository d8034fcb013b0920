import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, writeFileSync } from 'node:fs';
import { chmod, mkdir, readdir, rm, stat, watch } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { restoreBackup } from '../../storage/backup/restore-backup.ts';
import { dataRootAt, markerName, prepareDataRoot } from '../../storage/objects/data-root.ts';
import { runCommand } from '../cli/command.ts';
import { livedRoot } from '../host/lives.ts';
import { scratchFolder } from './ledger/scratch.ts';

// The folders that a data root is made in: empty ones, roots of volumes, and file systems with one mode for all files.

async function backedUp(t: ExecutionContext) {
  const folder = await scratchFolder(t);
  const [copy, target] = [join(folder, 'copy'), join(folder, 'place', 'target')];
  const { exit, stderr } = await runCommand(['backup', copy, '--data-root', livedRoot(t, 'ingested')]);
  t.is(exit, 0, stderr);
  await mkdir(join(folder, 'place'));
  return { folder, copy, target, restore: (to = target) => runCommand(['restore', copy, '--data-root', to]) };
}

/** True if this command mounts something at a folder; on some machines a test may not. The folder is free again at its end. */
function mounted(t: ExecutionContext, command: string, args: readonly string[], at: string): boolean {
  if (spawnSync(command, args).status !== 0) {
    t.log(`${command} is not possible here`);
    return false;
  }
  t.teardown(() => execFileSync('umount', [at]));
  return true;
}

test('bug: restore replaced an empty folder instead of filling it, so it failed on the root of a volume', async (t) => {
  const { folder, target, restore } = await backedUp(t);
  await mkdir(target, { mode: 0o755 });
  await mkdir(join(target, 'lost+found'));
  const before = await stat(target);
  const beside: (string | null)[] = [];
  const stop = new AbortController();
  const watching = (async () => {
    for await (const { filename } of watch(join(folder, 'place'), { signal: stop.signal })) beside.push(filename);
  })().catch(() => undefined);
  const { exit, stderr } = await restore();
  stop.abort();
  await watching;
  t.is(exit, 0, stderr);
  const after = await stat(target);
  t.is(after.ino, before.ino, 'the folder itself became the data root');
  t.is(after.mode & 0o777, 0o700);
  t.deepEqual(
    beside.filter((name) => name !== 'target'),
    [],
    'nothing was written beside it',
  );
  t.deepEqual(
    (await readdir(target)).filter((name) => name.includes('restoring')),
    [],
  );
  const verified = await runCommand(['verify', '--store', '--data-root', target]);
  t.is(verified.exit, 0, verified.stdout);
});

test('restore fills the root of a volume', async (t) => {
  const { target, restore } = await backedUp(t);
  await mkdir(target);
  if (!mounted(t, 'mount', ['-t', 'tmpfs', '-o', 'size=32m,mode=0755', 'tmpfs', target], target)) {
    t.pass();
    return;
  }
  const { exit, stderr } = await restore();
  t.is(exit, 0, stderr);
  t.true((await readdir(target)).includes(markerName));
});

test('restore asks the volume of its target for room before it copies anything', async (t) => {
  const { target, restore } = await backedUp(t);
  await mkdir(target);
  if (!mounted(t, 'mount', ['-t', 'tmpfs', '-o', 'size=16k,mode=0700', 'tmpfs', target], target)) {
    t.pass();
    return;
  }
  const { exit, stderr } = await restore();
  t.is(exit, 1);
  t.regex(stderr, /^storage_full: the backup needs \d+ bytes, and the volume of .* has \d+; nothing was copied; /m);
  t.false(stderr.includes('files verified'));
  t.deepEqual(await readdir(target), []);
});

test('hosts and the next restore refuse the folder of a killed restore, and name what it left', async (t) => {
  const { target, restore } = await backedUp(t);
  const name = 'restoring-6f1f5c1e-0000-4000-8000-000000000000';
  const left = join(target, name);
  t.is((await restore(left)).exit, 0);
  const { exit, stderr } = await restore();
  t.is(exit, 1);
  t.true(
    stderr.includes(`${left} is left of a restore that was killed; empty ${target} unless another restore runs`),
    stderr,
  );
  const looked = await runCommand(['sources', '--data-root', target]);
  t.regex(
    looked.stderr,
    /is not a data root yet: .* unless one runs, empty the folder and restore again/,
    'no other step',
  );
  // It was moving its files up.
  for (const each of ['objects', 'ledger.mark', 'ledger']) {
    execFileSync('mv', [join(left, each), join(target, each)]);
    await t.throwsAsync(prepareDataRoot(target), {
      code: 'data_root_unrecognized',
      message: new RegExp(`a restore that was killed left ${name} in it, or one runs right now`),
    });
  }
  for (const each of await readdir(target)) await rm(join(target, each), { recursive: true });
  t.is((await restore()).exit, 0, 'the remedy works');
});

test('bug: on a file system with fixed modes the folder was marked, and the remedy was a chmod without effect', async (t) => {
  const { folder, copy } = await backedUp(t);
  const [behind, at] = [join(folder, 'behind'), join(folder, 'at')];
  await mkdir(behind);
  await mkdir(at);
  if (!mounted(t, 'bindfs', ['--chmod-ignore', '-p', '0777', behind, at], at)) {
    t.pass();
    return;
  }
  const refused = { code: 'data_root_permissions', message: /options uid=\d+,umask=077 .*nothing was written$/ };
  await t.throwsAsync(prepareDataRoot(join(at, 'new')), refused);
  await mkdir(join(at, 'empty'));
  await t.throwsAsync(prepareDataRoot(join(at, 'empty')), refused);
  const { exit, stderr } = await runCommand(['restore', copy, '--data-root', join(at, 'restored')]);
  t.is(exit, 1);
  t.regex(stderr, /options uid=\d+,umask=077 .*nothing was written; /);
  t.deepEqual(await readdir(at), ['empty']);
  t.deepEqual(await readdir(join(at, 'empty')), []);
  // A data root that came there by a copy.
  await prepareDataRoot(join(behind, 'copied'));
  await t.throwsAsync(prepareDataRoot(join(at, 'copied')), refused);
  const doctor = await runCommand(['doctor', '--data-root', join(at, 'copied')]);
  t.regex(doctor.stdout, /^failed +store .*umask=077/m);
});

test('a data root works on a file system with one mode for all files, if that is private', async (t) => {
  const { folder, copy } = await backedUp(t);
  const [behind, at] = [join(folder, 'behind'), join(folder, 'at')];
  await mkdir(behind);
  await mkdir(at);
  if (!mounted(t, 'bindfs', ['--chmod-deny', '-p', '0700', behind, at], at)) {
    t.pass();
    return;
  }
  const root = join(at, 'restored');
  const { exit, stderr } = await runCommand(['restore', copy, '--data-root', root]);
  t.is(exit, 0, stderr);
  for (const words of [['sources'], ['gc'], ['backup', join(at, 'copy')]]) {
    const done = await runCommand([...words, '--data-root', root]);
    t.is(done.exit, 0, `${words.join(' ')}: ${done.stderr}`);
  }
  const { objects } = dataRootAt(root);
  t.true((await readdir(objects)).length > 0);
});

test('a folder whose parent this user may not write becomes a data root', async (t) => {
  const { folder, restore, target } = await backedUp(t);
  await mkdir(target, { mode: 0o700 });
  await chmod(join(folder, 'place'), 0o555);
  t.teardown(() => chmod(join(folder, 'place'), 0o700));
  const { exit, stderr } = await restore();
  t.is(exit, 0, stderr);
});

test('bug: a restore removed what another one, or a host, had put into its target after the first look at it', async (t) => {
  const { copy, target } = await backedUp(t);
  await mkdir(target, { mode: 0o700 });
  const root = livedRoot(t, 'ingested');
  const filesIn = async (folder: string) => (await readdir(folder, { recursive: true })).sort();
  // A restore asks for its id between the look and the first change.
  const newId = () => {
    cpSync(root, target, { recursive: true });
    return 'later';
  };
  await t.throwsAsync(restoreBackup({ backup: copy, target, newId }), {
    message: /^backup_target_not_empty: \S+ is not empty; /,
  });
  t.deepEqual(await filesIn(target), await filesIn(root));
});

test('bug: a restore replaced a file that came into its target while it copied', async (t) => {
  const { copy, target } = await backedUp(t);
  const progress = (done: number, total: number) => {
    if (done === total) writeFileSync(join(target, 'settings.json'), '{"port": 4400}');
  };
  const restored = restoreBackup({ backup: copy, target, newId: () => 'own', progress });
  await t.throwsAsync(restored, { message: /^backup_target_not_empty: \S+ is not empty; / });
  t.deepEqual(await readdir(target), ['settings.json']);
});
