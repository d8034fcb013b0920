import test, { type ExecutionContext } from 'ava';
import { reviewKey } from '../../../actors/reopening/review-rows.ts';
import { EveryTransition } from '../../../actors/supervision/followed-transitions.ts';
import { TransitionListeners } from '../../../actors/supervision/transition-listeners.ts';
import { byEvent, transitionWrites } from '../../../actors/supervision/transition-rows.ts';
import type { Ledger } from '../../../storage/ledger/ledger.ts';
import { openScratchLedger, scratchFolder } from '../../storage/ledger/scratch.ts';

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
