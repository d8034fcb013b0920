import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Range } from '../../contract/base/grammar.ts';
import type { KeepObject } from '../../kinds/meter.ts';
import { type MeterStates, meteredKinds } from '../../kinds/meters.ts';
import { VIDEO_TICKS_PER_MS } from '../../kinds/pictures/frames.ts';
import { SMALL_HEIGHT, SMALL_WIDTH } from '../../kinds/pictures/small-picture.ts';
import { CHANNEL_LAYOUT, SAMPLE_RATE } from '../../kinds/sound/sound-signals.ts';
import { type Launcher, ProcessFailure, type ProcessLimits } from '../process/process.ts';
import { countedInput } from '../sources/joined-flac.ts';
import { enteredAt, MEDIA_GLOBAL_OPTIONS, timedInput } from '../sources/media-input.ts';
import { MAXIMUM_ERROR_SHARE } from './detection-identity.ts';

/** A part of a file, and its tracks by their index in the container. */
export interface DecodedPart {
  readonly path: string;
  readonly range: Range;
  readonly audioTrackIndex: number | null;
  readonly videoTrackIndex: number | null;
  /** The file is sound alone, and its times begin again on the way, as those of joined files: only its samples can be counted. */
  readonly countsSamples?: boolean | undefined;
}

/** The edges of a window of a pass that its neighbors adjoin, in ms; the sound ends with the window itself. */
export interface WindowEdges {
  /** Loudness is measured of the last seconds: it begins earlier than the window. */
  readonly loudnessFromMs: number;
  /** No picture from here on. */
  readonly picturesUntilMs: number;
  /** The whole range. */
  readonly range: Range;
  /** The states of the window before; null at the start of the range. */
  readonly from: MeterStates | null;
}

/** The measurements of the windows of a pass up to a time. */
export interface KeptWindow {
  readonly endMs: number;
  readonly state: Uint8Array;
  /** The objects that were kept for facts so far. */
  readonly named: readonly StoredReference[];
}

/** An object by its content id and length. */
interface StoredReference {
  readonly contentId: string;
  readonly bytes: number;
}

/** Keeps what a long pass has measured, window by window, so that a later one goes on behind the last. */
export interface PassWindows {
  /** How long a window is: whole seconds, in ms. */
  readonly lengthMs: number;
  /** The newest that is kept whole and ends at one of these times (ascending); null if there is none. */
  newest(endsMs: readonly number[]): Promise<Pick<KeptWindow, 'endMs' | 'state'> | null>;
  /** On disk when it resolves. */
  keep(window: KeptWindow): Promise<void>;
}

/** The input of one pass. */
export interface DecodeRequest extends DecodedPart {
  /** Only a pass that goes by windows has them: it measures the same, and keeps what it has at the end of each. */
  readonly windows?: PassWindows;
  /** Takes what facts name. A pass that fails, or is begun again, may have given it objects that nothing names. */
  readonly keep: KeepObject;
  /** Called with the decoded part of the range, in ms; never less than before, whatever is decoded again. */
  readonly decoded?: (mediaMs: number) => void;
}

const RATE = 48_000;
const CHANNELS = 2;
const BYTES_PER_SAMPLE = 2;

// Twice the samples: room for what they are packed in.
const BYTES_PER_MS = (2 * RATE * CHANNELS * BYTES_PER_SAMPLE) / 1000;

// More than the range, so that no filter of the reader runs dry before its end.
const MORE_SECONDS = 1;

/**
 * Runs an ffmpeg that writes the sound of a request into another process in one form, whatever forms it has on the way. A filter
 * graph restarts at each change, and would lose its counts. Nothing is filtered here, and `limits` are those of the reader.
 * Resolves when the reader has enough; rejects with `ProcessFailure`.
 */
