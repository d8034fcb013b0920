import { createHash } from 'node:crypto';
import { appendFile, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import test from 'ava';
import { StudyHost } from '../../client/study-host.ts';
import { RunningHost } from '../http/running-host.ts';
import { scratchFolder } from '../storage/ledger/scratch.ts';
import { runCommand } from './command.ts';

const run = (...args: readonly string[]) => runCommand(args);

async function hostOn(root: string) {
  const host = new RunningHost({ flags: ['--port', '0', '--study-workers', '1', '--data-root', root] });
  const { listening, authorizationToken } = await host.announced();
  return { host, client: StudyHost.connect({ baseUrl: String(listening), token: String(authorizationToken) }) };
}

const request = (endMs: number) =>
  ({
    range: { startMs: 0, endMs },
    requestedSourceLanguage: { mode: 'declared', languages: ['ko'], reason: null },
    targetLanguage: 'en',
    outputDepth: 'evidence',
  }) as const;

async function sampleOf(client: StudyHost) {
  const [source] = await client.sources();
  if (source === undefined) throw new Error('the sample is not listed');
  return source;
}

test('a host that is backed up under load and then killed is restored: all verifies, and its work goes on', async (t) => {
  const folder = await scratchFolder(t);
  const [root, copy, restored] = ['root', 'copy', 'restored'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const first = await hostOn(root);
  t.teardown(() => first.host.kill());
  const source = await sampleOf(first.client);
  const done = await first.client.study(source, request(1000)).ended();
  // These wait and run while the ledger is copied.
  const waiting = await Promise.all(
    [3000, 4000, 5000, 6000].map(async (endMs) => first.client.study(source, request(endMs)).started),
  );
  const backup = await run('backup', copy, '--data-root', root, '--json');
  t.is(backup.exit, 0, backup.stderr);
  t.true(JSON.parse(backup.stdout).objects > 5);
  t.deepEqual(await readdir(join(root, 'work')).then((names) => names.filter((name) => name.startsWith('snap'))), []);
  await first.host.kill();

  const made = await run('restore', copy, '--data-root', restored);
  t.is(made.exit, 0, made.stderr);
  t.is((await stat(restored)).mode & 0o777, 0o700);
  const verified = await run('verify', done.runtimeId, '--data-root', restored);
  t.is(verified.exit, 0, verified.stdout + verified.stderr);
  const whole = await run('verify', '--store', '--data-root', restored);
  t.is(whole.exit, 0, whole.stdout);

  const second = await hostOn(restored);
  t.teardown(() => second.host.kill());
  for (const { runtimeId } of waiting) {
    for await (const _ of second.client.follow(runtimeId));
    t.is((await second.client.status(runtimeId)).lifecycle, 'terminal');
  }
  t.is((await second.client.study(source, request(1000)).started).runtimeId, done.runtimeId);
});

test('a backup without a host is brought up to date in place, and one that is damaged is not restored', async (t) => {
  const folder = await scratchFolder(t);
  const [root, copy, target] = [join(folder, 'root'), join(folder, 'copy'), join(folder, 'target')];
  const { host, client } = await hostOn(root);
  t.teardown(() => host.kill());
  await client.study(await sampleOf(client), request(1000)).ended();
  await host.stop();

  const stray = createHash('sha256').update('stray').digest('hex');
  const objects = join(root, 'objects', 'sha256', stray.slice(0, 2));
  await mkdir(objects, { recursive: true });
  await writeFile(join(objects, stray), 'stray');
  const first = await run('backup', copy, '--data-root', root);
  t.is(first.exit, 0);
  t.regex(first.stdout, /left out 1 object, 5 bytes, that no record reaches/);
  const manifest = join(copy, 'MEDIA-STUDY-BACKUP.json');
  const before = JSON.parse(await readFile(manifest, 'utf8'));
  t.deepEqual(before.leftOut, { objects: 1, bytes: 5 });
  t.false(JSON.stringify(before.objects).includes(stray));
  const [object] = before.objects;
  const hex = object.contentId.slice('sha256:'.length);
  const kept = join(copy, 'objects', 'sha256', hex.slice(0, 2), hex);
  const { ino } = await stat(kept);
  const old = join(copy, 'objects', 'sha256', stray.slice(0, 2), stray);
  await mkdir(dirname(old), { recursive: true });
  await writeFile(old, 'stray');
  t.is((await run('backup', copy, '--data-root', root)).exit, 0);
  const after = JSON.parse(await readFile(manifest, 'utf8'));
  t.deepEqual(after.objects, before.objects);
  t.is(after.commit, before.commit);
  t.is((await stat(kept)).ino, ino, 'an object is not copied again');
  await t.throwsAsync(stat(old), { code: 'ENOENT' }, 'what the newest backup does not speak of goes');
  t.deepEqual(
    (await readdir(copy)).filter((name) => name.startsWith('ledger-')),
    [after.ledger.folder],
  );
  t.is((await run('restore', copy, '--data-root', root)).exit, 1);

  for (const path of [kept, join(copy, after.ledger.folder, after.ledger.files[1].path)]) {
    const whole = await readFile(path);
    await appendFile(path, 'x');
    const { exit, stderr } = await run('restore', copy, '--data-root', target);
    t.is(exit, 1);
    t.regex(stderr, /backup_damaged: .* is missing or damaged; /);
    t.deepEqual((await readdir(folder)).sort(), ['copy', 'root']);
    await writeFile(path, whole);
  }
  t.is((await run('restore', copy, '--data-root', target)).exit, 0);
});

test('nothing is written into a folder that is no backup, or into the data root itself', async (t) => {
  const folder = await scratchFolder(t);
  const [root, other] = [join(folder, 'root'), join(folder, 'other')];
  const { host } = await hostOn(root);
  t.teardown(() => host.kill());
  await host.stop();
  t.deepEqual(await run('backup', other, '--data-root', other), {
    exit: 2,
    stdout: '',
    stderr: `--data-root ${other}: no host has ever kept its data there; media-study backup --help shows its flags\n`,
  });
  await writeFile(join(folder, 'mine.txt'), 'mine');
  for (const target of [folder, join(root, 'backup')]) {
    const { exit, stderr } = await run('backup', target, '--data-root', root);
    t.is(exit, 1);
    t.regex(stderr, /^backup_target_unrecognized: /);
  }
  t.regex((await run('restore', folder, '--data-root', other)).stderr, /^backup_unreadable: /);
  t.deepEqual((await readdir(folder)).sort(), ['mine.txt', 'root']);
  t.is((await run('backup')).exit, 2);
});
