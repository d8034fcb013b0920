import test, { type ExecutionContext } from 'ava';
import { aloneDelayMs, deathLimit, endedInPeace, resumeLimit } from '../../../actors/supervision/recovery.ts';
import { chargedEveryMs } from '../../../actors/supervision/time-budgets.ts';
import { LedgerError } from '../../../storage/ledger/ledger.ts';
import { draft, scratchFolder, seededNumbers } from '../../storage/ledger/scratch.ts';
import { type Bench, openBench } from './bench.ts';

const outcome = { events: [draft('found')], writes: [] };

/** A process that took up what the one before left. */
async function nextLife(t: ExecutionContext, folder: string, workers = 1): Promise<Bench> {
  const bench = await openBench(t, folder, { workers });
  await bench.recover();
  bench.queue.open();
  await bench.settled();
  return bench;
}

/** A store in which `w` has used up its resumes without a new commit; its host has just died again. */
async function storeOfSuspect(t: ExecutionContext): Promise<string> {
  const folder = await scratchFolder(t);
  const first = await nextLife(t, folder);
  await first.work('w');
  await first.close();
  for (let resumes = 1; resumes <= resumeLimit; resumes += 1) {
    const bench = await nextLife(t, folder);
    t.like(bench.supervisor.read('w'), { resumes, totalResumes: resumes });
    t.is(bench.effects.length, 1);
    await bench.close();
  }
  return folder;
}

const begun = ({ effects }: Bench) => effects.map(({ id }) => id);

async function wait(bench: Bench, ms: number): Promise<void> {
  await bench.advance(ms);
}

test('work that hosts died over three times waits behind all others, and then runs alone', async (t) => {
  const bench = await openBench(t, await storeOfSuspect(t));
  t.deepEqual(await bench.recover(), { resumed: 0, waiting: 1, ended: [], damaged: [], unserved: [] });
  bench.queue.open();
  for (const id of ['before', 'queued']) {
    await bench.call(id);
  }
  await wait(bench, aloneDelayMs(0));
  await bench.call('later');
  await bench.settled();
  t.deepEqual(begun(bench), ['before']);
  await bench.finish(0);
  t.deepEqual(begun(bench), ['before', 'queued']);
  await bench.finish(1);
  t.deepEqual(begun(bench), ['before', 'queued', 'w']);
  t.is(bench.status('later'), 'waiting');
  t.deepEqual(bench.supervisor.read('w')?.alone, { deaths: 0, isRunning: true });
  await bench.finish(2);
  t.is(bench.status('w'), 'done');
  t.deepEqual(begun(bench), ['before', 'queued', 'w', 'later']);
});

test('work that moves while it is alone is trusted again, and the others go on beside it', async (t) => {
  const bench = await nextLife(t, await storeOfSuspect(t), 2);
  await wait(bench, aloneDelayMs(0));
  await bench.call('b');
  t.deepEqual(begun(bench), ['w']);
  await bench.supervisor.send('w', { type: 'note' });
  await bench.settled();
  t.deepEqual(begun(bench), ['w', 'b']);
  t.like(bench.supervisor.read('w'), { resumes: 0, alone: undefined });
});

test('only the fifth death over work alone ends the work, and the wait doubles each time', async (t) => {
  const folder = await storeOfSuspect(t);
  for (let deaths = 0; deaths < deathLimit; deaths += 1) {
    const bench = await nextLife(t, folder);
    t.deepEqual(bench.supervisor.read('w')?.alone, { deaths, isRunning: false });
    await wait(bench, 5_000 * 2 ** deaths - 1);
    t.is(bench.effects.length, 0);
    await wait(bench, 1);
    t.is(bench.effects.length, 1);
    await bench.close();
  }
  const last = await openBench(t, folder);
  const reason =
    'resumes exhausted: the host died 5 times while this was the only work running; ' +
    'look in the log of the system for why it died (often memory), then begin another attempt';
  t.deepEqual((await last.recover()).ended, [`w: ${reason}`]);
  t.is(last.status('w'), 'failed');
  t.is(last.context('w').reason, reason);
  t.is(last.ledger.get('live', 'w'), undefined);
});

