import { MEMORY_BYTES } from '../process/memory-limits.ts';
import { type Launcher, ProcessFailure, type ProcessLimits } from '../process/process.ts';
import { MEDIA_GLOBAL_OPTIONS, mediaInput } from './media-whitelists.ts';
import { ProbeFailure } from './probe-failure.ts';

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
export async function demandDecodable(
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
      'not one frame of picture or sound can be decoded; copy the file anew',
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
