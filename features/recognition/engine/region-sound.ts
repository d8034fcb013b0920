import type { Range } from '../../../contract/base/grammar.ts';
import { processFailures } from '../../../contract/causes/failures.ts';
import { afterFirstWord } from '../../../contract/causes/stored-failures.ts';
import { seekPoints } from '../../../executors/evidence/decode-graph.ts';
import { MAXIMUM_ERROR_SHARE } from '../../../executors/evidence/detection-identity.ts';
import { type Launcher, MEMORY_BYTES, ProcessFailure, type ProcessLimits } from '../../../executors/process/process.ts';
import type { ResolvedTool } from '../../../executors/process/tools.ts';
import { RecognitionFailure } from '../../../executors/recognition/recognizer.ts';
import { countedInput } from '../../../executors/sources/joined-flac.ts';
import { enteredAt, MEDIA_GLOBAL_OPTIONS, TIMES_FROM, timedInput } from '../../../executors/sources/media-input.ts';
import { SAMPLE_RATE, SAMPLES_PER_MS } from '../../../kinds/sound/sound-signals.ts';

const MEBIBYTE = 1024 * 1024;
const BYTES_PER_SAMPLE = 2;

interface RegionRequest {
  readonly path: string;
  readonly audioTrackIndex: number;
  /** Only the samples of the sound can be counted, because the times of its file begin again. */
  readonly countsSamples?: boolean;
  readonly region: Range;
  readonly signal: AbortSignal;
}

// A seek goes to a key frame of the picture, and loses all sound in front of it. A picture that begins later is rare.
const READ_FROM_START_MS = 60_000;

/** How the sound of a region is taken out of the media, as its transcript states it. */
export const REGION_SOUND = {
  sampleRate: SAMPLE_RATE,
  channels: 'mix',
  maximumErrorShare: MAXIMUM_ERROR_SHARE,
  timesFrom: TIMES_FROM,
} as const;

const limitsFor = (bytes: number): ProcessLimits => ({
  wallMs: 120_000,
  cpuSeconds: 120,
  fileSizeBytes: MEBIBYTE,
  // More than the region is a fault, which has to be seen as one.
  stdoutBytes: 2 * bytes + MEBIBYTE,
  stderrBytes: 4 * MEBIBYTE,
  memoryBytes: MEMORY_BYTES.decode,
});

function regionArguments(request: RegionRequest, layout: string): string[] {
  const { path, audioTrackIndex, region } = request;
  const [lead = 0] = seekPoints(region.startMs);
  const seek = region.startMs < READ_FROM_START_MS ? 0 : lead;
  const sampleAt = (ms: number) => (ms - seek * 1000) * SAMPLES_PER_MS;
  const graph = [
    `[0:${audioTrackIndex}]aresample=48000:async=1:first_pts=0,${layout}`,
    `aresample=${SAMPLE_RATE},aformat=sample_fmts=s16:channel_layouts=mono,`,
    `atrim=start_sample=${sampleAt(region.startMs)}:end_sample=${sampleAt(region.endMs)},asetpts=N/SR/TB[pcm]`,
  ];
  return [
    ...['-nostdin', '-nostats', '-v', 'error', ...MEDIA_GLOBAL_OPTIONS, '-max_error_rate', String(MAXIMUM_ERROR_SHARE)],
    ...[...enteredAt(seek), '-t', String(region.endMs / 1000 - seek + 1)],
    ...timedInput(path),
    ...['-filter_complex', graph.join(''), '-map', '[pcm]', '-c:a', 'pcm_s16le', '-f', 's16le', 'pipe:1'],
  ];
}

/** The sound up to the end of a region, decoded from the start of the media in one form, whatever times it has. */
const countedArguments = async ({ path, audioTrackIndex }: RegionRequest): Promise<string[]> => [
  ...['-nostdin', '-nostats', '-v', 'error', ...MEDIA_GLOBAL_OPTIONS, '-max_error_rate', String(MAXIMUM_ERROR_SHARE)],
  ...(await countedInput(path, audioTrackIndex)),
  ...['-c:a', 'pcm_s16le', '-ar', String(SAMPLE_RATE), '-ac', '1', '-f', 's16le', 'pipe:1'],
];

/** The sound of a region by the count of its samples. Rejects with `ProcessFailure`. */
async function countedSound(
  { launcher, ffmpeg }: SoundDeps,
  request: RegionRequest,
  limits: ProcessLimits,
): Promise<Buffer> {
  const { region, signal } = request;
  const [from, to] = [region.startMs, region.endMs].map((ms) => ms * SAMPLES_PER_MS * BYTES_PER_SAMPLE) as [
    number,
    number,
  ];
  const running = await launcher.start({
    tool: ffmpeg.path,
    args: await countedArguments(request),
    limits: { ...limits, wallMs: limits.wallMs + region.endMs, stdoutBytes: limits.stdoutBytes + to },
    signal,
  });
  const pieces: Buffer[] = [];
  let read = 0;
  for await (const chunk of running.stdout as AsyncIterable<Buffer>) {
    pieces.push(chunk.subarray(Math.max(0, from - read), Math.max(0, to - read)));
    read += chunk.length;
    if (read >= to) break;
  }
  const hasEnough = read >= to;
  if (hasEnough) running.kill();
  await running.finished.catch((error: unknown) => {
    if (!hasEnough || signal.aborted || !(error instanceof ProcessFailure) || error.reason !== 'aborted') throw error;
  });
  return Buffer.concat(pieces);
}

interface SoundDeps {
  readonly launcher: Launcher;
  readonly ffmpeg: ResolvedTool;
}

/**
 * The sound of one region of sealed media: the mix of all channels in 16-bit samples at 16 kHz, exactly those of the region. It
 * has fewer if the track ends in it. Rejects with `RecognitionFailure`, also if the track changes its form on the way, so that samples
 * cannot be counted; and with `ProcessFailure` once `signal` aborts.
 */
export async function regionSound(deps: SoundDeps, request: RegionRequest): Promise<Buffer> {
  const { launcher, ffmpeg } = deps;
  const bytes = (request.region.endMs - request.region.startMs) * SAMPLES_PER_MS * BYTES_PER_SAMPLE;
  const limits = limitsFor(bytes);
  const decode = async (layout: string) => {
    const args = regionArguments(request, layout);
    return (await launcher.run({ tool: ffmpeg.path, args, limits, signal: request.signal })).stdout;
  };
  const decoding =
    request.countsSamples === true
      ? countedSound(deps, request, limits)
      : decode('').catch((error: unknown) => {
          // The decoder of TTA does not say that one channel is mono.
          if (!(error instanceof ProcessFailure) || !error.stderr.includes('Unknown channel layouts')) throw error;
          return decode('aformat=channel_layouts=mono,');
        });
  const sound = await decoding.catch((error: unknown) => {
    if (!(error instanceof ProcessFailure) || error.reason === 'aborted') throw error;
    const detail = afterFirstWord(error.message, processFailures);
    throw new RecognitionFailure(error.reason, detail, error, 'sound_unreadable');
  });
  if (sound.length > bytes)
    throw new RecognitionFailure('uneven_sound', 'the audio track changes its form in a region');
  return sound;
}
