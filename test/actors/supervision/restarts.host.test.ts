import test from 'ava';
import type { CommitEmission } from '../../../machines/emission.ts';
import { eventually } from '../../patience.ts';
import { draft, scratchFolder } from '../../storage/ledger/scratch.ts';
import { newBench, openBench } from './bench.ts';

test('an actor that throws starts again from its last snapshot, after 100, 200 and 400 ms', async (t) => {
  const { supervisor, spawn, advance, context, ledger, fatal } = await newBench(t);
  const isDown = () => supervisor.lifetime('a').aborted;
  await spawn('a');
  await supervisor.send('a', { type: 'note' });
  for (const delay of [100, 200, 400]) {
    await supervisor.send('a', { type: 'poison' });
    t.true(isDown());
    await advance(delay - 1);
    t.true(isDown(), `too early for ${delay}`);
    await advance(1);
    t.false(isDown(), `late for ${delay}`);
    t.like(context('a'), { notes: 1, reason: null });
  }
  // The first snapshot, the note, and each restart.
  t.is(ledger.commits.length, 5);
  t.deepEqual(fatal, []);
});

test('after three restarts in a minute the chart itself ends the actor, and siblings go on', async (t) => {
  const { supervisor, ledger, clock, spawn, advance, status, context } = await newBench(t);
  await spawn('a');
  await spawn('b');
  for (const delay of [100, 200, 400, 0]) {
    await supervisor.send('a', { type: 'poison' });
    await advance(delay);
  }
  t.is(status('a'), 'failed');
  t.like(context('a'), { reason: 'restarts exhausted: the event is poison' });
  t.is(ledger.get('live', 'a'), undefined);
  t.is(ledger.journalHead('a').seq, 1);
  t.false(supervisor.isLive('a'));
  t.true(await supervisor.send('b', { type: 'call' }));
  t.is(clock.pending, 0);
});

test('bug: an actor that throws each time was started for ever where the clock was set forward', async (t) => {
  const { supervisor, clock, spawn, advance, context } = await newBench(t);
  await spawn('a');
  for (const delay of [100, 200, 400, 0]) {
    await supervisor.send('a', { type: 'poison' });
    await advance(delay);
    clock.set(3_600_000);
  }
  t.like(context('a'), { reason: 'restarts exhausted: the event is poison' });
});

test('crashes more than a minute old no longer count', async (t) => {
  const { supervisor, clock, spawn, advance } = await newBench(t);
  await spawn('a');
  for (let crash = 0; crash < 9; crash += 1) {
    await supervisor.send('a', { type: 'poison' });
    await advance(100);
    t.false(supervisor.lifetime('a').aborted);
    clock.advance(60_000);
  }
});

test('a failed actor takes its effects and timers along, and their later results reach nobody', async (t) => {
  const bench = await newBench(t);
  const { supervisor, ledger, effects, clock } = bench;
  await bench.work('a', 1000);
  await bench.settled();
  t.is(clock.pending, 1);
  await supervisor.send('a', { type: 'poison' });
  t.true(effects[0]?.signal.aborted);
  t.is(clock.pending, 1, 'the restart alone is set');
  await bench.advance(100);
  t.is(effects.length, 2);
  t.false(effects[1]?.signal.aborted);

  const commits = ledger.commits.length;
  await bench.finish(0, { events: [draft('from the dead')], writes: [] });
  t.is(ledger.commits.length, commits);
  await bench.finish(1);
  t.is(bench.status('a'), 'done');
  t.is(ledger.journalHead('a').seq, 2);
});

test('a restart waits for the commit that is under way, and goes on from it', async (t) => {
  const { supervisor, ledger, clock, spawn, settled, context } = await newBench(t);
  await spawn('a');
  ledger.shut();
  const noted = supervisor.send('a', { type: 'note' });
  const poisoned = supervisor.send('a', { type: 'poison' });
  clock.advance(100);
  await eventually('the restart', () => supervisor.lifetime('a').aborted);
  ledger.open();
  await Promise.all([noted, poisoned]);
  await settled();
  t.true(await supervisor.send('a', { type: 'note' }));
  t.like(context('a'), { notes: 2 });
  t.is(ledger.journalHead('a').seq, 2);
});

test('a worker that was granted while the actor was down is granted again', async (t) => {
  const bench = await newBench(t);
  const { supervisor, queue } = bench;
  for (const id of ['a', 'b']) {
    await bench.call(id);
  }
  await supervisor.send('a', { type: 'poison' });
  queue.open();
  await bench.settled();
  t.is(bench.status('a'), 'waiting');
  await bench.advance(100);
  t.is(bench.status('a'), 'working');
  t.is(bench.status('b'), 'waiting');
  bench.effects[0]?.reject(new Error('no luck'));
  await bench.settled();
  t.is(bench.status('b'), 'working');
});

