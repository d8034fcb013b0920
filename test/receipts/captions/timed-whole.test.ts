import test from 'ava';
import { captionLimitsOf, isTimedWhole } from '../../../receipts/captions/allowance.ts';
import { captionReceiptOf } from '../../../receipts/stages/captions.ts';

const executor = { classification: 'subtitle_tracks_translated' } as const;
const allowance = { maxDurationMs: 600_000, maxLines: 128 };

test('a production of before keeps its limits and its receipt, known by the limits in the journal', (t) => {
  const before = captionLimitsOf({ ...executor, isTimedWhole: true });
  t.is(before.maxWallMs, 240_000);
  t.true(isTimedWhole(executor, before));
  t.is(captionLimitsOf({ ...executor, allowance, isTimedWhole: true }).maxWallMs, 480_000);
  const now = captionLimitsOf({ ...executor, allowance });
  t.like(now, { maxWallMs: 28_800_000, maxTokenGapMs: 60_000 });
  t.false(isTimedWhole(executor, now));
  t.false(isTimedWhole({ classification: 'embedded_subtitle_tracks' }, before));
});

test('receipts of translated captions are of version 2 or 3 for a production of before, and of 4 or 5 now', (t) => {
  const nameOf = (schema: string, isOfBefore: boolean): unknown => {
    const artifact = { executor, schema } as unknown as Parameters<typeof captionReceiptOf>[0];
    const { shape } = captionReceiptOf(artifact, { isTimedWhole: isOfBefore });
    const { schema: name } = (shape.schema as unknown as { shape: { schema: { value: string } } }).shape;
    return name.value;
  };
  const [short, long] = ['studio.caption-production.artifact.v5', 'studio.caption-production.artifact.v7'];
  t.deepEqual(
    [nameOf(short, true), nameOf(long, true), nameOf(short, false), nameOf(long, false)],
    [2, 3, 4, 5].map((version) => `studio.caption-production.receipt.v${version}`),
  );
});
