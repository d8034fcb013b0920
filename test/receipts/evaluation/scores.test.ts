import test from 'ava';
import type { Range } from '../../../contract/base/grammar.ts';
import { captionLine } from '../../../contract/captions/caption-line.ts';
import type { LabeledFault, LabeledTranslations } from '../../../contract/evaluation.ts';
import {
  defectiveCaptions,
  lineDefects,
  pairingCounts,
  pairingScoreOf,
  plantedAnswers,
} from '../../../receipts/evaluation/captions.ts';
import { structuralDecisionOf } from '../../../rules/caption-quality.ts';
import {
  cutCounts,
  cutScoreOf,
  faultCounts,
  faultScoresOf,
  keyframeCounts,
  keyframeScoreOf,
  screenTextCounts,
  screenTextScoreOf,
  speechCounts,
  speechScoreOf,
  transitionCounts,
  transitionScoreOf,
} from '../../../rules/evaluation/detection.ts';
import {
  type FoundLine,
  type LanguageAnswer,
  languageCounts,
  languageScoreOf,
  pairCues,
  pooledUtterances,
  subtitleCounts,
  subtitleScoreOf,
  transcriptCounts,
  transcriptScoreOf,
  utteranceCounts,
  utteranceScoreOf,
} from '../../../rules/evaluation/text.ts';
import { seededNumbers } from '../../storage/ledger/scratch.ts';
import { checkableCaptions, threeLines } from '../captions/checkable-captions.ts';

const label = {
  sourceLanguage: 'en',
  targetLanguage: 'de',
  lines: [
    { source: 'Come in, please.', target: 'Bitte kommen Sie herein.' },
    { source: 'It is late.', target: 'Es ist spät.' },
    { source: 'Good night.', target: null },
    { source: 'See you.', target: 'Bis bald.' },
  ],
};

test('a pair is right if both sides are of the same lines, in one line of captions or several', (t) => {
  const shown = [
    { source: 'Come in, please.\nIt is late.', target: 'Bitte kommen Sie herein. Es ist spät.' },
    { source: 'Good night. See you.', target: 'Bis bald.' },
  ];
  const score = pairingScoreOf(pairingCounts(label, shown));
  t.like(score, { files: 1, captioned: 1, lines: 2, rightLines: 2, words: 17, keptWords: 17, keptMicro: 1_000_000 });
});

test('a pair of two different lines is wrong, and its words are not kept', (t) => {
  const shown = [
    { source: 'Come in, please.', target: 'Es ist spät.' },
    { source: 'See you.', target: 'Bis bald.' },
  ];
  const score = pairingScoreOf(pairingCounts(label, shown));
  t.like(score, { lines: 2, rightLines: 1, words: 17, keptWords: 4, rightMicro: 500_000 });
});

test('a file without a line has no captions', (t) => {
  t.like(pairingScoreOf(pairingCounts(label, [])), { captionedMicro: 0, keptMicro: 0, rightMicro: null });
});

const text = (startMs: number, endMs: number, words: string, outcome: 'passed' | 'withheld' = 'passed') => ({
  startMs,
  endMs,
  text: words,
  outcome,
});

test('texts on the screen are found, wrong or invented; a withheld text does not count', (t) => {
  const labelled = [
    { startMs: 0, endMs: 2000, text: 'The Harbour' },
    { startMs: 3000, endMs: 5000, text: 'Platform 3' },
    { startMs: 6000, endMs: 8000, text: 'Closed' },
  ];
  const found = [
    text(100, 900, 'the harbour!'),
    text(1000, 1900, 'The Harbour'),
    text(3100, 4900, 'Platf0rm 3'),
    text(6100, 6200, 'C1osed', 'withheld'),
    text(6000, 6900, 'MWM'),
    text(9000, 9500, 'Closed'),
  ];
  const score = screenTextScoreOf(screenTextCounts(labelled, found));
  t.like(score, { labelled: 3, found: 1, passed: 5, wrong: 1, invented: 2, withheld: 1 });
  t.like(score, { foundMicro: 333_333, wrongMicro: 200_000, inventedMicro: 400_000 });
});

test('without a text on the screen or in the result there is nothing to divide by', (t) => {
  t.like(screenTextScoreOf(screenTextCounts([], [])), { foundMicro: null, wrongMicro: null, inventedMicro: null });
});

const pal = { numerator: 25, denominator: 1 };
const ntsc = { numerator: 30_000, denominator: 1001 };

