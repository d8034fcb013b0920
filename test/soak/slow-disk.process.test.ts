import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { checkDataRoot, checkJournal, checkRuntimes } from '../crash/checks.ts';
import { CrashClient, nothingPromised } from '../crash/client.ts';
import { startHost } from '../crash/host-process.ts';
import { mediaNumber } from '../crash/media.ts';
import { scratchFolder } from '../storage/ledger/scratch.ts';

const syncMs = 300;

const quantile = (sorted: readonly number[], q: number): number => sorted[Math.ceil(sorted.length * q) - 1] ?? 0;

test('a disk that takes 0.3 s for each sync slows the work down, but not reads', async (t) => {
  t.timeout(600_000, 'a study on a slow disk');
  const root = join(await realpath(await scratchFolder(t)), 'data');
  await mkdir(root, { mode: 0o700 });
  const host = await startHost(t, root);
  const client = new CrashClient(host);
  const slowly = ['-e', 'trace=fsync,fdatasync', '-e', `inject=fsync,fdatasync:delay_enter=${syncMs * 1000}`];
  const strace = spawn('strace', ['-f', '-q', '-o', '/dev/null', ...slowly, '-p', `${host.announced?.pid}`], {
    stdio: 'ignore',
  });
  t.teardown(() => strace.kill('SIGKILL'));
  const gone = once(strace, 'exit');
  await delay(500);

  const promised = nothingPromised(1, mediaNumber(1));
  const from = performance.now();
  let isOver = false;
  const working = client.drive(promised).finally(() => {
    isOver = true;
  });
  const reads: number[] = [];
  while (!isOver) {
    const asked = performance.now();
    await client.get('/v1/owned-media-ingests');
    reads.push(performance.now() - asked);
    await delay(10);
  }
  await working;
  const sorted = reads.sort((one, other) => one - other);
  const tookMs = performance.now() - from;
  t.log(
    `upload and study in ${Math.round(tookMs)} ms; ${reads.length} reads, p50 ${quantile(sorted, 0.5).toFixed(1)} ms, p99 ${quantile(sorted, 0.99).toFixed(1)} ms`,
  );
  checkJournal(t, promised);
  // Each transition is synced before it is reported.
  t.true(tookMs > 10 * syncMs);
  t.true(quantile(sorted, 0.5) < syncMs / 2, 'a read waits for no sync');
  t.is(await host.stop(), 0, host.reported().join('\n'));
  strace.kill('SIGINT');
  await gone;
  await checkDataRoot(t, root);
  await checkRuntimes(t, root);
});
