import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, openSync, readdirSync } from 'node:fs';
import { chmod, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import test from 'ava';
import { openLauncher } from '../../../executors/process/launcher.ts';
import { workFolderName } from '../../../storage/objects/leftovers.ts';
import { atRest, eventually } from '../../patience.ts';
import { failureOf, fake, HandClock, launcherFor, request, temporaryFolder } from './launcher-for-tests.ts';

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

test('a result is the file that a process leaves in its folder', async (t) => {
  const { launcher } = await launcherFor(t);
  const leaving = (words: string) =>
    launcher.run({ ...request(SHELL, ['-c', words]), result: { name: 'result', maximumBytes: 5 } });
  t.is((await leaving('printf whole > result')).result?.toString(), 'whole');
  t.is((await failureOf(t, leaving('printf longer > result'))).reason, 'output_limit');
  t.is((await failureOf(t, leaving('ln -s /etc/hostname result'))).reason, 'tool_exit');
});

test('bug: a pipe or a folder in the place of a result was an empty result, or an error of the host', async (t) => {
  const { launcher } = await launcherFor(t);
  for (const words of ['mkfifo result', 'mkdir result']) {
    const work = launcher.run({ ...request(SHELL, ['-c', words]), result: { name: 'result', maximumBytes: 100 } });
    t.is((await failureOf(t, work)).reason, 'tool_exit', words);
  }
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

test('output is complete up to the last byte of its limit', async (t) => {
  const { launcher } = await launcherFor(t);
  const exact = { limits: { stdoutBytes: 300_000 } };
  const { stdout } = await launcher.run(request('/bin/sh', ['-c', 'head -c 300000 /dev/zero'], exact));
  t.is(stdout.length, 300_000);
});

test('a failure keeps the last bytes of a long stderr', async (t) => {
  const { launcher } = await launcherFor(t);
  const words = 'i=0; while [ $i -lt 4000 ]; do echo line $i >&2; i=$((i+1)); done; exit 1';
  const failure = await failureOf(t, launcher.run(request(SHELL, ['-c', words])));
  t.true(failure.stderr.endsWith('line 3999\n'));
  t.true(failure.stderr.length <= 4096);
});

for (const stream of ['stdout', 'stderr']) {
  test(`a flood on ${stream} is stopped at its limit`, async (t) => {
    const { launcher } = await launcherFor(t);
    const failure = await failureOf(t, launcher.run(request(fake(`floods-${stream}`))));
    t.is(failure.reason, 'output_limit');
    t.regex(failure.message, new RegExp(`to ${stream}$`));
  });
}

test('a flood that is read while it runs ends the reading with the same failure', async (t) => {
  const { launcher } = await launcherFor(t);
  const running = await launcher.start(request(fake('floods-stdout'), [], { limits: { stdoutBytes: 100_000 } }));
  let seen = 0;
  const reading = (async () => {
    for await (const chunk of running.stdout) seen += chunk.length;
  })();
  t.is((await failureOf(t, reading)).reason, 'output_limit');
  t.is((await failureOf(t, running.finished)).reason, 'output_limit');
  t.true(seen <= 100_000);
});

test('a flood on an extra pipe is stopped too', async (t) => {
  const { launcher } = await launcherFor(t);
  const running = await launcher.start(request(SHELL, ['-c', 'cat /dev/zero >&4'], { extraPipes: 2 }));
  for (const pipe of running.extra) pipe.resume();
  const failure = await failureOf(t, running.finished);
  t.is(failure.reason, 'output_limit');
  t.regex(failure.message, /to pipe 4$/);
});

test('a file cannot grow beyond its limit', async (t) => {
  const { launcher } = await launcherFor(t);
  const file = path.join(await temporaryFolder(t), 'grows');
  const work = launcher.run(request(fake('writes-too-much'), [file], { limits: { fileSizeBytes: 10_000 } }));
  const failure = await failureOf(t, work);
  // The first process of a namespace may ignore SIGXFSZ and sees a failing write instead.
  t.true(['tool_exit', 'tool_signal'].includes(failure.reason));
  t.is((await stat(file)).size, 10_000);
});

test('stdin, stdout and two extra pipes carry bytes side by side', async (t) => {
  const { launcher } = await launcherFor(t);
  const words = 'cat; head -c 200000 /dev/zero >&3; echo four >&4; echo note >&2';
  const running = await launcher.start(request(SHELL, ['-c', words], { stdin: 'pipe', extraPipes: 2 }));
  running.stdin?.end('hello');
  const sizes = await Promise.all(
    [running.stdout, ...running.extra].map(async (stream) => {
      let size = 0;
      for await (const chunk of stream) size += chunk.length;
      return size;
    }),
  );
  t.deepEqual(sizes, [5, 200_000, 5]);
  t.is((await running.finished).stderr.toString(), 'note\n');
});

test('stdin is empty unless asked for', async (t) => {
  const { launcher } = await launcherFor(t);
  t.is((await launcher.run(request('/bin/cat'))).stdout.length, 0);
});

test('a reader that goes away early leaves nothing hanging', async (t) => {
  const { launcher } = await launcherFor(t);
  const running = await launcher.start(request(fake('floods-stdout'), [], { limits: { stdoutBytes: 1e9 } }));
  for await (const chunk of running.stdout) {
    t.true(chunk.length > 0);
    break;
  }
  t.true(['tool_exit', 'tool_signal'].includes((await failureOf(t, running.finished)).reason));
});

test('a reader that never reads ends at the deadline', async (t) => {
  const { launcher } = await launcherFor(t);
  const running = await launcher.start(request(fake('floods-stdout'), [], { limits: { wallMs: 400 } }));
  t.is((await failureOf(t, running.finished)).reason, 'deadline');
  t.true(running.stdout.destroyed);
});

const limitDescriptors = (soft: number): Buffer =>
  execFileSync('prlimit', ['--pid', String(process.pid), `--nofile=${soft}:`]);

/** Takes descriptors until `free` are left below a new limit, while `work` lasts. */
async function withDescriptors<Result>(free: number, work: () => Promise<Result>): Promise<Result> {
  const highest = Math.max(...readdirSync('/proc/self/fd').map(Number));
  limitDescriptors(highest + 20);
  const taken: number[] = [];
  try {
    for (;;) taken.push(openSync('/dev/null', 'r'));
  } catch {
    // There are none left.
  }
  for (const descriptor of taken.splice(0, free)) closeSync(descriptor);
  try {
    return await work();
  } finally {
    for (const descriptor of taken) closeSync(descriptor);
    limitDescriptors(4096);
  }
}

// Alone: they take all descriptors of the process.
for (const free of [0, 3]) {
  test.serial(`a tool that gets no pipes fails as not launched, and its host lives: ${free} descriptors`, async (t) => {
    const { launcher } = await launcherFor(t);
    const asked = request('/bin/sh', ['-c', 'echo out']);
    const failure = await withDescriptors(free, () => failureOf(t, launcher.run(asked)));
    t.is(failure.reason, 'launch_failed');
    t.regex(failure.message, /no process could be started \(EMFILE\)$/);
    t.is((await launcher.run(asked)).stdout.toString(), 'out\n');
  });
}
