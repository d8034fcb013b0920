import type { ProbedTrack } from '../../contract/sources/probe-result.ts';
import type { Launcher } from '../process/process.ts';
import { countPackets, type MediaReport } from './ffprobe-run.ts';
import { type DemuxedFile, demuxToEnd } from './integrity-pass.ts';
import { isDemuxed, lacksPacketLengths } from './probe-rules.ts';

/** A file whose header was read. `openEnded`: its writer could not state a length. */
export interface OpenedFile {
  readonly file: string;
  readonly bytes: number;
  readonly openEnded: boolean;
  readonly report: MediaReport;
  readonly tracks: readonly ProbedTrack[];
}

export interface ReadFile extends DemuxedFile {
  /** The tracks with packets, and covers. */
  readonly filled: readonly ProbedTrack[];
}

/** Reads a file to its end: which tracks hold packets, how long they last, and what is damaged. */
export async function readToEnd(
  launcher: Launcher,
  tools: { readonly ffprobe: { readonly path: string }; readonly ffmpeg: { readonly path: string } },
  { file, bytes, openEnded, report, tracks }: OpenedFile,
  signal: AbortSignal,
  onRead: (ms: number) => void,
): Promise<ReadFile> {
  const demuxed = tracks.filter(isDemuxed);
  const media = { file, bytes, openEnded, streams: indexesOf(demuxed) };
  const unmeasured = indexesOf(demuxed.filter(lacksPacketLengths));
  const count = (stop: AbortSignal) => countPackets(launcher, tools.ffprobe.path, { file, bytes, report }, stop);
  const isAlone = tracks.every((track) => track.isCoverArt || isDemuxed(track)) && demuxed.length === 1;
  const [found, held] = await bothOf(signal, (either) => [
    isAlone ? Promise.resolve(null) : count(either),
    demuxToEnd(launcher, tools.ffmpeg.path, { ...media, unmeasured }, either, onRead),
  ]);
  // Where one track alone was read, time that passed shows that it has packets, and no process need count them.
  const counted = found ?? (held.heldMs ? new Set(media.streams) : await count(signal));
  return { ...held, filled: tracks.filter((track) => track.isCoverArt || counted.has(track.index)) };
}

export const indexesOf = (tracks: readonly ProbedTrack[]): number[] => tracks.map(({ index }) => index);

/** Runs two readers at once; the failure of one stops the other, and both are gone when this settles. */
async function bothOf<A, B>(
  signal: AbortSignal,
  begin: (signal: AbortSignal) => readonly [Promise<A>, Promise<B>],
): Promise<[A, B]> {
  const stop = new AbortController();
  const readers = begin(AbortSignal.any([signal, stop.signal]));
  try {
    return await Promise.all(readers);
  } catch (error) {
    stop.abort();
    await Promise.allSettled(readers);
    throw error;
  }
}
