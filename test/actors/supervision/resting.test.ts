import test from 'ava';
import { draft, scratchFolder } from '../../storage/ledger/scratch.ts';
import { openBench, quiet } from './bench.ts';

test('an actor that rests costs a start nothing, and the next event resumes it where its row stands', async (t) => {
  const folder = await scratchFolder(t);
  const first = await openBench(t, folder);
  await first.spawn('a');
  await first.supervisor.send('a', { type: 'note' });
  await first.supervisor.send('a', { type: 'rest' });
  t.false(first.supervisor.isLive('a'));
  t.is(first.ledger.get('live', 'a'), undefined);
  await first.close();

  const bench = await openBench(t, folder);
  t.deepEqual(await bench.recover(), { resumed: 0, waiting: 0, ended: [], damaged: [] });
  t.true(await bench.supervisor.send('a', { type: 'call' }));
  t.deepEqual(bench.ledger.get('live', 'a'), { kind: 'errand' });
  t.like(bench.context('a'), { notes: 1 });
});

test('an event that a resting actor has no use for leaves it at rest', async (t) => {
  const bench = await openBench(t, await scratchFolder(t));
  const { supervisor, ledger } = bench;
  await bench.spawn('a');
  await supervisor.send('a', { type: 'rest' });
  const commits = ledger.commits.length;
  t.false(await supervisor.send('a', { type: 'worker.granted' }));
  t.false(supervisor.isLive('a'));
  t.is(ledger.commits.length, commits);
});

test('a resting actor takes a note and rests again, and is not resumed from a row that a newer one is about to replace', async (t) => {
  const bench = await openBench(t, await scratchFolder(t));
  const { supervisor, ledger } = bench;
  await bench.spawn('a');
  await supervisor.send('a', { type: 'rest' });
  ledger.shut();
  const noted = supervisor.send('a', { type: 'note' });
  t.false(await supervisor.send('a', { type: 'worker.granted' }));
  const notedAgain = supervisor.send('a', { type: 'note', events: [draft('again')] });
  ledger.open();
  t.deepEqual(await Promise.all([noted, notedAgain]), [true, true]);
  await quiet(bench);
  t.like(bench.context('a'), { notes: 2 });
  t.is((await ledger.verifyJournal('a')).seq, 2);
  t.false(supervisor.isLive('a'));
});

test('an actor at rest, of another version of its chart, is not resumed from what was read of it before another event resumed and ended it', async (t) => {
  const folder = await scratchFolder(t);
  const first = await openBench(t, folder);
  await first.spawn('a');
  await first.supervisor.send('a', { type: 'rest' });
  await first.close();

  const flights: (() => void)[] = [];
  const standing = async () => {
    await new Promise<void>((resolve) => flights.push(resolve));
    return { value: 'resting', context: { id: 'a', notes: 0, reason: null } };
  };
  const bench = await openBench(t, folder, { definition: { version: 2, standing } });
  const { supervisor } = bench;
  const end = { type: 'supervision.exhausted', message: 'enough' };
  const ends = [supervisor.send('a', end), supervisor.send('a', end)];
  flights[0]?.();
  t.true(await ends[0]);
  await quiet(bench);
  t.is(supervisor.read('a')?.status, 'failed');
  flights[1]?.();
  t.false(await ends[1]);
  t.is((await bench.ledger.verifyJournal('a')).seq, 1);
});
