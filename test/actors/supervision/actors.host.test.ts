import test from 'ava';
import { aloneDelayMs, resumeLimit } from '../../../actors/supervision/recovery.ts';
import { WorkQueue } from '../../../actors/supervision/work-queue.ts';
import { eventKey } from '../../../storage/ledger/keys.ts';
import { LedgerError } from '../../../storage/ledger/ledger.ts';
import { draft, scratchFolder, withRawRows } from '../../storage/ledger/scratch.ts';
import { newBench, openBench, quiet } from './bench.ts';

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test('a transition is one commit: snapshot, journal, rows and live index together', async (t) => {
  const { ledger, supervisor, spawn } = await newBench(t);
  await spawn('a', [{ put: 'record', key: 'promise', value: 1 }]);
  t.deepEqual(
    ledger.commits.map((writes) => writes.map((write) => ('put' in write ? write.put : 'other'))),
    [['record', 'snapshot', 'live', 'other']],
  );
  await supervisor.send('a', { type: 'note', writes: [{ put: 'record', key: 'noted', value: 2 }] });
  await supervisor.send('a', { type: 'supervision.exhausted', message: 'enough' });
  t.is(ledger.commits.length, 3);
  t.like(ledger.commits[1], [{ append: 'a' }, { put: 'record', key: 'noted' }, { put: 'snapshot', key: 'a' }]);
  t.like(ledger.commits[2], [{ append: 'a' }, { put: 'snapshot', key: 'a' }, { del: 'live', key: 'a' }]);
  t.is(ledger.get('live', 'a'), undefined);
  t.is(ledger.journalHead('a').seq, 2);
});

test('an event that changes nothing commits nothing and returns a distinct answer', async (t) => {
  const bench = await newBench(t);
  await bench.spawn('a');
  t.false(await bench.supervisor.send('a', { type: 'worker.granted' }));
  t.false(await bench.supervisor.send('nobody', { type: 'call' }));
  t.true(await bench.supervisor.send('a', { type: 'call' }));
  t.is(bench.ledger.commits.length, 2);
});

test('spawn and send resolve when the change is on disk, and readers see it then', async (t) => {
  const { ledger, supervisor, spawn, status } = await newBench(t);
  ledger.shut();
  let isSpawned = false;
  const spawning = spawn('a').then(() => {
    isSpawned = true;
  });
  await nextTurn();
  t.false(isSpawned);
  t.is(supervisor.read('a'), undefined);
  ledger.open();
  await spawning;
  t.is(status('a'), 'idle');

  ledger.shut();
  let isSent = false;
  const sending = supervisor.send('a', { type: 'call' }).then(() => {
    isSent = true;
  });
  await nextTurn();
  t.false(isSent);
  t.is(status('a'), 'idle');
  ledger.open();
  await sending;
  t.is(status('a'), 'waiting');
});

test('an effect starts only after the commit of the snapshot that invoked it', async (t) => {
  const { ledger, supervisor, effects, call, settled } = await newBench(t);
  await call('a');
  ledger.shut();
  const granting = supervisor.send('a', { type: 'worker.granted' });
  for (let round = 0; round < 10; round += 1) await nextTurn();
  t.is(effects.length, 0);
  t.is(ledger.journalHead('a').seq, 0);
  ledger.open();
  await granting;
  await settled();
  t.is(effects.length, 1);
  t.is(ledger.journalHead('a').seq, 1);
});

test('the result of an effect, its events and the end of the actor are one commit', async (t) => {
  const bench = await newBench(t);
  const { ledger, supervisor } = bench;
  await bench.work('a');
  await bench.settled();
  await bench.finish(0, { events: [draft('found')], writes: [{ put: 'record', key: 'result', value: 'found' }] });
  t.like(ledger.commits.at(-1), [
    { append: 'a' },
    { put: 'record', key: 'result' },
    { put: 'snapshot', key: 'a' },
    { del: 'live', key: 'a' },
  ]);
  t.false(supervisor.isLive('a'));
  t.is(bench.status('a'), 'done');
  t.false(await supervisor.send('a', { type: 'note' }));
  t.is(bench.clock.pending, 0);
});

