import test from 'ava';
import { DeletionFigures } from '../../../actors/deletion/deletion-figures.ts';
import type { DeletionReceipt } from '../../../contract/deletion/deletion-receipt.ts';

const receipt = (kind: 'runtime' | 'source', eventBytes: number, objectBytes: number) =>
  ({ deleted: { kind }, erased: { rows: 1, events: 1, objects: 1, eventBytes, objectBytes } }) as DeletionReceipt;

test('deletions are counted by what was deleted, with the bytes that they named', (t) => {
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
