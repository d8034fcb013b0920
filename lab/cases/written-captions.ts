import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { speechFile } from '../../fixtures/speech/gold.ts';

/** The three sentences of the speech, as cues of SubRip have their times; those of ASS and WebVTT follow from them. */
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

/** The times of the three sentences as WebVTT has them. */
const vttTimes = times.map((each) => each.replaceAll(',', '.'));
/** The same as ASS has them: start and end. */
const assTimes = vttTimes.map((each) =>
  each
    .split(' --> ')
    .map((time) => time.slice(1, -1))
    .join(','),
);

/** A WebVTT file of the three sentences: each text with its settings behind the times. */
export const vttOfSpeech = (cues: readonly { readonly text: string; readonly settings?: string }[]): string =>
  `WEBVTT\n\n${cues.map(({ text, settings = '' }, at) => `${vttTimes[at]} ${settings}\n${text}\n`).join('\n')}`;

/** An ASS script of the three sentences, in the styles `Default`, `Thought` (italic, above) and `Loud` (bold, underlined). */
export const assOfSpeech = (events: readonly { readonly text: string; readonly style: string }[]): string =>
  [
    '[Script Info]',
    'ScriptType: v4.00+',
    '',
    '[V4+ Styles]',
    'Format: Name, Fontname, Fontsize, PrimaryColour, Bold, Italic, Underline, Alignment, MarginL, MarginR, MarginV',
    'Style: Default,Arial,16,&H00FFFFFF,0,0,0,2,10,10,10',
    'Style: Thought,Arial,16,&H00FFFFFF,0,-1,0,8,10,10,10',
    'Style: Loud,Arial,16,&H00FFFFFF,-1,0,-1,2,10,10,10',
    '',
    '[Events]',
    'Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text',
    ...events.map(({ text, style }, at) => `Dialogue: 0,${assTimes[at]},${style},,0,0,0,,${text}`),
    '',
  ].join('\n');

/** Writes a film of the recorded speech, in Matroska, with the packets of a subtitle file as its text track. Returns its path. */
export function speechWithTrack(folder: string, name: string, track: string): string {
  const film = join(folder, name);
  const maps = ['-map', '0:a', '-map', '1:s', '-c', 'copy', '-metadata:s:s:0', 'language=eng'];
  execFileSync('ffmpeg', ['-nostdin', '-v', 'error', '-y', '-i', speechFile, '-i', track, ...maps, film]);
  return film;
}