test('a host that dies while the work waits, or works among others, is not evidence', async (t) => {
  const folder = await storeOfSuspect(t);
  for (let life = 0; life < 8; life += 1) {
    const bench = await nextLife(t, folder, 2);
    t.deepEqual(bench.supervisor.read('w')?.alone, { deaths: 0, isRunning: false });
    for (const effect of bench.effects) effect.resolve(outcome);
    await bench.settled();
    if (life % 2 === 1) {
      await wait(bench, aloneDelayMs(0));
      t.true(bench.supervisor.read('w')?.alone?.isRunning);
      // Such as a person's decision, which takes no worker of a line.
      await bench.work(`beside ${life}`);
    }
    await bench.close();
  }
});

test('a host that dies before any work starts is not evidence', async (t) => {
  const folder = await scratchFolder(t);
  const first = await nextLife(t, folder);
  await first.work('w');
  await first.close();
  for (let life = 0; life < 4; life += 1) {
    const bench = await openBench(t, folder);
    bench.ledger.refuse(new Error('the host is gone'));
    await t.throwsAsync(bench.recover());
    t.is(bench.effects.length, 0);
    await bench.close();
  }
  const bench = await nextLife(t, folder);
  t.is(bench.supervisor.read('w')?.resumes, 1);
});

test('a host that is stopped on command is not evidence, however often', async (t) => {
  const folder = await scratchFolder(t);
  const first = await nextLife(t, folder);
  await first.work('w');
  await endedInPeace(first.ledger);
  await first.close();
  for (let life = 1; life <= 9; life += 1) {
    const bench = await nextLife(t, folder);
    t.like(bench.supervisor.read('w'), { resumes: 0, totalResumes: life });
    t.deepEqual(begun(bench), ['w']);
    await endedInPeace(bench.ledger);
    await bench.close();
  }
});

test('an event that ends work takes effect at once while the work waits for its turn', async (t) => {
  const bench = await nextLife(t, await storeOfSuspect(t));
  t.false(await bench.supervisor.send('w', { type: 'worker.granted' }));
  t.true(await bench.supervisor.send('w', { type: 'supervision.exhausted', message: 'canceled' }));
  t.is(bench.status('w'), 'failed');
  await wait(bench, aloneDelayMs(9));
  t.is(bench.effects.length, 0);
  await bench.work('b');
  await bench.settled();
  t.deepEqual(begun(bench), ['b']);
});

test('work that was ended is not begun when its turn comes before the end is on disk', async (t) => {
  const bench = await nextLife(t, await storeOfSuspect(t));
  bench.ledger.shut();
  const ended = bench.supervisor.send('w', { type: 'supervision.exhausted', message: 'canceled' });
  bench.clock.advance(aloneDelayMs(0));
  bench.ledger.open();
  t.true(await ended);
  await bench.settled();
  t.is(bench.status('w'), 'failed');
  t.deepEqual(begun(bench), []);
  t.is(bench.ledger.get('live', 'w'), undefined);
  await bench.work('b');
  await bench.settled();
  t.deepEqual(begun(bench), ['b']);
});

test('thirty hosts that die at random moments leave nothing undone', async (t) => {
  const below = seededNumbers(20_261_121);
  const folder = await scratchFolder(t);
  const ids: string[] = [];
  for (let kill = 0; kill < 30; kill += 1) {
    const bench = await nextLife(t, folder, 2);
    for (let more = below(3); more > 0; more -= 1) {
      const id = `w${ids.length}`;
      ids.push(id);
      await bench.call(id);
    }
    await wait(bench, below(8_000));
    if (below(3) === 0) await bench.finish(0);
    await bench.close();
  }
  const last = await nextLife(t, folder, 2);
  for (let done = 0; ids.some((id) => last.status(id) !== 'done'); done += 1) {
    t.true(done <= ids.length, 'each piece of work gets its turn');
    for (const effect of last.effects) effect.resolve(outcome);
    await wait(last, aloneDelayMs(deathLimit));
  }
  t.true(ids.length > 20);
  t.is(last.clock.pending, 0);
});

