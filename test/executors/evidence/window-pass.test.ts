import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { KeptWindow, PassWindows } from '../../../executors/evidence/decode-request.ts';
import { type DetectedRange, detectRange } from '../../../executors/evidence/detect.ts';
import type { DetectionTracks } from '../../../executors/evidence/detection-parameters.ts';
import { windowEnds } from '../../../executors/evidence/window-pass.ts';
import { sampleMedia } from '../../../fixtures/sample/gold.ts';
import { type DetectionBench, openDetectionBench, sourceContentId } from './detection-for-tests.ts';
import { ffmpeg } from './media-for-tests.ts';

let bench: DetectionBench;

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
  readonly file: string;
  readonly range: readonly [number, number];
  readonly tracks: DetectionTracks;
  readonly windows?: PassWindows;
  readonly decoded?: (mediaMs: number) => void;
}

function detected({ file, range: [startMs, endMs], tracks, ...rest }: Work): Promise<DetectedRange> {
  const { signal } = new AbortController();
  const request = { path: file, sourceContentId, range: { startMs, endMs }, ...tracks, signal };
  return detectRange(bench, { ...request, keep: async () => undefined, ...rest });
}

/** What differs only by how blocks are rounded: integrated loudness and its range, in hundredths. */
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

/** What depends on single samples: their digest, and the drawing of them. */
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

const file = (name: string): string => path.join(bench.folder, name);

test.before(async () => {
  bench = await openDetectionBench();
});

test.after.always(() => bench.close());

test('a film without losses has the same facts by windows as at once, to the last bit', async (t) => {
  // A rate that no window is a multiple of, a start in the middle, and windows that no block of the detector is a part of.
  const picture = ['-map', '0:v', '-vf', 'fps=30000/1001', '-c:v', 'libx264', '-preset', 'ultrafast'];
  const sound = ['-map', '0:a', '-af', 'volume=24dB', '-ar', '44100', '-c:a', 'pcm_s16le'];
  await ffmpeg(bench.folder, '-i', sampleMedia, '-t', '40', ...picture, ...sound, 'film.mov');
  const work = { file: file('film.mov'), range: [1234, 39_000], tracks: BOTH } as const;
  const windows = new KeptHere(9000);
  sameFacts(t, await detected({ ...work, windows }), await detected(work));
  t.deepEqual(
    windows.kept.map(({ endMs }) => endMs),
    [10_234, 19_234, 28_234, 37_234],
  );
});

test('a film with noise that its decoder makes up has the same facts but for the samples themselves', async (t) => {
  const work = { file: sampleMedia, range: [0, 30_000], tracks: BOTH } as const;
  const [byWindows, atOnce] = [await detected({ ...work, windows: new KeptHere(7000) }), await detected(work)];
  sameFacts(t, withoutSamples(byWindows), withoutSamples(atOnce));
});

test('a pass that was cut goes on behind its last window, and finds the same', async (t) => {
  await ffmpeg(bench.folder, '-i', sampleMedia, '-t', '30', '-vn', '-ac', '1', '-ar', '16000', 'sound.flac');
  const work = { file: file('sound.flac'), range: [0, 30_000], tracks: SOUND_ONLY } as const;
  const windows = new KeptHere(8000, 2);
  await t.throwsAsync(detected({ ...work, windows }), { message: 'killed' });
  const seen: number[] = [];
  const rest = Object.assign(new KeptHere(8000), { kept: windows.kept });
  sameFacts(t, await detected({ ...work, windows: rest, decoded: (ms) => seen.push(ms) }), await detected(work));
  t.deepEqual(
    rest.kept.map(({ endMs }) => endMs),
    [8000, 16_000, 24_000],
  );
  t.is(seen[0], 16_000);
  t.is(seen.at(-1), 30_000);
  t.deepEqual(
    seen.toSorted((one, other) => one - other),
    seen,
  );
});

test('sound that ends before a window and goes on in a later one has silence between, as at once', async (t) => {
  const [early, late] = ['aevalsrc=0.9*sin(900*t):d=5:s=48000', 'aevalsrc=0.9*sin(700*t):d=6:s=48000'];
  const streams = ['-f', 'lavfi', '-i', early, '-itsoffset', '16', '-f', 'lavfi', '-i', late];
  await ffmpeg(bench.folder, ...streams.slice(0, 4), '-c:a', 'pcm_s16le', 'early.mkv');
  await ffmpeg(bench.folder, ...streams.slice(6), '-c:a', 'pcm_s16le', 'late.mkv');
  const gap = 'ffconcat version 1.0\nfile early.mkv\nduration 16\nfile late.mkv\n';
  await writeFile(file('gap.txt'), gap);
  await ffmpeg(bench.folder, '-f', 'concat', '-i', 'gap.txt', '-c', 'copy', 'gap.mkv');
  const work = { file: file('gap.mkv'), range: [0, 22_000], tracks: SOUND_ONLY } as const;
  sameFacts(t, await detected({ ...work, windows: new KeptHere(4000) }), await detected(work));
});

test('the windows of a range are all but the last one kept', (t) => {
  const ends = (endMs: number) => windowEnds({ startMs: 500, endMs }, 1000);
  t.deepEqual([600, 1500, 1501, 2500, 2501].map(ends), [[], [], [1500], [1500], [1500, 2500]]);
});
