import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { LateOutcomes } from '../../../actors/workers/late-outcomes.ts';
import { WorkerFigures } from '../../../actors/workers/worker-figures.ts';
import { storedBytes } from '../../../receipts/core/canonical-json.ts';
import { SharedOutcomes } from '../../../storage/objects/shared-outcomes.ts';
import { SharedWindows } from '../../../storage/objects/shared-windows.ts';
import { SimulatedClock } from '../supervision/simulated-clock.ts';

const operationKey = 'c'.repeat(64);
const orderId = 'd'.repeat(64);
const tools = [{ name: 'ffmpeg', version: '5.1', digest: `sha256:${'5'.repeat(64)}` }];

async function bench(t: ExecutionContext, standing?: object) {
  const root = await mkdtemp(join(tmpdir(), 'late-'));
  t.teardown(() => rm(root, { recursive: true, force: true }));
  const outcomes = new SharedOutcomes(root);
  const windows = new SharedWindows(root);
  const clock = new SimulatedClock(Date.now());
  const figures = new WorkerFigures();
  const told: string[] = [];
  const wanted = new Set<string>();
  const late = new LateOutcomes({
    ...{ outcomes, windows, clock, figures, pauseMs: 1000 },
    ledger: { getMany: async () => [standing] },
    isWanted: (id) => wanted.has(id),
    report: (line) => void told.push(line),
  });
  let at = 0;
  const add = (worker: string, outcome: object) => {
    const written = { schema: 'studio.work-outcome.v1', orderId, operationKey, worker, version: '1', tools, outcome };
    at += 1;
    return outcomes.add(orderId, storedBytes(written), at);
  };
  const left = async () => (await outcomes.of(orderId)).length;
  const aside = () => readdir(join(root, 'set-aside')).catch(() => []);
  return { late, clock, figures, told, wanted, outcomes, windows, add, left, aside };
}

const completed = (result: unknown) => ({ state: 'completed', result });
const hourMs = 3_600_000;

test('a second result that agrees is removed in time; one that disagrees is set aside, counted and reported once', async (t) => {
  const { late, clock, figures, told, add, left, aside } = await bench(t, { found: 1 });
  await add('first', completed({ found: 1 }));
  await add('second', completed({ found: 1 }));
  await add('third', completed({ found: 2 }));
  await late.look();
  await late.look();
  t.is(figures.of('disagreeing'), 1);
  t.is(told.length, 1);
  t.regex(told[0] ?? '', /^third came to another result of operation c{64}/);
  t.is((await aside()).length, 1);
  t.is(await left(), 2);
  clock.advance(hourMs + 60_000);
  await late.look();
  t.is(await left(), 0);
  t.is(figures.of('disagreeing'), 1);
});

test('where the ledger has no result of the key, the first that was written stands', async (t) => {
  const { late, figures, add, left } = await bench(t);
  await add('first', completed({ found: 1 }));
  await add('second', completed({ found: 1 }));
  await add('third', completed({ found: 2 }));
  await late.look();
  t.is(figures.of('disagreeing'), 1);
  t.is(await left(), 2);
});

test('what somebody waits for is left alone, failures go soon, and what nobody can read goes after a day', async (t) => {
  const { late, clock, wanted, outcomes, add, left } = await bench(t);
  await add('first', { state: 'failed', message: 'tool_exit: code 1' });
  await outcomes.add(orderId, Buffer.from('no outcome'), 99);
  clock.advance(120_000);
  wanted.add(orderId);
  await late.look();
  t.is(await left(), 2);
  wanted.clear();
  await late.look();
  t.is(await left(), 1);
  clock.advance(25 * hourMs);
  await late.look();
  t.is(await left(), 0);
});

test('windows of a pass that no study waits for go a day after the last of them was kept', async (t) => {
  const { late, clock, wanted, windows } = await bench(t);
  await windows.add(orderId, 300_000, Buffer.from('measured'));
  clock.advance(23 * hourMs);
  await late.look();
  t.deepEqual(await windows.endsMs(orderId), [300_000]);
  clock.advance(2 * hourMs);
  wanted.add(orderId);
  await late.look();
  t.deepEqual(await windows.endsMs(orderId), [300_000]);
  wanted.clear();
  await late.look();
  t.deepEqual(await windows.orders(), []);
});
