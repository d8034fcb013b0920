import test from 'ava';
import { aloneDelayMs, resumeLimit } from '../../../actors/supervision/recovery.ts';
import { WorkQueue } from '../../../actors/supervision/work-queue.ts';
import { scratchFolder } from '../../storage/ledger/scratch.ts';
import { openBench, quiet } from './bench.ts';

test('bug: the figures of a queue were 0 while work waited that is held back after deaths of its host', async (t) => {
  const folder = await scratchFolder(t);
  const first = await openBench(t, folder);
  await first.recover();
  first.queue.open();
  await first.work('w');
  await first.close();
  for (let resumes = 1; resumes <= resumeLimit; resumes += 1) {
    const dying = await openBench(t, folder);
    await dying.recover();
    dying.queue.open();
    await quiet(dying);
    await dying.close();
  }
  const bench = await openBench(t, folder);
  await bench.recover();
  bench.queue.open();
  await quiet(bench);
  const figures = () => [bench.queue.waiting, bench.queue.working];
  t.deepEqual(figures(), [1, 0]);
  t.is(bench.queue.placeOf('w'), null, 'it has no place among those that wait for a worker');
  bench.clock.advance(aloneDelayMs(0));
  await quiet(bench);
  t.deepEqual(figures(), [0, 1]);
  bench.effects[0]?.resolve({ events: [], writes: [] });
  await quiet(bench);
  t.deepEqual(figures(), [0, 0]);
});

test('work that is ended while it is held back is counted no more', (t) => {
  const queue = new WorkQueue(1, () => undefined);
  queue.open();
  queue.waitApart('w');
  t.is(queue.waiting, 1);
  t.true(queue.isQuiet, 'who waits apart keeps no other from its turn');
  queue.leave('w');
  t.is(queue.waiting, 0);
});
