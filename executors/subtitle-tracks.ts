import type { Readable } from 'node:stream';
import type { Range } from '../contract/grammar.ts';
import { DetectionFailure } from './detection-failure.ts';
import { MEDIA_GLOBAL_OPTIONS, mediaInput } from './media-whitelists.ts';
import type { Launcher, ProcessLimits } from './process.ts';
import type { ResolvedTool } from './tools.ts';
import { type Cue, parseWebVtt } from './webvtt.ts';

const MEBIBYTE = 1024 * 1024;

// The whole file may have to be read for a few cues; an hour of dense subtitles is well below a mebibyte.
const LIMITS: ProcessLimits = {
  wallMs: 180_000,
  cpuSeconds: 120,
  fileSizeBytes: MEBIBYTE,
  stdoutBytes: 8 * MEBIBYTE,
  stderrBytes: 4 * MEBIBYTE,
  addressSpaceBytes: 2 * 1024 * MEBIBYTE,
};

const FIRST_EXTRA_PIPE = 3;

/** The argument list that turns text tracks (container indexes) into WebVTT: the first on standard output, the rest on extra pipes. */
export function subtitleArguments(file: string, indexes: readonly number[]): string[] {
  const outputs = indexes.flatMap((index, at) => {
    const pipe = at === 0 ? 1 : FIRST_EXTRA_PIPE + at - 1;
    return ['-map', `0:${index}`, '-c:s', 'webvtt', '-f', 'webvtt', `pipe:${pipe}`];
  });
  return ['-nostdin', '-nostats', '-v', 'error', ...MEDIA_GLOBAL_OPTIONS, ...mediaInput(file), ...outputs];
}

/**
 * The cues of each track, in the order of the indexes (at least one), read in one run. They are whole, in the order of
 * time, and count from the start of the container. Rejects with `ProcessFailure` or `DetectionFailure`.
 */
export async function readSubtitleTracks(
  deps: { readonly launcher: Launcher; readonly ffmpeg: ResolvedTool },
  file: string,
  indexes: readonly number[],
  signal: AbortSignal,
): Promise<Cue[][]> {
  const running = await deps.launcher.start({
    tool: deps.ffmpeg.path,
    args: subtitleArguments(file, indexes),
    limits: LIMITS,
    signal,
    extraPipes: indexes.length - 1,
  });
  const pipes = [running.stdout, ...running.extra];
  const [, ...documents] = await Promise.all([running.finished, ...pipes.map(readAll)]);
  return documents.map((document) => parseWebVtt(utf8(document)).sort((one, other) => one.startMs - other.startMs));
}

/** What of the cues lies inside the range. */
export function clipCues(cues: readonly Cue[], { startMs, endMs }: Range): Cue[] {
  return cues
    .filter((cue) => cue.startMs < endMs && cue.endMs > startMs)
    .map((cue) => ({ ...cue, startMs: Math.max(cue.startMs, startMs), endMs: Math.min(cue.endMs, endMs) }));
}

async function readAll(pipe: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of pipe) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function utf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new DetectionFailure('ffmpeg wrote subtitles that are not UTF-8');
  }
}
