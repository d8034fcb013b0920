import test, { type ExecutionContext } from 'ava';
import type { Detector } from '../../../executors/detector/detector.ts';
import type { KeptWindow, PassWindows } from '../../../executors/evidence/decode-graph.ts';
import { type DetectedRange, detectionIdentity, detectRange } from '../../../executors/evidence/detect.ts';
import type { DetectionTracks } from '../../../executors/evidence/detection-identity.ts';
import { readSampleGold, sampleMedia } from '../../../fixtures/sample/gold.ts';
import { DetectionFailure } from '../../../kinds/detection-failure.ts';
import { kindNamed } from '../../../kinds/kinds.ts';
import { type MediaRecipe, madeMedia } from '../../media/made-media.ts';
import { drawn, quickH264 } from '../../media/recipes.ts';
import { failureOf, fake, waitUntilDead } from '../process/launcher-for-tests.ts';
import {
  artifactOf,
  cutsOf,
  descendant,
  descendants,
  detect,
  openDetectionBench,
  overlapMs,
  sourceContentId,
  spansOf,
  statesOf,
  watched,
} from './detection-for-tests.ts';

const gold = await readSampleGold();

type Span = readonly [number, number];
const whole: Span = [0, gold.durationMs];
const utterances = gold.utterances.map(({ startMs, endMs }): Span => [startMs, endMs]);

const bench = await openDetectionBench();
const full = await detect(bench, sampleMedia, whole);
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

