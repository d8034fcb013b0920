import { z } from 'zod';
import type { Range } from '../../contract/base/grammar.ts';
import { DetectionFailure } from '../../kinds/detection-failure.ts';
import type { Fraction, PictureTimes } from '../../kinds/pictures/picture-times.ts';
import { type Launcher, MEMORY_BYTES, ProcessFailure, type ProcessLimits } from '../process/process.ts';
import { parseToolJson, type ResolvedTool } from '../process/tools.ts';
import { MEDIA_GLOBAL_OPTIONS, MEDIA_INPUT_OPTIONS, mediaUrl } from '../sources/media-input.ts';

/**
 * How much is read. Of a range up to `wholeMs` all times are read, with those around it. Of a longer one stretches are read that are
 * spread evenly, so that a film of four hours costs seconds.
 */
export const READ_TIMES = { wholeMs: 1_200_000, stretches: 60, stretchMs: 10_000, aroundMs: 2000 } as const;

// The first pictures of a recording that begins between key frames cannot be decoded; two seconds of the fastest films can wait.
const FIRST_PACKETS = [16, 600] as const;

// Pictures are stored in the order of decoding. At a cut through the file, those that a later packet precedes are missing.
const REORDERED = 16;

const MEBIBYTE = 1024 * 1024;

const limits: ProcessLimits = {
  wallMs: 300_000,
  cpuSeconds: 120,
  fileSizeBytes: MEBIBYTE,
  stdoutBytes: 64 * MEBIBYTE,
  stderrBytes: MEBIBYTE,
  memoryBytes: MEMORY_BYTES.decode,
};

const tags = z.record(z.string(), z.string()).optional();

const beginning = z.object({
  packets_and_frames: z
    .array(
      z.object({
        type: z.string(),
        best_effort_timestamp: z.number().int().optional(),
        side_data_list: z.array(z.object({ timecode: z.string().optional() })).optional(),
      }),
    )
    .default([]),
  streams: z
    .array(
      z.object({
        time_base: z.string(),
        has_b_frames: z.number().int().nonnegative().default(0),
        r_frame_rate: z.string().optional(),
        avg_frame_rate: z.string().optional(),
        tags,
      }),
    )
    .default([]),
  format: z.object({ format_name: z.string(), start_time: z.string().optional(), tags }),
});
type Beginning = z.infer<typeof beginning>;

const entries = [
  'format=format_name,start_time:format_tags=timecode,reel_name',
  'stream=time_base,has_b_frames,r_frame_rate,avg_frame_rate:stream_tags=timecode,reel_name',
  'frame=best_effort_timestamp:frame_side_data=timecode:packet=pts',
].join(':');

function fractionIn(text: string | undefined): Fraction | null {
  const [numerator = 0, denominator = 0] = /^\d+[/:]\d+$/.test(text ?? '')
    ? (text ?? '').split(/[/:]/).map(Number)
    : [];
  return numerator > 0 && denominator > 0 ? { numerator, denominator } : null;
}

/** The value of a tag; Matroska writes the names of its tags in capitals. */
const tagIn = (named: z.infer<typeof tags>, name: string): string | null =>
  Object.entries(named ?? {}).find(([key]) => key.toLowerCase() === name)?.[1] ?? null;

/** The code of the first picture. Encoders that were given none count from zero, which says nothing. */
function timecodeIn({ format, streams, packets_and_frames }: Beginning): string | null {
  const stated = tagIn(streams[0]?.tags, 'timecode') ?? tagIn(format.tags, 'timecode');
  const first = packets_and_frames.find(({ type }) => type === 'frame');
  const carried = first?.side_data_list?.find(({ timecode }) => timecode !== undefined)?.timecode ?? null;
  return stated ?? (carried !== null && /[1-9]/.test(carried) ? carried : null);
}

interface TimesDeps {
  readonly launcher: Launcher;
  readonly ffprobe: ResolvedTool;
}

interface TimesRequest {
  readonly path: string;
  readonly range: Range;
  readonly trackIndex: number;
  readonly signal: AbortSignal;
}

async function ask({ launcher, ffprobe }: TimesDeps, request: TimesRequest, asked: readonly string[]): Promise<string> {
  const { path, trackIndex, signal } = request;
  const input = [...MEDIA_GLOBAL_OPTIONS, ...MEDIA_INPUT_OPTIONS, '-select_streams', String(trackIndex)];
  const args = ['-v', 'error', ...input, ...asked, '--', mediaUrl(path)];
  return (await launcher.run({ tool: ffprobe.path, args, limits, signal })).stdout.toString('utf8');
}

