import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { unusedPort } from '../../unused-port.ts';
import { withoutDownloader } from '../../without-downloader.ts';
import { ended, spawned } from './redis-for-tests.ts';

const program = fileURLToPath(new URL('../../../build/media-study.js', import.meta.url));

test('bug: a worker whose Redis is down did not end when it was told to', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'stopped-workers-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const flags = ['--work-queue', `redis://127.0.0.1:${await unusedPort()}`, '--object-source', folder];
  const worker = spawned(process.execPath, [program, 'worker', ...flags], withoutDownloader);
  const { stderr } = worker;
  if (stderr === null) return t.fail();
  let said = '';
  while (!said.includes('does not answer')) said += (await once(stderr, 'data')).join('');
  await ended(worker, 'SIGTERM');
  t.deepEqual([worker.exitCode, worker.signalCode], [0, null], said);
});
