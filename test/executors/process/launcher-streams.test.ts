import { stat } from 'node:fs/promises';
import path from 'node:path';
import test from 'ava';
import { failureOf, fake, launcherFor, request, temporaryFolder } from './launcher-for-tests.ts';

const SHELL = '/bin/sh';

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
