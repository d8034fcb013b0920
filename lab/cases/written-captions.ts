import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { speechFile } from '../../fixtures/speech/gold.ts';

/** The three sentences of the speech, as cues have their times. */
const times = ['00:00:00,900 --> 00:00:04,000', '00:00:09,930 --> 00:00:12,200', '00:00:13,500 --> 00:00:16,400'];

/**
 * Writes a film of the recorded speech with one text track, whose cues have these texts in the times of its sentences. `codec` is
 * ffmpeg's name of the text. Returns its path.
 */
export function captionedSpeech(
  folder: string,
  name: string,
  { texts, language, codec }: { readonly texts: readonly string[]; readonly language: string; readonly codec: string },
): string {
  const [words, film] = [join(folder, `${name}.srt`), join(folder, name)];
  writeFileSync(words, texts.map((text, at) => `${at + 1}\n${times[at]}\n${text}\n`).join('\n'));
  const maps = ['-map', '0:a', '-map', '1:s', '-c:a', 'copy', '-c:s', codec];
  const tags = ['-metadata:s:a:0', `language=${language}`, '-metadata:s:s:0', `language=${language}`];
  execFileSync('ffmpeg', ['-nostdin', '-v', 'error', '-y', '-i', speechFile, '-i', words, ...maps, ...tags, film]);
  return film;
}
