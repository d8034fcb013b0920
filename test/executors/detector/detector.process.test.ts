import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { loadBoundaryModel } from '../../../executors/detector/boundary-model.ts';
import { type Detector, jobsOfAProcess, openDetector } from '../../../executors/detector/detector.ts';
import type { IdentifierAnswer } from '../../../executors/detector/detector-messages.ts';
import { loadSpeechModel } from '../../../executors/detector/silero-vad.ts';
import { SoundStream } from '../../../executors/detector/sound-stream.ts';
import type { ProcessRequest } from '../../../executors/process/process.ts';
import { readSampleGold, sampleMedia } from '../../../fixtures/sample/gold.ts';
import { DetectionFailure } from '../../../kinds/detection-failure.ts';
import { SIGNALS } from '../../../kinds/sound/sound-signals.ts';
import { madeMedia } from '../../media/made-media.ts';
import { atRest, eventually } from '../../patience.ts';
import { descendant, descendants, watched } from '../evidence/detection-for-tests.ts';
import { alive, failureOf, fake, HandClock, launcherFor, waitUntilDead } from '../process/launcher-for-tests.ts';

const IDLE_MS = 1234;
const UNANSWERED_MS = 120_000;

/** Bytes of one sample of every signal. */
const INSTANT = 8;
const never = () => new AbortController().signal;
const words = ['-i', 'sample.mp4', '-t', '12', '-ac', '1', '-ar', '16000', '-f', 's16le'];
const inputs = { 'sample.mp4': { copyOf: sampleMedia } };
const mix = await readFile(await madeMedia({ words, extension: 'pcm', inputs }));
/** The same sound as a pass delivers it. */
const pcm = allSignals(mix);

const firstOf = ({ odds }: IdentifierAnswer): string | null => odds[0]?.[0] ?? null;

/** A sound of one channel as all signals: its mix and its center are the same. */
function allSignals(mono: Buffer): Buffer {
  const signals = Buffer.alloc((mono.length / 2) * INSTANT);
  for (let at = 0; at < mono.length; at += 2) {
    const sample = mono.readInt16LE(at);
    signals.writeInt16LE(sample, (at / 2) * INSTANT);
    signals.writeInt16LE(sample, (at / 2) * INSTANT + 6);
  }
  return signals;
}

/** A detector over a launcher that may start something else in its stead, at the nth start. */
async function detectorFor(t: ExecutionContext, change?: (request: ProcessRequest, nth: number) => ProcessRequest) {
  const clock = new HandClock();
  const { launcher, requests } = watched((await launcherFor(t)).launcher, change);
  const detector = openDetector({ launcher, clock, idleMs: IDLE_MS });
  t.teardown(() => detector.close());
  return { detector, clock, requests };
}

const firstIs =
  (tool: string, args: readonly string[] = []) =>
  (request: ProcessRequest, nth: number) =>
    nth === 0 ? { ...request, tool: fake(tool), args } : request;

async function measure(detector: Detector, bytes: Buffer, pieceLength = 65_536, signal = never()) {
  const job = detector.sound(signal);
  for (let at = 0; at < bytes.length; at += pieceLength) await job.write(bytes.subarray(at, at + pieceLength));
  return await job.end();
}

// In turn: a test counts all the detectors that this process has started.
test.serial('speech is measured, and the bytes of the mix counted and named', async (t) => {
  const { detector } = await detectorFor(t);
  const { samples, contentId, speech } = await measure(detector, pcm);
  t.is(samples, mix.length / 2);
  t.is(contentId, `sha256:${createHash('sha256').update(mix).digest('hex')}`);
  const { utterances } = await readSampleGold();
  t.is(speech.length, utterances.filter(({ startMs }) => startMs < 12_000).length);
});

