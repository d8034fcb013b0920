import type { Dirent } from 'node:fs';
import { lstat, mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { setInterval } from 'node:timers/promises';
import { z } from 'zod';
import { behindProxy } from './behind-proxy.ts';
import type { FilteringProxy } from './filtering-proxy.ts';
import { cleanLine, formatSelector } from './video-document.ts';
import {
  type DownloadedRange,
  type DownloadProgress,
  type DownloadRange,
  type DownloadRequest,
  type VideoHostDeps,
  VideoHostFailure,
} from './video-host.ts';
import { remoteInputOptions, YTDLP_MEMORY_BYTES, ytdlpLimits, ytdlpWords } from './ytdlp-command.ts';

const LOOK_EVERY_MS = 200;

/** The bytes of all files below a folder; what is gone between two looks counts nothing. */
async function bytesIn(folder: string): Promise<number> {
  const entries: Dirent[] = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []);
  const sizes = entries.map(async (entry) => {
    const found = await lstat(path.join(entry.parentPath, entry.name)).catch(() => null);
    return found?.isFile() ? found.size : 0;
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** Calls `onExceeded` once when the folder has grown beyond `maximumBytes`. Ends with `signal`; never rejects. */
async function watchFolder(
  folder: string,
  maximumBytes: number,
  onExceeded: () => void,
  signal: AbortSignal,
): Promise<void> {
  try {
    for await (const _ of setInterval(LOOK_EVERY_MS, null, { signal })) {
      if ((await bytesIn(folder)) > maximumBytes) return onExceeded();
    }
  } catch {
    // The download has ended.
  }
}

const movedFile = z.object({ id: z.string(), filepath: z.string() });

/** The file that yt-dlp says it has finished, and the video that it belongs to. */
type MovedFile = z.infer<typeof movedFile>;

/** The template of the line that yt-dlp prints when a file is where it stays. */
const MOVED_TEMPLATE = 'after_move:@moved %(.{id,filepath})j';

const LONGEST_LINE = 64 * 1024;

/**
 * Reads the standard output of a download: ffmpeg's `-progress` blocks, then one line a finished file. Progress is
 * announced at the end of each block, within the range and never backwards.
 */
export class DownloadOutput {
  readonly moved: MovedFile[] = [];
  readonly #rangeMs: number;
  readonly #announce: (progress: DownloadProgress) => void;
  #rest = '';
  #mediaMs = 0;
  #bytes = 0;

  constructor(rangeMs: number, announce: (progress: DownloadProgress) => void) {
    this.#rangeMs = rangeMs;
    this.#announce = announce;
  }

  push(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = (lines.pop() ?? '').slice(-LONGEST_LINE);
    for (const line of lines) this.#read(line);
  }

  #read(line: string): void {
    if (line.startsWith('@moved ')) this.#move(line.slice('@moved '.length));
    const [, key, value] = /^(out_time_us|total_size|progress)=(\S+)$/.exec(line) ?? [];
    if (key === 'out_time_us') this.#mediaMs = this.#further(this.#mediaMs, Math.round(Number(value) / 1000));
    if (key === 'total_size') this.#bytes = Math.max(this.#bytes, Number(value) || 0);
    if (key === 'progress') this.#announce({ mediaMs: this.#mediaMs, bytes: this.#bytes });
  }

  #further(before: number, now: number): number {
    return Number.isSafeInteger(now) && now > before ? Math.min(now, this.#rangeMs) : before;
  }

  #move(json: string): void {
    try {
      this.moved.push(movedFile.parse(JSON.parse(json)));
    } catch {
      // A line that only looks like it; then no file was finished, and that has a failure of its own.
    }
  }
}

// Pages, scripts and playlists of the host, and what a seek reads beside the range.
const OVERHEAD_BYTES = 128 * 1024 * 1024;

// Fast enough for a full range within its wall on two cores, and without a loss that a viewer would see.
const ENCODING = ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '20', '-pix_fmt', 'yuv420p', '-c:a', 'aac'];

export const downloadRange: DownloadRange = (deps, request, signal) => {
  const { folder, maximumBytes } = request;
  return behindProxy(deps, maximumBytes + OVERHEAD_BYTES, async (proxy) => {
    try {
      await emptyFolder(folder);
      const moved = await download(deps, request, proxy, signal);
      const file = await theOneFile(request, moved);
      request.onProgress({ mediaMs: request.range.endMs - request.range.startMs, bytes: file.bytes });
      return file;
    } catch (error) {
      const tooMany = (await bytesIn(folder)) > maximumBytes;
      await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
      throw tooMany ? tooManyBytes(error) : error;
    }
  });
};