const matched = (atMs: readonly number[], found: readonly number[], tolerance: number, frameRate = pal) =>
  cutCounts({ atMs: [...atMs], frameRate }, found, tolerance).matched;

test('a cut within the tolerance is found, one beyond it is not', (t) => {
  for (const [tolerance, expected] of [
    [0, 1],
    [1, 2],
    [2, 3],
  ] as const) {
    t.is(matched([1000, 2000, 3000], [1000, 2040, 2920], tolerance), expected);
  }
});

test('a found cut stands for one label only, and a label for one found cut', (t) => {
  t.is(matched([1000, 1040], [1040], 2), 1);
  t.is(matched([1000], [960, 1000, 1040], 2), 1);
});

test('as many cuts are paired as can be, not each with its nearest', (t) => {
  t.is(matched([1000, 1040], [1040, 1080], 1), 2);
  t.is(matched([1000, 1080], [1040, 1120], 1), 2);
});

test('less than half a frame is the rounding of times to whole milliseconds', (t) => {
  // Frames 1 and 2 of 29.97 lie at 33.37 and 66.73 ms.
  t.is(matched([33], [34], 0, ntsc), 1);
  t.is(matched([33], [67], 0, ntsc), 0);
  t.is(matched([33], [67], 1, ntsc), 1);
});

test('precision and recall are those of the pairs', (t) => {
  const score = cutScoreOf(1, { labelled: 4, found: 3, matched: 2 });
  t.like(score, { toleranceFrames: 1, precisionMicro: 666_667, recallMicro: 500_000, f1Micro: 571_429 });
  t.like(cutScoreOf(0, { labelled: 0, found: 0, matched: 0 }), {
    precisionMicro: null,
    recallMicro: null,
    f1Micro: null,
  });
});

/** The largest pairing of all, by trying every one. */
function largestPairing(
  labels: readonly number[],
  found: readonly number[],
  reaches: (a: number, b: number) => boolean,
) {
  const [label, ...others] = labels;
  if (label === undefined) return 0;
  let largest: number = largestPairing(others, found, reaches);
  for (const [at, cut] of found.entries()) {
    if (reaches(label, cut)) largest = Math.max(largest, 1 + largestPairing(others, found.toSpliced(at, 1), reaches));
  }
  return largest;
}

test('no other pairing is larger', (t) => {
  const below = seededNumbers(3);
  const times = () => [...new Set(Array.from({ length: below(7) }, () => 40 * below(20)))].sort((a, b) => a - b);
  for (let round = 0; round < 300; round += 1) {
    const [labels, found, tolerance] = [times(), times(), below(4)];
    const reaches = (a: number, b: number) => Math.abs(a - b) <= 40 * tolerance;
    t.is(matched(labels, found, tolerance), largestPairing(labels, found, reaches));
  }
});

type Span = readonly [number, number];

const spans = (...pairs: readonly Span[]): Range[] => pairs.map(([startMs, endMs]) => ({ startMs, endMs }));
const within = (startMs: number, endMs: number): Range => ({ startMs, endMs });

test('a published example of pyannote.metrics comes out as published', (t) => {
  const labelled = spans([0, 5000], [6000, 10_000], [12_000, 14_000], [15_000, 20_000]);
  const found = spans([1000, 7000], [7000, 9000], [7000, 10_000], [11_000, 17_000], [18_000, 20_000]);
  const score = speechScoreOf(0, speechCounts(labelled, found, within(0, 20_000), 0));
  t.like(score, { labelledMs: 16_000, missedMs: 2000, falseAlarmMs: 3000, hitMs: 14_000, foundMs: 17_000 });
  t.is(score.detectionErrorRateMicro, 312_500);
  t.is(score.precisionMicro, 823_529);
  t.is(score.recallMicro, 875_000);
  t.is(score.f1Micro, 848_485);
});

test('a collar is centered on every labeled boundary, and nothing inside it counts for anybody', (t) => {
  const labelled = spans([1000, 3000]);
  const exact = speechCounts(labelled, labelled, within(0, 4000), 500);
  t.deepEqual(exact, { scoredMs: 3000, labelledMs: 1500, foundMs: 1500, hitMs: 1500 });
  t.deepEqual(speechCounts(labelled, spans([750, 3250]), within(0, 4000), 500), exact);
  const late = speechScoreOf(500, speechCounts(labelled, spans([1251, 3251]), within(0, 4000), 500));
  t.like(late, { missedMs: 1, falseAlarmMs: 1 });
});

