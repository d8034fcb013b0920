import { cueTextOf } from '../../executors/evidence/cue-text.ts';
import type { SubtitleFile } from '../../formats/subtitles.ts';
import { codecOf } from '../../receipts/sources/subtitle-track.ts';
import type { TimedText } from '../../rules/dialogue.ts';

/** The cues of a file with their text as shown. */
export function cuesOfFile({ cues, format }: Pick<SubtitleFile, 'cues' | 'format'>): TimedText[] {
  const codec = codecOf(format);
  return cues.map(({ startMs, endMs, text }): TimedText => {
    // ffmpeg writes the reading order and the layer before the fields of an event.
    const read = cueTextOf(codec, Buffer.from(codec === 'ass' ? `0,0,${text}` : text, 'utf8'));
    return { startMs, endMs, text: read.text };
  });
}
