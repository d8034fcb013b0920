import test from 'ava';
import { DeletionFigures } from '../../actors/deletion/deletion-measure.ts';
import { DeletionService } from '../../actors/deletion/deletions.ts';
import { Garbage } from '../../actors/deletion/garbage.ts';
import type { DeletionReceipt } from '../../contract/deletion.ts';
import type { Stray } from '../../storage/objects/leftovers.ts';

const hourMs = 3_600_000;

const now = 100 * 24 * hourMs;

/** A stray that was last changed so many hours ago; each has as many bytes as hours. */
const stray = (kind: Stray['kind'], name: string, hours: number): Stray =>
  ({ kind, name, changedAt: now - hours * hourMs, files: 1, bytes: hours }) as Stray;

/** A collection over these strays alone, with the names of those that it removed. */
function garbageOf(strays: readonly Stray[]) {
  const removed: string[] = [];
  const garbage = new Garbage({
    objectStore: {
      list: async function* () {},
      strays: async () => strays,
      removeStray: async ({ name }: Stray) => void removed.push(name),
    },
    reached: { operations: async () => [], find: async () => new Set() },
    erasure: {
      alone: (work: () => Promise<unknown>) => work(),
      dropSpent: async () => undefined,
      purge: async () => undefined,
    },
    unused: { remove: async () => undefined },
    isSource: () => false,
    isInUse: (folder: string) => folder === 'used',
    openParts: async () => new Set(['open']),
    clock: { now: () => now, setTimeout: () => null, clearTimeout: () => undefined },
    figures: new DeletionFigures(),
  } as never);
  return { garbage, removed };
}

test('old files beside the objects go: after a day in inbox and work, thirty in quarantine', async (t) => {
  const strays = [
    stray('inbox', 'young', 23),
    stray('inbox', 'old', 24),
    stray('work', 'young folder', 23),
    stray('work', 'old folder', 25),
    stray('quarantine', 'young damage', 30 * 24 - 1),
    stray('quarantine', 'old damage', 30 * 24),
  ];
  const { garbage, removed } = garbageOf(strays);
  const dry = await garbage.collect(true);
  t.deepEqual(removed, []);
  const collected = await garbage.collect(false);
  t.deepEqual(removed, ['old', 'old folder', 'old damage']);
  t.deepEqual(collected.removed, dry.removed);
  t.deepEqual(collected.removed, {
    object: { files: 0, bytes: 0 },
    quarantine: { files: 1, bytes: 720 },
    inbox: { files: 1, bytes: 24 },
    work: { files: 1, bytes: 25 },
  });
  t.deepEqual(collected.kept.inbox, { files: 1, bytes: 23 });
});

test('an object in use stays, however old it is', async (t) => {
  const { garbage, removed } = garbageOf([
    stray('work', 'used', 999),
    stray('inbox', 'open.part', 999),
    stray('inbox', 'forgotten.part', 999),
  ]);
  await garbage.collect(false);
  t.deepEqual(removed, ['forgotten.part']);
});

const receipt = (kind: 'runtime' | 'source', eventBytes: number, objectBytes: number) =>
  ({ deleted: { kind }, erased: { rows: 1, events: 1, objects: 1, eventBytes, objectBytes } }) as DeletionReceipt;

test('deletions are counted by kind, with the bytes that they named', (t) => {
  const figures = new DeletionFigures();
  for (const [kind, events, objects] of [
    ['runtime', 10, 100],
    ['runtime', 20, 200],
    ['source', 0, 5000],
  ] as const) {
    figures.deleted(receipt(kind, events, objects));
  }
  const samples = new Map(figures.metrics().map(({ name, samples }) => [name, samples]));
  t.deepEqual(samples.get('media_study_deletions_total'), [
    { labels: { kind: 'runtime' }, value: 2 },
    { labels: { kind: 'source' }, value: 1 },
  ]);
  t.deepEqual(samples.get('media_study_deleted_bytes_total'), [
    { labels: { kind: 'runtime' }, value: 330 },
    { labels: { kind: 'source' }, value: 5000 },
  ]);
});

test('bug: a deleted runtime had a preview of its deletion until its events were erased', async (t) => {
  const runtimeId = `runtime:${'0'.repeat(64)}`;
  const note = { receiptId: 'deletion:1', deletedAt: new Date(now).toISOString() };
  const eventsAreLeft = { deleted: { kind: 'runtime', runtimeId }, rows: [], erased: { events: 9 } };
  const deletions = new DeletionService({
    ledger: { get: (_: string, key: string) => (key === `deleted/${runtimeId}` ? note : undefined) },
    needs: { ofRuntime: () => null },
    measure: { runtime: async () => eventsAreLeft },
  } as never);
  await t.throwsAsync(deletions.previewRuntime(runtimeId), { code: 'runtime_deleted' });
});