test('collars of short speech may swallow it, and reach no further than the range', (t) => {
  t.deepEqual(speechCounts(spans([100, 400]), spans([0, 1000]), within(0, 1000), 500), {
    scoredMs: 350,
    labelledMs: 0,
    foundMs: 350,
    hitMs: 0,
  });
});

test('only the range is scored', (t) => {
  const counts = speechCounts(spans([0, 900], [950, 3000]), spans([500, 2500]), within(1000, 2000), 0);
  t.deepEqual(counts, { scoredMs: 1000, labelledMs: 1000, foundMs: 1000, hitMs: 1000 });
});

test('a division by zero has no ratio', (t) => {
  const nothing = speechScoreOf(0, speechCounts([], [], within(0, 1000), 0));
  t.like(nothing, { precisionMicro: null, recallMicro: null, f1Micro: null, detectionErrorRateMicro: null });
  const deaf = speechScoreOf(0, speechCounts(spans([0, 500]), [], within(0, 1000), 0));
  t.like(deaf, { precisionMicro: null, recallMicro: 0, f1Micro: 0, detectionErrorRateMicro: 1_000_000 });
  const hearing = speechScoreOf(0, speechCounts([], spans([0, 500]), within(0, 1000), 0));
  t.like(hearing, { precisionMicro: 0, recallMicro: null, f1Micro: 0, detectionErrorRateMicro: null });
});

test('a false alarm may make the error rate larger than one', (t) => {
  const score = speechScoreOf(0, speechCounts(spans([0, 100]), spans([0, 1000]), within(0, 1000), 0));
  t.is(score.detectionErrorRateMicro, 9_000_000);
});

/** Every millisecond looked at by itself. */
function countedOneByOne(labelled: readonly Range[], found: readonly Range[], range: Range, collarMs: number) {
  const counts = { scoredMs: 0, labelledMs: 0, foundMs: 0, hitMs: 0 };
  const is = (list: readonly Range[], ms: number) => list.some(({ startMs, endMs }) => startMs <= ms && ms < endMs);
  const isNear = (boundary: number, ms: number) => boundary - collarMs / 2 <= ms && ms < boundary + collarMs / 2;
  for (let ms = range.startMs; ms < range.endMs; ms += 1) {
    if (labelled.some(({ startMs, endMs }) => isNear(startMs, ms) || isNear(endMs, ms))) continue;
    const [truth, claim] = [is(labelled, ms), is(found, ms)];
    counts.scoredMs += 1;
    counts.labelledMs += truth ? 1 : 0;
    counts.foundMs += claim ? 1 : 0;
    counts.hitMs += truth && claim ? 1 : 0;
  }
  return counts;
}

test('any speech is counted as if every millisecond were looked at', (t) => {
  const below = seededNumbers(7);
  const some = (most: number): Range[] => {
    const list: Range[] = [];
    for (let at = below(40); list.length < most; at += below(60)) {
      const endMs = at + 1 + below(50);
      list.push({ startMs: at, endMs });
      at = endMs;
    }
    return list;
  };
  for (let round = 0; round < 200; round += 1) {
    const [labelled, found, collarMs] = [some(below(6)), some(below(6)), 2 * below(20)];
    const range = within(below(50), 100 + below(300));
    t.deepEqual(speechCounts(labelled, found, range, collarMs), countedOneByOne(labelled, found, range, collarMs));
  }
});

const span = (startMs: number, endMs: number) => ({ startMs, endMs });
const tenSeconds = span(0, 10_000);
const saidOnce = { condition: 'clean', spans: [span(1000, 1500), span(3000, 6000), span(8000, 8400)] };

test('a word or a phrase is found if both share seven tenths of their time', (t) => {
  const counts = utteranceCounts(saidOnce, [span(1000, 1714), span(3000, 5101), span(8000, 8572)], tenSeconds);
  t.like(counts, { words: 2, wordsFound: 1, phrases: 1, phrasesFound: 1 });
});

test('an edge is found late by a positive number, and an utterance without a window has none', (t) => {
  const score = utteranceScoreOf(utteranceCounts(saidOnce, [span(980, 1581), span(3010, 5990)], tenSeconds));
  t.deepEqual(score.onset, { errorsMs: [-20, 10], medianMs: -20, medianSizeMs: 10, ninetiethSizeMs: 20 });
  t.deepEqual(score.offset, { errorsMs: [-10, 81], medianMs: -10, medianSizeMs: 10, ninetiethSizeMs: 81 });
  t.like(score, { words: 2, wordsFound: 1, wordsFoundMicro: 500_000 });
});

