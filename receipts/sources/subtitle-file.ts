import { ServiceError } from '../../contract/base/service-error.ts';
import type { SubtitleFormat, SubtitleTrack } from '../../contract/sources/subtitle-track.ts';
import { assCues } from './ass-cues.ts';
import { srtCues } from './srt-cues.ts';
import { type WrittenCue, withoutReturn } from './subtitle-cues.ts';
import { decodedText } from './subtitle-encoding.ts';
import { vttCues, withoutPresentation } from './vtt-cues.ts';

/** A subtitle file that was read whole. */
export interface SubtitleFile {
  readonly format: SubtitleFormat;
  readonly encoding: string;
  /** The text as UTF-8, as ffmpeg reads it. */
  readonly text: Uint8Array;
  /** In the order of the file; at least one. */
  readonly cues: readonly WrittenCue[];
}

const scanners: Readonly<Record<SubtitleFormat, (lines: readonly string[]) => WrittenCue[]>> = {
  srt: srtCues,
  webvtt: vttCues,
  ass: assCues,
};

/** The format that a text says it has; null where it says none. */
function formatOf(lines: readonly string[]): SubtitleFormat | null {
  const first = lines.find((line) => line.trim() !== '') ?? '';
  if (first.startsWith('WEBVTT')) return 'webvtt';
  if (/^\[script info\]/i.test(first)) return 'ass';
  return lines.some((line) => line.includes('-->')) ? 'srt' : null;
}

/** The text of a decoded file as it is read: of WebVTT without styles and regions, of the others all of it. */
export const readableText = (text: string, format: SubtitleFormat): Uint8Array =>
  Buffer.from(format === 'webvtt' ? withoutPresentation(text) : text, 'utf8');

/**
 * Opens a subtitle file and finds all of its cues; nothing is guessed, skipped or repaired. `format` and `encoding` are what is
 * stated of it, null where nothing is. Throws the codes of `decodedText`, `subtitle_format_mismatch` for a text of another format
 * than is stated or of none, and `invalid_subtitle_file` with the first line that cannot be read.
 */
export function openSubtitleFile(
  bytes: Uint8Array,
  stated: { readonly format: SubtitleFormat | null; readonly encoding: string | null },
): SubtitleFile {
  const { encoding, text } = decodedText(bytes, stated.encoding);
  const lines = text.split('\n').map(withoutReturn);
  if (lines.every((line) => line.trim() === '')) {
    throw new ServiceError('invalid_subtitle_file', 'the file is empty');
  }
  const found = formatOf(lines);
  if (found === null || (stated.format ?? found) !== found) {
    const seen = found === null ? 'it is neither srt, webvtt nor ass' : `its text is ${found}`;
    throw new ServiceError('subtitle_format_mismatch', stated.format === null ? seen : `${seen}, not ${stated.format}`);
  }
  const cues = scanners[found](lines);
  if (cues.length === 0) throw new ServiceError('invalid_subtitle_file', 'the file holds no cue');
  return { format: found, encoding, text: readableText(text, found), cues };
}

/** What is counted of the cues of a file over media of so many ms; see the schema of a subtitle track. */
export function measuredCues(cues: readonly WrittenCue[], durationMs: number): SubtitleTrack['measured'] {
  let latest = 0;
  let overlapping = 0;
  for (const { startMs, endMs } of cues.toSorted((one, other) => one.startMs - other.startMs)) {
    if (startMs < latest) overlapping += 1;
    latest = Math.max(latest, endMs);
  }
  return {
    cues: cues.length,
    outOfOrder: cues.filter(({ startMs }, at) => startMs < (cues[at - 1]?.startMs ?? 0)).length,
    overlapping,
    withoutDuration: cues.filter(({ startMs, endMs }) => startMs === endMs).length,
    beyondMedia: cues.filter(({ startMs }) => startMs >= durationMs).length,
  };
}
