import { finished } from 'node:stream/promises';
import {
  type Launcher,
  MEMORY_BYTES,
  ProcessFailure,
  type ProcessLimits,
  type RunningProcess,
} from '../process/process.ts';
import { countedInput } from './joined-flac.ts';
import { MEDIA_GLOBAL_OPTIONS, mediaInput } from './media-input.ts';
import { ProbeFailure } from './probe-failure.ts';

/** The output of `-progress` of ffmpeg is short lines; a longer one does not belong to it. */
const longestLine = 256;

/** Reads how far ffmpeg has come from what it writes with `-progress`. */
class OutTime {
  readonly #onTime: (ms: number) => void;
  #rest = '';
  #ms: number | null = null;

  /** `onTime` is called with each stated time, in ms of the output. */
  constructor(onTime: (ms: number) => void) {
    this.#onTime = onTime;
  }

  /** The time that was stated last; null while none was. */
  get ms(): number | null {
    return this.#ms;
  }

  push(text: Buffer): void {
    const lines = (this.#rest + text.toString('latin1')).split('\n');
    this.#rest = (lines.pop() ?? '').slice(-longestLine);
    for (const line of lines) {
      const [, microseconds] = /^out_time_us=(\d+)$/.exec(line) ?? [];
      if (microseconds === undefined) continue;
      this.#ms = Math.round(Number(microseconds) / 1000);
      this.#onTime(this.#ms);
    }
  }
}

const MEBIBYTE = 1024 * 1024;

// Eight samples of a byte each in a millisecond: enough to count by, and few bytes to pass on.
const COUNTED_RATE = 8000;

/** Counts decoded samples, as time. */
class SampleTime {
  readonly #onTime: (ms: number) => void;
  #samples = 0;

  constructor(onTime: (ms: number) => void) {
    this.#onTime = onTime;
  }

