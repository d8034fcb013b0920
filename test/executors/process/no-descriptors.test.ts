import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readdirSync } from 'node:fs';
import test from 'ava';
import { failureOf, launcherFor, request } from './launcher-for-tests.ts';

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

for (const free of [0, 3]) {
  test.serial(
    `a tool that gets no pipes fails as not launched, and the process that asked for it lives: ${free} descriptors`,
    async (t) => {
      const { launcher } = await launcherFor(t);
      const asked = request('/bin/sh', ['-c', 'echo out']);
      const failure = await withDescriptors(free, () => failureOf(t, launcher.run(asked)));
      t.is(failure.reason, 'launch_failed');
      t.regex(failure.message, /no process could be started \(EMFILE\)$/);
      t.is((await launcher.run(asked)).stdout.toString(), 'out\n');
    },
  );
}
