import { readFileSync } from 'node:fs';
import test from 'ava';
import {
  type EvaluationReceipt,
  type EvaluationScores,
  evaluationReceipt,
  type PackItem,
} from '../../../contract/evaluation.ts';
import type { RegisteredSource } from '../../../contract/sources/source-session.ts';
import { contentIdOfJson, hashOf } from '../../../formats/canonical-json.ts';
import {
  compareEvaluations,
  estimatedMeasures,
  measuresOf,
  speechToleranceMicro,
} from '../../../receipts/evaluation/comparison.ts';
import { type EvaluationCounts, pooledCounts, scoresOf } from '../../../receipts/evaluation/counts.ts';
import { checkLabeledMedia, readBaseline, readPack } from '../../../receipts/evaluation/receipt.ts';
import { drawnMeasures } from '../../../visualizer/drawing/measure-drawing.ts';
import { fieldOf } from '../../fields.ts';
import { bytesOf, fault, item, pack, packWith, withLabels } from './evaluation-packs.ts';

const readWith = (labels: Partial<PackItem['labels']>) => () => readPack(bytesOf(packWith(withLabels(labels))));
const rate = { frameRate: { numerator: 25, denominator: 1 } };

test('a pack has the content id of its canonical form, however it is laid out', (t) => {
  const read = readPack(bytesOf(pack));
  t.deepEqual(read, { contentId: contentIdOfJson(pack), pack });
  const { items, ...rest } = pack;
  const other = Buffer.from(JSON.stringify({ items, ...rest }, null, 4), 'utf8');
  t.is(readPack(other).contentId, read.contentId);
  const otherMedia = { ...item.media, contentId: `sha256:${'b'.repeat(64)}` };
  const changed = readPack(bytesOf(packWith({ ...item, media: otherMedia })));
  t.not(changed.contentId, read.contentId);
});

test('an invalid manifest is malformed, and the place is named', (t) => {
  const places: [unknown, string][] = [
    [{ ...pack, more: 1 }, 'manifest: Unrecognized key: "more"'],
    [{ ...pack, ownershipAttested: false }, 'manifest.ownershipAttested: Invalid input: expected true'],
    [packWith(), 'manifest.items: Too small: expected array to have >=1 items'],
    [packWith(item, item), 'manifest.items: items repeat'],
    [[], 'manifest.schema'],
  ];
  for (const [value, place] of places) t.throws(() => readPack(bytesOf(value)), fault('pack_malformed', place));
  t.throws(() => readPack(Buffer.from('{')), fault('pack_malformed', 'manifest'));
  t.throws(() => readPack(Buffer.from([0x22, 0xff, 0x22])), fault('pack_malformed', 'manifest'));
  t.throws(() => readPack(Buffer.alloc(16 * 1024 * 1024 + 1)), fault('pack_malformed', 'manifest: too large'));
});

test('paths stay plain and below the folder', (t) => {
  const pathed = (path: string) => () => readPack(bytesOf(packWith({ ...item, media: { ...item.media, path } })));
  const place = 'manifest.items.0.media.path: must be a plain relative path';
  for (const path of ['', '/etc/passwd', '../x', 'a/../b', 'a//b', './a', 'a/', 'a\\b', 'a\0b', '..', 'a/.'])
    t.throws(pathed(path), fault('pack_malformed', place), path);
  for (const path of ['a', 'a/b.mp4', '.hidden', 'a..b', '...', 'é/한.mkv']) t.notThrows(pathed(path), path);
});

test('labels that contradict themselves are malformed', (t) => {
  const span = (startMs: number, endMs: number) => ({ startMs, endMs });
  const cue = { startMs: 2000, endMs: 3000, text: 'x', language: null };
  const track = { trackIndex: 2, language: null, cues: [cue] };
  const contradictions: [Partial<PackItem['labels']>, string][] = [
    [{ speech: [{ startMs: 2000, endMs: 2000 }] }, 'speech.0.endMs: startMs must be below endMs'],
    [{ speech: [span(2000, 4000), span(3000, 5000)] }, 'speech: must be in order and apart'],
    [{ cuts: { ...rate, atMs: [2000, 2000] } }, 'cuts.atMs: must ascend'],
    [
      { subtitles: [{ trackIndex: 2, language: null, cues: [cue, { ...cue, startMs: 1500 }] }] },
      'subtitles.0.cues: must be in the order of their starts',
    ],
    [{ subtitles: [track, track] }, 'subtitles: tracks repeat'],
  ];
  for (const [labels, place] of contradictions)
    t.throws(readWith(labels), fault('pack_malformed', `manifest.items.0.labels.${place}`));
});

