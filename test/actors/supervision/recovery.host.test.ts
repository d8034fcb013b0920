import test, { type ExecutionContext } from 'ava';
import { type ActorRow, actorRow, upgradedRow } from '../../../actors/supervision/actor-row.ts';
import type { CommitEmission } from '../../../machines/emission.ts';
import {
  type ChartMigration,
  type ChartMigrations,
  type StoredChart,
  unchanged,
} from '../../../machines/migrations.ts';
import { eventKey, headKey, rowKey } from '../../../storage/ledger/keys.ts';
import { decodeRow, encodeRow } from '../../../storage/ledger/row-codec.ts';
import { eventually } from '../../patience.ts';
import { draft, scratchFolder, startOfTest, withRawRows } from '../../storage/ledger/scratch.ts';
import { newBench, openBench } from './bench.ts';

/** A store with the working errand `w` and the waiting errands `z`, `m`, `a`, called in this order; their process is gone. */
async function storeOfFour(t: ExecutionContext): Promise<string> {
  const folder = await scratchFolder(t);
  const bench = await openBench(t, folder);
  await bench.recover();
  await bench.work('w', 60_000);
  for (const id of ['z', 'm', 'a']) {
    await bench.call(id);
    await bench.supervisor.send(id, { type: 'note' });
  }
  await bench.settled();
  await bench.close();
  return folder;
}

const rawRows = (folder: string) => withRawRows(folder, (rows) => rows.iterator().all());

/** Changes one errand's row on disk. */
const changeRow = (folder: string, id: string, change: (row: Record<string, unknown>) => unknown) =>
  withRawRows(folder, async (rows) => {
    const key = rowKey('snapshot', id);
    const stored = await rows.get(key);
    if (stored === undefined) throw new Error(`${id} has no row`);
    await rows.put(key, encodeRow(key, change(decodeRow(key, stored) as Record<string, unknown>)));
  });

test('live actors resume at the state of their rows, and ended ones are only read', async (t) => {
  const folder = await scratchFolder(t);
  const first = await openBench(t, folder);
  await first.work('working');
  await first.spawn('idle');
  await first.spawn('ended');
  await first.supervisor.send('ended', { type: 'supervision.exhausted', message: 'enough' });
  await first.close();

  const bench = await openBench(t, folder);
  t.deepEqual(await bench.recover(), { resumed: 1, waiting: 1, ended: [], damaged: [], unserved: [] });
  await bench.settled();
  t.deepEqual(
    bench.effects.map(({ id }) => id),
    ['working'],
  );
  t.false(bench.supervisor.isLive('ended'));
  t.is(bench.status('ended'), 'failed');
  t.true(await bench.supervisor.send('idle', { type: 'call' }));
  await bench.finish(0);
  t.is(bench.status('working'), 'done');
  t.is((await bench.ledger.verifyJournal('working')).seq, 2);
});

test('the work queue outlives the process in its order, behind those who had a worker', async (t) => {
  const folder = await storeOfFour(t);
  const bench = await openBench(t, folder);
  const { queue, effects } = bench;
  await bench.recover();
  await bench.call('new');
  queue.open();
  await bench.settled();
  for (let turn = 0; turn < 5; turn += 1) {
    t.is(effects.length, turn + 1);
    effects[turn]?.reject(new Error('no luck'));
    await bench.settled();
  }
  t.deepEqual(
    effects.map(({ id }) => id),
    ['w', 'z', 'm', 'a', 'new'],
  );
});

test('a new commit resets the count of resumes', async (t) => {
  const folder = await storeOfFour(t);
  for (let process = 1; process <= 4; process += 1) {
    const bench = await openBench(t, folder);
    t.is((await bench.recover()).resumed, 1);
    t.like(bench.supervisor.read('w'), { resumes: 1, totalResumes: process });
    await bench.supervisor.send('w', { type: 'note' });
    t.like(bench.supervisor.read('w'), { resumes: 0, totalResumes: process });
    await bench.close();
  }
});

