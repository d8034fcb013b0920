import test from 'ava';
import type { EvaluationReceipt } from '../../../contract/evaluation/evaluation-receipt.ts';
import { type EvaluationCounts, pooledCounts, scoresOf } from '../../../receipts/evaluation/evaluation-counts.ts';
import { estimatedMeasures } from '../../../receipts/evaluation/evaluation-intervals.ts';
import { drawnMeasures } from '../../../visualizer/drawing/measure-drawing.ts';

const unlabelled: EvaluationCounts = {
  ...{ speech: null, cuts: null, subtitles: null, trackLanguages: null, cueLanguages: null, captionGate: null },
  ...{ transitions: null, soundFaults: null, keyframes: null, transcript: null },
  ...{ translations: null, pairing: null, screenTexts: null, utterances: null },
};

const withShots = (shots: number, covered: number): EvaluationCounts => ({
  ...unlabelled,
  keyframes: { shots, covered, kept: covered },
});

const receiptOf = (items: readonly EvaluationCounts[], files = items.length): EvaluationReceipt => ({
  schema: 'studio.evaluation.receipt.v1',
  receiptId: `evaluation:${'0'.repeat(64)}`,
  producer: { id: 'studio.pack-evaluation', version: '1', policy: 'counts_pooled_over_items' },
  pack: { contentId: `sha256:${'0'.repeat(64)}`, itemCount: items.length },
  tools: [],
  detectors: [],
  items: items.map((counts, at) => ({
    itemId: `item-${at}`,
    sourceContentId: `sha256:${String(at % files).repeat(64)}`,
    range: { startMs: 0, endMs: 1000 },
    scores: scoresOf(counts),
  })),
  totals: scoresOf(pooledCounts(items)),
});

const covered = (receipt: EvaluationReceipt) =>
  estimatedMeasures(receipt).find(({ name }) => name === 'keyframes.shots_covered');

test('files that differ leave a measure open, files that agree do not, and equal receipts give equal intervals', (t) => {
  const differing = receiptOf([withShots(10, 2), withShots(10, 10), withShots(10, 9), withShots(10, 7)]);
  const found = covered(differing);
  t.is(found?.value, 700_000);
  const { low = 0, high = 0 } = found?.interval ?? {};
  t.true(low >= 200_000 && low < 500_000 && high > 850_000 && high <= 1_000_000, `${low} to ${high}`);
  t.deepEqual(covered(differing), found);
  t.deepEqual(covered(receiptOf([withShots(5, 4), withShots(10, 8)]))?.interval, { low: 800_000, high: 800_000 });
});

test('items of one file are drawn together, and one file alone says nothing of others', (t) => {
  const items = [withShots(10, 2), withShots(10, 10)];
  t.is(covered(receiptOf(items, 1))?.interval, null);
  t.is(covered(receiptOf([withShots(10, 2), unlabelled]))?.interval, null);
});

test('a report draws every measure on one scale, and values beyond it at its edge', (t) => {
  const svg = drawnMeasures('Evaluation of <2> items', [
    {
      name: 'cuts.f1',
      unit: 'share',
      value: 0.5,
      interval: { low: 0.25, high: 0.75 },
      baseline: 0.6,
      better: 'higher',
    },
    { name: 'transcript.word_error_rate', unit: 'share', value: 1.5, interval: null, baseline: null, better: 'lower' },
    {
      name: 'utterances.offset',
      unit: 'ms',
      value: 25,
      interval: { low: 20, high: 50 },
      baseline: 100,
      better: 'lower',
    },
  ]);
  t.true(svg.startsWith('<svg xmlns="http://www.w3.org/2000/svg" width="870" height="136"'));
  t.true(svg.includes('<title>Evaluation of &lt;2&gt; items</title>'));
  t.true(svg.includes('<path class="interval" d="M400.0 60L600.0 60"/>'));
  t.true(svg.includes('>0.500 (0.250 to 0.750)</text>'));
  t.true(svg.includes('cx="700.0"'));
  t.true(svg.includes('>1.500 ↓</text>'));
  t.true(svg.includes('<path class="interval" d="M332.0 104L380.0 104"/>'));
  t.true(svg.includes('>25 ms (20 ms to 50 ms) ↓</text>'));
});