  get ms(): number {
    return Math.round((1000 * this.#samples) / COUNTED_RATE);
  }

  push(samples: Buffer): void {
    this.#samples += samples.length;
    this.#onTime(this.ms);
  }
}

// Demuxing alone reads hundreds of megabytes a second; a tenth of that is a slow disk under load.
const SLOW_BYTES_PER_MS = 20_000;

/** Limits of a tool that reads a file of this size to its end. */
export const wholeFileLimits = (bytes: number): ProcessLimits => ({
  wallMs: 180_000 + Math.ceil(bytes / SLOW_BYTES_PER_MS),
  cpuSeconds: 120 + Math.ceil(bytes / SLOW_BYTES_PER_MS / 1000),
  fileSizeBytes: MEBIBYTE,
  stdoutBytes: 4 * MEBIBYTE,
  stderrBytes: MEBIBYTE,
  memoryBytes: MEMORY_BYTES.packets,
});

// Matroska and fragmented MP4 end early with nothing but these words; the exit code stays 0.
const EARLY_END = /partial file|File ended prematurely/;

/** A file to be read to its end: the streams by their index in the container. */
interface WholeFile {
  readonly file: string;
  readonly bytes: number;
  readonly streams: readonly number[];
  /** Those of them whose packets do not tell how long they last: they are decoded, and their frames tell it. */
  readonly unmeasured: readonly number[];
  /** Its writer could not state a length: the last packet always looks cut. */
  readonly openEnded: boolean;
  /** Its one track is sound, of which the samples are counted: the times of its packets may begin again. */
  readonly countsSamples: boolean;
}

/** The result of reading a file to its end. */
export interface DemuxedFile {
  /** The end of the last packet in ms, counted from the first sample; null when the tool states none. */
  readonly heldMs: number | null;
  readonly damage: 'ends_early' | 'corrupt_packets' | null;
}

/**
 * Demuxes the named streams to the end of the file, without decoding those whose packets state their length. A header can promise
 * a whole film over half of its bytes, and only reading on finds that out. A file with corrupt packets is read once more, over
 * them, from the beginning. `onRead` is called with the read time, in ms from the first sample. Rejects with `ProbeFailure`
 * `container_damaged` when that does not lead to its end either. The samples of joined sound are decoded and counted.
 */
export async function demuxToEnd(
  launcher: Launcher,
  ffmpeg: string,
  media: WholeFile,
  signal: AbortSignal,
  onRead: (ms: number) => void,
): Promise<DemuxedFile> {
  const run = async (words: readonly string[]) => {
    const { countsSamples } = media;
    const limits = { ...wholeFileLimits(media.bytes), ...(countsSamples ? { stdoutBytes: MOST_COUNTED } : {}) };
    const args = countsSamples ? await countArguments(media, words) : demuxArguments(media, words);
    const running = await launcher.start({ tool: ffmpeg, args, limits, signal });
    return readTime(running, countsSamples ? new SampleTime(onRead) : new OutTime(onRead));
  };
  try {
    const { heldMs, stderr } = await run(['-v', 'error', ...(media.openEnded ? [] : ['-xerror'])]);
    const endsEarly = EARLY_END.test(stderr.toString('utf8'));
    return { heldMs, damage: endsEarly ? 'ends_early' : null };
  } catch (error) {
    demandExit(error);
  }
  try {
    const { heldMs } = await run(['-v', 'quiet', '-max_error_rate', '1']);
    return { heldMs, damage: 'corrupt_packets' };
  } catch (error) {
    throw new ProbeFailure('container_damaged', 'the container cannot be read to its end', demandExit(error));
  }
}

/**
 * How long the sound of a file lasts that is its only track, in ms: by its samples, over whatever cannot be decoded. Rejects with
 * `ProcessFailure`.
 */
export async function decodedMs(
  launcher: Launcher,
  ffmpeg: string,
  media: Pick<WholeFile, 'file' | 'bytes' | 'streams'>,
  signal: AbortSignal,
  onRead: (ms: number) => void,
): Promise<number | null> {
  const limits = { ...wholeFileLimits(media.bytes), stdoutBytes: MOST_COUNTED };
  const args = await countArguments(media, ['-v', 'quiet', '-max_error_rate', '1']);
  const { heldMs } = await readTime(
    await launcher.start({ tool: ffmpeg, args, limits, signal }),
    new SampleTime(onRead),
  );
  return heldMs;
}

async function readTime(running: RunningProcess, time: OutTime | SampleTime) {
  running.stdout.on('data', (chunk: Buffer) => time.push(chunk));
  const [{ stderr }] = await Promise.all([running.finished, finished(running.stdout)]);
  return { heldMs: time.ms, stderr };
}

/** An exit with an error is a finding on the file; anything else is a fault of its own, and thrown on. */
function demandExit(error: unknown): ProcessFailure {
  if (error instanceof ProcessFailure && error.reason === 'tool_exit') return error;
  throw error;
}

// Of a week of sound.
const MOST_COUNTED = 7 * 24 * 3600 * COUNTED_RATE;

async function countArguments(
  { file, streams: [index = 0] }: Pick<WholeFile, 'file' | 'streams'>,
  words: readonly string[],
): Promise<string[]> {
  const input = await countedInput(file, index);
  return [
    ...['-nostdin', '-nostats', ...MEDIA_GLOBAL_OPTIONS, ...words, ...input],
    ...['-c:a', 'pcm_u8', '-ar', String(COUNTED_RATE), '-ac', '1', '-f', 'u8', 'pipe:1'],
  ];
}

function demuxArguments({ file, streams, unmeasured }: WholeFile, words: readonly string[]): string[] {
  return [
    ...['-nostdin', '-nostats', ...MEDIA_GLOBAL_OPTIONS, ...words, ...mediaInput(file)],
    ...streams.flatMap((index) => ['-map', `0:${index}`]),
    ...['-c', 'copy'],
    ...unmeasured.flatMap((index) => [`-c:${streams.indexOf(index)}`, 'pcm_s16le']),
    ...['-progress', 'pipe:1', '-f', 'null', '-'],
  ];
}
