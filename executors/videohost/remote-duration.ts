import { MEMORY_BYTES } from '../process/memory-limits.ts';
import { ProcessFailure, type ProcessLimits } from '../process/process.ts';
import { parseToolJson } from '../process/tool-json.ts';
import { ffprobeReport, milliseconds } from '../sources/ffprobe-output.ts';
import type { FilteringProxy } from './filtering-proxy.ts';
import type { DescribedFormat } from './video-document.ts';
import { type VideoHostDeps, VideoHostFailure } from './video-host.ts';
import { verdictOfProxy } from './video-host-verdict.ts';
import { remoteInputOptions } from './ytdlp-command.ts';

const LIMITS: ProcessLimits = {
  wallMs: 20_000,
  cpuSeconds: 20,
  fileSizeBytes: 1024 * 1024,
  stdoutBytes: 1024 * 1024,
  stderrBytes: 1024 * 1024,
  memoryBytes: MEMORY_BYTES.packets,
};

/**
 * Measures how long a format on a host is, in milliseconds, by its header and through the proxy. Rejects with
 * `VideoHostFailure`: `no_media` when it is none, `duration_unknown` when it states none.
 */
export async function measureRemoteDuration(
  deps: Pick<VideoHostDeps, 'launcher' | 'ffprobe' | 'ownNetwork'>,
  format: DescribedFormat,
  proxy: FilteringProxy,
  signal: AbortSignal,
): Promise<number> {
  const args = [
    ...['-v', 'error', '-hide_banner', '-show_entries', 'format=format_name,duration', '-of', 'json=c=1'],
    ...[...remoteInputOptions(deps), ...headerOptions(format), '--', format.url ?? ''],
  ];
  try {
    const { stdout } = await deps.launcher.run({ tool: deps.ffprobe.path, args, limits: LIMITS, signal, proxy });
    const durationMs = durationOf(stdout.toString('utf8'));
    if (durationMs === null)
      throw new VideoHostFailure('duration_unknown', 'the host states no duration, nor does its media');
    return durationMs;
  } catch (error) {
    if (!(error instanceof ProcessFailure) || error.reason !== 'tool_exit') throw error;
    throw (
      verdictOfProxy(proxy.findings, error) ??
      new VideoHostFailure('no_media', 'what the host sends is no media', error)
    );
  }
}

/** What the host's own player would send along. */
function headerOptions({ http_headers }: DescribedFormat): readonly string[] {
  const headers = Object.entries(http_headers ?? {}).filter((pair) => pair.every((word) => !/\p{Cc}/u.test(word)));
  return headers.length === 0 ? [] : ['-headers', headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')];
}

function durationOf(stdout: string): number | null {
  try {
    return milliseconds(ffprobeReport.parse(parseToolJson(stdout)).format?.duration);
  } catch {
    return null;
  }
}
