import { randomUUID } from 'node:crypto';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, extname, join } from 'node:path';
import { causesText } from '../../contract/causes/wording.ts';
import type { MediaProbe } from '../../contract/sources/media-probe.ts';
import { openLauncher } from '../../executors/process/launcher.ts';
import { MEMORY_BYTES, ProcessFailure, type ProcessLimits } from '../../executors/process/process.ts';
import { FFMPEG, resolveTool } from '../../executors/process/tools.ts';
import { timedInput } from '../../executors/sources/media-input.ts';
import { threeLetterCode } from '../../rules/language-codes.ts';
import { type MuxContainer, type Muxing, muxContainerOf, muxContainers, muxingOf } from '../../rules/muxing.ts';
import { syncChosenFolder, syncFile } from '../../storage/objects/durable-file.ts';
import { terminalSpelling, WrongCall } from '../terminal/call.ts';
import { targetFile } from './given-file.ts';

/** A file of captions that goes into a film, and the language of its text (BCP 47). */
interface MuxedTrack {
  readonly path: string;
  readonly language: string;
}

const GIGABYTE = 1024 * 1024 * 1024;

/** A film is copied, not encoded: the disk is the limit. */
const LIMITS: ProcessLimits = {
  wallMs: 3_600_000,
  cpuSeconds: 3_600,
  fileSizeBytes: 1024 * GIGABYTE,
  stdoutBytes: 1024 * 1024,
  stderrBytes: 1024 * 1024,
  memoryBytes: MEMORY_BYTES.decode,
};

/** The container that a path names. Throws `WrongCall` for a name without the extension of one that holds captions. */
export function checkMuxed(path: string): MuxContainer {
  const container = muxContainerOf(extname(path));
  if (container !== null) return container;
  throw new WrongCall(`--mux ${path}: name a file that ends in ${muxContainers.join(', ')}`);
}

/**
 * The tracks of a film in a container, and a remark for each subtitle track that the copy will lack. Throws `WrongCall` if
 * the container does not take its picture or its sound, with the containers that do. Known from the probe alone: before an approval.
 */
export function plannedMux(path: string, probe: MediaProbe): { readonly muxing: Muxing; readonly remarks: string[] } {
  const muxing = muxingOf(probe.tracks, checkMuxed(path));
  if (muxing.obstacles.length > 0)
    throw new WrongCall(`--mux ${path}: ${causesText(muxing.obstacles, 'terminal', terminalSpelling)}`);
  return {
    muxing,
    remarks: muxing.lacking.map((cause) => `--mux ${path}: ${causesText([cause], 'terminal', terminalSpelling)}`),
  };
}

/**
 * The arguments that put captions into a film. They name the tracks one by one: ffmpeg cannot copy a track that it does not know. The
 * captions follow, so that their place is known.
 */
export function muxArguments(film: string, muxing: Muxing, tracks: readonly MuxedTrack[], output: string): string[] {
  const { container, copied, captions } = muxing;
  const pictures = copied.filter(({ type }) => type === 'video');
  const subtitles = copied.filter(({ type }) => type === 'subtitle');
  const isMp4 = muxing.captions === 'mov_text';
  return [
    // Pictures of AVI and of program streams have no times of their own.
    ...['-nostdin', '-v', 'error', '-y', '-fflags', '+genpts', ...timedInput(film)],
    ...tracks.flatMap(({ path }) => ['-i', path]),
    ...copied.flatMap(({ index }) => ['-map', `0:${index}`]),
    ...tracks.flatMap((_, at) => ['-map', `${at + 1}:s:0`]),
    // Other containers cannot hold fonts.
    ...(container === '.mkv' ? ['-map', '0:t?'] : []),
    ...['-ignore_unknown', '-c', 'copy', ...subtitles.flatMap(({ as }, at) => [`-c:s:${at}`, as])],
    // Players of Apple know HEVC by this name alone.
    ...(isMp4 ? pictures.flatMap(({ codec }, at) => (codec === 'hevc' ? [`-tag:v:${at}`, 'hvc1'] : [])) : []),
    ...tracks.flatMap(({ language }, at) => [
      ...[`-c:s:${subtitles.length + at}`, captions],
      ...[`-metadata:s:s:${subtitles.length + at}`, `language=${threeLetterCode(language)}`],
    ]),
    output,
  ];
}

/** Lines of ffmpeg that only repeat that something failed; the reason is above them. */
const consequences =
  /^(?:Error (?:initializing|muxing|writing|opening|processing)|Could not write header|av_interleaved_write_frame|Conversion failed|Nothing was written|Failed to|Last message repeated|--|$)/;

/** The line of ffmpeg that names the reason of a failure, without the address of a part of ffmpeg; null for no line. */
export function reasonIn(stderr: string): string | null {
  const lines = stderr.split('\n').map((line) => line.trim().replace(/^\[(\w+) @ 0x[\da-f]+\] /, '$1: '));
  const said = lines.filter((line) => line !== '');
  return said.find((line) => !consequences.test(line)) ?? said.at(-1) ?? null;
}

/**
 * Writes a copy of a film with captions in it. A file that did not become whole is removed, and one that was there stays. Throws
 * `ProcessFailure` if ffmpeg refuses, and `WrongCall` without an ffmpeg and for a path that can be no file.
 */
export async function muxFilm(
  film: string,
  muxing: Muxing,
  tracks: readonly MuxedTrack[],
  output: string,
  signal: AbortSignal,
): Promise<void> {
  const target = await targetFile(output);
  const workRoot = await mkdtemp(join(tmpdir(), 'media-study-mux-'));
  // A short name: that of the film may be as long as names can be.
  const part = join(dirname(target), `.${randomUUID()}.part${extname(output)}`);
  try {
    const launcher = await openLauncher({ workRoot, newId: randomUUID });
    try {
      const ffmpeg = await resolveTool(launcher, process.env, 'ffmpeg', FFMPEG);
      if ('missing' in ffmpeg) throw new WrongCall(`--mux needs ffmpeg: ${ffmpeg.missing}`);
      const args = muxArguments(film, muxing, tracks, part);
      await launcher.run({ tool: ffmpeg.tool.path, args, limits: LIMITS, signal }).catch((error: unknown) => {
        if (!(error instanceof ProcessFailure) || error.reason === 'aborted') throw error;
        throw new Error(`ffmpeg could not write ${output}: ${reasonIn(error.stderr) ?? error.message}`);
      });
    } finally {
      await launcher.close();
    }
    await syncFile(part);
    await rename(part, target);
    await syncChosenFolder(dirname(target));
  } finally {
    await rm(part, { force: true });
    await rm(workRoot, { recursive: true, force: true });
  }
}