/** The part of these facts that a pass over the range alone can find, without rests below the least length (with padding). */
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
    const wanted = cutsOf(artifactOf(t, full, 'shot_changes')).filter((cut) => cut >= range[0] && cut < range[1]);
    t.deepEqual(cuts, wanted);
    const { input } = artifactOf(t, part, 'speech_activity');
    t.is(input.derivedAudio?.samples, (range[1] - range[0]) * 16);
    const compare = (of: 'silence' | 'speech_activity', leastMs: number, toleranceMs: number) => {
      const kind = of === 'silence' ? 'silence' : 'speech_window';
      // A window that the range cuts may be found or missing.
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

test('tools and parameters are known before the pass, except its measurements', async (t) => {
  const tracks = { audioTrackIndex: 1, videoTrackIndex: null };
  const identity = detectionIdentity(
    { ffmpeg: bench.ffmpeg, ffprobe: bench.ffprobe, detectorTools: await bench.detector.tools() },
    tracks,
  );
  const ofPass = (['silence', 'speech_activity'] as const).map((kind) => artifactOf(t, full, kind).tool);
  t.deepEqual(identity.tools, [...ofPass, bench.ffprobe.identity]);
  t.like(identity.parameters, tracks);
  const measured: string[] = [];
  for (const { kind } of full) {
    for (const [name, value] of Object.entries(artifactOf(t, full, kind).parameters)) {
      if (kindNamed(kind)?.measured?.includes(name)) measured.push(name);
      else t.is(identity.parameters[`${kind}.${name}`], value);
    }
  }
  t.deepEqual(measured, ['programmeDbfs', 'floorDbfs', 'thresholdDbfs']);
});

const withTool = (name: string) => ({ ...bench, ffmpeg: { ...bench.ffmpeg, path: fake(name) } });

/** The `DetectionFailure` that a pass must end with. */
async function refused(t: ExecutionContext, work: Promise<unknown>): Promise<void> {
  const failure = await t.throwsAsync(work, { instanceOf: DetectionFailure });
  t.regex(failure?.message ?? '', /^tool_output: [^/]{1,240}$/);
}

/** The detector process survives what happens to ffmpeg and is good for the next pass. */
async function stillWorks(t: ExecutionContext): Promise<void> {
  const found = await detect(bench, sampleMedia, [0, 2000]);
  const states = statesOf(found).map(([, state]) => state);
  t.deepEqual(states, ['available', 'available', 'available', 'available']);
}

// In turn: these tests look for the processes of their pass, and kill them.
test.serial('numbers that are none are refused', async (t) => {
  await refused(t, detect(withTool('junk-on-pipe'), sampleMedia, whole));
  await stillWorks(t);
});

test.serial('more sound than the range holds is refused at once', async (t) => {
  await refused(t, detect(withTool('floods-stdout'), sampleMedia, whole));
  await refused(
    t,
    detect(withTool('floods-stdout'), sampleMedia, whole, { audioTrackIndex: null, videoTrackIndex: 0 }),
  );
  await stillWorks(t);
});

test.serial('half a sample of sound is refused', async (t) => {
  // The one line of this tool has an odd number of bytes.
  await refused(t, detect(withTool('prints-nonsense'), sampleMedia, whole));
});

test.serial('a crash, a flood of errors and a missing tool are closed failures', async (t) => {
  const crash = await failureOf(t, detect(withTool('crashes'), sampleMedia, whole));
  t.true(crash.reason === 'tool_exit' || crash.reason === 'tool_signal', crash.reason);
  t.is((await failureOf(t, detect(withTool('floods-stderr'), sampleMedia, whole))).reason, 'output_limit');
  t.is((await failureOf(t, detect(withTool('no-such-tool'), sampleMedia, whole))).reason, 'tool_missing');
  await stillWorks(t);
});

test.serial('ffmpeg killed on the way is a closed failure, and the next pass runs', async (t) => {
  const working = failureOf(t, detect(bench, sampleMedia, whole));
  process.kill(await descendant(bench.ffmpeg.path), 'SIGKILL');
  t.is((await working).reason, 'tool_signal');
  await stillWorks(t);
});

test.serial('a detector killed on the way ends the pass with ffmpeg, and the next pass has a new one', async (t) => {
  await stillWorks(t);
  const working = failureOf(t, detect(bench, sampleMedia, whole));
  const ffmpeg = await descendant(bench.ffmpeg.path);
  process.kill(await descendant(process.execPath), 'SIGKILL');
  t.is((await working).reason, 'tool_signal');
  t.deepEqual(await waitUntilDead([ffmpeg]), []);
  await stillWorks(t);
});

test.serial('an abort ends the pass and leaves no ffmpeg', async (t) => {
  const stop = new AbortController();
  const working = failureOf(t, detect(bench, sampleMedia, whole, undefined, stop.signal));
  await descendant(bench.ffmpeg.path);
  stop.abort();
  t.is((await working).reason, 'aborted');
  t.deepEqual(descendants(bench.ffmpeg.path), []);
  await stillWorks(t);
});

test.serial('a pass that is aborted before it begins starts nothing', async (t) => {
  const { launcher, requests } = watched(bench.launcher);
  const stop = new AbortController();
  stop.abort();
  const working = detect({ ...bench, launcher }, sampleMedia, whole, undefined, stop.signal);
  t.is((await failureOf(t, working)).reason, 'aborted');
  t.deepEqual(descendants(bench.ffmpeg.path), []);
  t.true(requests.length <= 1);
});

test.serial('the first reason wins when the detector fails beside ffmpeg', async (t) => {
  const first = new DetectionFailure('the first reason');
  const detector: Detector = {
    ...bench.detector,
    tools: () => bench.detector.tools(),
    sound: () => {
      const result = Promise.reject(first);
      result.catch(() => {});
      return { write: () => result, end: () => result, result, save: () => result, saved: result };
    },
  };
  t.is(await t.throwsAsync(detect({ ...bench, detector }, sampleMedia, whole)), first);
  t.deepEqual(descendants(bench.ffmpeg.path), []);
});

const SOUND_ONLY = { audioTrackIndex: 0, videoTrackIndex: null };
const BOTH = { audioTrackIndex: 1, videoTrackIndex: 0 };

/** Windows in memory, as a run of a host keeps them. */
class KeptHere implements PassWindows {
  readonly kept: KeptWindow[] = [];
  readonly lengthMs: number;
  readonly #last: number;

  /** Fails instead of keeping the window behind the `last` one, as a host that is killed there. */
  constructor(lengthMs: number, last = Number.POSITIVE_INFINITY) {
    this.lengthMs = lengthMs;
    this.#last = last;
  }

  async newest(endsMs: readonly number[]) {
    return this.kept.findLast(({ endMs }) => endsMs.includes(endMs)) ?? null;
  }

  async keep(window: KeptWindow): Promise<void> {
    if (this.kept.length === this.#last) throw new Error('killed');
    this.kept.push(window);
  }
}

interface Work {
  readonly fileOf: string;
  readonly range: readonly [number, number];
  readonly tracks: DetectionTracks;
  readonly windows?: PassWindows;
  readonly decoded?: (mediaMs: number) => void;
}

function detected({ fileOf, range: [startMs, endMs], tracks, ...rest }: Work): Promise<DetectedRange> {
  const { signal } = new AbortController();
  const request = { path: fileOf, sourceContentId, range: { startMs, endMs }, ...tracks, signal };
  return detectRange(bench, { ...request, keep: async () => undefined, ...rest });
}

/** Values that depend only on the rounding of blocks: integrated loudness and its range, in hundredths. */
function withoutLoudness({ detections, further }: DetectedRange) {
  return { detections: detections.filter(({ kind }) => kind !== 'loudness'), further };
}

function loudnessOf({ detections }: DetectedRange): number[] {
  const found = detections.find(({ kind }) => kind === 'loudness');
  const [fact] = found?.state === 'available' ? found.artifact.facts : [];
  if (fact?.kind !== 'loudness') return [];
  return [fact.integratedCentiLufs ?? 1, fact.rangeCentiLu ?? 1, fact.truePeakCentiDbtp ?? 1];
}

function sameFacts(t: ExecutionContext, byWindows: DetectedRange, atOnce: DetectedRange): void {
  t.deepEqual(withoutLoudness(byWindows), withoutLoudness(atOnce));
  for (const [at, value] of loudnessOf(atOnce).entries()) {
    t.true(Math.abs(value - (loudnessOf(byWindows)[at] ?? Number.NaN)) <= (at === 2 ? 0 : 2), `measure ${at}`);
  }
}

/** Values that depend on single samples: their digest, and the drawing of them. */
function withoutSamples({ detections, further }: DetectedRange): DetectedRange {
  return {
    detections: detections.map((detection) =>
      detection.state === 'unavailable'
        ? detection
        : {
            ...detection,
            artifact: { ...detection.artifact, input: { ...detection.artifact.input, derivedAudio: null } },
          },
    ),
    further: further.filter(({ kind }) => kind !== 'waveform'),
  };
}

const ofSample = (extension: string, words: readonly string[]): MediaRecipe => ({
  words: ['-i', 'sample.mp4', ...words],
  extension,
  inputs: { 'sample.mp4': { copyOf: sampleMedia } },
});

test('a film without losses has the same facts by windows as at once, to the last bit', async (t) => {
  // The rate does not divide into windows, the start is in the middle, and the windows do not divide into blocks.
  const picture = ['-map', '0:v', '-vf', 'fps=30000/1001', ...quickH264];
  const sound = ['-map', '0:a', '-af', 'volume=24dB', '-ar', '44100', '-c:a', 'pcm_s16le'];
  const fileOf = await madeMedia(ofSample('mov', ['-t', '40', ...picture, ...sound]));
  const work = { fileOf, range: [1234, 39_000], tracks: BOTH } as const;
  const windows = new KeptHere(9000);
  sameFacts(t, await detected({ ...work, windows }), await detected(work));
  const ends = windows.kept.map(({ endMs }) => endMs);
  t.deepEqual(ends, [10_234, 19_234, 28_234, 37_234]);
});

test('a film with made-up noise has the same facts but for the samples themselves', async (t) => {
  const work = { fileOf: sampleMedia, range: [0, 30_000], tracks: BOTH } as const;
  const [byWindows, atOnce] = [await detected({ ...work, windows: new KeptHere(7000) }), await detected(work)];
  sameFacts(t, withoutSamples(byWindows), withoutSamples(atOnce));
});

test('a pass that was cut continues after its last window, and finds the same', async (t) => {
  const fileOf = await madeMedia(ofSample('flac', ['-t', '30', '-vn', '-ac', '1', '-ar', '16000']));
  const work = { fileOf, range: [0, 30_000], tracks: SOUND_ONLY } as const;
  const windows = new KeptHere(8000, 2);
  await t.throwsAsync(detected({ ...work, windows }), { message: 'killed' });
  const seen: number[] = [];
  const rest = Object.assign(new KeptHere(8000), { kept: windows.kept });
  sameFacts(t, await detected({ ...work, windows: rest, decoded: (ms) => seen.push(ms) }), await detected(work));
  const ends = rest.kept.map(({ endMs }) => endMs);
  t.deepEqual(ends, [8000, 16_000, 24_000]);
  t.is(seen[0], 16_000);
  t.is(seen.at(-1), 30_000);
  const sorted = seen.toSorted((one, other) => one - other);
  t.deepEqual(sorted, seen);
});

test('sound that ends before a window and goes on in a later one has silence between, as at once', async (t) => {
  const part = (graph: string): MediaRecipe => ({ words: [...drawn(graph), '-c:a', 'pcm_s16le'], extension: 'mkv' });
  const fileOf = await madeMedia({
    words: ['-f', 'concat', '-i', 'gap.txt', '-c', 'copy'],
    extension: 'mkv',
    inputs: {
      'gap.txt': 'ffconcat version 1.0\nfile early.mkv\nduration 16\nfile late.mkv\n',
      'early.mkv': part('aevalsrc=0.9*sin(900*t):d=5:s=48000'),
      'late.mkv': part('aevalsrc=0.9*sin(700*t):d=6:s=48000'),
    },
  });
  const work = { fileOf, range: [0, 22_000], tracks: SOUND_ONLY } as const;
  sameFacts(t, await detected({ ...work, windows: new KeptHere(4000) }), await detected(work));
});
