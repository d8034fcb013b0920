import { randomUUID } from 'node:crypto';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, extname, join } from 'node:path';
import { openLauncher } from '../../executors/process/launcher.ts';
import { MEMORY_BYTES, ProcessFailure, type ProcessLimits } from '../../executors/process/process.ts';
import { FFMPEG, resolveTool } from '../../executors/process/tools.ts';
import { baseLanguage } from '../../rules/languages.ts';
import { syncChosenFolder, syncFile } from '../../storage/objects/durable-file.ts';
import { WrongCall } from '../terminal/call.ts';
import { targetFile } from './given-file.ts';

/** A file of captions that goes into a film, and the language of its text (BCP 47). */
interface MuxedTrack {
  readonly path: string;
  readonly language: string;
}

/** The subtitle codec of each container that holds text; what ffmpeg's muxers take. */
const codecs: Readonly<Record<string, string>> = {
  '.mkv': 'subrip',
  '.mp4': 'mov_text',
  '.m4v': 'mov_text',
  '.mov': 'mov_text',
  '.webm': 'webvtt',
};

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

/** Throws `WrongCall` for a name without the extension of a container for text captions. */
export function checkMuxed(path: string): void {
  if (codecs[extname(path).toLowerCase()] !== undefined) return;
  throw new WrongCall(`--mux ${path}: name a file that ends in ${Object.keys(codecs).join(', ')}`);
}

/** ISO 639-2/B of the common languages, as Matroska and MP4 name them; players know these. */
const threeLetters: Readonly<Record<string, string>> = {
  ar: 'ara',
  cs: 'cze',
  da: 'dan',
  de: 'ger',
  el: 'gre',
  en: 'eng',
  es: 'spa',
  fi: 'fin',
  fr: 'fre',
  he: 'heb',
  hi: 'hin',
  hu: 'hun',
  id: 'ind',
  it: 'ita',
  ja: 'jpn',
  ko: 'kor',
  nl: 'dut',
  no: 'nor',
  nb: 'nob',
  pl: 'pol',
  pt: 'por',
  ro: 'rum',
  ru: 'rus',
  sv: 'swe',
  th: 'tha',
  tr: 'tur',
  uk: 'ukr',
  vi: 'vie',
  zh: 'chi',
};

const languageCode = (tag: string): string => {
  const base = baseLanguage(tag) ?? 'und';
  return threeLetters[base] ?? (base.length === 3 ? base : 'und');
};

/** Subtitles that are pictures: MP4, MOV and WebM have no place for them. */
const pictures = ['hdmv_pgs_subtitle', 'dvd_subtitle', 'dvb_subtitle', 'xsub'];

/** Subtitles that are not copied: text of MP4 that ffmpeg takes for data, and what it does not know. */
const uncopied = ['ttml', 'wvtt', 'unknown'];

/** A subtitle track of a film: its index in the container, and ffmpeg's name of its codec. */
interface FilmSubtitles {
  readonly index: number;
  readonly codec: string;
}

/**
 * The arguments that put captions into a film. Every stream is copied, but text that the container has in another form. Of the
 * subtitles of the film only those that are named go over: the place of the captions behind them has to be known.
 */
export function muxArguments(
  film: string,
  subtitles: readonly FilmSubtitles[],
  tracks: readonly MuxedTrack[],
  output: string,
): string[] {
  const extension = extname(output).toLowerCase();
  const codec = codecs[extension] ?? 'subrip';
  const isMatroska = extension === '.mkv';
  // Matroska holds everything that films have, but the text of MP4.
  const kept = subtitles.filter(
    (each) => !uncopied.includes(each.codec) && (isMatroska || !pictures.includes(each.codec)),
  );
  const formOf = (name: string): string => (isMatroska && name !== 'mov_text' ? 'copy' : codec);
  return [
    ...['-nostdin', '-v', 'error', '-y', '-i', film, ...tracks.flatMap(({ path }) => ['-i', path])],
    // Other containers cannot hold time codes and other data, nor fonts.
    ...['-map', '0', '-map', '-0:d', '-map', '-0:s', ...(isMatroska ? [] : ['-map', '-0:t'])],
    ...kept.flatMap(({ index }) => ['-map', `0:${index}`]),
    ...tracks.flatMap((_, at) => ['-map', `${at + 1}:s:0`]),
    ...['-c', 'copy', ...kept.flatMap((each, at) => [`-c:s:${at}`, formOf(each.codec)])],
    ...tracks.flatMap(({ language }, at) => [
      ...[`-c:s:${kept.length + at}`, codec],
      ...[`-metadata:s:s:${kept.length + at}`, `language=${languageCode(language)}`],
    ]),
    output,
  ];
}

/**
 * Writes a copy of a film with captions in it. A file that did not become whole is removed, and one that was there stays. Throws
 * `ProcessFailure` if ffmpeg refuses, and `WrongCall` without an ffmpeg and for a path that can be no file.
 */
export async function muxFilm(
  film: string,
  subtitles: readonly FilmSubtitles[],
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
      const args = muxArguments(film, subtitles, tracks, part);
      await launcher.run({ tool: ffmpeg.tool.path, args, limits: LIMITS, signal }).catch((error: unknown) => {
        if (!(error instanceof ProcessFailure) || error.reason === 'aborted') throw error;
        throw new Error(`ffmpeg could not write ${output}: ${error.stderr.trim().split('\n').at(-1) ?? error.message}`);
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