async function download(
  deps: VideoHostDeps,
  request: DownloadRequest,
  proxy: FilteringProxy,
  signal: AbortSignal,
): Promise<readonly MovedFile[]> {
  const { range, folder, maximumBytes, wallMs } = request;
  const output = new DownloadOutput(range.endMs - range.startMs, request.onProgress);
  const args = [...ytdlpWords(request, deps), ...rangeWords(request, deps), '--', request.url];
  const ended = new AbortController();
  const running = await deps.launcher.start({
    tool: deps.ytdlp.path,
    args,
    // One byte more than the limit, to distinguish a stopped download from one that just fits.
    limits: ytdlpLimits(wallMs, maximumBytes + 1, YTDLP_MEMORY_BYTES.download),
    signal,
    proxy,
  });
  const watching = watchFolder(folder, maximumBytes, () => running.kill(), ended.signal);
  try {
    for await (const chunk of running.stdout.setEncoding('utf8')) output.push(chunk);
    await running.finished;
    return output.moved;
  } catch (error) {
    // The stream may break before the verdict is there, which says more.
    running.kill();
    await running.finished;
    throw error;
  } finally {
    running.kill();
    ended.abort();
    await watching;
  }
}

function rangeWords({ range, folder, resolved }: DownloadRequest, deps: VideoHostDeps): readonly string[] {
  const { formats } = resolved;
  const [startMs, endMs] = [range.startMs, range.endMs].map((ms) => (ms / 1000).toFixed(3));
  // yt-dlp maps several formats itself; of a single one ffmpeg would keep one track of each kind.
  const maps = formats.length > 1 ? [] : ['-map', '0:V:0?', '-map', '0:a?'];
  // ffmpeg takes a seek within an HLS playlist of sound alone for a gap and closes it. So times are kept, and moved at the end.
  const times = ['-copyts', '-start_at_zero', '-output_ts_offset', `-${startMs}`];
  const outputOptions = ['-progress', 'pipe:1', '-nostats', ...maps, '-sn', '-dn', ...times, ...ENCODING, '-f', 'mp4'];
  return [
    ...['--quiet', '--no-simulate', '--print', MOVED_TEMPLATE],
    ...['--format', formatSelector(formats.map(({ formatId }) => formatId)), '--audio-multistreams'],
    ...['--merge-output-format', 'mp4', '--no-write-subs', '--no-write-auto-subs', '--no-embed-subs'],
    ...['--download-sections', `*${startMs}-${endMs}`, '--force-keyframes-at-cuts'],
    ...['--downloader-args', `ffmpeg_i:${remoteInputOptions(deps).join(' ')}`],
    ...['--downloader-args', `ffmpeg_o:${outputOptions.join(' ')}`],
    ...['--output', `${folder.replaceAll('%', '%%')}/media.%(ext)s`],
  ];
}

async function emptyFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { mode: 0o700 });
}

/** Exit code 0 proves nothing: the tool must also name one file, of this video, and it must be the only one there. */
async function theOneFile(
  { folder, resolved, maximumBytes }: DownloadRequest,
  moved: readonly MovedFile[],
): Promise<DownloadedRange> {
  const names = await readdir(folder);
  const [name] = names;
  const [file, ...more] = moved;
  if (names.length > 1 || more.length > 0) throw new VideoHostFailure('several_files', 'more than one file was left');
  if (name === undefined || file === undefined) throw new VideoHostFailure('no_file', 'no finished file was left');
  const whole = path.join(folder, name);
  const found = await lstat(whole);
  if (path.resolve(file.filepath) !== path.resolve(whole) || !found.isFile() || found.size === 0) {
    throw new VideoHostFailure('no_file', 'the finished file is not where it belongs, or empty');
  }
  if (cleanLine(file.id) !== resolved.externalId) {
    throw new VideoHostFailure('another_video', 'the host now answers with another video');
  }
  if (found.size > maximumBytes) throw tooManyBytes(null);
  return { path: whole, bytes: found.size };
}

function tooManyBytes(cause: unknown): VideoHostFailure {
  return new VideoHostFailure('too_many_bytes', 'the range is larger than was allowed', cause);
}
