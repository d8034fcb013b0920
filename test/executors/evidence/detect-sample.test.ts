import test from 'ava';
import { measuredParameters } from '../../../contract/evidence/evidence.ts';
import { detectionIdentity } from '../../../executors/evidence/detect.ts';
import { readSampleGold, sampleMedia } from '../../../fixtures/sample/gold.ts';
import {
  artifactOf,
  cutsOf,
  type DetectionBench,
  detect,
  openDetectionBench,
  sourceContentId,
  spansOf,
  statesOf,
} from './detection-for-tests.ts';

type Span = readonly [number, number];

const gold = await readSampleGold();
const whole: Span = [0, gold.durationMs];
const utterances = gold.utterances.map(({ startMs, endMs }): Span => [startMs, endMs]);
let bench: DetectionBench;
let full: Awaited<ReturnType<typeof detect>>;

test.before(async () => {
  bench = await openDetectionBench();
  full = await detect(bench, sampleMedia, whole);
});

test.after.always(() => bench.close());

const GRID_MS = 10;

/** One truth value for every point of the grid. */
function onGrid(spans: readonly Span[], [from, to]: Span): boolean[] {
  const points = Array.from({ length: Math.floor((to - from) / GRID_MS) }, (_, at) => from + at * GRID_MS);
  return points.map((point) => spans.some(([startMs, endMs]) => startMs <= point && point < endMs));
}

/** The harmonic mean of precision and recall over the grid. */
function frameF1(found: readonly Span[], truth: readonly Span[], range: Span): number {
  const truthGrid = onGrid(truth, range);
  const pairs = onGrid(found, range).map((is, at) => [is, truthGrid[at] ?? false] as const);
  const both = pairs.filter(([is, was]) => is && was).length;
  const either = pairs.filter(([is]) => is).length + pairs.filter(([, was]) => was).length;
  return (2 * both) / either;
}

const overlapMs = (spans: readonly Span[], [from, to]: Span): number =>
  spans.reduce((sum, [startMs, endMs]) => sum + Math.max(0, Math.min(endMs, to) - Math.max(startMs, from)), 0);

/** What a pass over the range alone can still find of these: a rest shorter than the least length (with its padding) is none. */
const clipped = (spans: readonly Span[], [from, to]: Span, leastMs: number): Span[] =>
  spans
    .map(([startMs, endMs]): Span => [Math.max(startMs, from), Math.min(endMs, to)])
    .filter(([startMs, endMs]) => endMs - startMs >= leastMs);

test('every kind is available and names what was measured', (t) => {
  t.deepEqual(statesOf(full), [
    ['speech_activity', 'available'],
    ['silence', 'available'],
    ['loudness', 'available'],
    ['shot_changes', 'available'],
  ]);
  const { input, tool } = artifactOf(t, full, 'speech_activity');
  t.like(input, { sourceContentId, range: { startMs: 0, endMs: gold.durationMs }, trackIndex: 1 });
  t.is(input.derivedAudio?.samples, gold.durationMs * 16);
  t.is(tool.name, 'silero-vad');
  t.regex(tool.version, /^\d+\.\d+\.\d+ \(onnxruntime-node \d+\.\d+\.\d+\)$/);
  t.is(artifactOf(t, full, 'silence').tool, bench.ffmpeg.identity);
  t.is(artifactOf(t, full, 'shot_changes').input.trackIndex, 0);
});

test('speech is found where it was spoken', (t) => {
  const speech = spansOf(artifactOf(t, full, 'speech_activity'), 'speech_window');
  t.true(frameF1(speech, utterances, whole) >= 0.95, `F1 ${frameF1(speech, utterances, whole)}`);
  for (const utterance of utterances) {
    t.true(overlapMs(speech, utterance) >= 0.9 * (utterance[1] - utterance[0]), `missed at ${utterance[0]} ms`);
  }
});

test('no speech is found in the tone and in the noise', (t) => {
  const speech = spansOf(artifactOf(t, full, 'speech_activity'), 'speech_window');
  for (const { startMs, endMs, kind } of gold.nonSpeech) t.is(overlapMs(speech, [startMs, endMs]), 0, kind);
});

test('windows of speech and non-speech cover the range once', (t) => {
  const { facts } = artifactOf(t, full, 'speech_activity');
  let covered = 0;
  for (const fact of facts) {
    if (fact.kind !== 'speech_window' && fact.kind !== 'non_speech_window') throw new Error('a stranger among windows');
    t.is(fact.startSample, covered);
    covered = fact.endSample;
  }
  t.is(covered, gold.durationMs * 16);
});

test('silence lies beside the words, the tone and the noise', (t) => {
  const silences = spansOf(artifactOf(t, full, 'silence'), 'silence');
  const sounding = [...utterances, ...gold.nonSpeech.map(({ startMs, endMs }): Span => [startMs, endMs])];
  t.true(silences.length >= 10);
  for (const span of sounding) t.true(overlapMs(silences, span) <= 20, `silence inside ${span}`);
});

test('loudness agrees with the ranges that speech has', (t) => {
  const [fact] = artifactOf(t, full, 'loudness').facts;
  if (fact?.kind !== 'loudness') throw new Error('no loudness');
  const { integratedCentiLufs, truePeakCentiDbtp, rangeCentiLu } = fact;
  t.true(integratedCentiLufs !== null && integratedCentiLufs > -3000 && integratedCentiLufs < -1000);
  t.true(truePeakCentiDbtp !== null && truePeakCentiDbtp > -1000 && truePeakCentiDbtp <= 100);
  t.true(rangeCentiLu !== null && rangeCentiLu >= 0 && rangeCentiLu < 2000);
});

