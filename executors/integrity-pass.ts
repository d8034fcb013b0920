import { MEDIA_GLOBAL_OPTIONS, mediaInput } from './media-whitelists.ts';
import { MEMORY_BYTES } from './memory-limits.ts';
import { ProbeFailure } from './probe-failure.ts';
import { type Launcher, ProcessFailure, type ProcessLimits } from './process.ts';

// Room for a file of several gigabytes on a slow disk; demuxing alone reads hundreds of megabytes a second.
export const WHOLE_FILE_LIMITS: ProcessLimits = {
  wallMs: 180_000,
  cpuSeconds: 120,
  fileSizeBytes: 1024 * 1024,
  stdoutBytes: 4 * 1024 * 1024,
  stderrBytes: 1024 * 1024,
  memoryBytes: MEMORY_BYTES.packets,
};

// Matroska and fragmented MP4 end early with nothing but these words; the exit code stays 0.
const EARLY_END = /partial file|File ended prematurely/;

/**
 * Demuxes the named streams to the end of the file without decoding them. A header can promise a whole film over
 * half of its bytes, and only reading on finds that out. Resolves with the end of the last packet in
 * milliseconds (null when the tool tells none); rejects with `ProbeFailure` `container_damaged` at the first corrupt packet.
 */
export async function demuxToEnd(
  launcher: Launcher,
  ffmpeg: string,
  media: { file: string; streams: readonly number[]; openEnded: boolean },
  signal: AbortSignal,
): Promise<number | null> {
  const args = [
    ...['-nostdin', '-nostats', '-v', 'error', ...MEDIA_GLOBAL_OPTIONS],
    // The last packet of an open-ended file always looks cut.
    ...(media.openEnded ? [] : ['-xerror']),
    ...mediaInput(media.file),
    ...media.streams.flatMap((index) => ['-map', `0:${index}`]),
    ...['-c', 'copy', '-progress', 'pipe:1', '-f', 'null', '-'],
  ];
  try {
    const { stdout, stderr } = await launcher.run({ tool: ffmpeg, args, limits: WHOLE_FILE_LIMITS, signal });
    if (EARLY_END.test(stderr.toString('utf8'))) {
      throw new ProbeFailure('container_damaged', 'the file ends before its container does');
    }
    return lastPacketEnd(stdout.toString('utf8'));
  } catch (error) {
    if (!(error instanceof ProcessFailure) || error.reason !== 'tool_exit') throw error;
    throw new ProbeFailure('container_damaged', 'the container cannot be read to its end', error);
  }
}

function lastPacketEnd(progress: string): number | null {
  const microseconds = [...progress.matchAll(/^out_time_us=(\d+)$/gm)].at(-1)?.[1];
  return microseconds === undefined ? null : Math.round(Number(microseconds) / 1000);
}
