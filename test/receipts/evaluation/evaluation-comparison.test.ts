import test from 'ava';
import type { EvaluationReceipt, EvaluationScores } from '../../../contract/evaluation/evaluation-receipt.ts';
import {
  compareEvaluations,
  measuresOf,
  speechToleranceMicro,
} from '../../../receipts/evaluation/evaluation-comparison.ts';
import { pooledCounts, scoresOf } from '../../../receipts/evaluation/evaluation-counts.ts';

const language = { labelled: 4, correct: 2, wrong: 1, abstained: 1, unread: 0 };
const subtitles = {
  labelled: 10,
  found: 10,
  matched: 9,
  exact: 8,
  startErrorMs: 10,
  endErrorMs: 8,
  largestErrorMs: 10,
};

const unlabelled = {
  ...{ transitions: null, soundFaults: null, keyframes: null, transcript: null },
  ...{ translations: null, pairing: null, screenTexts: null, utterances: null },
};

const counts = {
  ...unlabelled,
  speech: [
    { scoredMs: 100_000, labelledMs: 50_000, foundMs: 50_000, hitMs: 45_000 },
    { scoredMs: 90_000, labelledMs: 45_000, foundMs: 44_000, hitMs: 43_000 },
  ],
  cuts: [0, 1, 2].map((more) => ({ labelled: 10, found: 9, matched: 7 + more })),
  subtitles,
  trackLanguages: language,
  cueLanguages: language,
  captionGate: { candidates: 2, accepted: 1, planted: 20, caught: 19 },
};

const scores = scoresOf(counts);
const nothing = {
  ...unlabelled,
  speech: null,
  cuts: null,
  subtitles: null,
  trackLanguages: null,
  cueLanguages: null,
  captionGate: null,
};

const receiptOf = (totals: EvaluationScores): EvaluationReceipt => ({
  schema: 'studio.evaluation.receipt.v1',
  receiptId: `evaluation:${'0'.repeat(64)}`,
  producer: { id: 'studio.pack-evaluation', version: '1', policy: 'counts_pooled_over_items' },
  pack: { contentId: `sha256:${'0'.repeat(64)}`, itemCount: 1 },
  tools: [],
  detectors: [],
  items: [],
  totals,
});

const accepted = receiptOf(scores);
const compared = (totals: EvaluationScores) => compareEvaluations(receiptOf(totals), accepted);

/** Moves one number of the scores, found by its path. */
function moved(path: readonly string[], by: number): EvaluationScores {
  const copy = structuredClone(scores);
  const [last = '', ...outer] = path.toReversed();
  const holder = outer.toReversed().reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], copy);
  const fields = holder as Record<string, number>;
  fields[last] = (fields[last] ?? 0) + by;
  return copy;
}

test('equal scores are equal in every measure', (t) => {
  const { verdict, measures } = compared(scores);
  t.is(verdict, 'equal');
  t.true(measures.every(({ change }) => change === 'equal'));
  t.deepEqual(
    measures.map(({ name }) => name),
    measuresOf(scores).map(({ name }) => name),
  );
});

/** One number for each measure, and the direction in which it gets worse. */
const numbers: [name: string, path: string[], worse: -1 | 1, tolerance: number][] = [
  ['speech.collar_0ms.precision', ['speech', '0', 'precisionMicro'], -1, speechToleranceMicro],
  ['speech.collar_0ms.recall', ['speech', '0', 'recallMicro'], -1, speechToleranceMicro],
  ['speech.collar_0ms.f1', ['speech', '0', 'f1Micro'], -1, speechToleranceMicro],
  ['speech.collar_500ms.detection_error_rate', ['speech', '1', 'detectionErrorRateMicro'], 1, speechToleranceMicro],
  ['cuts.within_0_frames.precision', ['cuts', '0', 'precisionMicro'], -1, 0],
  ['cuts.within_1_frames.recall', ['cuts', '1', 'recallMicro'], -1, 0],
  ['cuts.within_2_frames.f1', ['cuts', '2', 'f1Micro'], -1, 0],
  ['subtitles.exact.recall', ['subtitles', 'recallMicro'], -1, 0],
  ['subtitles.mean_error', ['subtitles', 'meanErrorUs'], 1, 0],
  ['subtitles.largest_error', ['subtitles', 'largestErrorMs'], 1, 0],
  ['languages.tracks.accuracy', ['trackLanguages', 'accuracyMicro'], -1, 0],
  ['languages.tracks.abstention', ['trackLanguages', 'abstentionMicro'], 1, 0],
  ['languages.cues.accuracy', ['cueLanguages', 'accuracyMicro'], -1, 0],
  ['caption_gate.complete_accepted', ['captionGate', 'acceptedMicro'], -1, 0],
  ['caption_gate.defects_caught', ['captionGate', 'caughtMicro'], -1, 0],
];

for (const [name, path, worse, tolerance] of numbers) {
  test(`${name} is a regression one beyond its tolerance, and better in the other direction`, (t) => {
    const changeOf = (by: number) => {
      const { verdict, measures } = compared(moved(path, by));
      t.true(measures.every((each) => each.name === name || each.change === 'equal'));
      return [verdict, measures.find((each) => each.name === name)?.change];
    };
    t.deepEqual(changeOf(worse * (tolerance + 1)), ['regression', 'worse']);
    if (tolerance > 0) t.deepEqual(changeOf(worse * tolerance), ['equal', 'tolerated']);
    t.deepEqual(changeOf(-worse), ['better', 'better']);
  });
}

test('one worse measure is a regression, whatever else got better', (t) => {
  const totals = moved(['cuts', '0', 'f1Micro'], 100_000);
  t.is(compared(totals).verdict, 'better');
  t.is(compared({ ...totals, subtitles: moved(['subtitles', 'largestErrorMs'], 1).subtitles }).verdict, 'regression');
});

test('a measure that can no longer be taken is worse, one that can be at last is better', (t) => {
  const { speech } = scoresOf({ ...counts, speech: counts.speech.map((each) => ({ ...each, foundMs: 0, hitMs: 0 })) });
  const deaf = { ...scores, speech };
  const change = (measures: ReturnType<typeof compared>['measures']) =>
    measures.find(({ name }) => name === 'speech.collar_0ms.precision')?.change;
  t.is(change(compared(deaf).measures), 'worse');
  t.is(change(compareEvaluations(accepted, receiptOf(deaf)).measures), 'better');
});

test('what nobody labelled is not measured', (t) => {
  t.deepEqual(measuresOf(scoresOf(nothing)), []);
  t.deepEqual(pooledCounts([nothing, nothing]), nothing);
});

test('items are added up before anything is divided; of errors the largest stays', (t) => {
  const other = { ...nothing, subtitles: { ...subtitles, largestErrorMs: 400 }, speech: counts.speech };
  const pooled = pooledCounts([counts, other, nothing]);
  t.deepEqual(pooled.speech?.[0], { scoredMs: 200_000, labelledMs: 100_000, foundMs: 100_000, hitMs: 90_000 });
  t.like(pooled.subtitles, { labelled: 20, exact: 16, startErrorMs: 20, largestErrorMs: 400 });
  t.deepEqual(pooled.cuts, counts.cuts);
  t.deepEqual(pooled.captionGate, counts.captionGate);
});
