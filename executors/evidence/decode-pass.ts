import type { Readable } from 'node:stream';
import type { WaveformFact } from '../../contract/evidence/evidence-object.ts';
import type { SoundFaultFact } from '../../contract/evidence/sound-fault.ts';
import { ChangingSound, DetectionFailure } from '../detector/detection-failure.ts';
import type { Detector } from '../detector/detector.ts';
import type { SoundJob, SoundResult } from '../detector/sound-job.ts';
import { BYTES_PER_INSTANT } from '../detector/sound-signals.ts';
import { SAMPLES_PER_MS } from '../detector/speech-segmenter.ts';
import { SMALL_BYTES } from '../pictures/small-picture.ts';
import { MEMORY_BYTES } from '../process/memory-limits.ts';
import { type Launcher, ProcessFailure, type ProcessLimits, type RunningProcess } from '../process/process.ts';
import type { ResolvedTool } from '../process/tools.ts';
import { ChannelFaults } from './channel-faults.ts';
import { Clipping } from './clipping.ts';
import { BYTE_PIPES, decodeArguments, EXTRA_PIPES, MEASURE_PIPES, type SoundForm, seekPoints } from './decode-graph.ts';
import type { DecodeRequest } from './decode-request.ts';
import { evenSound } from './even-sound.ts';
import { type FrameMetadata, FrameMetadataReader } from './frame-metadata.ts';
import { Keyframes } from './keyframes.ts';
import { Loudness } from './loudness.ts';
import { PictureFacts } from './picture-facts.ts';
import { PictureStream } from './picture-stream.ts';
import { Waveform } from './waveform.ts';

export interface DecodePassDeps {
  readonly launcher: Launcher;
  readonly ffmpeg: ResolvedTool;
  readonly detector: Detector;
}

/** What one pass has measured, on the source's own time line. `sound` is null without an audio track. */
export interface PassMeasurements {
  readonly sound: SoundResult | null;
  readonly loudness: Loudness;
  readonly pictures: PictureFacts;
  readonly keyframes: Keyframes;
  /** Null where there is no sound in the range. */
  readonly waveform: WaveformFact | null;
  readonly soundFaults: readonly SoundFaultFact[];
}

const MEBIBYTE = 1024 * 1024;

// No film has more; the limit only ends a decoder gone wild.
const MOST_PICTURES_PER_SECOND = 300;

// A pass takes a fraction of the decoded length on ordinary media; heavy pictures on a slow machine take a multiple.
const limitsFor = (decodedMs: number): ProcessLimits => ({
  wallMs: 120_000 + 4 * decodedMs,
  cpuSeconds: 240 + decodedMs / 125,
  fileSizeBytes: MEBIBYTE,
  stdoutBytes: 64 * MEBIBYTE + Math.max(160, (SMALL_BYTES * MOST_PICTURES_PER_SECOND) / 1000) * decodedMs,
  stderrBytes: 4 * MEBIBYTE,
  memoryBytes: MEMORY_BYTES.decode,
});

/**
 * Decodes the range once and measures everything on the way; memory does not grow with the range. Where the container
 * cannot be entered in the middle, it is decoded again from further before. Rejects with `ProcessFailure` or
 * `DetectionFailure`, the first reason, once nothing of the pass is left running.
 */
export async function runDecodePass(
  deps: DecodePassDeps,
  request: DecodeRequest,
  signal: AbortSignal,
): Promise<PassMeasurements> {
  const [first = 0, ...further] = seekPoints(request.range);
  let measured = await decodeFrom(first, deps, request, signal);
  for (const seek of further) {
    if (request.videoTrackIndex === null || measured.pictures.beganBefore) break;
    measured = await decodeFrom(seek, deps, request, signal);
  }
  return measured;
}

// What the filters of ffmpeg say of sound whose decoder does not name its channels.
const NAMELESS_CHANNELS = 'Unknown channel layouts not supported';

/** The form in which sound that failed in its own can be measured; null where the failure has another reason. */
function otherForm(error: unknown): SoundForm | null {
  // It is brought into one form by a process of its own.
  if (error instanceof ChangingSound) return 'evened';
  return error instanceof ProcessFailure && error.stderr.includes(NAMELESS_CHANNELS) ? 'mono' : null;
}

/** Sound that cannot be measured in the form that it has is decoded once more, in another. */
async function decodeFrom(
  seek: number,
  deps: DecodePassDeps,
  request: DecodeRequest,
  signal: AbortSignal,
): Promise<PassMeasurements> {
  try {
    return await decodeOnce(seek, deps, request, { form: 'kept', signal });
  } catch (error) {
    const form = otherForm(error);
    if (form === null) throw error;
    return decodeOnce(seek, deps, request, { form, signal });
  }
}