test('another schema is not guessed at', (t) => {
  const next = { ...pack, schema: 'studio.evaluation-pack.v2' };
  t.throws(() => readPack(bytesOf(next)), fault('pack_schema_unknown', 'studio.evaluation-pack.v2'));
});

test('an item without any label is refused, one with labels of nothing is not', (t) => {
  const empty = fault('labels_empty', 'first');
  for (const more of [{}, { subtitles: [] }, { transcript: null }]) t.throws(readWith({ ...none, ...more }), empty);
  for (const more of [{ speech: [] }, { soundFaults: [] }]) t.notThrows(readWith({ ...none, ...more }));
});

test('labels outside the range of their item are refused, with the label', (t) => {
  const cue = { startMs: 8000, endMs: 9001, text: 'x', language: null };
  const strays: [Partial<PackItem['labels']>, string][] = [
    [{ speech: [{ startMs: 999, endMs: 2000 }] }, 'speech.0'],
    [{ soundFaults: [{ kind: 'dropout', startMs: 8999, endMs: 9001 }] }, 'soundFaults.0'],
    [{ transcript: { language: 'en', lines: [{ startMs: 0, endMs: 2000, text: 'x' }] } }, 'transcript.lines.0'],
    [{ keyframes: { shots: [{ startMs: 999, endMs: 2000 }] } }, 'keyframes.shots.0'],
    [{ speech: [{ startMs: 8000, endMs: 9001 }] }, 'speech.0'],
    [{ cuts: { ...rate, atMs: [1000, 9000] } }, 'cuts.atMs.1'],
    [{ cuts: { ...rate, atMs: [999] } }, 'cuts.atMs.0'],
    [{ subtitles: [{ trackIndex: 2, language: null, cues: [cue] }] }, 'subtitles.0.cues.0'],
  ];
  for (const [labels, place] of strays)
    t.throws(readWith(labels), fault('labels_outside_media', `first: labels.${place}`));
});

test('bug: utterances outside the range of their item counted as missed, and those of media without sound were studied', (t) => {
  const utterances = { condition: 'clean', spans: [{ startMs: 8000, endMs: 9001 }] };
  t.throws(readWith({ utterances }), fault('labels_outside_media', 'first: labels.utterances.spans.0'));
  const silent = itemLabeled({ utterances: { ...utterances, spans: [] } });
  t.throws(
    () => checkLabeledMedia(silent, media('video')),
    fault('labels_outside_media', 'first: labels.utterances: no_audio_track'),
  );
});

type Kind = RegisteredSource['tracks'][number]['kind'];

const none: PackItem['labels'] = { speech: null, cuts: null, subtitles: null, captions: null };
const itemLabeled = (labels: Partial<PackItem['labels']>, endMs = 9000): PackItem => ({
  itemId: 'first',
  media: { path: 'first.mkv', contentId: `sha256:${'a'.repeat(64)}`, bytes: 1 },
  range: { startMs: 1000, endMs },
  labels: { ...none, ...labels },
});

/** Media of nine seconds with tracks of these kinds. */
const media = (...kinds: readonly Kind[]) => ({
  session: { source: { durationMs: 9000 } },
  tracks: kinds.map((kind, index) => ({ id: `stream:${index}`, index, kind, codec: 'any', durationMs: null })),
});

const cuts = { ...rate, atMs: [] };
const emptyTrack = [{ trackIndex: 1, language: null, cues: [] }];
const pairing = { sourceLanguage: 'ko', targetLanguage: 'en', lines: [{ source: '네', target: 'Yes' }] };
const captions = { sourceLanguage: 'ko', targetLanguage: 'en' };

test('labels for tracks of the media are accepted', (t) => {
  t.notThrows(() =>
    checkLabeledMedia(itemLabeled({ speech: [], cuts, subtitles: emptyTrack }), media('video', 'subtitle', 'audio')),
  );
  t.notThrows(() => checkLabeledMedia(itemLabeled({ captions }), media('audio')));
});

const noCues = 'labels.subtitles.0.trackIndex';

