import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import test from 'ava';
import { openLauncher } from '../../../executors/process/launcher.ts';
import { workFolderName } from '../../../storage/objects/leftovers.ts';
import { atRest, eventually } from '../../patience.ts';
import { HandClock } from './hand-clock.ts';
import { failureOf, fake, launcherFor, request, temporaryFolder } from './launcher-for-tests.ts';

const SHELL = '/bin/sh';

test('a process that ends well gives both of its outputs', async (t) => {
  const { launcher } = await launcherFor(t);
  const { stdout, stderr } = await launcher.run(request(SHELL, ['-c', 'echo out; echo err >&2']));
  t.is(stdout.toString(), 'out\n');
  t.is(stderr.toString(), 'err\n');
});

test('a process that exits with another code fails with its code and its words', async (t) => {
  const { launcher } = await launcherFor(t);
  const failure = await failureOf(t, launcher.run(request(SHELL, ['-c', 'echo shown; echo why >&2; exit 7'])));
  t.is(failure.reason, 'tool_exit');
  t.is(failure.exitCode, 7);
  t.is(failure.stdout, 'shown\n');
  t.is(failure.stderr, 'why\n');
});

test('a process that crashes fails as killed by a signal', async (t) => {
  const { launcher } = await launcherFor(t);
  const failure = await failureOf(t, launcher.run(request(fake('crashes'))));
  t.is(failure.reason, 'tool_signal');
  t.is(failure.exitCode, null);
  t.is(failure.stdout, 'about to crash\n');
});

test('a process that burns its CPU time is killed by the kernel', async (t) => {
  const { launcher } = await launcherFor(t);
  const work = launcher.run(request(SHELL, ['-c', 'while :; do :; done'], { limits: { cpuSeconds: 1 } }));
  t.is((await failureOf(t, work)).reason, 'tool_signal');
});

test('a process that hangs fails at its deadline', async (t) => {
  const clock = new HandClock();
  const { launcher } = await launcherFor(t, { timers: clock });
  const said = path.join(await temporaryFolder(t), 'said');
  const words = `echo started; : > '${said}'; exec sleep 600`;
  const work = failureOf(t, launcher.run(request(SHELL, ['-c', words], { limits: { wallMs: 3000 } })));
  await eventually('what it says', () => existsSync(said));
  // By then this process has read it.
  await atRest(() => launcher.running);
  clock.pass(3000);
  const failure = await work;
  t.is(failure.reason, 'deadline');
  t.is(failure.stdout, 'started\n');
});

test('a process that ignores SIGTERM is stopped all the same', async (t) => {
  const { launcher } = await launcherFor(t);
  const stop = new AbortController();
  const running = await launcher.start(request(fake('ignores-sigterm'), [], { signal: stop.signal }));
  running.stdout.once('data', () => stop.abort());
  t.is((await failureOf(t, running.finished)).reason, 'aborted');
});

test('the environment is bare, and a request can add to it but not bend it', async (t) => {
  const { launcher, workRoot } = await launcherFor(t);
  const environment = { EXTRA: 'yes', HOME: '/elsewhere' };
  const { stdout } = await launcher.run(request('/usr/bin/env', [], { environment }));
  const variables = new Map(
    stdout
      .toString()
      .trim()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
  t.deepEqual([...variables.keys()].sort(), ['EXTRA', 'HOME', 'LC_ALL', 'PATH', 'TMPDIR']);
  t.is(variables.get('LC_ALL'), 'C.UTF-8');
  t.is(path.dirname(variables.get('HOME') ?? ''), workRoot);
  t.is(variables.get('TMPDIR'), variables.get('HOME'));
  t.true((variables.get('PATH') ?? '').split(':').every((folder) => path.isAbsolute(folder)));
});

test('the working folder is private, is the home, and goes with the process', async (t) => {
  const { launcher, workRoot } = await launcherFor(t);
  const words = 'mkdir -p deep/er; echo x >deep/er/file; pwd; stat -c %a .; echo "$HOME"';
  const lines = (await launcher.run(request(SHELL, ['-c', words]))).stdout.toString().trim().split('\n');
  t.is(lines[0], lines[2]);
  t.is(lines[1], '700');
  t.deepEqual(await readdir(workRoot), []);
});

test('two processes never share a folder', async (t) => {
  const { launcher } = await launcherFor(t);
  const folders = await Promise.all([1, 2, 3].map(() => launcher.run(request('/bin/pwd'))));
  t.is(new Set(folders.map(({ stdout }) => stdout.toString())).size, 3);
});

test('no shell reads the arguments', async (t) => {
  const { launcher, workRoot } = await launcherFor(t);
  const hostile = ['$(touch hit)', '`id`', '; exit 3', '* ? [a]', '"\'', 'a\nb', '--', '-n', '$HOME', '|&<>', '한글'];
  const { stdout } = await launcher.run(request('/usr/bin/printf', ['%s\\0', ...hostile]));
  t.deepEqual(stdout.toString().split('\0').slice(0, -1), hostile);
  t.deepEqual(await readdir(workRoot), []);
});

test('a tool that is not there, not executable or not absolute is missing', async (t) => {
  const { launcher, workRoot } = await launcherFor(t);
  const plain = path.join(await temporaryFolder(t), 'plain');
  await writeFile(plain, 'no program');
  for (const tool of ['/nowhere/tool', plain, '/tmp', 'sh']) {
    const failure = await failureOf(t, launcher.run(request(tool)));
    t.is(failure.reason, 'tool_missing');
    t.false(failure.message.includes('/'));
  }
  t.deepEqual(await readdir(workRoot), []);
});

test('a request whose signal is aborted already starts nothing', async (t) => {
  const { launcher, workRoot } = await launcherFor(t);
  const failure = await failureOf(t, launcher.run(request(fake('hangs'), [], { signal: AbortSignal.abort() })));
  t.is(failure.reason, 'aborted');
  t.deepEqual(await readdir(workRoot), []);
});

test('a work root that is missing, a file or open to others is refused', async (t) => {
  const folder = await temporaryFolder(t);
  const file = path.join(folder, 'file');
  await writeFile(file, '');
  const open = path.join(folder, 'open');
  await mkdir(open);
  await chmod(open, 0o755);
  for (const workRoot of [path.join(folder, 'missing'), file, open]) {
    t.is((await failureOf(t, openLauncher({ workRoot, newId: () => 'id' }))).reason, 'launch_failed');
  }
});

test('a private folder that cannot be made fails the launch', async (t) => {
  const launcher = await openLauncher({ workRoot: await temporaryFolder(t), newId: () => 'same' });
  t.teardown(() => launcher.close());
  const running = await launcher.start(request(fake('hangs')));
  t.is((await failureOf(t, launcher.run(request(SHELL)))).reason, 'launch_failed');
  running.kill();
  t.is((await failureOf(t, running.finished)).reason, 'aborted');
});

test('folders that a killed host left behind are removed at the next start', async (t) => {
  const workRoot = await temporaryFolder(t);
  await mkdir(path.join(workRoot, workFolderName('process', randomUUID()), 'deep'), { recursive: true });
  const launcher = await openLauncher({ workRoot, newId: () => 'id' });
  t.teardown(() => launcher.close());
  t.deepEqual(await readdir(workRoot), []);
});

test('a system that gives no process fails the launch and leaves no folder', async (t) => {
  const { launcher, workRoot } = await launcherFor(t);
  const tooLong = 'x'.repeat(3 * 1024 * 1024);
  t.is((await failureOf(t, launcher.run(request('/bin/echo', [tooLong])))).reason, 'launch_failed');
  t.deepEqual(await readdir(workRoot), []);
});