const budgetMs = 100_000;

/** A host that takes up what the one before left; work whose turn alone has to come gets it at once. */
async function nextLifeAtWork(t: ExecutionContext, folder: string): Promise<Bench> {
  const bench = await openBench(t, folder);
  await bench.recover();
  bench.queue.open();
  await bench.settled();
  const alone = bench.supervisor.read('w')?.alone;
  if (alone !== undefined) await bench.advance(aloneDelayMs(alone.deaths));
  return bench;
}

async function storeWithWork(t: ExecutionContext): Promise<{ folder: string; bench: Bench }> {
  const folder = await scratchFolder(t);
  const bench = await openBench(t, folder);
  await bench.recover();
  await bench.work('w', budgetMs);
  await bench.settled();
  return { folder, bench };
}

test('the time of a step before its host was killed counts, except under half a minute', async (t) => {
  const { folder, bench } = await storeWithWork(t);
  for (const ms of [chargedEveryMs, chargedEveryMs, 7_000]) {
    await bench.advance(ms);
  }
  await bench.close();
  const next = await nextLifeAtWork(t, folder);
  t.is(next.supervisor.read('w')?.remainingMs, budgetMs - 2 * chargedEveryMs);
  await next.advance(budgetMs - 2 * chargedEveryMs - 1);
  t.is(next.status('w'), 'working');
  await next.advance(1);
  t.is(next.status('w'), 'failed');
});

test('a step that is cut again and again uses up its time, and is not begun once more', async (t) => {
  const { folder, bench } = await storeWithWork(t);
  await bench.close();
  for (const leftMs of [70_000, 40_000, 10_000]) {
    const life = await nextLifeAtWork(t, folder);
    await life.advance(chargedEveryMs + 1_000);
    t.is(life.supervisor.read('w')?.remainingMs, leftMs);
    await endedInPeace(life.ledger);
    await life.close();
  }
  const last = await nextLifeAtWork(t, folder);
  await last.advance(10_000);
  t.is(last.status('w'), 'failed');
  t.is(last.ledger.get('live', 'w'), undefined);
  t.is(last.clock.pending, 0);
});

test('a host that is stopped on command keeps the remaining time to the millisecond', async (t) => {
  const { folder, bench } = await storeWithWork(t);
  bench.clock.advance(12_345);
  await bench.supervisor.notes.keepTimes();
  await bench.close();
  t.is((await nextLifeAtWork(t, folder)).supervisor.read('w')?.remainingMs, budgetMs - 12_345);
});

test('the charge of a piece of time is not a transition, and waiting work is not charged', async (t) => {
  const { bench } = await storeWithWork(t);
  await bench.work('beside');
  const recorded = bench.supervisor.read('w')?.recorded;
  const before = bench.ledger.commits.length;
  await bench.advance(chargedEveryMs);
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
    const next = await nextLifeAtWork(t, folder);
    t.is(next.effects.length, 1);
    await next.supervisor.notes.moved('w');
    t.like(next.supervisor.read('w'), { resumes: 0, alone: undefined });
    await next.close();
  }
});

test('work that is alone, and keeps a part, is trusted again: the others go on beside it', async (t) => {
  const { folder, bench } = await storeWithWork(t);
  await bench.close();
  for (let life = 0; life < resumeLimit; life += 1) await (await nextLifeAtWork(t, folder)).close();
  const next = await openBench(t, folder, { workers: 2 });
  await next.recover();
  next.queue.open();
  await next.advance(aloneDelayMs(0));
  await next.call('later');
  await next.settled();
  t.is(next.status('later'), 'waiting');
  await next.supervisor.notes.moved('w');
  await next.settled();
  t.is(next.status('later'), 'working');
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
  await bench.settled();
  t.is(bench.status('w'), 'done');
});

test('a note that the store refuses ends the host, as every commit does', async (t) => {
  const { bench } = await storeWithWork(t);
  const full = new LedgerError('commit_failed', 'the disk is full');
  bench.ledger.refuse(full);
  await bench.advance(chargedEveryMs);
  t.deepEqual(bench.fatal, [full]);
});
