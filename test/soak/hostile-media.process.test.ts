import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { openCanary } from '../attacks/canary.ts';
import { hostileFiles } from '../attacks/hostile-media/built-files.ts';
import { ingestAll } from '../attacks/hostile-media/hostile-media-contract.ts';
import { checkDataRoot } from '../crash/checks.ts';
import { startHost } from '../crash/host-process.ts';
import { scratchFolder } from '../storage/ledger/scratch.ts';

test('over eighty hostile files no process opens a file that one of them names, and none opens a connection', async (t) => {
  t.timeout(1_800_000, 'all files under strace');
  const canary = await openCanary(t);
  const folder = await scratchFolder(t);
  const bait = join(folder, 'bait.mp4');
  await writeFile(bait, 'bait');
  const files = hostileFiles({ file: bait, url: `http://127.0.0.1:${canary.port}` });
  const root = join(folder, 'data');
  const host = await startHost(t, root);
  const log = join(folder, 'strace.log');
  // Whatever the host starts is followed as well.
  const calls = 'trace=open,openat,openat2,connect,sendto,execve';
  const strace = spawn('strace', ['-f', '-q', '-e', calls, '-o', log, '-p', `${host.announced?.pid}`]);
  const ended = once(strace, 'exit');
  t.teardown(() => strace.kill());
  await delay(1000);
  const before = Date.now();
  const ends = await ingestAll(t, host, files);
  t.log(
    `${files.length} files in ${Date.now() - before} ms: ${[...ends].map(([end, count]) => `${end} ${count}`).join(', ')}`,
  );
  t.is(await host.stop(), 0, host.reported().join('\n'));
  await ended;
  const lines = (await readFile(log, 'utf8')).split('\n');
  const execs = lines.filter((line) => line.includes('execve(') && line.endsWith('= 0'));
  t.true(execs.length > files.length, 'strace saw the tools');
  t.deepEqual(
    lines.filter((line) => line.includes(bait)),
    [],
  );
  t.deepEqual(
    lines.filter((line) => /connect\(.*AF_INET/.test(line)),
    [],
  );
  const written = lines.filter((line) => /open(at2?)?\(.*O_(WRONLY|RDWR|CREAT)/.test(line) && !line.includes(root));
  t.deepEqual(
    written.filter((line) => !/"(\/dev\/|\/proc\/|\/tmp\/|pipe:)/.test(line)),
    [],
  );
  t.log(`${lines.length} system calls, ${execs.length} programs`);
  t.is(canary.reached(), 0);
  await checkDataRoot(t, root);
});
