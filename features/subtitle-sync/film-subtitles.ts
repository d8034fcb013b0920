import { fileOf, intactPathOf, mediaOf, readSourceFile } from '../../actors/sources/source-files.ts';
import { ServiceError } from '../../contract/base/errors.ts';
import type { RegisteredSource } from '../../contract/sources/source-session.ts';
import type { SubtitleFormat } from '../../contract/sources/subtitle-track.ts';
import { isReadableCodec } from '../../executors/evidence/cue-text.ts';
import { type Launcher, MEMORY_BYTES, ProcessFailure, type ProcessLimits } from '../../executors/process/process.ts';
import type { ResolvedTool } from '../../executors/process/tools.ts';
import { MEDIA_GLOBAL_OPTIONS, mediaInput } from '../../executors/sources/media-input.ts';
import type { ParentText } from '../../receipts/sources/derived-subtitles.ts';
import type { ObjectStore } from '../../storage/objects/object-store.ts';

const mebibyte = 1024 * 1024;

/** A film is read to its end for its text. */
const limits: ProcessLimits = {
  wallMs: 180_000,
  cpuSeconds: 120,
  fileSizeBytes: mebibyte,
  stdoutBytes: 8 * mebibyte,
  stderrBytes: mebibyte,
  memoryBytes: MEMORY_BYTES.decode,
};

/** The file that a codec is in, and how ffmpeg writes it: as it is, or as SubRip. */
const files: Readonly<Record<string, { readonly format: SubtitleFormat; readonly as: string }>> = {
  subrip: { format: 'srt', as: 'copy' },
  srt: { format: 'srt', as: 'copy' },
  ass: { format: 'ass', as: 'copy' },
  ssa: { format: 'ass', as: 'copy' },
  webvtt: { format: 'webvtt', as: 'copy' },
};
const otherwise = { format: 'srt', as: 'srt' } as const;

interface TextDeps {
  readonly objectStore: ObjectStore;
  readonly launcher: Launcher;
  readonly ffmpeg: ResolvedTool;
}

const noSuchTrack = (index: number) =>
  new ServiceError('unknown_subtitle_track', `this study has no text track ${index}`);

/**
 * A text track of a source as a file of its own. An attached one is as it was given; ffmpeg writes one of the media, in the clock of
 * studies. Throws `unknown_subtitle_track` for another index, and for subtitles that are no text. Throws `source_revalidation_failed`
 * if the media has changed.
 */
export async function trackFile(
  { objectStore, launcher, ffmpeg }: TextDeps,
  source: RegisteredSource,
  index: number,
): Promise<ParentText> {
  const attached = source.subtitleTracks?.find(({ trackIndex }) => trackIndex === index);
  if (attached !== undefined) {
    const { contentId, label, format, encoding } = attached;
    const bytes = await readSourceFile(objectStore, source, fileOf(source, contentId).contentId);
    return { bytes, label, format, encoding, trackIndex: index };
  }
  const track = source.tracks.find((each) => each.index === index && each.kind === 'subtitle');
  if (track === undefined || !isReadableCodec(track.codec)) throw noSuchTrack(index);
  const { format, as } = files[track.codec] ?? otherwise;
  const path = await intactPathOf(objectStore, mediaOf(source)).catch(() => {
    throw new ServiceError('source_revalidation_failed', 'the media is gone or has changed');
  });
  const output = ['-map', `0:${index}`, '-c:s', as, '-f', format, 'pipe:1'];
  const args = ['-nostdin', '-nostats', '-v', 'error', ...MEDIA_GLOBAL_OPTIONS, ...mediaInput(path), ...output];
  const { signal } = new AbortController();
  const { stdout } = await launcher.run({ tool: ffmpeg.path, args, limits, signal }).catch((error: unknown) => {
    if (!(error instanceof ProcessFailure)) throw error;
    throw new ServiceError(
      'invalid_subtitle_file',
      `ffmpeg does not write track ${index} as a file (${error.message})`,
    );
  });
  return { bytes: stdout, label: `track ${index}`, format, encoding: 'utf-8', trackIndex: index };
}