test('one window over two utterances has the edges that it has, for each of them', (t) => {
  const counts = utteranceCounts(
    { condition: 'clean', spans: saidOnce.spans.slice(0, 2) },
    [span(1000, 6000)],
    tenSeconds,
  );
  t.deepEqual(
    [counts.onset.errorsMs, counts.offset.errorsMs],
    [
      [-2000, 0],
      [0, 4500],
    ],
  );
});

test('false speech is a share of the time without speech, even if all time is such', (t) => {
  const music = { condition: 'music_alone', spans: [] };
  const score = utteranceScoreOf(utteranceCounts(music, [span(0, 50)], tenSeconds));
  t.like(score, { words: 0, wordsFoundMicro: null, unspokenMs: 10_000, foundMs: 50, foundMicro: 5000 });
  t.deepEqual(score.onset, { errorsMs: [], medianMs: null, medianSizeMs: null, ninetiethSizeMs: null });
  t.like(utteranceCounts(saidOnce, [span(900, 1500)], tenSeconds), { unspokenMs: 6100, foundMs: 100 });
});

test('counts of one condition are added up, and errors stay in order', (t) => {
  const one = utteranceCounts(saidOnce, [span(990, 1500)], tenSeconds);
  const noisy = { ...one, condition: 'a_noise' };
  const other = utteranceCounts(saidOnce, [span(960, 1500), span(3005, 6000)], tenSeconds);
  const [first, second, ...rest] = pooledUtterances([[one], null, [noisy], [other]]) ?? [];
  t.deepEqual([first?.condition, second?.condition, rest.length], ['a_noise', 'clean', 0]);
  t.like(second, { words: 4, phrases: 2, unspokenMs: 2 * one.unspokenMs });
  t.deepEqual(second?.onset.errorsMs, [-40, -10, 5]);
  t.is(pooledUtterances([null]), null);
});

const said = (label: string, code: string | null): LanguageAnswer => ({ label, isRead: true, code });

test('right, wrong, silent and never asked are counted apart', (t) => {
  const counts = languageCounts([
    said('ko', 'ko'),
    said('en', 'en'),
    said('en', 'EN'),
    said('en', 'de'),
    said('en', null),
    { label: 'en', isRead: false, code: null },
  ]);
  t.deepEqual(counts, { labelled: 6, correct: 3, wrong: 1, abstained: 1, unread: 1 });
  t.like(languageScoreOf(counts), { accuracyMicro: 750_000, abstentionMicro: 166_667 });
});

test('silence about text without language is right, and an answer is wrong', (t) => {
  t.like(languageCounts([said('zxx', null), said('zxx', 'en')]), { correct: 1, wrong: 1, abstained: 0 });
});

test('who never answers has no accuracy', (t) => {
  t.like(languageScoreOf(languageCounts([said('en', null)])), { accuracyMicro: null, abstentionMicro: 1_000_000 });
});

type Written = readonly [startMs: number, endMs: number, text: string];

const cues = (...written: readonly Written[]) => written.map(([startMs, endMs, text]) => ({ startMs, endMs, text }));
const pairs = (labelled: readonly Written[], found: readonly Written[]) =>
  pairCues(cues(...labelled), cues(...found)).map((pair) => [pair.labelled, pair.found]);

const three: readonly Written[] = [
  [0, 1000, 'one'],
  [1000, 2000, 'two'],
  [2000, 3000, 'three'],
];

test('equal cues are all exact', (t) => {
  const score = subtitleScoreOf(subtitleCounts(cues(...three), cues(...three)));
  t.like(score, { labelled: 3, found: 3, matched: 3, exact: 3, meanErrorUs: 0, largestErrorMs: 0, f1Micro: 1_000_000 });
});

test('a cue with the right text at another time is matched, not exact; its errors are counted', (t) => {
  const late: readonly Written[] = [
    [0, 1000, 'one'],
    [1010, 1970, 'two'],
    [2000, 3000, 'three'],
  ];
  const score = subtitleScoreOf(subtitleCounts(cues(...three), cues(...late)));
  t.like(score, { matched: 3, exact: 2, startErrorMs: 10, endErrorMs: 30, largestErrorMs: 30, meanErrorUs: 6667 });
  t.is(score.precisionMicro, 666_667);
});