const unreadable: Readonly<Record<string, (folder: string) => Promise<unknown>>> = {
  'whose row fails its checksum': (folder) =>
    withRawRows(folder, (rows) => rows.put(rowKey('snapshot', 'm'), Buffer.from('not a row at all'))),
  'whose row is gone': (folder) => withRawRows(folder, (rows) => rows.del(rowKey('snapshot', 'm'))),
  'whose place in the live index is damaged': (folder) =>
    withRawRows(folder, (rows) => rows.put(rowKey('live', 'm'), Buffer.from('not a row at all'))),
  'of an unknown kind': (folder) => changeRow(folder, 'm', (row) => ({ ...row, kind: 'pilgrimage' })),
  'whose row has another shape': (folder) => changeRow(folder, 'm', (row) => ({ ...row, ticket: 'first' })),
  'whose snapshot is none': (folder) => changeRow(folder, 'm', (row) => ({ ...row, snapshot: null })),
};

for (const [what, damage] of Object.entries(unreadable)) {
  test(`an actor ${what} is set aside untouched`, async (t) => {
    const folder = await storeOfFour(t);
    await damage(folder);
    const rowsOfM = async () => (await rawRows(folder)).filter(([key]) => key.toString().startsWith('sm'));
    const before = await rowsOfM();
    const bench = await openBench(t, folder, { workers: 4 });
    // A kind that this program does not know may be that of a feature which is gone, and no damage.
    const left = what === 'of an unknown kind' ? { damaged: [], unserved: ['m'] } : { damaged: ['m'], unserved: [] };
    t.deepEqual(await bench.recover(), { resumed: 1, waiting: 2, ended: [], ...left });
    bench.queue.open();
    await bench.settled();
    t.deepEqual(bench.effects.map(({ id }) => id).sort(), ['a', 'w', 'z']);
    await bench.close();
    t.deepEqual(await rowsOfM(), before);
  });
}

const outdated: Readonly<Record<string, { change: (row: Record<string, unknown>) => unknown; reason: string }>> = {
  'of another version of its machine': {
    change: (row) => ({ ...row, machineVersion: 0 }),
    reason: 'version 0 of errand can no longer be resumed',
  },
  'of another machine': {
    change: (row) => ({ ...row, machineId: 'pilgrimage' }),
    reason: 'pilgrimage cannot be resumed from its stored state',
  },
  'in a state that its machine does not have': {
    change: (row) => ({ ...row, snapshot: { ...Object(row.snapshot), value: 'lost' } }),
    reason: 'errand cannot be resumed from its stored state',
  },
};

for (const [what, { change, reason }] of Object.entries(outdated)) {
  test(`an actor ${what} is ended by its chart`, async (t) => {
    const folder = await storeOfFour(t);
    await changeRow(folder, 'w', change);
    const bench = await openBench(t, folder, { workers: 4 });
    t.deepEqual(await bench.recover(), { resumed: 0, waiting: 3, ended: [`w: ${reason}`], damaged: [], unserved: [] });
    t.is(bench.status('w'), 'failed');
    t.is(bench.context('w').reason, reason);
    t.is((await bench.ledger.verifyJournal('w')).seq, 2);
    bench.queue.open();
    await bench.settled();
    t.deepEqual(
      bench.effects.map(({ id }) => id),
      ['z', 'm', 'a'],
    );
    t.deepEqual(bench.fatal, []);
  });
}

const journalDamage: Readonly<Record<string, { key: Buffer; value: Buffer | null; code: string }>> = {
  'lacks an event': { key: eventKey('w', 2), value: null, code: 'invalid_journal_chain' },
  'holds something that is no event': { key: eventKey('w', 1), value: Buffer.from('?'), code: 'malformed_journal' },
  'has a damaged head': { key: headKey('w'), value: Buffer.from('?'), code: 'malformed_journal' },
};