test('the time of a state moves with the state alone', async (t) => {
  const { clock, supervisor, spawn } = await newBench(t);
  await spawn('a');
  const began = clock.now();
  clock.advance(500);
  await supervisor.send('a', { type: 'note' });
  t.is(supervisor.read('a')?.updatedAt, began);
  await supervisor.send('a', { type: 'call' });
  t.is(supervisor.read('a')?.updatedAt, began + 500);
});

test('a store that takes no more is fatal, and no caller believes that something was kept', async (t) => {
  const failure = new LedgerError('commit_failed', 'the disk is gone');
  const bench = await newBench(t);
  bench.ledger.refuse(failure);
  await t.throwsAsync(bench.spawn('a'), { is: failure });
  t.deepEqual(bench.fatal, [failure]);
  t.is(bench.supervisor.read('a'), undefined);
});

test('a failed commit fails its own actor, and the next attempt begins from the disk', async (t) => {
  const { supervisor, ledger, spawn, settled, fatal, advance } = await newBench(t);
  await spawn('a');
  await spawn('b');
  await t.throwsAsync(supervisor.send('a', { type: 'note', events: [draft(Number.NaN)] }));
  await settled();
  t.deepEqual(fatal, []);
  t.true(supervisor.lifetime('a').aborted);
  t.true(await supervisor.send('b', { type: 'call' }));
  await advance(100);
  t.true(await supervisor.send('a', { type: 'note' }));
  t.is(ledger.journalHead('a').seq, 1);
});

test('a journal found damaged by an append ends its actor and is not written to', async (t) => {
  const folder = await scratchFolder(t);
  const first = await openBench(t, folder);
  for (const id of ['a', 'b']) {
    await first.spawn(id);
    for (let round = 0; round < 3; round += 1) await first.supervisor.send(id, { type: 'note' });
  }
  await first.close();
  await withRawRows(folder, (rows) => rows.del(eventKey('a', 3)));

  const bench = await openBench(t, folder, { definition: { hasJournal: false } });
  await bench.recover();
  await t.throwsAsync(bench.supervisor.send('a', { type: 'note' }), { code: 'invalid_journal_chain' });
  await bench.settled();
  t.deepEqual(bench.fatal, []);
  t.is(bench.status('a'), 'failed');
  t.is(bench.ledger.get('live', 'a'), undefined);
  t.is(bench.ledger.journalHead('a').seq, 3);
  t.true(await bench.supervisor.send('b', { type: 'note' }));
});

test('listeners get every commit once it is readable, and one that throws harms no other', async (t) => {
  const { supervisor, spawn, status, fatal, reports } = await newBench(t);
  await spawn('a');
  const notified: unknown[] = [];
  supervisor.watch('a', () => {
    throw new Error('a reader gave up');
  });
  const unwatch = supervisor.watch('a', () => notified.push(status('a')));
  await supervisor.send('a', { type: 'call' });
  await supervisor.send('a', { type: 'worker.granted' });
  unwatch();
  await supervisor.send('a', { type: 'note' });
  t.deepEqual(notified, ['waiting', 'working']);
  t.deepEqual(fatal, []);
  t.deepEqual(reports, Array(3).fill('a listener of a failed: a reader gave up'));
});

test('stopping aborts every effect, journals nothing, and leaves the actors live', async (t) => {
  const bench = await newBench(t);
  const { ledger, supervisor, effects, clock } = bench;
  await bench.work('a', 1000);
  await bench.spawn('b');
  await bench.settled();
  const commits = ledger.commits.length;
  supervisor.stop();
  await bench.settled();
  t.true(effects[0]?.signal.aborted);
  await bench.finish(0, { events: [draft('too late')], writes: [] });
  t.is(ledger.commits.length, commits);
  t.is(clock.pending, 0);
  t.deepEqual(await ledger.list('live'), [
    { key: 'a', value: { kind: 'errand' } },
    { key: 'b', value: { kind: 'errand' } },
  ]);
});

