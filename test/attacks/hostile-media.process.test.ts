import { join } from 'node:path';
import test from 'ava';
import { openInProcess } from '../host/host-in-process.ts';
import { scratchFolder } from '../storage/ledger/scratch.ts';
import { openCanary } from './canary.ts';
import { hostileFiles } from './hostile-media/built-files.ts';
import { ingestAll } from './hostile-media/hostile-media-contract.ts';

test('hostile media is registered or fails with a closed code; nothing that it names is reached', async (t) => {
  const canary = await openCanary(t);
  const folder = await scratchFolder(t);
  const files = hostileFiles({ file: '/etc/passwd', url: `http://127.0.0.1:${canary.port}` });
  t.true(files.length >= 80, `${files.length} files`);
  const host = await openInProcess(t, join(folder, 'data'));
  // Every ninth: all of them are for the soak.
  const ends = await ingestAll(
    t,
    host,
    files.filter((_, index) => index % 9 === 4),
  );
  t.log([...ends].map(([end, count]) => `${end}: ${count}`).join(', '));
  t.is(canary.reached(), 0);
  await host.stop();
});
