import type { ResyncedStretch } from '../../contract/sources/derived-subtitles.ts';
import { cueTextOf } from '../../executors/evidence/cue-text.ts';
import type { SubtitleFile } from '../../formats/subtitles.ts';
import { codecOf } from '../../receipts/sources/subtitle-track.ts';
import type { TimedText } from '../../rules/dialogue.ts';
import type { CheckedStretch } from './sync-check.ts';

/** The cues of a file with their text as shown. */
export function cuesOfFile({ cues, format }: Pick<SubtitleFile, 'cues' | 'format'>): TimedText[] {
  const codec = codecOf(format);
  return cues.map(({ startMs, endMs, text }): TimedText => {
    // ffmpeg writes the reading order and the layer before the fields of an event.
    const read = cueTextOf(codec, Buffer.from(codec === 'ass' ? `0,0,${text}` : text, 'utf8'));
    return { startMs, endMs, text: read.text };
  });
}

/** A stretch as a record has it. */
export function recordedStretch(stretch: CheckedStretch): ResyncedStretch {
  const { verdict, cues, startMs, endMs, numerator, denominator, offsetMs, score, bound, chance, reason } = stretch;
  if (verdict === 'unknown') return { verdict, cues, startMs, endMs, reason: reason ?? 'no_better_than_chance' };
  const place = { numerator: numerator ?? 1, denominator: denominator ?? 1, offsetMs: offsetMs ?? 0 };
  return { verdict, cues, startMs, endMs, ...place, score: score ?? 0, bound: bound ?? 0, chance: chance ?? 0 };
}