for (const [what, { key, value, code }] of Object.entries(journalDamage)) {
  test(`an actor whose journal ${what} ends without writing to it`, async (t) => {
    const folder = await storeOfFour(t);
    const first = await openBench(t, folder);
    await first.recover();
    await first.supervisor.send('w', { type: 'note' });
    await first.close();
    await withRawRows(folder, (rows) => (value === null ? rows.del(key) : rows.put(key, value)));
    const journalOf = async () => (await rawRows(folder)).filter(([name]) => /^[hj]w/.test(name.toString()));
    const before = await journalOf();

    const bench = await openBench(t, folder, { workers: 4 });
    const { resumed, waiting, ended, damaged } = await bench.recover();
    t.deepEqual({ resumed, waiting, damaged }, { resumed: 0, waiting: 3, damaged: [] });
    t.regex(ended[0] ?? '', new RegExp(`^w: the journal does not verify: ${code}: `));
    t.is(bench.status('w'), 'failed');
    t.is(`w: ${bench.context('w').reason}`, ended[0] ?? '');
    t.is(bench.ledger.get('live', 'w'), undefined);
    bench.queue.open();
    await bench.settled();
    t.is(bench.effects.length, 3);
    await bench.close();
    t.deepEqual(await journalOf(), before);
  });
}

test('a deadline counts only the time during which a host is up', async (t) => {
  const folder = await scratchFolder(t);
  const first = await openBench(t, folder);
  await first.work('a', 1000);
  first.clock.advance(300);
  await first.supervisor.send('a', { type: 'note' });
  t.is(first.supervisor.read('a')?.remainingMs, 700);
  await first.close();

  const bench = await openBench(t, folder, { now: startOfTest + 86_400_000 });
  await bench.recover();
  await bench.advance(699);
  t.is(bench.status('a'), 'working');
  await bench.advance(1);
  t.is(bench.status('a'), 'failed');
  t.true(bench.effects[0]?.signal.aborted);
  t.is(bench.clock.pending, 0);
});

const states = ['idle', 'waiting', 'working', 'resting', 'done', 'failed'];

const everywhere = (migrate: ChartMigration) => Object.fromEntries(states.map((state) => [state, migrate]));

/** Version 1 called its states otherwise and had no notes; version 2 counted them under another name. */
const migrations: ChartMigrations = {
  1: Object.fromEntries(
    states.map((state) => [
      `old ${state}`,
      ({ value, context, input }: StoredChart) => ({
        value: String(value).slice('old '.length),
        context: { ...context, count: 0 },
        input,
      }),
    ]),
  ),
  2: everywhere(({ context: { count, ...context }, ...rest }) => ({ ...rest, context: { ...context, notes: count } })),
};

const present = { version: 3, migrations };

/** Rewrites the row of an errand to what version 1 would have left. */
async function asOfVersion1(folder: string, id: string): Promise<void> {
  await withRawRows(folder, async (rows) => {
    const key = rowKey('snapshot', id);
    const row = actorRow.parse(decodeRow(key, (await rows.get(key)) ?? Buffer.of()));
    const { value, context, ...snapshot } = row.snapshot as { value: string; context: Record<string, unknown> };
    const { notes, ...old } = context;
    const stored = { ...snapshot, value: `old ${value}`, context: old, children: {} };
    await rows.put(key, encodeRow(key, { ...row, machineVersion: 1, status: `old ${value}`, snapshot: stored }));
  });
}

/** Leads an errand of the present chart to a state, in a process that is gone then, and gives it the row of version 1. */
async function left(t: ExecutionContext, state: string): Promise<string> {
  const folder = await scratchFolder(t);
  const first = await openBench(t, folder, { definition: present });
  await first.recover();
  await first.spawn('a', [], 1000);
  if (state === 'resting') await first.supervisor.send('a', { type: 'rest' });
  else if (state !== 'idle') await first.supervisor.send('a', { type: 'call' });
  if (state === 'working') await first.supervisor.send('a', { type: 'worker.granted' });
  if (state === 'failed') await first.supervisor.send('a', { type: 'supervision.exhausted', message: 'enough' });
  await first.settled();
  t.is(first.status('a'), state);
  await first.close();
  await asOfVersion1(folder, 'a');
  return folder;
}