export async function evenSound(
  { launcher, ffmpeg }: { readonly launcher: Launcher; readonly ffmpeg: { readonly path: string } },
  work: {
    readonly request: DecodeRequest;
    readonly seek: number;
    readonly limits: ProcessLimits;
    readonly into: Writable;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { request, seek, limits, into, signal } = work;
  const decodedMs = request.range.endMs - seek * 1000 + MORE_SECONDS * 1000;
  const running = await launcher.start({
    tool: ffmpeg.path,
    args: await evenSoundArguments(request, seek),
    limits: { ...limits, stdoutBytes: limits.stdoutBytes + BYTES_PER_MS * decodedMs },
    signal,
  });
  let hasEnough = false;
  await pipeline(running.stdout, into).catch(() => {
    hasEnough = true;
    running.kill();
  });
  await running.finished.catch((error: unknown) => {
    if (!hasEnough || !(error instanceof ProcessFailure) || error.reason !== 'aborted') throw error;
  });
}

const evenForm = ['-c:a', 'pcm_s16le', '-ar', String(RATE), '-ac', String(CHANNELS)];

async function evenSoundArguments(request: DecodeRequest, seek: number): Promise<string[]> {
  const run = ['-nostdin', '-nostats', '-v', 'error', ...MEDIA_GLOBAL_OPTIONS];
  const decoded = [...run, '-max_error_rate', String(MAXIMUM_ERROR_SHARE)];
  const track = request.audioTrackIndex ?? 0;
  if (request.countsSamples === true) {
    return [...decoded, ...(await countedInput(request.path, track)), ...evenForm, '-f', 's16le', 'pipe:1'];
  }
  return [
    ...decoded,
    ...[...enteredAt(seek), '-t', String(request.range.endMs / 1000 - seek + MORE_SECONDS)],
    ...timedInput(request.path),
    // The reader counts from the first sample of any stream: one that begins at the seek point keeps a late start.
    ...['-f', 'lavfi', '-t', '0.1', '-i', `anullsrc=r=${RATE}:cl=mono`],
    ...['-map', `0:${track}`, '-map', '1:0', ...evenForm, '-f', 'nut', 'pipe:1'],
  ];
}

/** The evened sound as an input on standard input: with the times of its packets, or as samples alone. */
const evenSoundInput = ({ countsSamples = false }: DecodedPart): readonly string[] => [
  ...['-protocol_whitelist', 'pipe'],
  ...(countsSamples ? ['-f', 's16le', '-ar', String(RATE), '-ac', String(CHANNELS)] : ['-f', 'nut']),
  ...['-i', 'pipe:0'],
];

/**
 * The form of the sound in the graph. `kept`: as the file has it. `evened`: by a process before (`evenSound`). `mono`: for a
 * decoder that does not name its channels, as that of TTA does not for one channel.
 */
export type SoundForm = 'kept' | 'evened' | 'mono';

/** The kinds with a part of their own in the graph, in the order of their pipes. */
const branched = meteredKinds.flatMap(({ name, track, branch }) =>
  branch === undefined ? [] : [{ name, track, branch }],
);

/**
 * The output of the extra pipes, from descriptor 3 on; standard output carries the sound, all signals (s16le at 16 kHz,
 * interleaved). `times` are those of the small pictures; the others are the metadata of the frames of a kind.
 */
export const measurePipes: readonly string[] = ['times', ...branched.map(({ name }) => name)];

/**
 * The output of the pipes behind them. `pixels` are small pictures (RGB). `ownRate` is the sound folded into `OWN_RATE_LAYOUTS`, at
 * its own rate (`au`). `peaks` is all channels at 48 kHz as floating-point numbers (`au`), from where loudness is measured. The
 * others are the pictures of a kind, in the form that its branch names.
 */
export const bytePipes: readonly string[] = [
  'pixels',
  ...branched.flatMap(({ name, branch }) => (branch.output === undefined ? [] : [name])),
  'ownRate',
  'peaks',
];

/** How many extra pipes there are. */
export const EXTRA_PIPES = measurePipes.length + bytePipes.length;

const FIRST_EXTRA_PIPE = 3;

// A picture at the end of the range is compared with those that follow.
const PICTURES_BEHIND_MS = 1000;

// Short-term loudness is that of three seconds, and what is faded in first settles the filters before them.
const LOUDNESS_LEAD_MS = 4000;
const FADED_IN_SECONDS = 0.5;

// Every broadcast loudness filter works at 48 kHz, which also is three times the rate of the speech model.
const LOUDNESS_RATE = 48_000;

// Loudness is measured by tenths of a second.
const PIECE_SAMPLES = LOUDNESS_RATE / 10;

// The times in seconds by which decoding begins before the range. Two are enough for decoders, resamplers and the comparison with
// the picture before to settle. But some containers (MPEG) seek into the middle of a group of pictures, and in some films
// pictures are rare. Then a minute is tried, and at last the whole way from the start.
const LEADS = [2, 60, Number.POSITIVE_INFINITY];

/** The whole seconds from which to decode, in the order to be tried; whole seconds are exact in every container's clock. */
export const seekPoints = (startMs: number): number[] => [
  ...new Set(LEADS.map((lead) => Math.max(0, Math.floor(startMs / 1000) - lead))),
];

/** The edges of a range that is decoded as a whole. */
export const edgesOf = (range: Range): WindowEdges => ({
  loudnessFromMs: range.startMs,
  picturesUntilMs: range.endMs + PICTURES_BEHIND_MS,
  range,
  from: null,
});

/** The time when the filter of loudness begins for a window of a range. */
export const loudnessFromOf = (window: Range, range: Range): number =>
  Math.max(range.startMs, window.startMs - LOUDNESS_LEAD_MS);

/**
 * The argument list of an ffmpeg pass over `[startMs, endMs)` that decodes from the seek point (whole seconds). Times count
 * from the start of the container, as its players count them. A missing track has no branch, since naming it
 * would be an error. At least one track is needed. Evened sound comes on standard input.
 */
export function decodeArguments(
  request: DecodedPart,
  seek: number,
  form: SoundForm = 'kept',
  edges: WindowEdges = edgesOf(request.range),
): string[] {
  const isEvened = form === 'evened';
  return [
    ...['-nostdin', '-nostats', '-v', 'error', ...MEDIA_GLOBAL_OPTIONS, '-max_error_rate', String(MAXIMUM_ERROR_SHARE)],
    // Seeking by index alone would start at a key frame. This decodes on from there to the exact place. ffmpeg turns the pictures
    // as players do.
    ...enteredAt(seek),
    ...timedInput(request.path),
    ...(isEvened ? evenSoundInput(request) : []),
    ...audioOptions(request, seek * 1000, form, edges),
    ...videoOptions(request, seek * 1000, edges),
    ...ownRateOptions(request, seek * 1000, form),
  ];
}

// Each piece costs its reader more than the bytes in it: ffmpeg's own are a few kilobytes of sound.
const LARGE_PIECES = ['-flush_packets', '0'];

const soundOf = (audioTrackIndex: number, form: SoundForm) => ({
  sound: form === 'evened' ? '1:0' : `0:${audioTrackIndex}`,
  layout: form === 'mono' ? 'aformat=channel_layouts=mono,' : '',
});

// ffmpeg takes the nearest to the sound's own. More channels are folded into left, right and center.
const OWN_RATE_LAYOUTS = `mono|stereo|${CHANNEL_LAYOUT}`;

/** Another rate would round off samples at full scale. Gaps are filled as in the other branches. */
function ownRateOptions({ audioTrackIndex, range }: DecodedPart, seekMs: number, form: SoundForm): string[] {
  if (audioTrackIndex === null) return [];
  const { sound, layout } = soundOf(audioTrackIndex, form);
  const [from, to] = [range.startMs - seekMs, range.endMs - seekMs].map((ms) => ms / 1000);
  const graph = [
    `[${sound}]aresample=async=1:first_pts=0`,
    `${layout}aformat=sample_fmts=s16:channel_layouts=${OWN_RATE_LAYOUTS}`,
    `atrim=start=${from}:end=${to}[own]`,
  ];
  const form16 = ['-c:a', 'pcm_s16be', '-flags', '+bitexact', '-f', 'au'];
  return ['-filter_complex', graph.join(','), '-map', '[own]', ...form16, ...LARGE_PIECES, bytePipe('ownRate')];
}

function audioOptions(
  { audioTrackIndex, range }: DecodedPart,
  seekMs: number,
  form: SoundForm,
  edges: WindowEdges,
): string[] {
  if (audioTrackIndex === null) return [];
  const { loudnessFromMs } = edges;
  const { sound, layout } = soundOf(audioTrackIndex, form);
  const cut = (rate: number, startMs: number = range.startMs) => {
    const at = (ms: number) => ((ms - seekMs) * rate) / 1000;
    return `atrim=start_sample=${at(startMs)}:end_sample=${at(range.endMs)},asetpts=N/SR/TB`;
  };
  const folded = (layout: string) => `aformat=sample_fmts=s16:channel_layouts=${layout}`;
  // Sound that begins at once in the middle of a wave would have a peak there that it does not have.
  const fade = loudnessFromMs < range.startMs ? `afade=t=in:d=${FADED_IN_SECONDS},` : '';
  // Each hands the sound on as it is.
  const measured = branchesOf('audio').flatMap(({ name, branch }) => [
    branch.filters({ range: edges.range, window: range, seekMs }, edges.from?.[name] ?? null),
    printer('ametadata', name),
  ]);
  const graph = [
    // Gaps are filled with silence, and so is a late start: sample n is always n / rate behind the seek point.
    // Decoders give a fiftieth of a second at a time, and each piece costs every filter as much as a longer one.
    `[${sound}]aresample=${LOUDNESS_RATE}:async=1:first_pts=0,${layout}asetnsamples=n=${PIECE_SAMPLES}:p=0,asplit=2[loud][sound]`,
    `[loud]${cut(LOUDNESS_RATE, loudnessFromMs)},${fade}${measured.join(',')},aformat=sample_fmts=flt[peaks]`,
    // Channels are resampled once and folded behind that; in double precision the samples are the same as in the other order.
    `[sound]aresample=${SAMPLE_RATE},aformat=sample_fmts=dblp,${cut(SAMPLE_RATE)},asplit=2[whole][each]`,
    `[whole]${folded('mono')}[mix]`,
    `[each]${folded(CHANNEL_LAYOUT)}[channels]`,
    '[mix][channels]amerge=inputs=2[pcm]',
  ];
  const output = (name: string, form: readonly string[], pipe: string) => [
    ...['-map', `[${name}]`, ...form, ...LARGE_PIECES],
    pipe,
  ];
  return [
    ...['-filter_complex', graph.join(';')],
    ...output('pcm', ['-c:a', 'pcm_s16le', '-f', 's16le'], 'pipe:1'),
    ...output('peaks', ['-c:a', 'pcm_f32be', '-flags', '+bitexact', '-f', 'au'], bytePipe('peaks')),
  ];
}

function videoOptions({ videoTrackIndex, range }: DecodedPart, seekMs: number, edges: WindowEdges): string[] {
  if (videoTrackIndex === null) return [];
  const branches = branchesOf('video');
  // Only frames with some metadata are printed.
  const timed = (pipe: string) => `metadata=mode=add:key=picture:value=${LONG_VALUE},${printer('metadata', pipe)}`;
  const graph = [
    `[0:${videoTrackIndex}]trim=end=${(edges.picturesUntilMs - seekMs) / 1000},settb=1/${VIDEO_TICKS_PER_MS * 1000},split=${1 + branches.length}[every]${branches.map(({ name }) => `[${name}]`).join('')}`,
    `[every]scale=${SMALL_WIDTH}:${SMALL_HEIGHT}:flags=area,format=rgb24,${timed('times')}[pictures]`,
    ...branches.map(({ name, branch }) => {
      const filters = branch.filters({ range: edges.range, window: range, seekMs }, edges.from?.[name] ?? null);
      // Pictures wait for their times, so that these come at once. Nothing waits for what other filters print, so that it comes in large pieces.
      return branch.output === undefined
        ? `[${name}]${filters},${printer('metadata', name)},nullsink`
        : `[${name}]${filters},${timed(name)}:direct=1[${writtenAs(name)}]`;
    }),
  ];
  const output = (name: string, pipe: string, form: readonly string[]) => [
    ...['-map', `[${name}]`, '-fps_mode', 'passthrough', ...form, ...LARGE_PIECES],
    bytePipe(pipe),
  ];
  return [
    ...['-filter_complex', graph.join(';')],
    ...output('pictures', 'pixels', ['-f', 'rawvideo']),
    ...branches.flatMap(({ name, branch }) =>
      branch.output === undefined ? [] : output(writtenAs(name), name, branch.output),
    ),
  ];
}

const branchesOf = (track: 'audio' | 'video') => branched.filter((each) => each.track === track);

const writtenAs = (name: string): string => `${name}_written`;

// ffmpeg prints in pieces of 32 KiB, so the times of about 200 small pictures come at once. A longer value would be cut. To write
// each time by itself took a third of the host's part.
const LONG_VALUE = '-'.repeat(110);

const bytePipe = (pipe: string): string => `pipe:${FIRST_EXTRA_PIPE + measurePipes.length + bytePipes.indexOf(pipe)}`;

// The colon of the pipe's name is escaped twice: once for the filter's options, once for the graph.
const printer = (filter: 'metadata' | 'ametadata', measure: string): string =>
  `${filter}=mode=print:file=pipe\\\\:${FIRST_EXTRA_PIPE + measurePipes.indexOf(measure)}`;
