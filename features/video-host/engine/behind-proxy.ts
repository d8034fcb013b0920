import { cutText } from '../../../contract/base/grammar.ts';
import { ProcessFailure } from '../../../executors/process/process.ts';
import { type FilteringProxy, openFilteringProxy, type ProxyFindings } from './filtering-proxy.ts';
import { type VideoHostDeps, VideoHostFailure, type VideoHostFailureCause } from './video-host.ts';

const DETAIL_UNITS = 160;

/**
 * Why a tool that ran behind a proxy failed. What the proxy saw decides, then what the tool printed for machines; its
 * sentence for people is only quoted. A fault of the system, such as a full disk, is `launch_failed`.
 */
export function verdictOn(error: unknown, findings: ProxyFindings): unknown {
  const fail = (reason: VideoHostFailureCause, detail: string) => new VideoHostFailure(reason, detail, error);
  if (!(error instanceof ProcessFailure)) {
    const isOfSystem = error instanceof Error && 'syscall' in error && 'code' in error;
    return isOfSystem ? fail('launch_failed', `the system refused (${error.code})`) : error;
  }
  if (error.reason !== 'tool_exit') return fail(error.reason, error.message.slice(error.reason.length + 2));
  return verdictOfProxy(findings, error) ?? fail(...verdictOfTool(error, findings));
}

/** The failure that a proxy's findings amount to, or null when they explain nothing. */
export function verdictOfProxy(findings: ProxyFindings, cause: unknown): VideoHostFailure | null {
  const fail = (reason: VideoHostFailureCause, detail: string) => new VideoHostFailure(reason, detail, cause);
  if (findings.refusedAddress) return fail('address_refused', 'it led to an address that is not public');
  if (findings.overLimit) return fail('too_many_bytes', 'the host sent more than was allowed');
  const { lastOutcome } = findings;
  if (lastOutcome?.kind === 'host_unreachable') return fail('host_unreachable', 'the host did not answer to the end');
  const status = lastOutcome?.status ?? null;
  return status !== null && status >= 400 ? fail('host_refused', `the host answered with status ${status}`) : null;
}

// With the option to print its findings, yt-dlp prints `null` if it found nothing; a crash prints nothing.
function verdictOfTool(failure: ProcessFailure, findings: ProxyFindings): [VideoHostFailureCause, string] {
  const detail = quoted(failure.stderr) ?? `yt-dlp exited with code ${failure.exitCode}${wordless(failure.stderr)}`;
  if (failure.stdout.trim() !== 'null') return ['tool_exit', detail];
  return findings.requests === 0 ? ['not_one_video', detail] : ['extraction_failed', detail];
}

// Python's error for a lack of memory has no text.
function wordless(stderr: string): string {
  return /^ERROR: *$/m.test(stderr) ? ' and no reason, as it does when it needs more memory than it may take' : '';
}

/** The tool's last complaint in a form that may be shown: one line, no address, no path. */
function quoted(stderr: string): string | null {
  const lines = stderr.split('\n').filter((line) => line.startsWith('ERROR: '));
  const [complaint = ''] = lines.at(-1)?.slice('ERROR: '.length).split(/[;(]/) ?? [];
  const shown = complaint
    .replace(/\p{Cc}/gu, ' ')
    .replace(/\S*[/\\]\S*/g, '…')
    .trim();
  return shown === '' ? null : cutText(shown, DETAIL_UNITS);
}

/**
 * Does work whose processes reach the network through a proxy of their own, which lets `maximumBytes` pass. The proxy is
 * closed when this settles; the failure of a process becomes what the proxy saw of it.
 */
export async function behindProxy<T>(
  { lookup, openOrigin, newSecret }: Pick<VideoHostDeps, 'lookup' | 'openOrigin' | 'newSecret'>,
  maximumBytes: number,
  work: (proxy: FilteringProxy) => Promise<T>,
): Promise<T> {
  const proxy = openFilteringProxy({ lookup, openOrigin, secret: newSecret(), maximumBytes });
  try {
    return await work(proxy);
  } catch (error) {
    throw verdictOn(error, proxy.findings);
  } finally {
    await proxy.close();
  }
}
