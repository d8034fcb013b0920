import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Runs ffmpeg, whose last argument is the file that it writes. Throws when it fails. */
const ffmpeg = (...args: readonly string[]): void =>
  void execFileSync('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...args]);

const drawn = (graph: string): readonly string[] => ['-f', 'lavfi', '-i', graph];

/** Three seconds of noise that is loud from 1.0 to 1.5 s, and hardly there before and behind. */
const burst = (rate: number, seconds = 3): readonly string[] =>
  drawn(`anoisesrc=d=${seconds}:c=white:r=${rate}:seed=7:a=0.5,volume='if(between(t,1,1.5),1,0.001)':eval=frame`);

/** A film of a test picture. */
const picture = (seconds: number): readonly string[] => drawn(`testsrc2=s=64x48:r=25:d=${seconds}`);

const quickH264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];

/** A part of a joined file: its sampling rate, and further arguments for ffmpeg. */
interface JoinedPart {
  readonly rate?: number;
  readonly seconds?: number;
  readonly words: readonly string[];
}

/** Writes a file of several parts with a burst at one second of each, one file behind the other. Returns its path. */
export function joinedSound(folder: string, name: string, parts: readonly JoinedPart[]): string {
  const written = parts.map(({ rate = 44_100, seconds = 3, words }, at) => {
    const part = join(folder, `part-${at}-${name}`);
    ffmpeg(...burst(rate, seconds), ...words, part);
    return readFileSync(part);
  });
  const file = join(folder, name);
  writeFileSync(file, Buffer.concat(written));
  return file;
}

/** A copy of a file without its first bytes, as of a recording that began within a packet. Returns its path. */
export function withoutBegin(file: string, bytes: number): string {
  const cut = file.replace(/(\.\w+)$/, '-mid$1');
  writeFileSync(cut, readFileSync(file).subarray(bytes));
  return cut;
}

/**
 * Writes a film whose sound begins 0.7 s behind its picture, with a burst one second later; `seconds` is its length. The words name
 * the codec of the sound and options of the container. Returns its path.
 */
export function lateSound(folder: string, name: string, seconds: number, words: readonly string[]): string {
  const file = join(folder, name);
  const sound = ['-itsoffset', '0.7', ...burst(48_000, seconds - 1)];
  ffmpeg(...picture(seconds), ...sound, '-map', '0', '-map', '1', ...quickH264, ...words, file);
  return file;
}

/** The same, and a second track of sound that begins two seconds before the picture. */
export function earlyOtherSound(folder: string, name: string, seconds: number, words: readonly string[]): string {
  const file = join(folder, name);
  const sound = ['-itsoffset', '0.7', ...burst(48_000, seconds - 1)];
  const other = ['-itsoffset', '-2', ...drawn(`sine=d=${seconds}`)];
  const tracks = ['-map', '0', '-map', '1', '-map', '2'];
  ffmpeg(...picture(seconds), ...sound, ...other, ...tracks, ...quickH264, ...words, file);
  return file;
}

const threeCues = [
  ['00:00:01,000', '00:00:04,800', 'The boat leaves at seven.'],
  ['00:00:05,000', '00:00:08,800', 'Bring the green box.'],
  ['00:00:09,000', '00:00:12,000', 'My sister wrote this letter.'],
] as const;

/** Writes an MP4 with one key frame and three cues: 1.0 to 4.8 s, 5.0 to 8.8 s and 9.0 to 12.0 s. Returns its path. */
export function subtitledFilm(folder: string, name: string, words: readonly string[] = []): string {
  const text = join(folder, `${name}.srt`);
  writeFileSync(text, threeCues.map(([from, to, line], at) => `${at + 1}\n${from} --> ${to}\n${line}\n`).join('\n'));
  const file = join(folder, name);
  const sound = drawn('sine=d=13');
  const coded = [...quickH264, '-g', '1000', '-c:a', 'aac', '-c:s', 'mov_text'];
  ffmpeg(
    ...picture(13),
    ...sound,
    ...words,
    '-i',
    text,
    '-map',
    '0',
    '-map',
    '1',
    '-map',
    '2',
    ...coded,
    '-t',
    '13',
    file,
  );
  return file;
}

/** A copy of a film without its first seconds: an edit list hides them. Returns its path. */
export function trimmedFilm(film: string, seconds: number): string {
  const cut = film.replace(/(\.\w+)$/, `-from-${seconds}$1`);
  ffmpeg('-ss', String(seconds), '-i', film, '-map', '0', '-c', 'copy', cut);
  return cut;
}
