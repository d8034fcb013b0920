import type { Range } from '../../contract/base/grammar.ts';
import { CHANNEL_LAYOUT } from '../detector/sound-signals.ts';
import { SAMPLE_RATE } from '../detector/speech-segmenter.ts';
import { KEYFRAME_RULE } from '../pictures/keyframe-finder.ts';
import { SMALL_HEIGHT, SMALL_WIDTH } from '../pictures/small-picture.ts';
import { MEDIA_GLOBAL_OPTIONS, mediaInput } from '../sources/media-whitelists.ts';
import type { DecodedPart } from './decode-request.ts';
import { KEYFRAME_FORM, MAXIMUM_ERROR_SHARE } from './detection-parameters.ts';
import { EVEN_SOUND_INPUT, keptInUse } from './even-sound.ts';
import { VIDEO_TICKS_PER_MS } from './timed-frames.ts';

/**
 * How the sound comes into the graph: as the file has it; evened by a process before (`even-sound.ts`); or as mono, where
 * the decoder does not say which channels it has, as that of TTA does not for one channel.
 */
export type SoundForm = 'kept' | 'evened' | 'mono';

/** What comes out of the extra pipes, from descriptor 3 on; standard output carries the sound, all signals (s16le at 16 kHz, interleaved). */
export const MEASURE_PIPES = ['times', 'loudness', 'candidateTimes'] as const;

/**
 * What comes out of the pipes behind them: the pixels of small pictures (RGB), JPEGs that may become keyframes (`mpjpeg`), and the
 * sound of left, right and centre at its own rate (`au`).
 */
export const BYTE_PIPES = ['pixels', 'candidates', 'ownRate'] as const;

/** How many extra pipes there are. */
export const EXTRA_PIPES = MEASURE_PIPES.length + BYTE_PIPES.length;

const FIRST_EXTRA_PIPE = 3;

// A picture at the end of the range is compared with those that follow.
const PICTURES_BEHIND_MS = 1000;

// Every broadcast loudness filter works at 48 kHz, which also is three times the rate of the speech model.
const LOUDNESS_RATE = 48_000;

// How far before the range decoding begins, in seconds. Two are enough for decoders, resamplers and the comparison with
// the picture before to settle. But some containers (MPEG) seek into the middle of a group of pictures, and in some
// films pictures are rare: then a minute is tried, and at last the whole way from the start.
const LEADS = [2, 60, Number.POSITIVE_INFINITY];

/** The whole seconds from which to decode, in the order to be tried; whole seconds are exact in every container's clock. */
export const seekPoints = ({ startMs }: Range): number[] => [
  ...new Set(LEADS.map((lead) => Math.max(0, Math.floor(startMs / 1000) - lead))),
];

/**
 * The argument list of an ffmpeg pass over `[startMs, endMs)` that decodes from the seek point (whole seconds). Times count
 * from the start of the container, as its players count them. A missing track has no branch, since naming it
 * would be an error. At least one track is needed. Evened sound comes on standard input.
 */
export function decodeArguments(request: DecodedPart, seek: number, form: SoundForm = 'kept'): string[] {
  const isEvened = form === 'evened';
  return [
    ...['-nostdin', '-nostats', '-v', 'error', ...MEDIA_GLOBAL_OPTIONS, '-max_error_rate', String(MAXIMUM_ERROR_SHARE)],
    // Seeking by index alone would start at a key frame; this decodes on from there to the exact place.
    ...['-accurate_seek', '-ss', String(seek), '-noautorotate'],
    ...mediaInput(request.path),
    ...(isEvened ? EVEN_SOUND_INPUT : []),
    ...audioOptions(request, seek * 1000, form),
    ...videoOptions(request, seek * 1000),
    ...ownRateOptions(request, seek * 1000, form),
    ...(isEvened ? keptInUse(request.audioTrackIndex) : []),
  ];
}

const soundOf = (audioTrackIndex: number, form: SoundForm) => ({
  sound: form === 'evened' ? '1:0' : `0:${audioTrackIndex}`,
  layout: form === 'mono' ? 'aformat=channel_layouts=mono,' : '',
});

/** Another rate would round off what stands at full scale. Gaps are filled as in the other branches. */
function ownRateOptions({ audioTrackIndex, range }: DecodedPart, seekMs: number, form: SoundForm): string[] {
  if (audioTrackIndex === null) return [];
  const { sound, layout } = soundOf(audioTrackIndex, form);
  const [from, to] = [range.startMs - seekMs, range.endMs - seekMs].map((ms) => ms / 1000);
  const graph = [
    `[${sound}]aresample=async=1:first_pts=0`,
    `${layout}aformat=sample_fmts=s16:channel_layouts=${CHANNEL_LAYOUT}`,
    `atrim=start=${from}:end=${to}[own]`,
  ];
  const form16 = ['-c:a', 'pcm_s16be', '-flags', '+bitexact', '-f', 'au'];
  return ['-filter_complex', graph.join(','), '-map', '[own]', ...form16, bytePipe('ownRate')];
}

