import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { openStore } from '../actors/reopening/stored-studies.ts';
import { isRefused } from '../http/listener/raw-socket.ts';
import { eventually } from '../patience.ts';
import { CrashClient, nothingPromised } from './client.ts';
import { startHost } from './host-process.ts';
import { mediaNumber } from './media.ts';

test('a host that is told twice to stop, and does not wait for its answers, died on request', async (t) => {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'impatient-stop-')));
  t.teardown(() => rm(root, { recursive: true, force: true }));
  const host = await startHost(t, root);
  const promised = nothingPromised(1, mediaNumber(1));
  const client = new CrashClient(host);
  await client.ingest(promised);
  await client.start(promised);
  // An upload under way keeps the host from ending by itself.
  await client.sendHalf(nothingPromised(2, mediaNumber(2)));
  const pid = host.announced?.pid ?? 0;
  process.kill(pid, 'SIGINT');
  // It has noted the request by the time that it takes no more connections.
  const port = Number(new URL(host.announced?.listening ?? '').port);
  await eventually('the end of listening', () => isRefused(port));
  process.kill(pid, 'SIGINT');
  t.is(await host.ended, 1);
  const store = await openStore(root);
  t.teardown(() => store.close());
  t.deepEqual(await store.ledger.list('record', 'host/at-work'), []);
});
