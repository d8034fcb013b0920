import { join } from 'node:path';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { actorRow } from '../../../actors/supervision/actor-row.ts';
import { copyAsLeft } from '../../host/host-in-process.ts';
import { openStore } from '../reopening/stored-studies.ts';
import { QueuedHost } from './queued-host.ts';
import { redisServer } from './redis-for-tests.ts';

const test = (redisServer === null ? anyTest.skip : anyTest) as TestFn;

/** How often the study was taken up without a commit, in what a host leaves that is killed now. */
async function deathsOf(t: ExecutionContext, queued: QueuedHost, dataRoot: string, runtimeId: string) {
  const root = join(queued.folder, `${dataRoot}-left-${Date.now()}`);
  copyAsLeft(join(queued.folder, dataRoot), root);
  const { ledger } = await openStore(root);
  const [row] = await ledger.getMany('snapshot', [runtimeId]);
  await ledger.close();
  const { resumes, totalResumes } = actorRow.parse(row);
  t.true(totalResumes >= resumes);
  return { resumes, totalResumes };
}

test('bug: deaths of hosts while a study waited for a worker counted against the study', async (t) => {
  const queued = await QueuedHost.create();
  t.teardown(() => queued.close());
  await queued.redis.start();
  await queued.start(t, 'first');
  const runtimeId = await queued.begun(0);
  await queued.says(t, runtimeId, /^waiting for a worker: none is connected/);
  copyAsLeft(join(queued.folder, 'first'), join(queued.folder, 'second'));

  await queued.start(t, 'second');
  await queued.says(t, runtimeId, /^waiting for a worker: none is connected/);
  const hasMoved = async () => {
    const { resumes, totalResumes } = await deathsOf(t, queued, 'second', runtimeId);
    return totalResumes === 1 && resumes === 0;
  };
  await queued.until(t, 'the death of the first host does not count', hasMoved);
});