test('bug: a host that was stopped still wrote files for effects that its end had cut', async (t) => {
  const bench = await newBench(t);
  await bench.work('a', 1000);
  await bench.settled();
  bench.supervisor.stop();
  t.true(bench.effects[0]?.signal.aborted);
  let hasEnded = false;
  const ended = bench.supervisor.effectsEnded().then(() => {
    hasEnded = true;
  });
  await bench.settled();
  t.false(hasEnded, 'the effect is at work');
  await bench.finish(0, { events: [], writes: [] });
  await ended;
  t.true(hasEnded);
});

test('an actor at rest costs a start nothing, and the next event resumes it from its row', async (t) => {
  const folder = await scratchFolder(t);
  const first = await openBench(t, folder);
  await first.spawn('a');
  await first.supervisor.send('a', { type: 'note' });
  await first.supervisor.send('a', { type: 'rest' });
  t.false(first.supervisor.isLive('a'));
  t.is(first.ledger.get('live', 'a'), undefined);
  await first.close();

  const bench = await openBench(t, folder);
  t.deepEqual(await bench.recover(), { resumed: 0, waiting: 0, ended: [], damaged: [], unserved: [] });
  t.true(await bench.supervisor.send('a', { type: 'call' }));
  t.deepEqual(bench.ledger.get('live', 'a'), { kind: 'errand' });
  t.like(bench.context('a'), { notes: 1 });
});

test('an event that a resting actor has no use for leaves it at rest', async (t) => {
  const { supervisor, ledger, spawn } = await newBench(t);
  await spawn('a');
  await supervisor.send('a', { type: 'rest' });
  const commits = ledger.commits.length;
  t.false(await supervisor.send('a', { type: 'worker.granted' }));
  t.false(supervisor.isLive('a'));
  t.is(ledger.commits.length, commits);
});

test('a resting actor takes a note, rests again, and is not resumed from an outdated row', async (t) => {
  const { supervisor, ledger, spawn, settled, context } = await newBench(t);
  await spawn('a');
  await supervisor.send('a', { type: 'rest' });
  ledger.shut();
  const noted = supervisor.send('a', { type: 'note' });
  t.false(await supervisor.send('a', { type: 'worker.granted' }));
  const notedAgain = supervisor.send('a', { type: 'note', events: [draft('again')] });
  ledger.open();
  t.deepEqual(await Promise.all([noted, notedAgain]), [true, true]);
  await settled();
  t.like(context('a'), { notes: 2 });
  t.is((await ledger.verifyJournal('a')).seq, 2);
  t.false(supervisor.isLive('a'));
});

test('a resting actor of another version is not resumed from a read before its end', async (t) => {
  const folder = await scratchFolder(t);
  const first = await openBench(t, folder);
  await first.spawn('a');
  await first.supervisor.send('a', { type: 'rest' });
  await first.close();

  const flights: (() => void)[] = [];
  const storedPosition = async () => {
    await new Promise<void>((resolve) => flights.push(resolve));
    return { value: 'resting', context: { id: 'a', notes: 0, reason: null } };
  };
  const bench = await openBench(t, folder, { definition: { version: 2, storedPosition } });
  const { supervisor } = bench;
  const end = { type: 'supervision.exhausted', message: 'enough' };
  const ends = [supervisor.send('a', end), supervisor.send('a', end)];
  flights[0]?.();
  t.true(await ends[0]);
  await bench.settled();
  t.is(bench.status('a'), 'failed');
  flights[1]?.();
  t.false(await ends[1]);
  t.is((await bench.ledger.verifyJournal('a')).seq, 1);
});

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