test('missing, additional and changed cues count against one side only', (t) => {
  t.like(subtitleCounts(cues(...three), cues(...three.slice(1))), { labelled: 3, found: 2, exact: 2 });
  t.like(subtitleCounts(cues(...three.slice(1)), cues(...three)), { labelled: 2, found: 3, exact: 2 });
  t.like(subtitleCounts(cues([0, 1, 'a']), cues([0, 1, 'b'])), { matched: 0, exact: 0, startErrorMs: 0 });
});

test('nothing found has no mean error', (t) => {
  t.like(subtitleScoreOf(subtitleCounts(cues(...three), [])), {
    meanErrorUs: null,
    precisionMicro: null,
    recallMicro: 0,
  });
});

test('of cues with the same text the nearest are paired', (t) => {
  const labelled: readonly Written[] = [
    [0, 100, 'yes'],
    [5000, 5100, 'yes'],
  ];
  t.deepEqual(pairs(labelled, [[5001, 5101, 'yes']]), [[1, 0]]);
  t.deepEqual(pairs(labelled, [[1, 101, 'yes']]), [[0, 0]]);
});

test('pairs never cross, and more of them are better than nearer ones', (t) => {
  const swapped: readonly Written[] = [
    [0, 1000, 'two'],
    [1000, 2000, 'one'],
    [2000, 3000, 'three'],
  ];
  t.is(pairs(three, swapped).length, 2);
  const labelled: readonly Written[] = [
    [0, 100, 'a'],
    [100, 200, 'b'],
    [200, 300, 'a'],
  ];
  const found: readonly Written[] = [
    [200, 300, 'a'],
    [300, 400, 'b'],
  ];
  t.deepEqual(pairs(labelled, found), [
    [0, 0],
    [1, 1],
  ]);
});

test('transitions are found if they overlap, each once, bounded within four frames', (t) => {
  const frameRate = { numerator: 25, denominator: 1 };
  const spans = [span(1000, 2000), span(5000, 6000), span(8000, 9000)];
  const counts = transitionCounts({ frameRate, spans }, [span(840, 2162), span(1900, 2100), span(5163, 6000)]);
  t.deepEqual(counts, { labelled: 3, found: 3, matched: 2, bounded: 1 });
  t.like(transitionScoreOf(counts), { precisionMicro: 666_667, recallMicro: 666_667, boundedMicro: 333_333 });
});

test('faults count by their kind; those of both sides at once are one', (t) => {
  const fault = (kind: LabeledFault['kind'], startMs: number, endMs: number): LabeledFault => ({
    kind,
    startMs,
    endMs,
  });
  const labelled = [fault('clipping', 0, 100), fault('dropout', 500, 520), fault('dropout', 900, 920)];
  const found = [
    fault('clipping', 50, 120),
    fault('clipping', 0, 60),
    fault('dropout', 519, 530),
    fault('phase_inversion', 900, 950),
  ];
  const [clipping, silent, inverted, dropout] = faultScoresOf(faultCounts(labelled, found));
  t.like(clipping, { kind: 'clipping', labelled: 1, found: 1, matched: 1, f1Micro: 1_000_000 });
  t.like(silent, { kind: 'silent_channel', labelled: 0, found: 0, f1Micro: null });
  t.like(inverted, { kind: 'phase_inversion', found: 1, precisionMicro: 0, recallMicro: null });
  t.like(dropout, { kind: 'dropout', labelled: 2, matched: 1, recallMicro: 500_000 });
});

test('a shot counts as covered by a picture that was taken in it', (t) => {
  const counts = keyframeCounts([span(0, 1000), span(1000, 2000), span(2000, 3000)], [0, 500, 2000]);
  t.deepEqual(keyframeScoreOf(counts), { shots: 3, covered: 2, kept: 3, coveredMicro: 666_667 });
});

const line = (startMs: number, endMs: number, text: string, outcome: FoundLine['outcome'] = 'passed'): FoundLine => ({
  startMs,
  endMs,
  text,
  outcome,
});

test('a transcript is scored by words and characters; words without speech are invented', (t) => {
  const labelled = { language: 'en', lines: [{ startMs: 1000, endMs: 3000, text: "It's a dark, cold night." }] };
  const found = [
    line(6000, 7000, 'Thank you'),
    line(1100, 2900, 'its a dark cold night'),
    line(8000, 9000, 'subtitles by nobody', 'withheld'),
  ];
  const score = transcriptScoreOf(transcriptCounts(labelled, found, span(0, 12_000)));
  t.like(score, { labelledWords: 5, foundWords: 7, wordErrors: 3, wordErrorMicro: 600_000, withheldLines: 1 });
  t.like(score, { labelledCharacters: 22, characterErrors: 11, characterErrorMicro: 500_000 });
  t.like(score, { inventedWords: 2, inventedMs: 1000, unspokenMs: 10_000, inventionMicro: 100_000 });
});

