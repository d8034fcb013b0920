import test, { type ExecutionContext } from 'ava';
import { DetectionFailure } from '../../../executors/detector/detection-failure.ts';
import type { Detector } from '../../../executors/detector/detector.ts';
import { readSampleGold, sampleMedia } from '../../../fixtures/sample/gold.ts';
import { failureOf, fake, waitUntilDead } from '../process/launcher-for-tests.ts';
import {
  type DetectionBench,
  descendant,
  descendants,
  detect,
  openDetectionBench,
  statesOf,
  watched,
} from './detection-for-tests.ts';

const { durationMs } = await readSampleGold();
const whole = [0, durationMs] as const;
let bench: DetectionBench;

test.before(async () => {
  bench = await openDetectionBench();
});

test.after.always(() => bench.close());

const withTool = (name: string) => ({ ...bench, ffmpeg: { ...bench.ffmpeg, path: fake(name) } });

/** The `DetectionFailure` that a pass must end with. */
async function refused(t: ExecutionContext, work: Promise<unknown>): Promise<void> {
  const failure = await t.throwsAsync(work, { instanceOf: DetectionFailure });
  t.regex(failure?.message ?? '', /^tool_output: [^/]{1,240}$/);
}

/** The detector process survives what happens to ffmpeg and is good for the next pass. */
async function stillWorks(t: ExecutionContext): Promise<void> {
  const found = await detect(bench, sampleMedia, [0, 2000]);
  t.deepEqual(
    statesOf(found).map(([, state]) => state),
    ['available', 'available', 'available', 'available'],
  );
}

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