/** The container, its picture track, and the first pictures that can be decoded. */
async function readBeginning(deps: TimesDeps, request: TimesRequest): Promise<Beginning> {
  for (const packets of FIRST_PACKETS) {
    const asked = ['-read_intervals', `%+#${packets}`, '-show_entries', entries, '-of', 'json=c=1'];
    const found = beginning.safeParse(parseToolJson(await ask(deps, request, asked)));
    if (!found.success) throw new DetectionFailure('ffprobe described the pictures in an unknown form');
    const hasPicture = found.data.packets_and_frames.some((each) => each.best_effort_timestamp !== undefined);
    if (hasPicture || packets === FIRST_PACKETS.at(-1)) return found.data;
  }
  throw new DetectionFailure('ffprobe described no pictures');
}

/** The stretches of a range whose times are read, in ms from the start of the container. */
function stretchesOf({ startMs, endMs }: Range): Range[] {
  const { wholeMs, stretches, stretchMs, aroundMs } = READ_TIMES;
  if (endMs - startMs <= wholeMs) return [{ startMs: Math.max(0, startMs - aroundMs), endMs: endMs + aroundMs }];
  const everyMs = (endMs - startMs - stretchMs) / (stretches - 1);
  return Array.from({ length: stretches }, (_, at) => {
    const from = Math.round(startMs + at * everyMs);
    return { startMs: from, endMs: from + stretchMs };
  });
}

const PACKET = /^(-?\d+|N\/A),(-?\d+|N\/A),(\S{2})/;

/**
 * The times of the packets of one stretch, in ticks, in the order of the pictures. AVI has no times but those of decoding: a picture is
 * shown `delay` ticks later. A packet that an edit list leaves out has none here.
 */
function ticksIn(text: string, delay: number | null): number[] {
  const ticks = text.split('\n').flatMap((line) => {
    const [, pts, dts, flags = ''] = PACKET.exec(line) ?? [];
    const time = delay === null ? Number(pts) : Number(dts) + delay;
    return pts === undefined || flags[1] === 'D' || !Number.isFinite(time) ? [] : [time];
  });
  return [...new Set(ticks)].sort((one, other) => one - other);
}

/** Without the pictures at both ends whose neighbors may be missing. */
const whole = (ticks: readonly number[], isFirst: boolean): readonly number[] =>
  ticks.length > 4 * REORDERED ? ticks.slice(isFirst ? 0 : REORDERED, -REORDERED) : ticks;

/**
 * Reads the times of the pictures of one track, by ffprobe. It decodes only the first few. Rejects with `ProcessFailure` or
 * `DetectionFailure`.
 */
export async function readPictureTimes(deps: TimesDeps, request: TimesRequest): Promise<PictureTimes> {
  const found = await readBeginning(deps, request);
  const { format, streams } = found;
  const [stream] = streams;
  const tick = fractionIn(stream?.time_base);
  if (stream === undefined || tick === null) throw new DetectionFailure('ffprobe stated no clock of the pictures');
  const startUs = Math.round(Number(format.start_time ?? 0) * 1_000_000) || 0;
  const usOf = (ticks: number): number => Math.round((ticks * tick.numerator * 1_000_000) / tick.denominator) - startUs;
  const first = found.packets_and_frames.find((each) => each.best_effort_timestamp !== undefined);
  const firstUs = first?.best_effort_timestamp === undefined ? null : usOf(first.best_effort_timestamp);
  const delay = format.format_name.split(',').includes('avi') ? stream.has_b_frames : null;
  const runs: (readonly number[])[] = [];
  let lastUs: number | null = null;
  for (const { startMs, endMs } of stretchesOf(request.range)) {
    const [from, to] = [startMs, endMs].map((ms) => (ms + startUs / 1000) / 1000);
    const interval = startMs === 0 ? `%${to}` : `${from}%${to}`;
    const asked = ['-read_intervals', interval, '-show_entries', 'packet=pts,dts,flags', '-of', 'csv=p=0'];
    const text = await ask(deps, request, asked).catch((error: unknown) => {
      // A container that cannot be entered there has no times to show.
      if (error instanceof ProcessFailure && error.reason === 'tool_exit') return '';
      throw error;
    });
    const times = ticksIn(text, delay).map(usOf);
    // Pictures before the first one that decodes are not shown.
    const shown = times.filter((us) => firstUs === null || us >= firstUs);
    lastUs = shown.findLast((us) => us < request.range.endMs * 1000) ?? lastUs;
    const run = whole(shown, startMs === 0);
    if (run.length > 1) runs.push(run);
  }
  return {
    firstUs,
    lastUs,
    runs,
    statedRates: [stream.r_frame_rate, stream.avg_frame_rate].map(fractionIn).filter((each) => each !== null),
    timecode: timecodeIn(found),
    reel: tagIn(stream.tags, 'reel_name') ?? tagIn(format.tags, 'reel_name'),
  };
}