/** The number of spoken words, and the numbers of wrong words and characters. */
function errorsIn(label: string, text: string) {
  const labelled = { language: 'en', lines: [{ startMs: 0, endMs: 1000, text: label }] };
  const { labelledWords, wordErrors, characterErrors } = transcriptCounts(
    labelled,
    [line(0, 1000, text)],
    span(0, 1000),
  );
  return [labelledWords, wordErrors, characterErrors];
}

test('quotation marks like apostrophes, and other apostrophes, do not make words wrong', (t) => {
  t.deepEqual(errorsIn('I don’t know, it’s late.', "I don't know it's late"), [5, 0, 0]);
  t.deepEqual(errorsIn("'Come in,' he said.", 'Come in, he said'), [4, 0, 0]);
  t.deepEqual(errorsIn('‘rock ’n’ roll’', "rock 'n' roll"), [3, 0, 0]);
  t.deepEqual(errorsIn('пʼять', 'п’ять'), [1, 0, 0]);
  t.deepEqual(errorsIn("it's", 'its'), [1, 1, 1]);
});

test('bug: punctuation counted as a wrong character if no spaces separate the words', (t) => {
  t.is(errorsIn('你好，世界', '你好世界')[2], 0);
  t.is(errorsIn('こんにちは、世界。', 'こんにちは 世界')[2], 0);
  t.is(errorsIn('สวัสดีที่ ชาวโลก', 'สวัสดีที่ชาวโลก')[2], 0);
  t.is(errorsIn('한국 사람', '한국사람')[2], 1, 'Korean parts words by spaces');
  t.is(errorsIn('मैं ठीक', 'मैंठीक')[2], 1, 'and so does Hindi');
});

test('without speech and text the rate of inventions is zero, and there is no rate of errors', (t) => {
  const score = transcriptScoreOf(transcriptCounts({ language: 'en', lines: [] }, [], span(0, 1000)));
  t.like(score, { wordErrorMicro: null, inventionMicro: 0, unspokenMs: 1000 });
});

const wholeCaptions = checkableCaptions(threeLines);
const planted = [...defectiveCaptions(wholeCaptions)];

test('every defect is planted in every line that can have it, one at a time', (t) => {
  // The first line has none before it to overlap with or to share a name with.
  t.is(planted.length, Object.keys(lineDefects).length * threeLines.length - 2);
  for (const { captions, at } of planted) {
    t.deepEqual(captions.artifact.lines.toSpliced(at, 1), wholeCaptions.artifact.lines.toSpliced(at, 1));
    t.notDeepEqual(captions.artifact.lines[at], wholeCaptions.artifact.lines[at]);
    t.deepEqual(captions.receipt, wholeCaptions.receipt);
  }
});

test('a defective line still has the form of a line, so that only its meaning is wrong', (t) => {
  for (const { captions, at } of planted) t.true(captionLine.safeParse(captions.artifact.lines[at]).success);
});

test('the check withholds each of them', (t) => {
  t.is(structuralDecisionOf(wholeCaptions).outcome, 'accepted');
  for (const { captions, at } of planted) {
    const { outcome, lines } = structuralDecisionOf(captions);
    t.is(outcome, 'withheld');
    t.is(lines[at]?.outcome, 'withheld');
  }
});

const labelled = (...translations: readonly string[]): LabeledTranslations => ({
  sourceLanguage: 'en',
  targetLanguage: 'ar',
  lines: translations.map((translation) => ({ source: 'a line', translation, foreign: null, renamed: null })),
});

test('a number in digits of another script is changed to another number in these digits', (t) => {
  const planted = plantedAnswers(labelled('عندي ٥ قطط', 'Nr. 9 von 12', '𞥕 ២៥'), 'number_changed');
  t.deepEqual([...planted.values()], ['عندي ٥٥ قطط', 'Nr. 10 von 13', '𞥕𞥕 ២៥៥']);
});

test('a translation that is shortened keeps whole characters', (t) => {
  const planted = plantedAnswers(labelled('first', `a${'😀'.repeat(20)} twenty letters and more`), 'shortened');
  const [shortened] = planted.values();
  t.is(shortened?.isWellFormed(), true);
  t.regex(shortened ?? '', /^a😀+$/u);
});