test.serial('the pieces in which a signal comes, and signals beside it, change nothing', async (t) => {
  const { detector, requests } = await detectorFor(t);
  const alone = await measure(detector, pcm);
  const half = pcm.subarray(0, 400_000);
  const halfAlone = await measure(detector, half);
  const [odd, other, whole] = await Promise.all([
    measure(detector, pcm, 4999),
    measure(detector, half, 777),
    measure(detector, pcm, pcm.length),
  ]);
  t.deepEqual([odd, whole, other], [alone, alone, halfAlone]);
  t.is(requests.length, 1);
});

test.serial('a signal may end inside a frame, and may be empty', async (t) => {
  const { detector } = await detectorFor(t);
  t.is((await measure(detector, pcm.subarray(0, 5600))).samples, 700);
  t.like(await measure(detector, Buffer.alloc(0)), { samples: 0, speech: [] });
});

test.serial('half a sample at the end is refused', async (t) => {
  const { detector } = await detectorFor(t);
  await t.throwsAsync(measure(detector, pcm.subarray(0, 5602)), { instanceOf: DetectionFailure });
});

test.serial('languages are identified, and sound without speech is left open', async (t) => {
  const { detector } = await detectorFor(t);
  const texts = ['Where does the wind go at night?', 'Guten Morgen, wie geht es Ihnen heute?', '12:30', ''];
  const identified = await detector.identify(texts, never());
  t.deepEqual(identified.map(firstOf), ['en', 'de', null, null]);
  const covered = identified.map(({ isCovered }) => isCovered);
  t.deepEqual(covered, [true, true, false, false]);
  for (const { odds } of identified)
    t.true(odds.every(([, each], at) => each > 0 && each <= (odds[at - 1]?.[1] ?? each)));
  t.deepEqual(await detector.identify([], never()), []);
});

test.serial('the process is kept while it is used and ended when it is not', async (t) => {
  const { detector, clock, requests } = await detectorFor(t);
  await measure(detector, pcm.subarray(0, 8000));
  await measure(detector, pcm.subarray(0, 8000));
  t.is(requests.length, 1);
  const first = await descendant(process.execPath);
  const job = detector.sound(never());
  t.false(clock.waitsFor(IDLE_MS));
  await job.end();
  clock.pass(IDLE_MS);
  t.deepEqual(await waitUntilDead([first]), []);
  t.is((await measure(detector, pcm.subarray(0, 8000))).samples, 1000);
  t.is(requests.length, 2);
});

test.serial(
  'bug: the speech runtime reported to its maker, and kept an identifier of the machine for that',
  async (t) => {
    const { detector } = await detectorFor(t);
    await measure(detector, pcm.subarray(0, 8000));
    const environment = await readFile(`/proc/${await descendant(process.execPath)}/environ`, 'utf8');
    const home = environment.split('\0').find((variable) => variable.startsWith('HOME='));
    t.deepEqual(await readdir(home?.slice('HOME='.length) ?? ''), []);
  },
);

async function keep(detector: Detector, bytes: Buffer) {
  const job = detector.sound(never(), { from: null });
  await job.write(bytes);
  const { state, levels } = await job.save();
  return state.length + levels.length;
}

test.serial('bug: a detector that was never idle came to the limits of its process within a job', async (t) => {
  const { detector: measured } = await detectorFor(t);
  const stdoutBytes = (jobsOfAProcess + 8) * (await keep(measured, pcm));
  await measured.close();
  const limited = (request: ProcessRequest) => ({ ...request, limits: { ...request.limits, stdoutBytes } });
  const { detector, requests } = await detectorFor(t, limited);
  const throughout = detector.sound(never());
  await throughout.write(pcm.subarray(0, 8000));
  for (let window = 0; window < jobsOfAProcess + 16; window += 1) await keep(detector, pcm);
  t.is(requests.length, 2);
  t.is(descendants(process.execPath).length, 2);
  await throughout.write(pcm.subarray(8000, 16_000));
  t.is((await throughout.end()).samples, 2000);
  await eventually('the first process has ended', () => descendants(process.execPath).length === 1);
});

