import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { prepareDataRoot } from '../../storage/objects/data-root.ts';
import { workFolderName } from '../../storage/objects/leftovers.ts';
import { checkDataRoot } from './checks.ts';
import { startHost } from './host-process.ts';

// Without /proc nobody can tell whose a process is.
const isTold = existsSync('/proc/self/environ');

test('a process that an earlier host left in its private folder ends with the next start', async (t) => {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'leftovers-')));
  t.teardown(() => rm(root, { recursive: true, force: true }));
  const { work } = await prepareDataRoot(root);
  const folder = join(work, workFolderName('process', randomUUID()));
  await mkdir(folder, { mode: 0o700 });
  const left = spawn('sleep', ['600'], { cwd: folder, env: { PATH: process.env.PATH, HOME: folder }, stdio: 'ignore' });
  t.teardown(() => left.kill('SIGKILL'));
  const ended = once(left, 'exit');
  const host = await startHost(t, root);
  if (isTold) t.deepEqual(await ended, [null, 'SIGKILL']);
  await host.kill();
  await checkDataRoot(t, root);
});