test('an actor whose entries cannot be worked out fails alone and ends without them', async (t) => {
  const bench = await newBench(t, {
    definition: {
      writes: ({ id, emissions }) => {
        if (id === 'a' && emissions.length > 0) throw new Error('its rows are damaged');
        return emissions.flatMap((emission) => (emission as CommitEmission).writes);
      },
    },
  });
  const { supervisor, ledger } = bench;
  await bench.spawn('a');
  await bench.spawn('b');
  for (const delay of [100, 200, 400, 0]) {
    await supervisor.send('a', { type: 'note' });
    await bench.advance(delay);
  }
  t.is(bench.status('a'), 'failed');
  t.like(bench.context('a'), { notes: 0, reason: 'restarts exhausted: its rows are damaged' });
  t.is(ledger.journalHead('a').seq, 0);
  t.is(bench.reports.at(-1), 'errand a ends without its last entries: its rows are damaged');
  t.true(await supervisor.send('b', { type: 'note' }));
  t.deepEqual(bench.fatal, []);
});

test('an actor that may not restart any more ends from what is on disk', async (t) => {
  const bench = await newBench(t);
  await bench.spawn('a');
  for (const delay of [100, 200, 400, 0]) {
    await t.throwsAsync(bench.supervisor.send('a', { type: 'note', events: [draft(Number.NaN)] }));
    await bench.advance(delay);
  }
  t.is(bench.status('a'), 'failed');
  t.like(bench.context('a'), { notes: 0 });
  t.is(bench.ledger.journalHead('a').seq, 1);
});

test('a stored actor whose last entries cannot be stored ends without them', async (t) => {
  const folder = await scratchFolder(t);
  const first = await openBench(t, folder);
  await first.spawn('a');
  await first.close();
  const bench = await openBench(t, folder, {
    definition: { version: 2, writes: ({ id }) => [{ append: id, events: [draft(Number.NaN)] }] },
  });
  t.is((await bench.recover()).ended.length, 1);
  t.is(bench.status('a'), 'failed');
  t.is(bench.ledger.journalHead('a').seq, 0);
  t.is(bench.ledger.get('live', 'a'), undefined);
  t.deepEqual(bench.fatal, []);
});

test('an actor that cannot even begin is refused, and nothing of it is kept', async (t) => {
  const bench = await newBench(t, {
    definition: {
      writes: () => {
        throw new Error('no first entry');
      },
    },
  });
  await t.throwsAsync(bench.spawn('a', [{ put: 'record', key: 'promise', value: 1 }]), { message: 'no first entry' });
  await bench.settled();
  t.is(bench.ledger.commits.length, 0);
  t.false(bench.supervisor.isLive('a'));
  t.is(bench.supervisor.read('a'), undefined);
  t.is(bench.clock.pending, 0);
  t.deepEqual(bench.fatal, []);
});

test('a host that stops cancels the restarts it had planned', async (t) => {
  const bench = await newBench(t);
  await bench.spawn('a');
  await bench.supervisor.send('a', { type: 'poison' });
  bench.supervisor.stop();
  t.is(bench.clock.pending, 0);
  await bench.advance(100);
  t.is(bench.ledger.commits.length, 1);
});

test('an event for an actor that waits for its restart is delivered after that', async (t) => {
  const { supervisor, clock, spawn, settled, status } = await newBench(t);
  await spawn('a');
  await supervisor.send('a', { type: 'poison' });
  t.true(supervisor.awaits('a', 'call'));
  let answer: boolean | null = null;
  const calling = supervisor.send('a', { type: 'call' }).then((delivered) => {
    answer = delivered;
  });
  await settled();
  t.is(answer, null);
  clock.advance(100);
  await calling;
  t.true(answer);
  t.is(status('a'), 'waiting');
});

test('an event for an actor that ends instead of starting again is told that it came too late', async (t) => {
  const { supervisor, clock, spawn, status } = await newBench(t, {
    definition: { cutShort: () => ({ type: 'supervision.exhausted', message: 'not twice' }) as const },
  });
  await spawn('a');
  await supervisor.send('a', { type: 'poison' });
  const calling = supervisor.send('a', { type: 'call' });
  clock.advance(100);
  t.false(await calling);
  t.is(status('a'), 'failed');
});

test('a thousand actors that wait need no timer, and each gets its worker in its turn', async (t) => {
  const { supervisor, queue, effects, clock, spawn, settled } = await newBench(t);
  queue.open();
  const ids = Array.from({ length: 1000 }, (_, at) => `w${at}`);
  await Promise.all(ids.map((id) => spawn(id)));
  await Promise.all(ids.map((id) => supervisor.send(id, { type: 'call' })));
  t.is(clock.pending, 0);
  for (const [at, id] of ids.entries()) {
    while (effects.length <= at) await settled();
    t.is(effects[at]?.id, id);
    effects[at]?.resolve({ events: [], writes: [] });
    if (at === 9) break;
  }
  await settled();
  t.is(supervisor.countLive('errand'), 990);
});

test('two changes of one actor that cannot be stored restart it once', async (t) => {
  const bench = await newBench(t);
  await bench.work('a');
  await bench.settled();
  const note = { type: 'note', writes: [{ put: 'record', key: 'half', value: '\ud800' }] };
  const sent = [bench.supervisor.send('a', note), bench.supervisor.send('a', note)];
  await Promise.allSettled(sent);
  for (let round = 0; round < 5; round += 1) {
    await bench.advance(400);
  }
  t.deepEqual(
    bench.effects.map(({ signal }) => signal.aborted),
    [true, false],
  );
  await bench.finish(-1);
  t.is(bench.status('a'), 'done');
});
