import test, { type ExecutionContext } from 'ava';
import { aloneDelayMs, deathLimit, resumeLimit } from '../../../actors/supervision/host-deaths.ts';
import { endedInPeace } from '../../../actors/supervision/recovery.ts';
import { chargedEveryMs } from '../../../actors/supervision/time-budgets.ts';
import { LedgerError } from '../../../storage/ledger/ledger-error.ts';
import { draft, scratchFolder } from '../../storage/ledger/scratch.ts';
import { type Bench, openBench, quiet } from './bench.ts';

const budgetMs = 100_000;

/** A host that takes up what the one before left; work whose turn alone has to come gets it at once. */
async function nextLife(t: ExecutionContext, folder: string): Promise<Bench> {
  const bench = await openBench(t, folder);
  await bench.recover();
  bench.queue.open();
  await quiet(bench);
  const alone = bench.supervisor.read('w')?.alone;
  if (alone !== undefined) bench.clock.advance(aloneDelayMs(alone.deaths));
  await quiet(bench);
  return bench;
}

async function storeWithWork(t: ExecutionContext): Promise<{ folder: string; bench: Bench }> {
  const folder = await scratchFolder(t);
  const bench = await openBench(t, folder);
  await bench.recover();
  await bench.work('w', budgetMs);
  await quiet(bench);
  return { folder, bench };
}

test('what a step used before its host was killed counts, but for less than half a minute', async (t) => {
  const { folder, bench } = await storeWithWork(t);
  for (const ms of [chargedEveryMs, chargedEveryMs, 7_000]) {
    bench.clock.advance(ms);
    await quiet(bench);
  }
  await bench.close();
  const next = await nextLife(t, folder);
  t.is(next.supervisor.read('w')?.remainingMs, budgetMs - 2 * chargedEveryMs);
  next.clock.advance(budgetMs - 2 * chargedEveryMs - 1);
  await quiet(next);
  t.is(next.supervisor.read('w')?.status, 'working');
  next.clock.advance(1);
  await quiet(next);
  t.is(next.supervisor.read('w')?.status, 'failed');
});

test('a step that is cut again and again uses up its time, and is not begun once more', async (t) => {
  const { folder, bench } = await storeWithWork(t);
  await bench.close();
  for (const leftMs of [70_000, 40_000, 10_000]) {
    const life = await nextLife(t, folder);
    life.clock.advance(chargedEveryMs + 1_000);
    await quiet(life);
    t.is(life.supervisor.read('w')?.remainingMs, leftMs);
    await endedInPeace(life.ledger);
    await life.close();
  }
  const last = await nextLife(t, folder);
  last.clock.advance(10_000);
  await quiet(last);
  t.is(last.supervisor.read('w')?.status, 'failed');
  t.is(last.ledger.get('live', 'w'), undefined);
  t.is(last.clock.pending, 0);
});

test('a host that is told to stop keeps the time that is left to the millisecond', async (t) => {
  const { folder, bench } = await storeWithWork(t);
  bench.clock.advance(12_345);
  await bench.supervisor.notes.keepTimes();
  await bench.close();
  t.is((await nextLife(t, folder)).supervisor.read('w')?.remainingMs, budgetMs - 12_345);
});

test('the charge of a piece of time is no transition, and who waits is not charged', async (t) => {
  const { bench } = await storeWithWork(t);
  await bench.work('beside');
  const recorded = bench.supervisor.read('w')?.recorded;
  const before = bench.ledger.commits.length;
  bench.clock.advance(chargedEveryMs);
  await quiet(bench);
  t.deepEqual(
    bench.ledger.commits.slice(before).map((writes) => writes.map((write) => ('put' in write ? write.key : null))),
    [['w']],
  );
  t.deepEqual(bench.supervisor.read('w')?.recorded, recorded);
  await bench.supervisor.notes.keepTimes();
  t.is(bench.ledger.commits.length, before + 1);
});

test('work that keeps a part in each life is never ended by the deaths of hosts, however many', async (t) => {
  const { folder, bench } = await storeWithWork(t);
  await bench.close();
  for (let life = 0; life < 3 * (resumeLimit + deathLimit); life += 1) {
    const next = await nextLife(t, folder);
    t.is(next.effects.length, 1);
    await next.supervisor.notes.moved('w');
    t.like(next.supervisor.read('w'), { resumes: 0, alone: undefined });
    await next.close();
  }
});

test('work that is alone, and keeps a part, is trusted again: the others go on beside it', async (t) => {
  const { folder, bench } = await storeWithWork(t);
  await bench.close();
  for (let life = 0; life < resumeLimit; life += 1) await (await nextLife(t, folder)).close();
  const next = await openBench(t, folder, { workers: 2 });
  await next.recover();
  next.queue.open();
  next.clock.advance(aloneDelayMs(0));
  await quiet(next);
  await next.spawn('later');
  await next.supervisor.send('later', { type: 'call' });
  await quiet(next);
  t.is(next.supervisor.read('later')?.status, 'waiting');
  await next.supervisor.notes.moved('w');
  await quiet(next);
  t.is(next.supervisor.read('later')?.status, 'working');
});

test('a part that is kept writes no note of work that no host died over', async (t) => {
  const { bench } = await storeWithWork(t);
  const before = bench.ledger.commits.length;
  await bench.supervisor.notes.moved('w');
  await bench.supervisor.notes.moved('nobody');
  t.is(bench.ledger.commits.length, before);
});

test('no note is written over a transition that is on its way', async (t) => {
  const { bench } = await storeWithWork(t);
  bench.ledger.shut();
  bench.effects[0]?.resolve({ events: [draft('found')], writes: [] });
  await new Promise((resolve) => setImmediate(resolve));
  const before = bench.ledger.commits.length;
  bench.clock.advance(chargedEveryMs);
  await bench.supervisor.notes.keepTimes();
  t.is(bench.ledger.commits.length, before);
  bench.ledger.open();
  await quiet(bench);
  t.is(bench.supervisor.read('w')?.status, 'done');
});

test('a note that the store refuses ends the host, as every commit does', async (t) => {
  const { bench } = await storeWithWork(t);
  const full = new LedgerError('commit_failed', 'the disk is full');
  bench.ledger.refuse(full);
  bench.clock.advance(chargedEveryMs);
  await quiet(bench);
  t.deepEqual(bench.fatal, [full]);
});
