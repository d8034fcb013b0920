import test, { type ExecutionContext } from 'ava';
import { type ActorRow, actorRow } from '../../../actors/supervision/actor-row.ts';
import { upgradedRow } from '../../../actors/supervision/upgraded-row.ts';
import {
  type ChartMigration,
  type ChartMigrations,
  type StoredChart,
  unchanged,
} from '../../../machines/migrations/chart-migrations.ts';
import { rowKey } from '../../../storage/ledger/keys.ts';
import { decodeRow, encodeRow } from '../../../storage/ledger/row-codec.ts';
import { draft, scratchFolder, withRawRows } from '../../storage/ledger/scratch.ts';
import { openBench, quiet } from './bench.ts';

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
  await quiet(first);
  t.is(first.supervisor.read('a')?.status, state);
  await first.close();
  await asOfVersion1(folder, 'a');
  return folder;
}

for (const state of ['idle', 'waiting', 'working', 'resting']) {
  test(`an errand that version 1 left ${state} goes on under version 3 as if nothing had happened`, async (t) => {
    const folder = await left(t, state);
    const bench = await openBench(t, folder, { definition: present });
    const { supervisor, queue, effects } = bench;
    t.deepEqual(await bench.recover(), {
      resumed: state === 'working' ? 1 : 0,
      waiting: state === 'idle' || state === 'waiting' ? 1 : 0,
      ended: [],
      damaged: [],
    });
    await quiet(bench);
    const row = supervisor.read('a');
    t.is(row?.status, state);
    t.is(row?.totalResumes, state === 'working' ? 1 : 0);
    t.is(row?.remainingMs, 1000);
    t.is(bench.context('a').notes, 0);
    if (state === 'idle' || state === 'resting') t.true(await supervisor.send('a', { type: 'call' }));
    queue.open();
    await quiet(bench);
    t.is(effects.length, 1);
    await supervisor.send('a', { type: 'note' });
    effects[0]?.resolve({ events: [draft('found')], writes: [] });
    await quiet(bench);
    t.is(supervisor.read('a')?.status, 'done');
    t.is((await bench.ledger.verifyJournal('a')).seq, 3);
    t.is((bench.ledger.get('snapshot', 'a') as ActorRow).machineVersion, 3);
  });
}

test('the deadline of a state goes on with the time that was left of it', async (t) => {
  const bench = await openBench(t, await left(t, 'working'), { definition: present });
  await bench.recover();
  bench.clock.advance(999);
  await quiet(bench);
  t.is(bench.supervisor.read('a')?.status, 'working');
  bench.clock.advance(1);
  await quiet(bench);
  t.is(bench.supervisor.read('a')?.status, 'failed');
});

test('an errand that ended under version 1 reads as one of version 3', async (t) => {
  const bench = await openBench(t, await left(t, 'failed'), { definition: present });
  t.deepEqual(await bench.recover(), { resumed: 0, waiting: 0, ended: [], damaged: [] });
  const row = bench.supervisor.read('a');
  t.is(row?.status, 'failed');
  t.like(row?.snapshot, { status: 'done', value: 'failed', context: { notes: 0, reason: 'enough' } });
});

test('an errand whose table lacks an entry on the way ends with words for that, and the others go on', async (t) => {
  const folder = await left(t, 'waiting');
  const { waiting, ...others } = everywhere(unchanged);
  const bench = await openBench(t, folder, { definition: { version: 4, migrations: { ...migrations, 3: others } } });
  const { ended } = await bench.recover();
  t.deepEqual(ended, ['a: version 1 of errand can no longer be resumed']);
  t.is(bench.supervisor.read('a')?.status, 'failed');
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
