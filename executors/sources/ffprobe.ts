import type { ProbedTrack, ProbeResult } from '../../contract/sources/media-probe.ts';
import { following } from '../../formats/followed-signal.ts';
import { type Launcher, MEMORY_BYTES, ProcessFailure, type ProcessLimits } from '../process/process.ts';
import { readSignature } from './container-signature.ts';
import {
  countPackets,
  type MediaReport,
  milliseconds,
  positiveInteger,
  readReport,
  startOffset,
  trackOf,
  withDefaultAudio,
} from './ffprobe-report.ts';
import { type DemuxedFile, decodedMs, demuxToEnd } from './integrity-pass.ts';
import { extentOf, holdsMore } from './media-extent.ts';
import { MEDIA_GLOBAL_OPTIONS, mediaInput } from './media-input.ts';
import {
  asProbeFailure,
  isDemuxed,
  isPlayable,
  lacksPacketLengths,
  nothingPlayable,
  ProbeFailure,
  refuseGiants,
} from './probe-failure.ts';

const SECONDS = 10;
const MEBIBYTE = 1024 * 1024;

// As roomy as the pass of a study.
const LIMITS: ProcessLimits = {
  wallMs: 120_000,
  cpuSeconds: 240,
  fileSizeBytes: MEBIBYTE,
  stdoutBytes: MEBIBYTE,
  stderrBytes: MEBIBYTE,
  memoryBytes: MEMORY_BYTES.decode,
};

/**
 * Decodes the first seconds of damaged media, for no use can be made of it otherwise. Rejects with `ProbeFailure`
 * `container_damaged` when not one frame comes out of any of the streams (by their index in the container).
 */
async function demandDecodable(
  launcher: Launcher,
  ffmpeg: string,
  media: { readonly file: string; readonly streams: readonly number[] },
  signal: AbortSignal,
): Promise<void> {
  const args = [
    ...['-nostdin', '-nostats', '-v', 'quiet', ...MEDIA_GLOBAL_OPTIONS, '-max_error_rate', '1'],
    ...mediaInput(media.file),
    ...media.streams.flatMap((index) => ['-map', `0:${index}`]),
    ...['-t', String(SECONDS), '-progress', 'pipe:1', '-f', 'null', '-'],
  ];
  const nothing = (cause?: unknown) =>
    new ProbeFailure(
      'container_damaged',
      'not one frame of picture or sound can be decoded; copy the file again',
      cause,
    );
  try {
    const { stdout } = await launcher.run({ tool: ffmpeg, args, limits: LIMITS, signal });
    if (!/^(frame|out_time_us)=[1-9]/m.test(stdout.toString('utf8'))) throw nothing();
  } catch (error) {
    if (error instanceof ProcessFailure && error.reason === 'tool_exit') throw nothing(error);
    throw error;
  }
}

/** A file whose header was read. `openEnded`: its writer could not state a length. */
interface ReportedFile {
  readonly file: string;
  readonly bytes: number;
  readonly openEnded: boolean;
  readonly report: MediaReport;
  readonly tracks: readonly ProbedTrack[];
}

interface ReadFile extends DemuxedFile {
  /** The tracks with packets, and covers. */
  readonly filled: readonly ProbedTrack[];
}

/** Reads a file to its end: which tracks hold packets, how long they last, and what is damaged. */
async function readToEnd(
  launcher: Launcher,
  tools: { readonly ffprobe: { readonly path: string }; readonly ffmpeg: { readonly path: string } },
  { file, bytes, openEnded, report, tracks }: ReportedFile,
  signal: AbortSignal,
  onRead: (ms: number) => void,
): Promise<ReadFile> {
  const demuxed = tracks.filter(isDemuxed);
  const media = { file, bytes, openEnded, streams: indexesOf(demuxed) };
  const isSound = demuxed.length === 1 && demuxed.every(({ type }) => type === 'audio');
  const hasContainer = (name: string): boolean => report.format.format_name.split(',').includes(name);
  // The times of joined FLAC begin again with each part, so that nothing but its samples tells how much there is.
  const countsSamples = isSound && hasContainer('flac');
  const unmeasured = indexesOf(demuxed.filter(lacksPacketLengths));
  const count = (stop: AbortSignal) => countPackets(launcher, tools.ffprobe.path, { file, bytes, report }, stop);
  const isAlone = tracks.every((track) => track.isCoverArt || isDemuxed(track)) && demuxed.length === 1;
  const [found, held] = await bothOf(signal, (either) => [
    isAlone ? Promise.resolve(null) : count(either),
    demuxToEnd(launcher, tools.ffmpeg.path, { ...media, unmeasured, countsSamples }, either, onRead),
  ]);
  // For a single track, decoded time above zero proves that the track has packets, and no process need count them.
  const counted = found ?? (held.heldMs ? new Set(media.streams) : await count(signal));
  // A chain of Ogg streams states the length of the last. Between its parts the times of packets have gaps of up to a second.
  const isChain =
    isSound && hasContainer('ogg') && holdsMore(tracks, milliseconds(report.format.duration), held.heldMs);
  const heldMs = isChain ? await decodedMs(launcher, tools.ffmpeg.path, media, signal, onRead) : held.heldMs;
  return { ...held, heldMs, filled: tracks.filter((track) => track.isCoverArt || counted.has(track.index)) };
}

