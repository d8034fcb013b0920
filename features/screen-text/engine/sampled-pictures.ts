import type { Range } from '../../../contract/base/grammar.ts';
import { seekPoints } from '../../../executors/evidence/decode-graph.ts';
import { MAXIMUM_ERROR_SHARE } from '../../../executors/evidence/detection-identity.ts';
import type { Launcher } from '../../../executors/process/process.ts';
import { MEMORY_BYTES, type ProcessLimits } from '../../../executors/process/process.ts';
import type { ResolvedTool } from '../../../executors/process/tools.ts';
import { enteredAt, MEDIA_GLOBAL_OPTIONS, timedInput } from '../../../executors/sources/media-input.ts';
import type { FrameMetadata } from '../../../kinds/pictures/frames.ts';
import { FrameMetadataReader, TimedFrames, VIDEO_TICKS_PER_MS } from '../../../kinds/pictures/frames.ts';
import { type GrayPicture, GrayPictures } from './gray-picture.ts';

const MEBIBYTE = 1024 * 1024;

/** The sampled pictures and their size: one a second, and keyframes that are not next to one; none is enlarged. */
export const SAMPLE_RULE = { everyMs: 1000, keyframesApartMs: 250, longestSide: 1280 } as const;

/** A picture with the time at which it is shown. */
export interface SampledPicture extends GrayPicture {
  readonly atMs: number;
}

export interface SampleRequest {
  readonly path: string;
  readonly videoTrackIndex: number;
  readonly window: Range;
  /** The moments of keyframes in the window, in order. */
  readonly keyframesMs: readonly number[];
  readonly signal: AbortSignal;
}

// A window of seconds; heavy pictures on a slow machine, and a file in which one cannot seek, take a multiple.
const LIMITS: ProcessLimits = {
  wallMs: 600_000,
  cpuSeconds: 1200,
  fileSizeBytes: MEBIBYTE,
  stdoutBytes: 512 * MEBIBYTE,
  stderrBytes: 4 * MEBIBYTE,
  memoryBytes: MEMORY_BYTES.decode,
};

// Times of pictures are rounded to milliseconds.
const HALF_MS = 0.0006;

/**
 * The first picture of each second, and those at the keyframes; `ld(0)` is the second that comes next. Before the window the first
 * one that is decoded at all: it says that none of the window is missing.
 */
function chosenPictures({ window, keyframesMs }: SampleRequest, seekMs: number): string {
  const [from, to] = [window.startMs - seekMs, window.endMs - seekMs].map((ms) => ms / 1000);
  const moments = keyframesMs.map((atMs) => `lt(abs(t-${(atMs - seekMs) / 1000}),${HALF_MS})`);
  const others = moments.length === 0 ? '0' : moments.join('+');
  return `'if(gte(t,${from})*lt(t,${to}),if(gte(floor(t),ld(0)),st(0,floor(t)+1),${others}),eq(n,0))'`;
}

const SIZE = (() => {
  const fitted = `min(1,${SAMPLE_RULE.longestSide}/max(iw*sar,ih))`;
  return `scale=w='max(1,iw*sar*${fitted})':h='max(1,ih*${fitted})'`;
})();

/** The argument list of ffmpeg for the pictures of one window: PGM on standard output, their times on descriptor 3. */
function sampleArguments(request: SampleRequest, seek: number): string[] {
  const end = (request.window.endMs - seek * 1000) / 1000;
  const graph = [
    `[0:${request.videoTrackIndex}]trim=end=${end},settb=1/${VIDEO_TICKS_PER_MS * 1000}`,
    `select=${chosenPictures(request, seek * 1000)},${SIZE},setsar=1,format=gray`,
    'metadata=mode=add:key=picture:value=1,metadata=mode=print:file=pipe\\\\:3:direct=1[pictures]',
  ];
  return [
    ...['-nostdin', '-nostats', '-v', 'error', ...MEDIA_GLOBAL_OPTIONS, '-max_error_rate', String(MAXIMUM_ERROR_SHARE)],
    // Turned as players turn them: letters that lie on their side are not read.
    ...[...enteredAt(seek), '-t', String(end + 1)],
    ...timedInput(request.path),
    ...['-filter_complex', graph.join(','), '-map', '[pictures]', '-fps_mode', 'passthrough'],
    ...['-c:v', 'pgm', '-threads', '1', '-f', 'image2pipe', 'pipe:1'],
  ];
}

type SampleDeps = { readonly launcher: Launcher; readonly ffmpeg: ResolvedTool };

/**
 * The pictures of one window in order: the first of each second and those at keyframes that no other comes shortly before. If the
 * container cannot be entered in the middle, it is decoded again from further before. If nothing came of the longest lead,
 * pictures have ended, and none is missing. Rejects with `ProcessFailure` or `DetectionFailure`.
 */
export async function sampledPictures(deps: SampleDeps, request: SampleRequest): Promise<SampledPicture[]> {
  const { startMs } = request.window;
  const [first = 0, lead, start] = seekPoints(startMs);
  const beganBefore = ([picture]: readonly SampledPicture[]): boolean =>
    picture !== undefined && picture.atMs < startMs;
  let sampled = await sampledFrom(first, deps, request);
  if (!beganBefore(sampled) && lead !== undefined) sampled = await sampledFrom(lead, deps, request);
  if (!beganBefore(sampled) && sampled.length > 0 && start !== undefined) {
    sampled = await sampledFrom(start, deps, request);
  }
  return sampled.filter(({ atMs }) => atMs >= startMs);
}

/** The same from one seek point on, and in front of them the first picture that was decoded, where it comes before the window. */
async function sampledFrom(
  seek: number,
  { launcher, ffmpeg }: SampleDeps,
  request: SampleRequest,
): Promise<SampledPicture[]> {
  const running = await launcher.start({
    tool: ffmpeg.path,
    args: sampleArguments(request, seek),
    limits: LIMITS,
    signal: request.signal,
    extraPipes: 1,
  });
  const times: number[] = [];
  const joined = new TimedFrames(seek * 1000, (atMs) => times.push(atMs));
  const metadata = new FrameMetadataReader((frame: FrameMetadata) => joined.addTime(frame));
  const pictures: GrayPicture[] = [];
  const cutter = new GrayPictures();
  const take = async () => {
    for await (const chunk of running.stdout) {
      for (const picture of cutter.push(chunk)) {
        pictures.push(picture);
        joined.add(picture.pgm);
      }
    }
  };
  const note = async () => {
    for (const pipe of running.extra) for await (const chunk of pipe) metadata.push(chunk);
  };
  try {
    await Promise.all([running.finished, take(), note()]);
  } catch (error) {
    running.kill();
    throw error;
  }
  metadata.end();
  cutter.end();
  joined.end();
  return pictures.flatMap((picture, at) => {
    const atMs = times[at];
    return atMs === undefined ? [] : [{ ...picture, atMs }];
  });
}

/** The moments of keyframes in a window that are worth a picture of their own: not shortly behind one another. */
export function keyframesIn(window: Range, momentsMs: readonly number[]): number[] {
  const taken: number[] = [];
  for (const atMs of momentsMs) {
    if (atMs < window.startMs || atMs >= window.endMs) continue;
    if (atMs - (taken.at(-1) ?? Number.NEGATIVE_INFINITY) >= SAMPLE_RULE.keyframesApartMs) taken.push(atMs);
  }
  return taken;
}