test.serial('jobs that come before their process is up are all done, by as many processes as they need', async (t) => {
  const { detector, requests } = await detectorFor(t);
  const texts = Array.from({ length: 2 * jobsOfAProcess + 1 }, () =>
    detector.identify(['Good morning to you'], never()),
  );
  for (const identified of await Promise.all(texts)) t.deepEqual(identified.map(firstOf), ['en']);
  t.is(requests.length, 3);
});

test.serial('a process that is warmed early serves the first job, and idles out without one', async (t) => {
  const { detector, clock, requests } = await detectorFor(t);
  detector.warm(['speech', 'language']);
  const id = await descendant(process.execPath);
  await measure(detector, pcm.subarray(0, 8000));
  t.is(requests.length, 1);
  clock.pass(IDLE_MS);
  t.deepEqual(await waitUntilDead([id]), []);
});

test.serial('a process that is killed fails the jobs at hand, and the next job has a new one', async (t) => {
  const { detector, requests } = await detectorFor(t);
  const jobs = [detector.sound(never()), detector.sound(never())];
  for (const job of jobs) await job.write(pcm.subarray(0, 8000));
  await detector.identify(['Good morning'], never());
  const id = await descendant(process.execPath);
  // A stopped process ends no job before it is killed.
  process.kill(id, 'SIGSTOP');
  const identifying = detector.identify(['Good morning'], never());
  process.kill(id, 'SIGKILL');
  for (const work of [...jobs.map(({ result }) => result), identifying]) {
    t.is((await failureOf(t, work)).reason, 'tool_signal');
  }
  // Later output is dropped, and the end has the reason.
  await jobs[0]?.write(pcm);
  t.is((await failureOf(t, jobs[0]?.end() ?? Promise.resolve())).reason, 'tool_signal');
  t.is((await measure(detector, pcm.subarray(0, 8000))).samples, 1000);
  t.is(requests.length, 2);
});

test.serial('a process that crashes at its start is a closed failure, once', async (t) => {
  const { detector } = await detectorFor(t, firstIs('crashes'));
  const { reason } = await failureOf(t, measure(detector, pcm));
  t.true(reason === 'tool_signal' || reason === 'tool_exit', reason);
  t.is((await measure(detector, pcm)).samples, mix.length / 2);
});

test.serial('a process that cannot be started is a closed failure', async (t) => {
  const { detector } = await detectorFor(t, firstIs('no-such-tool'));
  t.is((await failureOf(t, measure(detector, pcm))).reason, 'tool_missing');
});

test.serial('a process that ends well without an answer is refused', async (t) => {
  const { detector } = await detectorFor(t, firstIs('prints-nonsense'));
  await t.throwsAsync(measure(detector, pcm), { instanceOf: DetectionFailure, message: /^tool_output: / });
});

test.serial('an invalid answer is refused', async (t) => {
  const { detector } = await detectorFor(t, firstIs('junk-on-pipe'));
  await t.throwsAsync(detector.identify(['Good morning'], never()), { instanceOf: DetectionFailure });
  t.deepEqual((await detector.identify(['Good morning to you'], never())).map(firstOf), ['en']);
});

test.serial('noise on the standard outputs disturbs nothing', async (t) => {
  const { detector } = await detectorFor(t, (request) => ({
    ...request,
    tool: fake('noisy'),
    args: [request.tool, ...request.args],
  }));
  t.is((await measure(detector, pcm)).samples, mix.length / 2);
});

test.serial('an aborted job ends at once, and the one beside it continues', async (t) => {
  const { detector, requests } = await detectorFor(t);
  const stop = new AbortController();
  const stopped = detector.sound(stop.signal);
  const other = detector.sound(never());
  await stopped.write(pcm);
  await other.write(pcm);
  stop.abort();
  t.is((await failureOf(t, stopped.result)).reason, 'aborted');
  t.is((await failureOf(t, stopped.end())).reason, 'aborted');
  t.is((await other.end()).samples, mix.length / 2);
  t.is((await failureOf(t, detector.identify(['x'], stop.signal))).reason, 'aborted');
  t.is(requests.length, 1);
});