const misplaced: readonly (readonly [string, Partial<PackItem['labels']>, string, string, number?])[] = [
  ['a range that ends after its media', { speech: [] }, 'audio', 'range ends after the media, which has 9000 ms', 9001],
  ['speech without sound', { speech: [] }, 'video', 'labels.speech: no_audio_track'],
  ['text on the screen without a picture', { screenTexts: [] }, 'audio', 'labels.screenTexts: no_video_track'],
  ['pairs without text tracks', { pairing }, 'video', 'labels.pairing: no_text_subtitle_track'],
  ['cuts without a picture', { cuts }, 'audio', 'labels.cuts: no_video_track'],
  ['cues without any text', { subtitles: emptyTrack }, 'video audio', `${noCues}: no_text_subtitle_track`],
  [
    'cues of a track that is something else',
    { subtitles: emptyTrack },
    'subtitle audio',
    `${noCues}: no such text track`,
  ],
];

for (const [title, labels, tracks, place, endMs] of misplaced) {
  test(`${title} is refused`, (t) => {
    const check = () => checkLabeledMedia(itemLabeled(labels, endMs), media(...(tracks.split(' ') as Kind[])));
    t.throws(check, fault('labels_outside_media', `first: ${place}`));
  });
}

test('captions of more than any production takes are refused', (t) => {
  const long = { session: { source: { durationMs: 121_001 } }, tracks: [] };
  t.notThrows(() => checkLabeledMedia(itemLabeled({ captions }, 121_000), long));
  t.throws(
    () => checkLabeledMedia(itemLabeled({ captions }, 121_001), long),
    fault(
      'labels_outside_media',
      'first: labels.captions: captions are made of at most 120000 ms, the study has 120001 ms',
    ),
  );
});

const baseline = readFileSync(new URL('../../../fixtures/sample/baseline.json', import.meta.url));
const acceptedBaseline = evaluationReceipt.parse(JSON.parse(baseline.toString('utf8')));
const { contentId: packContentId } = acceptedBaseline.pack;

test('an accepted receipt is read in any layout', (t) => {
  t.deepEqual(readBaseline(baseline, packContentId), acceptedBaseline);
  t.deepEqual(readBaseline(bytesOf(acceptedBaseline), packContentId), acceptedBaseline);
});

test('its id follows from everything in it, and nothing in it is a time or an id of a run', (t) => {
  const { schema: _, receiptId, ...body } = acceptedBaseline;
  t.is(receiptId, `evaluation:${hashOf(body)}`);
  t.notRegex(baseline.toString('utf8'), /\d{4}-\d{2}-\d{2}T|runtime:|[0-9a-f]{8}-[0-9a-f]{4}-/);
});

test('a changed number, a foreign field and anything but a receipt are malformed', (t) => {
  const totals = { ...acceptedBaseline.totals, cuts: null };
  const refused = (bytes: Buffer, place: string) =>
    t.throws(() => readBaseline(bytes, packContentId), fault('baseline_malformed', place));
  refused(bytesOf({ ...acceptedBaseline, totals }), 'baseline.receiptId');
  refused(bytesOf({ ...acceptedBaseline, at: 0 }), 'baseline');
  refused(bytesOf({ ...acceptedBaseline, tools: 1 }), 'baseline.tools');
  refused(Buffer.from('no'), 'baseline');
});

test('a baseline of another pack is not compared with', (t) => {
  const other = `sha256:${'0'.repeat(64)}`;
  t.throws(
    () => readBaseline(baseline, other),
    fault('baseline_of_other_pack', `baseline is of ${packContentId}, this is ${other}`),
  );
});

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

const noLabels: EvaluationCounts = {
  speech: null,
  cuts: null,
  subtitles: null,
  trackLanguages: null,
  cueLanguages: null,
  captionGate: null,
  transitions: null,
  soundFaults: null,
  keyframes: null,
  transcript: null,
  translations: null,
  pairing: null,
  screenTexts: null,
  utterances: null,
};

