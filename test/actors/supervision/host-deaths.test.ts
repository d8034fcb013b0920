import test, { type ExecutionContext } from 'ava';
import { aloneDelayMs, deathLimit, resumeLimit } from '../../../actors/supervision/host-deaths.ts';
import { endedInPeace } from '../../../actors/supervision/recovery.ts';
import { draft, scratchFolder, seededNumbers } from '../../storage/ledger/scratch.ts';
import { type Bench, openBench, quiet } from './bench.ts';

const outcome = { events: [draft('found')], writes: [] };

/** A process that took up what the one before left. */
async function nextLife(t: ExecutionContext, folder: string, workers = 1): Promise<Bench> {
  const bench = await openBench(t, folder, { workers });
  await bench.recover();
  bench.queue.open();
  await quiet(bench);
  return bench;
}

/** A store in which `w` was taken up as often as work may be without a new commit; its host has just died again. */
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
  bench.clock.advance(ms);
  await quiet(bench);
}

test('work that hosts died over three times waits five seconds, behind all others, and then runs alone', async (t) => {
  const bench = await openBench(t, await storeOfSuspect(t));
  t.deepEqual(await bench.recover(), { resumed: 0, waiting: 1, ended: [], damaged: [] });
  bench.queue.open();
  for (const id of ['before', 'queued']) {
    await bench.spawn(id);
    await bench.supervisor.send(id, { type: 'call' });
  }
  await wait(bench, aloneDelayMs(0));
  await bench.spawn('later');
  await bench.supervisor.send('later', { type: 'call' });
  await quiet(bench);
  t.deepEqual(begun(bench), ['before']);
  bench.effects[0]?.resolve(outcome);
  await quiet(bench);
  t.deepEqual(begun(bench), ['before', 'queued']);
  bench.effects[1]?.resolve(outcome);
  await quiet(bench);
  t.deepEqual(begun(bench), ['before', 'queued', 'w']);
  t.is(bench.supervisor.read('later')?.status, 'waiting');
  t.deepEqual(bench.supervisor.read('w')?.alone, { deaths: 0, isRunning: true });
  bench.effects[2]?.resolve(outcome);
  await quiet(bench);
  t.is(bench.supervisor.read('w')?.status, 'done');
  t.deepEqual(begun(bench), ['before', 'queued', 'w', 'later']);
});

test('work that moves while it is alone is trusted again, and the others go on beside it', async (t) => {
  const bench = await nextLife(t, await storeOfSuspect(t), 2);
  await wait(bench, aloneDelayMs(0));
  await bench.spawn('b');
  await bench.supervisor.send('b', { type: 'call' });
  t.deepEqual(begun(bench), ['w']);
  await bench.supervisor.send('w', { type: 'note' });
  await quiet(bench);
  t.deepEqual(begun(bench), ['w', 'b']);
  t.like(bench.supervisor.read('w'), { resumes: 0, alone: undefined });
});

test('only the fifth death of a host that nothing else was at work in ends the work, and the wait doubles each time', async (t) => {
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
  t.is(last.supervisor.read('w')?.status, 'failed');
  t.is(last.context('w').reason, reason);
  t.is(last.ledger.get('live', 'w'), undefined);
});

test('a host that dies while the work waits for its turn, or while something else is at work, is no evidence', async (t) => {
  const folder = await storeOfSuspect(t);
  for (let life = 0; life < 8; life += 1) {
    const bench = await nextLife(t, folder, 2);
    t.deepEqual(bench.supervisor.read('w')?.alone, { deaths: 0, isRunning: false });
    for (const effect of bench.effects) effect.resolve(outcome);
    await quiet(bench);
    if (life % 2 === 1) {
      await wait(bench, aloneDelayMs(0));
      t.true(bench.supervisor.read('w')?.alone?.isRunning);
      // Such as a person's decision, which takes no worker of a line.
      await bench.work(`beside ${life}`);
    }
    await bench.close();
  }
});

test('a host that dies before it lets anything work is no evidence', async (t) => {
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

test('a host that is told to stop is no evidence, however often', async (t) => {
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
  t.is(bench.supervisor.read('w')?.status, 'failed');
  await wait(bench, aloneDelayMs(9));
  t.is(bench.effects.length, 0);
  await bench.work('b');
  await quiet(bench);
  t.deepEqual(begun(bench), ['b']);
});

test('work that was ended while it waited is not begun when its turn comes before the end is on disk', async (t) => {
  const bench = await nextLife(t, await storeOfSuspect(t));
  bench.ledger.shut();
  const ended = bench.supervisor.send('w', { type: 'supervision.exhausted', message: 'canceled' });
  bench.clock.advance(aloneDelayMs(0));
  bench.ledger.open();
  t.true(await ended);
  await quiet(bench);
  t.is(bench.supervisor.read('w')?.status, 'failed');
  t.deepEqual(begun(bench), []);
  t.is(bench.ledger.get('live', 'w'), undefined);
  await bench.work('b');
  await quiet(bench);
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
      await bench.spawn(id);
      await bench.supervisor.send(id, { type: 'call' });
    }
    await wait(bench, below(8_000));
    if (below(3) === 0) bench.effects[0]?.resolve(outcome);
    await quiet(bench);
    await bench.close();
  }
  const last = await nextLife(t, folder, 2);
  for (let done = 0; ids.some((id) => last.supervisor.read(id)?.status !== 'done'); done += 1) {
    t.true(done <= ids.length, 'each piece of work gets its turn');
    for (const effect of last.effects) effect.resolve(outcome);
    await wait(last, aloneDelayMs(deathLimit));
  }
  t.true(ids.length > 20);
  t.is(last.clock.pending, 0);
});