function audioOptions({ audioTrackIndex, range }: DecodedPart, seekMs: number, form: SoundForm): string[] {
  if (audioTrackIndex === null) return [];
  const { sound, layout } = soundOf(audioTrackIndex, form);
  const cut = (rate: number) => {
    const at = (ms: number) => ((ms - seekMs) * rate) / 1000;
    return `atrim=start_sample=${at(range.startMs)}:end_sample=${at(range.endMs)},asetpts=N/SR/TB`;
  };
  const sampled = (layout: string) =>
    `aresample=${SAMPLE_RATE},aformat=sample_fmts=s16:channel_layouts=${layout},${cut(SAMPLE_RATE)}`;
  const graph = [
    // Gaps are filled with silence, and so is a late start: sample n is always n / rate behind the seek point.
    `[${sound}]aresample=${LOUDNESS_RATE}:async=1:first_pts=0,${layout}asplit=3[loud][whole][folded]`,
    `[loud]${cut(LOUDNESS_RATE)},ebur128=metadata=1:peak=true:framelog=verbose,${printer('ametadata', 'loudness')},anullsink`,
    `[whole]${sampled('mono')}[mix]`,
    `[folded]${sampled(CHANNEL_LAYOUT)}[channels]`,
    '[mix][channels]amerge=inputs=2[pcm]',
  ];
  return ['-filter_complex', graph.join(';'), '-map', '[pcm]', '-c:a', 'pcm_s16le', '-f', 's16le', 'pipe:1'];
}

function videoOptions({ videoTrackIndex, range }: DecodedPart, seekMs: number): string[] {
  if (videoTrackIndex === null) return [];
  // Only frames with some metadata are printed. Each line is written at once: its picture would wait for it.
  const timed = (pipe: (typeof MEASURE_PIPES)[number]) =>
    `metadata=mode=add:key=picture:value=1,${printer('metadata', pipe)}:direct=1`;
  const graph = [
    `[0:${videoTrackIndex}]trim=end=${(range.endMs + PICTURES_BEHIND_MS - seekMs) / 1000},settb=1/${VIDEO_TICKS_PER_MS * 1000},split=2[every][some]`,
    `[every]scale=${SMALL_WIDTH}:${SMALL_HEIGHT}:flags=area,format=rgb24,${timed('times')}[pictures]`,
    `[some]select=${candidateRule(range, seekMs)},${candidateSize},setsar=1,format=yuvj420p,${timed('candidateTimes')}[candidates]`,
  ];
  const output = (name: string, pipe: (typeof BYTE_PIPES)[number], form: readonly string[]) => [
    ...['-map', `[${name}]`, '-fps_mode', 'passthrough', ...form],
    bytePipe(pipe),
  ];
  // One thread: an encoder with more holds pictures back, and so do those who wait for them.
  const jpeg = ['-c:v', 'mjpeg', '-q:v', String(KEYFRAME_FORM.quality), '-flags', '+bitexact', '-threads', '1'];
  return [
    ...['-filter_complex', graph.join(';')],
    ...output('pictures', 'pixels', ['-f', 'rawvideo']),
    ...output('candidates', 'candidates', [...jpeg, '-f', 'mpjpeg']),
  ];
}

/** Pictures in the range, each a while behind the one before. Less than that while: sums of fractions come out a little short. */
function candidateRule({ startMs, endMs }: Range, seekMs: number): string {
  const [from, to] = [startMs - seekMs, endMs - seekMs].map((ms) => ms / 1000);
  const apart = (KEYFRAME_RULE.candidateMs - 0.5) / 1000;
  return `'gte(t,${from})*lt(t,${to})*(isnan(prev_selected_t)+gte(t-prev_selected_t,${apart}))'`;
}

/** Fits a picture, as it is shown, into a square; none is enlarged. */
const candidateSize = (() => {
  const fitted = `min(1,${KEYFRAME_FORM.longestSide}/max(iw*sar,ih))`;
  return `scale=w='max(1,iw*sar*${fitted})':h='max(1,ih*${fitted})'`;
})();

const bytePipe = (pipe: (typeof BYTE_PIPES)[number]): string =>
  `pipe:${FIRST_EXTRA_PIPE + MEASURE_PIPES.length + BYTE_PIPES.indexOf(pipe)}`;

// The colon of the pipe's name is escaped twice: once for the filter's options, once for the graph.
const printer = (filter: 'metadata' | 'ametadata', measure: (typeof MEASURE_PIPES)[number]): string =>
  `${filter}=mode=print:file=pipe\\\\:${FIRST_EXTRA_PIPE + MEASURE_PIPES.indexOf(measure)}`;
