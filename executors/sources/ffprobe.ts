import type { ProbeResult } from '../../contract/sources/probe-result.ts';
import type { Launcher } from '../process/process.ts';
import { readSignature } from './container-signature.ts';
import { demandDecodable } from './decodable-start.ts';
import { milliseconds, positiveInteger, startOffset, trackOf, withDefaultAudio } from './ffprobe-output.ts';
import { readReport } from './ffprobe-run.ts';
import { extentOf } from './media-extent.ts';
import { asProbeFailure } from './probe-failure.ts';
import { isPlayable, nothingPlayable, refuseGiants } from './probe-rules.ts';
import { indexesOf, readToEnd } from './whole-file.ts';

/** The executables that a probe needs, by absolute path. */
export interface ProbeTools {
  readonly ffprobe: { readonly path: string };
  readonly ffmpeg: { readonly path: string };
}

/**
 * Measures an untrusted media file: what it is, how long, which tracks with packets; then reads it to its end. Media that is
 * damaged, or not as long as its container states, is taken as far as it can be decoded, with a note. `file` is an
 * absolute path. `onRead` hears how much of the stated length was read, in ms, and what that length is. Rejects with
 * `ProbeFailure`, and only with that.
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
    const { bytes, openEnded, statedBytes, lacksLengthTable } = signature;
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
      ...{ containerNames, statedMs, startOffsetMs, heldMs, damage, tracks: filled },
      isEstimated: lacksLengthTable && containerNames.includes('mp3'),
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