for (const state of ['idle', 'waiting', 'working', 'resting']) {
  test(`an errand that version 1 left ${state} goes on under version 3 as before`, async (t) => {
    const folder = await left(t, state);
    const bench = await openBench(t, folder, { definition: present });
    const { supervisor, queue, effects } = bench;
    t.deepEqual(await bench.recover(), {
      resumed: state === 'working' ? 1 : 0,
      waiting: state === 'idle' || state === 'waiting' ? 1 : 0,
      ended: [],
      damaged: [],
      unserved: [],
    });
    await bench.settled();
    const row = supervisor.read('a');
    t.is(row?.status, state);
    t.is(row?.totalResumes, state === 'working' ? 1 : 0);
    t.is(row?.remainingMs, 1000);
    t.is(bench.context('a').notes, 0);
    if (state === 'idle' || state === 'resting') t.true(await supervisor.send('a', { type: 'call' }));
    queue.open();
    await bench.settled();
    t.is(effects.length, 1);
    await supervisor.send('a', { type: 'note' });
    await bench.finish(0);
    t.is(bench.status('a'), 'done');
    t.is((await bench.ledger.verifyJournal('a')).seq, 3);
    t.is((bench.ledger.get('snapshot', 'a') as ActorRow).machineVersion, 3);
  });
}

test('the deadline of a state continues with its remaining time', async (t) => {
  const bench = await openBench(t, await left(t, 'working'), { definition: present });
  await bench.recover();
  await bench.advance(999);
  t.is(bench.status('a'), 'working');
  await bench.advance(1);
  t.is(bench.status('a'), 'failed');
});

test('an errand that ended under version 1 reads as one of version 3', async (t) => {
  const bench = await openBench(t, await left(t, 'failed'), { definition: present });
  t.deepEqual(await bench.recover(), { resumed: 0, waiting: 0, ended: [], damaged: [], unserved: [] });
  const row = bench.supervisor.read('a');
  t.is(row?.status, 'failed');
  t.like(row?.snapshot, { status: 'done', value: 'failed', context: { notes: 0, reason: 'enough' } });
});

test('an errand whose migrations lack an entry on the way ends with words for that', async (t) => {
  const folder = await left(t, 'waiting');
  const { waiting, ...others } = everywhere(unchanged);
  const bench = await openBench(t, folder, { definition: { version: 4, migrations: { ...migrations, 3: others } } });
  const { ended } = await bench.recover();
  t.deepEqual(ended, ['a: version 1 of errand can no longer be resumed']);
  t.is(bench.status('a'), 'failed');
});

test('an errand of a newer version ends with words for that', async (t) => {
  const folder = await scratchFolder(t);
  const first = await openBench(t, folder, { definition: present });
  await first.spawn('a');
  await first.close();
  const bench = await openBench(t, folder);
  const { ended } = await bench.recover();
  t.deepEqual(ended, ['a: version 3 of errand is newer than this program, which has 1']);
});

test('a row whose migration throws stays as it is', async (t) => {
  const folder = await left(t, 'idle');
  const bench = await openBench(t, folder, { definition: present });
  const row = actorRow.parse(bench.ledger.get('snapshot', 'a'));
  const throwing = () => {
    throw new Error('the context is not what it should be');
  };
  const chart = { ...bench.definition, migrations: { 1: { 'old idle': throwing } }, version: 2 };
  t.is(upgradedRow(chart, row), row);
});

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

test('bug: an actor that throws each time was restarted forever if the clock was set forward', async (t) => {
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

test('a failed actor cancels its effects and timers, and later results have no effect', async (t) => {
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

test('a restart waits for the running commit, and continues from it', async (t) => {
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

test('an actor without restarts left ends from its state on disk', async (t) => {
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

test('an event for an actor that ends instead of restarting is answered as too late', async (t) => {
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
