import { createHash } from 'node:crypto';
import { appendFile, lstat, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { StudyHost } from '../../client/study-host.ts';
import { version } from '../../contract/base/program-version.ts';
import { eventKey, formatKey, rowKey } from '../../storage/ledger/keys.ts';
import { decodeRow, encodeRow } from '../../storage/ledger/row-codec.ts';
import { dataRootAt, markerName, storeFormat } from '../../storage/objects/data-root.ts';
import { newDataRoot, openStore, store } from '../actors/reopening/stored-studies.ts';
import { studyUntil } from '../client/asked-study.ts';
import { RunningHost } from '../http/running-host.ts';
import { storedStudy } from '../receipts/evidence/stored-study.ts';
import { scratchFolder, withRawRows } from '../storage/ledger/scratch.ts';
import { runBuilt, runCommand } from './command.ts';
import { linesOf, runtimeId, storedRoot, verification, study as verifiedStudy, verify } from './verified-root.ts';

const run = (...args: readonly string[]) => runCommand(args);

async function hostOn(root: string) {
  const host = new RunningHost({ flags: ['--port', '0', '--study-workers', '1', '--data-root', root] });
  const { listening, authorizationToken } = await host.announced();
  return { host, client: StudyHost.connect({ baseUrl: String(listening), token: String(authorizationToken) }) };
}

const request = (endMs: number) => studyUntil(endMs, 'evidence');

async function sampleOf(client: StudyHost) {
  const [source] = await client.sources();
  if (source === undefined) throw new Error('the sample is not listed');
  return source;
}

test('a host backed up under load and then killed is restored: all verifies, work goes on', async (t) => {
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
  const copies = [copy, join(folder, 'second')];
  // Each takes a snapshot, and the host keeps only its newest.
  for (const backup of await Promise.all(copies.map((each) => run('backup', each, '--data-root', root, '--json')))) {
    t.is(backup.exit, 0, backup.stderr);
    t.true(JSON.parse(backup.stdout).objects > 5);
  }
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

test('a backup without a host is updated in place, and a damaged one is not restored', async (t) => {
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
  t.regex(first.stdout, /left out 1 object, 5 B, to which no record refers/);
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
  const ledgers = (await readdir(copy)).filter((name) => name.startsWith('ledger-'));
  t.deepEqual(ledgers, [after.ledger.folder]);
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

test('nothing is written into a folder that is not a backup, or into the data root itself', async (t) => {
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

const study = storedStudy({ version: 1, windows: 1 });

/** A data root as version 9.1.0 of this program would leave it, with a format that this one does not open. */
async function newerRoot(t: ExecutionContext): Promise<string> {
  const root = await newDataRoot(t);
  const opened = await openStore(root);
  await store(opened, study);
  await opened.close();
  await withRawRows(dataRootAt(root).ledger, (rows) => rows.put(formatKey, Buffer.from('9')));
  const marker = join(root, markerName);
  const text = await readFile(marker, 'utf8');
  await writeFile(marker, text.replace(/^Format: .*$/m, 'Format: 9, since version 9.1.0'));
  return root;
}

/** Every file and folder below a root: its name, mode, times and bytes. */
async function digestOf(root: string): Promise<string> {
  const hash = createHash('sha256');
  for (const name of ['', ...(await readdir(root, { recursive: true })).sort()]) {
    const path = join(root, name);
    const { mode, mtimeMs, ctimeMs, size } = await lstat(path);
    hash.update(JSON.stringify([name, mode, mtimeMs, ctimeMs, size]));
    if (!(await lstat(path)).isDirectory()) hash.update(await readFile(path));
  }
  return hash.digest('hex');
}

const commands: Readonly<Record<string, (root: string) => readonly string[]>> = {
  'npm start': (root) => ['build/serve.js', '--port', '0', '--data-root', root],
  'npm run verify -- RUNTIME': (root) => ['build/verify.js', '--data-root', root, study.run.record.runtimeId],
  'npm run verify -- --store': (root) => ['build/verify.js', '--data-root', root, '--store'],
  'npm run verify -- --store --accept-loss': (root) => [
    'build/verify.js',
    ...['--data-root', root, '--store', '--accept-loss'],
  ],
};

for (const [name, commandOf] of Object.entries(commands)) {
  test(`${name} refuses a data root of a newer version and changes nothing`, async (t) => {
    const root = await newerRoot(t);
    const before = await digestOf(root);
    const [script = '', ...args] = commandOf(root);
    const { exit, stdout, stderr } = await runBuilt(script, args);
    t.is(await digestOf(root), before);
    t.is(stdout, '');
    t.true(exit === 1 || exit === 2);
    t.is(
      stderr.trimEnd().split('\n').at(-1),
      `store_format_unsupported: ${root} has format 9, to which version 9.1.0 brought it; this program (version ${version}) opens formats 1 to ${storeFormat}; nothing was changed; start the version that last used the data root, or choose another --data-root`,
    );
  });
}

test('an intact runtime is reported as such, with one line for each file and each row', async (t) => {
  const root = await storedRoot(t);
  const ending = await runBuilt('build/verify.js', [runtimeId, '--all', '--data-root', root]);
  t.is(ending.exit, 0, ending.stderr);
  t.is(ending.stderr, '');
  const lines = linesOf(ending);
  for (const contentId of verifiedStudy.files.keys()) t.is(lines.filter((line) => line.includes(contentId)).length, 1);
  const rows = lines.slice(5, -3);
  t.regex(lines[0] ?? '', /^intact: /);
  t.true(rows.every((line) => /^ok {4}[a-z_]+ +(sha256:[a-f0-9]{64}|-) +\S/.test(line)));
  const events = verifiedStudy.commits.flat().length;
  t.regex(
    lines.at(-2) ?? '',
    new RegExp(`^intact: ${runtimeId}, ${verifiedStudy.files.size} files, journal head ${events};sha256=[a-f0-9]{64}$`),
  );
  const json = await verify('--json', `--data-root=${root}`, runtimeId);
  const { verdict, checked, fault } = verification.parse(JSON.parse(json.stdout));
  t.is(verdict, 'intact');
  t.is(checked.length, rows.length);
  t.is(fault, null);
});

test('a damaged runtime is reported as such in words, after the intact parts', async (t) => {
  const root = await storedRoot(t);
  await withRawRows(dataRootAt(root).ledger, (rows) => rows.put(eventKey(runtimeId, 7), Buffer.from('x')));
  const journal = await runBuilt('build/verify.js', [runtimeId, '--all', '--data-root', root]);
  t.is(journal.exit, 1);
  t.regex(linesOf(journal)[0] ?? '', /^FAIL {2}journal +- +malformed_journal: event 7 /);
  t.regex(linesOf(journal).at(-2) ?? '', new RegExp(`^damaged: ${runtimeId}, at journal: malformed_journal: event 7 `));
  const other = await storedRoot(t);
  await withRawRows(dataRootAt(other).ledger, async (rows) => {
    const key = rowKey('snapshot', runtimeId);
    const row = decodeRow(key, (await rows.get(key)) ?? Buffer.alloc(0)) as { snapshot: object };
    const snapshot = { ...row.snapshot, value: { running: 'admit' } };
    await rows.put(key, encodeRow(key, { ...row, status: 'running', snapshot }));
  });
  const row = await verify(runtimeId, '--all', '--data-root', other);
  t.is(row.exit, 1);
  t.true(linesOf(row).some((line) => line.startsWith('ok    intake ')));
  t.is(linesOf(row).at(-2), `damaged: ${runtimeId}, at row: snapshot.status`);
});

test('a runtime that the data root does not hold is not damage', async (t) => {
  const ending = await runBuilt('build/verify.js', [
    'runtime:00000000-0000-4000-8000-000000000000',
    '--data-root',
    await storedRoot(t),
  ]);
  t.is(ending.exit, 2);
  t.is(ending.stdout, '');
  t.is(ending.stderr, 'unknown_runtime: no such runtime\n');
});