const counts = {
  ...noLabels,
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
const receiptOfTotals = (totals: EvaluationScores): EvaluationReceipt => ({
  schema: 'studio.evaluation.receipt.v1',
  receiptId: `evaluation:${'0'.repeat(64)}`,
  producer: { id: 'studio.pack-evaluation', version: '1', policy: 'counts_pooled_over_items' },
  pack: { contentId: `sha256:${'0'.repeat(64)}`, itemCount: 1 },
  tools: [],
  detectors: [],
  items: [],
  totals,
});

const acceptedReceipt = receiptOfTotals(scores);
const compared = (totals: EvaluationScores) => compareEvaluations(receiptOfTotals(totals), acceptedReceipt);

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
  t.deepEqual(fieldOf(measures, 'name'), fieldOf(measuresOf(scores), 'name'));
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
  test(`${name} is worse one beyond its tolerance, or better`, (t) => {
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
  t.is(change(compareEvaluations(acceptedReceipt, receiptOfTotals(deaf)).measures), 'better');
});

test('bug: false findings counted as better if nothing was labeled and nothing had been found', (t) => {
  const faultsFound = (found: number): EvaluationScores =>
    scoresOf({ ...noLabels, soundFaults: [0, found, 0, 0].map((each) => ({ labelled: 0, found: each, matched: 0 })) });
  const textsPassed = (passed: number): EvaluationScores => {
    const nothing = { labelled: 0, found: 0, wrong: 0, withheld: 0 };
    return scoresOf({ ...noLabels, screenTexts: { ...nothing, passed, invented: passed } });
  };
  for (const scoresWith of [faultsFound, textsPassed]) {
    const [silent, inventing] = [receiptOfTotals(scoresWith(0)), receiptOfTotals(scoresWith(3))];
    t.is(compareEvaluations(inventing, silent).verdict, 'regression');
    t.is(compareEvaluations(silent, inventing).verdict, 'better');
  }
});

test('items without labels are not measured', (t) => {
  t.deepEqual(measuresOf(scoresOf(noLabels)), []);
  t.deepEqual(pooledCounts([noLabels, noLabels]), noLabels);
});

test('items are added up before anything is divided; of errors the largest stays', (t) => {
  const other = { ...noLabels, subtitles: { ...subtitles, largestErrorMs: 400 }, speech: counts.speech };
  const pooled = pooledCounts([counts, other, noLabels]);
  t.deepEqual(pooled.speech?.[0], { scoredMs: 200_000, labelledMs: 100_000, foundMs: 100_000, hitMs: 90_000 });
  t.like(pooled.subtitles, { labelled: 20, exact: 16, startErrorMs: 20, largestErrorMs: 400 });
  t.deepEqual(pooled.cuts, counts.cuts);
  t.deepEqual(pooled.captionGate, counts.captionGate);
});

const withShots = (shots: number, covered: number): EvaluationCounts => ({
  ...noLabels,
  keyframes: { shots, covered, kept: covered },
});

const receiptOfItems = (items: readonly EvaluationCounts[], files = items.length): EvaluationReceipt => ({
  ...receiptOfTotals(scoresOf(pooledCounts(items))),
  pack: { contentId: `sha256:${'0'.repeat(64)}`, itemCount: items.length },
  items: items.map((counts, at) => ({
    itemId: `item-${at}`,
    sourceContentId: `sha256:${String(at % files).repeat(64)}`,
    range: { startMs: 0, endMs: 1000 },
    scores: scoresOf(counts),
  })),
});

const covered = (receipt: EvaluationReceipt) =>
  estimatedMeasures(receipt).find(({ name }) => name === 'keyframes.shots_covered');

test('files that differ leave a measure open, files that agree do not, always by equal intervals', (t) => {
  const differing = receiptOfItems([withShots(10, 2), withShots(10, 10), withShots(10, 9), withShots(10, 7)]);
  const found = covered(differing);
  t.is(found?.value, 700_000);
  const { low = 0, high = 0 } = found?.interval ?? {};
  t.true(low >= 200_000 && low < 500_000 && high > 850_000 && high <= 1_000_000, `${low} to ${high}`);
  t.deepEqual(covered(differing), found);
  t.deepEqual(covered(receiptOfItems([withShots(5, 4), withShots(10, 8)]))?.interval, { low: 800_000, high: 800_000 });
});

test('items of one file are drawn together, and a single file gives no interval', (t) => {
  const items = [withShots(10, 2), withShots(10, 10)];
  t.is(covered(receiptOfItems(items, 1))?.interval, null);
  t.is(covered(receiptOfItems([withShots(10, 2), noLabels]))?.interval, null);
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