test('every cut is found within one frame, and no other', (t) => {
  const cuts = cutsOf(artifactOf(t, full, 'shot_changes'));
  t.is(cuts.length, gold.cutsMs.length);
  for (const [at, cut] of gold.cutsMs.entries()) t.true(Math.abs((cuts[at] ?? 0) - cut) <= 1000 / gold.frameRate);
});

test('the same range gives the same facts again, even beside another pass', async (t) => {
  const [again, other] = await Promise.all([
    detect(bench, sampleMedia, whole),
    detect(bench, sampleMedia, [0, 20_000]),
  ]);
  t.deepEqual(again, full);
  t.is(artifactOf(t, other, 'speech_activity').input.derivedAudio?.samples, 320_000);
});

for (const range of [
  [10_000, 30_000],
  [16_101, 30_599],
  [1999, 8003],
  [42_424, 50_000],
] as const) {
  test(`the facts of ${range.join(' to ')} ms are those of the whole, clipped`, async (t) => {
    const part = await detect(bench, sampleMedia, range);
    const cuts = cutsOf(artifactOf(t, part, 'shot_changes'));
    t.deepEqual(
      cuts,
      cutsOf(artifactOf(t, full, 'shot_changes')).filter((cut) => cut >= range[0] && cut < range[1]),
    );
    const { input } = artifactOf(t, part, 'speech_activity');
    t.is(input.derivedAudio?.samples, (range[1] - range[0]) * 16);
    const compare = (of: 'silence' | 'speech_activity', leastMs: number, toleranceMs: number) => {
      const kind = of === 'silence' ? 'silence' : 'speech_window';
      // What the range cuts off from a window may be found or not.
      const found = spansOf(artifactOf(t, part, of), kind).filter(([startMs, endMs]) => endMs - startMs >= leastMs);
      const expected = clipped(spansOf(artifactOf(t, full, of), kind), range, leastMs);
      t.is(found.length, expected.length, kind);
      for (const [at, [startMs, endMs]] of expected.entries()) {
        const [foundStart = 0, foundEnd = 0] = found[at] ?? [];
        t.true(Math.abs(foundStart - startMs) <= toleranceMs, `${kind} begins at ${foundStart}, not ${startMs}`);
        t.true(Math.abs(foundEnd - endMs) <= toleranceMs, `${kind} ends at ${foundEnd}, not ${endMs}`);
      }
    };
    compare('silence', 300, 5);
    // The frames of the model begin with the range, so windows may move by a few frames of 32 ms.
    compare('speech_activity', 350, 130);
  });
}

test('a range that begins on a cut holds it, one that ends there does not', async (t) => {
  const [first = 0, second = 0] = gold.cutsMs;
  const cuts = async (range: Span) => cutsOf(artifactOf(t, await detect(bench, sampleMedia, range), 'shot_changes'));
  t.deepEqual(await cuts([first, second]), [first]);
  t.deepEqual(await cuts([first + 1, second + 1]), [second]);
});

test('a range of one millisecond has sixteen samples', async (t) => {
  for (const startMs of [0, 7760, 20_001]) {
    const part = await detect(bench, sampleMedia, [startMs, startMs + 1]);
    const { input, facts } = artifactOf(t, part, 'speech_activity');
    t.is(input.derivedAudio?.samples, 16);
    t.is(facts.length, 1);
    t.deepEqual(artifactOf(t, part, 'silence').facts, []);
    const [loudness] = artifactOf(t, part, 'loudness').facts;
    t.like(loudness, { integratedCentiLufs: null, rangeCentiLu: null, truePeakCentiDbtp: null });
  }
});

test('a range without a picture or a sound in it says so', async (t) => {
  const picture = await detect(bench, sampleMedia, [7761, 7790]);
  t.deepEqual(statesOf(picture)[3], ['shot_changes', 'no_frames_in_range']);
  const beyond = await detect(bench, sampleMedia, [60_000, 61_000]);
  t.deepEqual(statesOf(beyond), [
    ['speech_activity', 'no_audio_in_range'],
    ['silence', 'no_audio_in_range'],
    ['loudness', 'no_audio_in_range'],
    ['shot_changes', 'no_frames_in_range'],
  ]);
});

test('tools and parameters are known before, and are those of the artifacts but for what was measured on the way', async (t) => {
  const tracks = { audioTrackIndex: 1, videoTrackIndex: null };
  const identity = detectionIdentity({ ffmpeg: bench.ffmpeg, detectorTools: await bench.detector.tools() }, tracks);
  t.deepEqual(identity.tools, [artifactOf(t, full, 'silence').tool, artifactOf(t, full, 'speech_activity').tool]);
  t.like(identity.parameters, tracks);
  const measured: string[] = [];
  for (const { kind } of full) {
    for (const [name, value] of Object.entries(artifactOf(t, full, kind).parameters)) {
      if (measuredParameters[kind]?.includes(name)) measured.push(name);
      else t.is(identity.parameters[`${kind}.${name}`], value);
    }
  }
  t.deepEqual(measured, ['programmeDbfs', 'floorDbfs', 'thresholdDbfs']);
});
