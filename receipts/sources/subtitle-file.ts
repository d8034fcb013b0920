import { ServiceError } from '../../contract/base/errors.ts';
import type { SubtitleFormat, SubtitleTrack } from '../../contract/sources/subtitle-track.ts';
import type { Steps } from '../../formats/steps.ts';
import { assCues } from './ass-cues.ts';
import { srtCues } from './srt-cues.ts';
import type { WrittenCue } from './subtitle-cues.ts';
import { decodedText } from './subtitle-encoding.ts';
import { type ReadableVtt, vttCues, withoutPresentation } from './vtt-cues.ts';

/** A subtitle file that was read whole. */
export interface SubtitleFile {
  readonly format: SubtitleFormat;
  readonly encoding: string;
  /** The text as UTF-8, as ffmpeg reads it. */
  readonly text: Uint8Array;
  /** In the order of the file; at least one. */
  readonly cues: readonly WrittenCue[];
}

const scanners: Readonly<Record<SubtitleFormat, (text: string) => Steps<WrittenCue[]>>> = {
  srt: srtCues,
  webvtt: vttCues,
  ass: assCues,
};

/** The format that a text says it has, whose first character that is no space stands at `start`; null where it says none. */
function formatOf(text: string, start: number): SubtitleFormat | null {
  const line = text.lastIndexOf('\n', start) + 1;
  if (text.startsWith('WEBVTT', line)) return 'webvtt';
  if (/^\[script info\]/i.test(text.slice(line, line + 100))) return 'ass';
  return text.includes('-->') ? 'srt' : null;
}

/** By which rules a text is made readable. */
export const readableRules: ReadableVtt = { dropsNames: true };

/** All rules that stored texts may have been made by, the newest first. */
export const everyReadableRules: readonly ReadableVtt[] = [readableRules, { dropsNames: false }];

/** The text of a decoded file as it is read: of WebVTT without styles and regions, of the others all of it. */
export function* readableText(text: string, format: SubtitleFormat, rules = readableRules): Steps<Uint8Array> {
  return Buffer.from(format === 'webvtt' ? yield* withoutPresentation(text, rules) : text, 'utf8');
}

/**
 * Opens a subtitle file and finds all of its cues, in short steps; nothing is guessed, skipped or repaired. `format` and `encoding` are what is
 * stated of it, null where nothing is. Throws the codes of `decodedText`, `subtitle_format_mismatch` for a text of another format
 * than is stated or of none, and `invalid_subtitle_file` with the first line that cannot be read.
 */
export function* openSubtitleFile(
  bytes: Uint8Array,
  stated: { readonly format: SubtitleFormat | null; readonly encoding: string | null },
): Steps<SubtitleFile> {
  const { encoding, text } = decodedText(bytes, stated.encoding);
  yield;
  const start = text.search(/\S/);
  if (start === -1) throw new ServiceError('invalid_subtitle_file', 'the file is empty');
  const found = formatOf(text, start);
  if (found === null || (stated.format ?? found) !== found) {
    const seen = found === null ? 'it is neither srt, webvtt nor ass' : `its text is ${found}`;
    throw new ServiceError('subtitle_format_mismatch', stated.format === null ? seen : `${seen}, not ${stated.format}`);
  }
  yield;
  const cues = yield* scanners[found](text);
  if (cues.length === 0) throw new ServiceError('invalid_subtitle_file', 'the file holds no cue');
  return { format: found, encoding, text: yield* readableText(text, found), cues };
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
