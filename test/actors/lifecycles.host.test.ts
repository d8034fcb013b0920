import test, { type ExecutionContext } from 'ava';
import { EveryTransition, recordedTransitions } from '../../actors/lifecycles/transitions.ts';
import { reviewKey } from '../../actors/reopening/review-rows.ts';
import { type ActorRow, actorRow } from '../../actors/supervision/actor-row.ts';
import { TransitionListeners } from '../../actors/supervision/transition-listeners.ts';
import { byEvent, keptTransitions, transitionWrites } from '../../actors/supervision/transition-rows.ts';
import type { Ledger } from '../../storage/ledger/ledger.ts';
import { openScratchLedger, scratchFolder } from '../storage/ledger/scratch.ts';
import { type Bench, newBench, openBench } from './supervision/bench.ts';

/** Reviews are actors without an interpreter, so rows alone make one. */
const rowsOnly = { read: () => undefined, definition: () => undefined } as never;

interface Life {
  readonly ledger: Ledger;
  readonly listeners: TransitionListeners;
  /** One more transition of a review, in a commit of its own. */
  move(id: string): Promise<void>;
  follow(after: number | null): EveryTransition;
}

async function openLife(t: ExecutionContext): Promise<Life> {
  const listeners = new TransitionListeners(t.log);
  const ledger = await openScratchLedger(t, await scratchFolder(t), { onStamped: listeners.stamped });
  t.teardown(() => ledger.close());
  const seqs = new Map<string, number>();
  const follow = (after: number | null) => {
    const every = new EveryTransition({ ledger, supervisor: rowsOnly }, after);
    t.teardown(listeners.add((id) => every.moved(id)));
    return every;
  };
  const move = (id: string) => {
    const seq = (seqs.get(id) ?? 0) + 1;
    seqs.set(id, seq);
    const review = { put: 'record', key: reviewKey(id), value: { runtimeId: 'runtime:1' } } as const;
    return ledger.commit([review, ...transitionWrites(id, seq, `state${seq}`, byEvent('move', []), 0)]);
  };
  return { ledger, listeners, move, follow };
}

/** Everything that there is now, as `ID.SEQ`. */
async function idsOf(every: EveryTransition): Promise<string[]> {
  const found: string[] = [];
  for (;;) {
    const next = await every.next();
    if (next === null) return found;
    found.push(...next.map(({ actorId, seq }) => `${actorId}.${seq}`));
  }
}

test('a follower from now on gets new events once each, and everything up to the cursor', async (t) => {
  const { ledger, move, follow } = await openLife(t);
  await move('a');
  const every = follow(null);
  t.is(every.cursor, 1);
  t.deepEqual(await idsOf(every), []);
  await Promise.all([move('a'), move('b')]);
  await move('a');
  t.deepEqual(await idsOf(every), ['a.2', 'a.3', 'b.1']);
  t.is(every.cursor, ledger.newestCommit());
  await move('b');
  t.deepEqual(await idsOf(every), ['b.2']);
  t.deepEqual(await idsOf(every), []);
});

test('a follower after a commit gets all later events, then new ones', async (t) => {
  const { ledger, move, follow } = await openLife(t);
  for (const id of ['a', 'b', 'a', 'c']) await move(id);
  const every = follow(1);
  const first = await every.next();
  t.like(first?.[0], { actorId: 'a', seq: 2, from: { value: 'state1' }, value: 'state2', event: 'move', commit: 3 });
  t.like(first?.[1], { actorId: 'b', seq: 1, from: null, kind: 'publish-review', runtimeId: 'runtime:1' });
  t.is(every.cursor, 1);
  // The walk has begun: the host reports this once, by name.
  await move('a');
  t.deepEqual(await idsOf(every), ['a.3']);
  t.is(every.cursor, ledger.newestCommit());
});

test('the cursor stays where others moved that were not given yet', async (t) => {
  const { move, follow } = await openLife(t);
  const every = follow(null);
  t.is(every.cursor, 0);
  for (let at = 0; at < 60; at += 1) await move(at < 55 ? `a${at}` : 'z');
  const first = await every.next();
  t.is(first?.length, 50);
  t.is(every.cursor, 0);
  // It moved again after it was given.
  await move('a0');
  const rest = await idsOf(every);
  t.deepEqual(rest.slice(0, 5), ['a50.1', 'a51.1', 'a52.1', 'a53.1', 'a54.1']);
  t.deepEqual(rest.slice(5), ['z.1', 'z.2', 'z.3', 'z.4', 'z.5', 'a0.2']);
  t.is(every.cursor, 61);
});

test('a reader that lags far behind is served from the ledger, and no names are kept for it', async (t) => {
  const { ledger, move, follow } = await openLife(t);
  const every = follow(null);
  t.is(every.cursor, 0);
  for (const id of ['b', 'a']) await move(id);
  for (let at = 0; at < 5000; at += 1) every.moved(`gone ${at}`);
  await move('b');
  t.deepEqual(await idsOf(every), ['a.1', 'b.1', 'b.2']);
  t.is(every.cursor, ledger.newestCommit());
});

test('an actor that was deleted, and one whose rows are damaged, end no stream of others', async (t) => {
  const { ledger, move, follow } = await openLife(t);
  for (const id of ['a', 'b', 'c']) await move(id);
  await ledger.commit([
    { del: 'record', key: reviewKey('a') },
    { put: 'transition', key: 'b/0000000001', value: 'no transition' },
  ]);
  const every = follow(0);
  t.deepEqual(await idsOf(every), ['c.1']);
  t.is(every.cursor, 4);
});

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
