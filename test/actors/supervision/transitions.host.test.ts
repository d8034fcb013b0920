import test from 'ava';
import { type ActorRow, actorRow } from '../../../actors/supervision/actor-row.ts';
import { TransitionListeners } from '../../../actors/supervision/transition-listeners.ts';
import {
  byEvent,
  keptTransitions,
  transitionRow,
  transitionSeqOf,
  transitionsOf,
  transitionWrites,
} from '../../../actors/supervision/transition-rows.ts';
import type { Ledger } from '../../../storage/ledger/ledger.ts';
import { openScratchLedger, scratchFolder } from '../../storage/ledger/scratch.ts';
import { type Bench, newBench, openBench } from './bench.ts';

test('a listener that throws is reported, and the commit and the others go on', async (t) => {
  const reports: string[] = [];
  const listeners = new TransitionListeners((line) => reports.push(line));
  const ledger = await openScratchLedger(t, await scratchFolder(t), { onStamped: listeners.stamped });
  t.teardown(() => ledger.close());
  const notified: string[] = [];
  listeners.add(() => {
    throw new Error('broken');
  });
  const forget = listeners.add((id) => notified.push(id));
  const move = (seq: number) => ledger.commit(transitionWrites('a/b', seq, 'here', byEvent('move', []), 0));
  await move(1);
  forget();
  await move(2);
  t.deepEqual(notified, ['a/b']);
  t.deepEqual(reports, ['a listener of transitions failed: broken', 'a listener of transitions failed: broken']);
});

/** The transitions of an actor that are kept. */
const recordedTransitions = async (ledger: Ledger, id: string) =>
  (await ledger.list('transition', transitionsOf(id))).map(({ key, value }) => ({
    ...transitionRow.parse(value),
    seq: transitionSeqOf(key),
  }));

/** The record of an errand: its number, its state and the reason. */
const recorded = async ({ ledger }: Bench, id: string): Promise<string[]> =>
  (await recordedTransitions(ledger, id)).map(
    ({ seq, value, event, cause }) => `${seq} ${String(value)} ${event ?? cause}`,
  );

test('every state of an actor is recorded in the commit of its snapshot, with its event', async (t) => {
  const bench = await newBench(t);
  const { ledger, supervisor, clock } = bench;
  await bench.spawn('a');
  await supervisor.send('a', { type: 'worker.granted' });
  clock.advance(7);
  await supervisor.send('a', { type: 'call' });
  await supervisor.send('a', { type: 'worker.granted' });
  await bench.settled();
  await bench.finish(0, { events: [], writes: [] });
  t.deepEqual(await recorded(bench, 'a'), [
    '1 idle xstate.init',
    '2 waiting call',
    '3 working worker.granted',
    '4 done xstate.done.actor.work',
  ]);
  const rows = await recordedTransitions(ledger, 'a');
  t.deepEqual(
    rows.map(({ at }) => at - (rows[0]?.at ?? 0)),
    [0, 7, 7, 7],
  );
  for (const writes of ledger.commits) {
    t.is(
      writes.filter((write) => 'stamp' in write).length,
      writes.filter((write) => 'put' in write).length > 0 ? 1 : 0,
    );
  }
  t.true(rows.every(({ commit }, index) => index === 0 || commit > (rows[index - 1]?.commit ?? 0)));
});

test('all events of one commit have its number', async (t) => {
  const ledger = await openScratchLedger(t, await scratchFolder(t));
  t.teardown(() => ledger.close());
  const move = (id: string, seq: number) => ledger.commit(transitionWrites(id, seq, 'here', byEvent('move', []), 0));
  await Promise.all([move('a', 1), move('b', 1)]);
  await move('a', 2);
  const commits = async (id: string) => (await recordedTransitions(ledger, id)).map(({ commit }) => commit);
  const [one = 0, two] = await commits('a');
  t.deepEqual([await commits('b'), two], [[one], one + 1]);
});

test('starts after a failure or a stop of the host, and the end, are distinct', async (t) => {
  const folder = await scratchFolder(t);
  const first = await openBench(t, folder);
  await first.work('a');
  await first.supervisor.send('a', { type: 'poison' });
  await first.advance(100);
  await first.close();

  const next = await openBench(t, folder);
  await next.recover();
  t.deepEqual((await recorded(next, 'a')).slice(2), [
    '3 working worker.granted',
    '4 working restarted',
    '5 working resumed',
  ]);
  t.like(next.supervisor.read('a'), { recorded: { seq: 5, restarts: 1 }, totalResumes: 1 });
  await next.supervisor.send('a', { type: 'supervision.exhausted', message: 'enough' });
  t.is((await recorded(next, 'a')).at(-1), '6 failed supervision.exhausted');
});

test('of an actor that moves without end the newest transitions are kept', async (t) => {
  const bench = await newBench(t);
  await bench.spawn('a');
  await Promise.all(Array.from({ length: keptTransitions + 4 }, () => bench.supervisor.send('a', { type: 'note' })));
  const rows = await recorded(bench, 'a');
  t.is(rows.length, keptTransitions);
  t.is(rows[0], '6 idle note');
});

test('an actor of a store without transitions continues, and is recorded from then on', async (t) => {
  const folder = await scratchFolder(t);
  const first = await openBench(t, folder);
  await first.work('a');
  const { recorded: _, ...earlier } = actorRow.parse(first.ledger.get('snapshot', 'a'));
  const keys = (await first.ledger.list('transition')).map(({ key }) => key);
  await first.ledger.commit([
    { put: 'snapshot', key: 'a', value: earlier satisfies ActorRow },
    ...keys.map((key) => ({ del: 'transition', key }) as const),
  ]);
  await first.close();

  const next = await openBench(t, folder);
  await next.recover();
  t.deepEqual(await recorded(next, 'a'), ['1 working resumed']);
});
