import type { Readable } from 'node:stream';
import { type DecodeRequest, decodeArguments, MEASURE_PIPES, seekSeconds } from './decode-graph.ts';
import { DetectionFailure } from './detection-failure.ts';
import type { Detector } from './detector.ts';
import { FrameMetadataReader } from './frame-metadata.ts';
import { Loudness } from './loudness.ts';
import type { Launcher, ProcessLimits, RunningProcess } from './process.ts';
import { ShotChanges } from './shot-changes.ts';
import { Silences } from './silences.ts';
import type { SpeechJob, SpeechResult } from './speech-job.ts';
import type { ResolvedTool } from './tools.ts';

export interface DecodePassDeps {
  readonly launcher: Launcher;
  readonly ffmpeg: ResolvedTool;
  readonly detector: Detector;
}

/** What one pass has measured, on the source's own time line. `speech` is null without an audio track. */
export interface PassMeasurements {
  readonly speech: SpeechResult | null;
  readonly silences: Silences;
  readonly loudness: Loudness;
  readonly shots: ShotChanges;
}

const MEBIBYTE = 1024 * 1024;

// A pass takes a fraction of the range's length on ordinary media; heavy pictures on a slow machine take a multiple. A
// decoder holds a score of frames, 100 MiB each at the largest sizes.
const limitsFor = (rangeMs: number): ProcessLimits => ({
  wallMs: 120_000 + 4 * rangeMs,
  cpuSeconds: 240 + rangeMs / 125,
  fileSizeBytes: MEBIBYTE,
  stdoutBytes: 64 * MEBIBYTE + 160 * rangeMs,
  stderrBytes: 4 * MEBIBYTE,
  addressSpaceBytes: 6 * 1024 * MEBIBYTE,
});

/**
 * Decodes the range once and measures everything on the way; memory does not grow with the range. The speech job is opened
 * before ffmpeg starts, so that both processes come up together. Rejects with `ProcessFailure` or
 * `DetectionFailure`, the first reason, once nothing of the pass is left running.
 */
export async function runDecodePass(
  deps: DecodePassDeps,
  request: DecodeRequest,
  signal: AbortSignal,
): Promise<PassMeasurements> {
  const stop = new AbortController();
  const onAbort = () => stop.abort();
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) stop.abort();
  try {
    return await decode(deps, request, stop);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

async function decode(deps: DecodePassDeps, request: DecodeRequest, stop: AbortController): Promise<PassMeasurements> {
  const { range } = request;
  const job = request.audioTrackIndex === null ? null : deps.detector.speech(stop.signal);
  const shots = new ShotChanges(range, seekSeconds(range) * 1000);
  const loudness = new Loudness();
  const silences = new Silences(range);
  const measures = { shots, loudness, silences };
  const readers = MEASURE_PIPES.map((name) => new FrameMetadataReader((frame) => measures[name].add(frame)));
  const work: Promise<unknown>[] = [];
  try {
    const running = await deps.launcher.start({
      tool: deps.ffmpeg.path,
      args: decodeArguments(request),
      limits: limitsFor(range.endMs - range.startMs),
      signal: stop.signal,
      extraPipes: MEASURE_PIPES.length,
    });
    work.push(running.finished, listen(running, job), ...running.extra.map((pipe, at) => read(pipe, readers[at])));
    if (job !== null) work.push(job.result);
    await Promise.all(work);
    // Only a pass that ended well has written its last lines whole.
    for (const reader of readers) reader.end();
    return { speech: job === null ? null : await job.result, ...measures };
  } catch (error) {
    stop.abort();
    await Promise.allSettled(work);
    throw error;
  }
}

async function listen(running: RunningProcess, job: SpeechJob | null): Promise<void> {
  for await (const chunk of running.stdout) {
    if (job === null) throw new DetectionFailure('ffmpeg decoded sound that nobody asked for');
    await job.write(chunk);
  }
  await job?.end();
}

async function read(pipe: Readable, reader: FrameMetadataReader | undefined): Promise<void> {
  for await (const chunk of pipe) reader?.push(chunk);
}
