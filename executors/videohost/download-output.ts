import { z } from 'zod';
import type { DownloadProgress } from './video-host.ts';

const movedFile = z.object({ id: z.string(), filepath: z.string() });

/** The file that yt-dlp says it has finished, and the video that it belongs to. */
export type MovedFile = z.infer<typeof movedFile>;

/** The template of the line that yt-dlp prints when a file is where it stays. */
export const MOVED_TEMPLATE = 'after_move:@moved %(.{id,filepath})j';

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