test.serial('a job that is aborted while the process starts leaves the process usable', async (t) => {
  const { detector } = await detectorFor(t);
  const stop = new AbortController();
  const stopped = detector.sound(stop.signal);
  stop.abort();
  t.is((await failureOf(t, stopped.result)).reason, 'aborted');
  t.is((await measure(detector, pcm.subarray(0, 8000))).samples, 1000);
});

test.serial('a process that no longer answers is killed when a job is given up', async (t) => {
  const { detector, clock } = await detectorFor(t);
  const stop = new AbortController();
  const stopped = detector.sound(stop.signal);
  const other = detector.sound(never());
  const id = await descendant(process.execPath);
  process.kill(id, 'SIGSTOP');
  stop.abort();
  t.is((await failureOf(t, stopped.result)).reason, 'aborted');
  while (!clock.waitsFor(UNANSWERED_MS)) await delay(5);
  clock.pass(UNANSWERED_MS);
  t.is((await failureOf(t, other.result)).reason, 'deadline');
  t.deepEqual(alive([id]), []);
  t.is((await measure(detector, pcm.subarray(0, 8000))).samples, 1000);
});

test.serial('a process that does not read holds the writer back, and an abort frees it', async (t) => {
  const { detector } = await detectorFor(t, firstIs('hangs'));
  const stop = new AbortController();
  const job = detector.sound(stop.signal);
  let written = 0;
  const writing = (async () => {
    for (;;) {
      await job.write(Buffer.alloc(65_536));
      written += 65_536;
    }
  })();
  const held = await atRest(() => written);
  t.true(held <= 5 * 1024 * 1024, `${held} bytes were taken`);
  stop.abort();
  t.is((await failureOf(t, writing)).reason, 'aborted');
});

test.serial('closing stops the process and refuses more', async (t) => {
  const { detector } = await detectorFor(t);
  const job = detector.sound(never());
  const id = await descendant(process.execPath);
  await Promise.all([failureOf(t, job.result), detector.close()]);
  t.deepEqual(alive([id]), []);
  t.deepEqual(descendants(process.execPath), []);
  t.is((await failureOf(t, measure(detector, pcm))).reason, 'aborted');
});

test('speech that is 45 dB quieter is found in the same places', async (t) => {
  const models = { speech: await loadSpeechModel(), boundary: await loadBoundaryModel() };
  const found = async (volume: string) => {
    const sound = ['-t', '20', '-ac', '1', '-ar', '16000', '-af', `volume=${volume}`, '-f', 's16le'];
    const inputs = { 'speech.m4a': { copyOf: 'fixtures/speech/speech.m4a' } };
    const mono = await readFile(await madeMedia({ words: ['-i', 'speech.m4a', ...sound], extension: 'pcm', inputs }));
    const all = Buffer.alloc(mono.length * SIGNALS.length);
    for (let at = 0; at < mono.length; at += 2) {
      for (const [place] of SIGNALS.entries()) mono.copy(all, at * SIGNALS.length + 2 * place, at, at + 2);
    }
    const stream = new SoundStream(models);
    await stream.write(all);
    return (await stream.finish()).speech.map(({ start, end }) =>
      [start, end].map((sample) => Math.round(sample / 16)),
    );
  };
  // A melody between words may count as speech at one level and not at the other.
  const [usual, quiet] = [await found('0dB'), await found('-45dB')];
  t.is(usual.length, 3);
  for (const [from = 0, to = 0] of usual) {
    const isFound = quiet.some(([start = 0, end = 0]) => {
      const both = Math.min(end, to) - Math.max(start, from);
      return both >= 0.8 * (Math.max(end, to) - Math.min(start, from));
    });
    t.true(isFound, `${usual}: ${quiet}`);
  }
});
