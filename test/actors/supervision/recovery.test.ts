import test, { type ExecutionContext } from 'ava';
import { eventKey, headKey, rowKey } from '../../../storage/ledger/keys.ts';
import { decodeRow, encodeRow } from '../../../storage/ledger/row-codec.ts';
import { draft, scratchFolder, startOfTest, withRawRows } from '../../storage/ledger/scratch.ts';
import { openBench, quiet } from './bench.ts';

/** A store with the working errand `w` and the waiting errands `z`, `m`, `a`, called in this order; their process is gone. */
async function storeOfFour(t: ExecutionContext): Promise<string> {
  const folder = await scratchFolder(t);
  const bench = await openBench(t, folder);
  await bench.recover();
  await bench.work('w', 60_000);
  for (const id of ['z', 'm', 'a']) {
    await bench.spawn(id);
    await bench.supervisor.send(id, { type: 'call' });
    await bench.supervisor.send(id, { type: 'note' });
  }
  await quiet(bench);
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

test('what is live is taken up where its row stands, and what has ended is only read', async (t) => {
  const folder = await scratchFolder(t);
  const first = await openBench(t, folder);
  await first.work('working');
  await first.spawn('idle');
  await first.spawn('ended');
  await first.supervisor.send('ended', { type: 'supervision.exhausted', message: 'enough' });
  await first.close();

  const bench = await openBench(t, folder);
  t.deepEqual(await bench.recover(), { resumed: 1, waiting: 1, ended: [], damaged: [] });
  await quiet(bench);
  t.deepEqual(
    bench.effects.map(({ id }) => id),
    ['working'],
  );
  t.false(bench.supervisor.isLive('ended'));
  t.is(bench.supervisor.read('ended')?.status, 'failed');
  t.true(await bench.supervisor.send('idle', { type: 'call' }));
  bench.effects[0]?.resolve({ events: [draft('found')], writes: [] });
  await quiet(bench);
  t.is(bench.supervisor.read('working')?.status, 'done');
  t.is((await bench.ledger.verifyJournal('working')).seq, 2);
});

test('the work queue outlives the process, in the order of its positions, behind those who had a worker', async (t) => {
  const folder = await storeOfFour(t);
  const bench = await openBench(t, folder);
  const { supervisor, queue, effects } = bench;
  await bench.recover();
  await bench.spawn('new');
  await supervisor.send('new', { type: 'call' });
  queue.open();
  await quiet(bench);
  for (let turn = 0; turn < 5; turn += 1) {
    t.is(effects.length, turn + 1);
    effects[turn]?.reject(new Error('no luck'));
    await quiet(bench);
  }
  t.deepEqual(
    effects.map(({ id }) => id),
    ['w', 'z', 'm', 'a', 'new'],
  );
});

test('a new commit starts the count of resumes anew', async (t) => {
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
  test(`an actor ${what} is set aside untouched, and its siblings go on`, async (t) => {
    const folder = await storeOfFour(t);
    await damage(folder);
    const rowsOfM = async () => (await rawRows(folder)).filter(([key]) => key.toString().startsWith('sm'));
    const before = await rowsOfM();
    const bench = await openBench(t, folder, { workers: 4 });
    t.deepEqual(await bench.recover(), { resumed: 1, waiting: 2, ended: [], damaged: ['m'] });
    bench.queue.open();
    await quiet(bench);
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
  test(`an actor ${what} is ended by its chart, and its siblings go on`, async (t) => {
    const folder = await storeOfFour(t);
    await changeRow(folder, 'w', change);
    const bench = await openBench(t, folder, { workers: 4 });
    t.deepEqual(await bench.recover(), { resumed: 0, waiting: 3, ended: [`w: ${reason}`], damaged: [] });
    t.is(bench.supervisor.read('w')?.status, 'failed');
    t.is(bench.context('w').reason, reason);
    t.is((await bench.ledger.verifyJournal('w')).seq, 2);
    bench.queue.open();
    await quiet(bench);
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
  test(`an actor whose journal ${what} ends without writing to it, and its siblings go on`, async (t) => {
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
    t.is(bench.supervisor.read('w')?.status, 'failed');
    t.is(`w: ${bench.context('w').reason}`, ended[0] ?? '');
    t.is(bench.ledger.get('live', 'w'), undefined);
    bench.queue.open();
    await quiet(bench);
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
  bench.clock.advance(699);
  await quiet(bench);
  t.is(bench.supervisor.read('a')?.status, 'working');
  bench.clock.advance(1);
  await quiet(bench);
  t.is(bench.supervisor.read('a')?.status, 'failed');
  t.true(bench.effects[0]?.signal.aborted);
  t.is(bench.clock.pending, 0);
});