const indexesOf = (tracks: readonly ProbedTrack[]): number[] => tracks.map(({ index }) => index);

/** Runs two readers at once; the failure of one stops the other, and both are gone when this settles. */
async function bothOf<A, B>(
  signal: AbortSignal,
  begin: (signal: AbortSignal) => readonly [Promise<A>, Promise<B>],
): Promise<[A, B]> {
  const stop = new AbortController();
  return following([signal, stop.signal], async (either) => {
    const readers = begin(either);
    try {
      return await Promise.all(readers);
    } catch (error) {
      stop.abort();
      await Promise.allSettled(readers);
      throw error;
    }
  });
}

/** The executables that a probe needs, by absolute path. */
export interface ProbeTools {
  readonly ffprobe: { readonly path: string };
  readonly ffmpeg: { readonly path: string };
}

/**
 * Measures an untrusted media file: its container, its length and its tracks with packets; then reads it to its end. Media that
 * is damaged, or not as long as its container states, is taken as far as it can be decoded, with a note. `file` is an absolute
 * path. `onRead` is called with the read part of the stated length, in ms, and with that length. Rejects with `ProbeFailure`, and
 * only with that.
 */
export async function probeMedia(
  launcher: Launcher,
  tools: ProbeTools,
  file: string,
  signal: AbortSignal,
  onRead: (completedMs: number, totalMs: number) => void = () => undefined,
): Promise<ProbeResult> {
  try {
    const signature = await readSignature(file);
    const report = await readReport(launcher, tools.ffprobe.path, file, signature.known, signal);
    const { format } = report;
    const tracks = report.streams.map(trackOf);
    refuseGiants(tracks);
    if (!tracks.some(isPlayable)) throw nothingPlayable();
    const { bytes, openEnded, statedBytes } = signature;
    const statedMs = milliseconds(format.duration);
    const read = (ms: number): void => {
      if (statedMs !== null) onRead(ms, statedMs);
    };
    const opened = { file, bytes, openEnded, report, tracks };
    const { filled, heldMs, damage } = await readToEnd(launcher, tools, opened, signal, read);
    const playable = filled.filter(isPlayable);
    if (playable.length === 0) throw nothingPlayable();
    if (damage !== null) {
      await demandDecodable(launcher, tools.ffmpeg.path, { file, streams: indexesOf(playable) }, signal);
    }
    const containerNames = format.format_name.split(',');
    const startOffsetMs = startOffset(format.start_time);
    const extent = extentOf({
      containerNames,
      statedMs,
      startOffsetMs,
      heldMs,
      damage,
      tracks: filled,
      // A length in bytes is a statement, also where ffprobe passes over it.
      isEstimated: report.isEstimated && statedBytes === null,
      // ffprobe takes the length of a cut file from the bytes that are left.
      promisedMs: statedMs === null || statedBytes === null ? null : Math.round((statedMs * statedBytes) / bytes),
    });
    // ffprobe spreads the bytes over the stated time.
    const isStated = extent.durationMs === statedMs;
    return {
      durationMs: extent.durationMs,
      durationSeconds: extent.durationMs / 1000,
      containerNames,
      containerLongName: format.format_long_name,
      bitRate: isStated ? positiveInteger(format.bit_rate) : Math.round((bytes * 8000) / extent.durationMs),
      ...(startOffsetMs === 0 ? {} : { startOffsetMs }),
      ...(extent.incomplete === null ? {} : { incomplete: extent.incomplete }),
      tracks: withDefaultAudio(extent.tracks, report.streams),
    };
  } catch (error) {
    throw asProbeFailure(error);
  }
}