async function decodeOnce(
  seek: number,
  deps: DecodePassDeps,
  request: DecodeRequest,
  { form, signal }: { readonly form: SoundForm; readonly signal: AbortSignal },
): Promise<PassMeasurements> {
  const { range } = request;
  const stop = new AbortController();
  const onAbort = () => stop.abort();
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) stop.abort();
  // Opened before ffmpeg starts, so that both processes come up together.
  const job = request.audioTrackIndex === null ? null : deps.detector.sound(stop.signal);
  const keyframes = new Keyframes(range, seek * 1000, request.keep);
  const pictures = new PictureFacts(range, keyframes);
  const loudness = new Loudness();
  const waveform = new Waveform(range);
  const channelFaults = new ChannelFaults(range);
  const clipping = new Clipping(range);
  const stream = new PictureStream(seek * 1000, (picture) => {
    pictures.add(picture);
    // Sound counts most evenly; a range without it is counted by its pictures.
    if (job === null) request.decoded?.(Math.max(0, picture.atMs - range.startMs));
  });
  const taken = {
    times: (frame: FrameMetadata) => stream.addTime(frame),
    loudness: (frame: FrameMetadata) => loudness.add(frame),
    candidateTimes: (frame: FrameMetadata) => keyframes.addTime(frame),
  };
  const measures = MEASURE_PIPES.map((name) => new FrameMetadataReader(taken[name]));
  const written = { pixels: stream, candidates: keyframes, ownRate: clipping };
  const readers = [...measures, ...BYTE_PIPES.map((name) => written[name])];
  const work: Promise<unknown>[] = [];
  try {
    const decodedMs = range.endMs - seek * 1000;
    const running = await deps.launcher.start({
      tool: deps.ffmpeg.path,
      args: decodeArguments(request, seek, form),
      limits: limitsFor(decodedMs),
      signal: stop.signal,
      stdin: form === 'evened' ? 'pipe' : 'ignore',
      extraPipes: EXTRA_PIPES,
    });
    if (running.stdin !== null) {
      const limits = limitsFor(decodedMs);
      work.push(evenSound(deps, { request, seek, limits, into: running.stdin, signal: stop.signal }));
    }
    work.push(
      running.finished,
      listen(running, job, request, [waveform, channelFaults]),
      ...running.extra.map((pipe, at) => read(pipe, readers[at])),
    );
    if (job !== null) work.push(job.result);
    await Promise.all(work);
    // Only a pass that ended well has written its last lines whole.
    for (const measure of measures) measure.end();
    stream.end();
    pictures.end();
    await keyframes.end();
    const drawn = await waveform.end(request.keep);
    const soundFaults = [...clipping.facts(), ...channelFaults.facts(), ...loudness.overPeak(range)];
    const sound = job === null ? null : await job.result;
    return { sound, pictures, keyframes, waveform: drawn, soundFaults, loudness };
  } catch (error) {
    stop.abort();
    await Promise.allSettled(work);
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

async function listen(
  running: RunningProcess,
  job: SoundJob | null,
  { range: { startMs, endMs }, decoded }: DecodeRequest,
  meters: readonly (Waveform | ChannelFaults)[],
): Promise<void> {
  const bytesPerMs = SAMPLES_PER_MS * BYTES_PER_INSTANT;
  let room = job === null ? 0 : (endMs - startMs) * bytesPerMs;
  for await (const chunk of running.stdout) {
    room -= chunk.length;
    if (room < 0 && job === null) throw new DetectionFailure('ffmpeg decoded sound that was not asked for');
    // Only a graph that begins anew counts further than to the end of the range.
    if (room < 0) throw new ChangingSound();
    for (const meter of meters) meter.add(chunk);
    await job?.write(chunk);
    decoded?.(endMs - startMs - Math.ceil(room / bytesPerMs));
  }
  // The sound of a pass that failed ends anywhere; the reason why is better than what it makes of the speech.
  await running.finished;
  await job?.end();
}

async function read(
  pipe: Readable,
  reader: FrameMetadataReader | PictureStream | Keyframes | Clipping | undefined,
): Promise<void> {
  for await (const chunk of pipe) {
    if (reader instanceof FrameMetadataReader) reader.push(chunk);
    else await reader?.write(chunk);
  }
}
