import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { execa } from 'execa';
import { pictureGraph } from './picture.ts';
import type { SpokenLine } from './sound.ts';
import type { Language } from './timeline.ts';

const clock = (ms: number): string => {
  const iso = new Date(ms).toISOString();
  return iso.slice(11, 23).replace('.', ',');
};

const subRip = (spoken: readonly SpokenLine[], language: Language): string =>
  spoken
    .map((line, index) => `${index + 1}\n${clock(line.startMs)} --> ${clock(line.endMs)}\n${line[language]}\n`)
    .join('\n');

/** Encodes picture, sound and both subtitle tracks into `target`, without a trace of when and where it was made. */
export async function encodeMedia(
  { file: sound, spoken }: { file: string; spoken: readonly SpokenLine[] },
  folder: string,
  target: string,
): Promise<void> {
  const korean = path.join(folder, 'ko.srt');
  const english = path.join(folder, 'en.srt');
  await writeFile(korean, subRip(spoken, 'ko'));
  await writeFile(english, subRip(spoken, 'en'));
  await execa('ffmpeg', [
    ...['-nostdin', '-hide_banner', '-loglevel', 'error', '-y'],
    ...['-i', sound, '-i', korean, '-i', english],
    ...['-filter_complex', await pictureGraph(folder)],
    ...['-map', '[picture]', '-map', '0:a', '-map', '1:s', '-map', '2:s', '-map_metadata', '-1'],
    ...['-c:v', 'libx264', '-preset', 'slow', '-crf', '26', '-g', '125', '-pix_fmt', 'yuv420p'],
    ...['-c:a', 'aac', '-b:a', '64k', '-ar', '44100', '-ac', '1', '-c:s', 'mov_text'],
    ...['-metadata:s:s:0', 'language=kor', '-metadata:s:s:1', 'language=eng'],
    ...['-threads', '1', '-fflags', '+bitexact', '-flags:v', '+bitexact', '-flags:a', '+bitexact'],
    ...['-movflags', '+faststart', target],
  ]);
}
