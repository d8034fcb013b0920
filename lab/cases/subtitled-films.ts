import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ShownCaption, withClosedCaptions } from './closed-captions.ts';

/** Runs ffmpeg, whose last argument is the file that it writes. Throws when it fails. */
const ffmpeg = (...args: readonly string[]): void =>
  void execFileSync('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...args]);

const picture = (seconds: number): readonly string[] => ['-f', 'lavfi', '-i', `testsrc2=s=64x64:r=25:d=${seconds}`];
const tone = (seconds: number): readonly string[] => ['-f', 'lavfi', '-i', `sine=f=440:d=${seconds}`];
const quickH264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];

/** Lines of two seconds each, every four seconds. */
const srtOf = (lines: readonly string[]): string =>
  lines
    .map((text, at) => {
      const clock = (second: number) => `00:00:${String(second).padStart(2, '0')},000`;
      return `${at + 1}\n${clock(4 * at + 1)} --> ${clock(4 * at + 3)}\n${text}\n`;
    })
    .join('\n');

const secondsOf = (lines: number): number => 4 * lines + 1;

/** A subtitle track as its container states it. `disposition` has flags of ffmpeg, such as `default+forced`; `0` has none. */
export interface MadeTrack {
  readonly lines: readonly string[];
  readonly language?: string;
  readonly title?: string;
  readonly disposition?: string;
}

/** An audio track: its tag, and if the container flags it as default. */
export interface MadeSound {
  readonly language?: string;
  readonly isDefault?: boolean;
}

/** Writes a film with these tracks, in the container that its name ends with. MP4 has text as `mov_text`. Returns its path. */
export function subtitledFilm(
  folder: string,
  name: string,
  tracks: readonly MadeTrack[],
  sounds: readonly MadeSound[] = [{}],
): string {
  const seconds = Math.max(5, ...tracks.map(({ lines }) => secondsOf(lines.length)));
  const files = tracks.map(({ lines }, at) => {
    const file = join(folder, `${name}.${at}.srt`);
    writeFileSync(file, srtOf(lines));
    return file;
  });
  const tagged = (kind: 's' | 'a', at: number, key: string, value: string | undefined) =>
    value === undefined ? [] : [`-metadata:s:${kind}:${at}`, `${key}=${value}`];
  const words = [
    ...[...picture(seconds), ...tone(seconds), ...files.flatMap((file) => ['-i', file])],
    ...['-map', '0', ...sounds.flatMap(() => ['-map', '1']), ...files.flatMap((_, at) => ['-map', String(at + 2)])],
    ...[...quickH264, '-c:a', 'aac', '-c:s', name.endsWith('.mp4') ? 'mov_text' : 'srt'],
    ...tracks.flatMap(({ language, title, disposition = '0' }, at) => [
      ...tagged('s', at, 'language', language),
      ...tagged('s', at, 'title', title),
      ...[`-disposition:s:${at}`, disposition],
    ]),
    ...sounds.flatMap(({ language, isDefault = false }, at) => [
      ...tagged('a', at, 'language', language),
      ...[`-disposition:a:${at}`, isDefault ? 'default' : '0'],
    ]),
  ];
  const film = join(folder, name);
  // Without `passthrough` the writer of Matroska flags a track of each kind by itself.
  ffmpeg(...words, ...(name.endsWith('.mkv') ? ['-default_mode', 'passthrough'] : []), film);
  return film;
}

/**
 * Writes a film whose only subtitles are pictures, in Matroska: of a Blu-ray disc (`copy`), of DVB, or of a DVD. Returns its path. ffmpeg
 * draws no text, so the pictures are white squares.
 */
export function picturedFilm(
  folder: string,
  name: string,
  codec: 'copy' | 'dvbsub' | 'dvdsub',
  language: string,
): string {
  const sup = join(folder, `${name}.sup`);
  writeFileSync(sup, pgsOf([{ startMs: 1000, endMs: 3000 }]));
  const film = join(folder, name);
  const inputs = [...picture(5), ...tone(5), '-f', 'sup', '-i', sup, '-map', '0', '-map', '1', '-map', '2'];
  const tag = ['-metadata:s:s:0', `language=${language}`];
  // A picture that nothing ends would make the film as long as its clock can count. The filter takes pictures of a DVD only as a copy.
  const ended = ['-bsf:s', 'setts=duration=2000'];
  const drawn = join(folder, `drawn-${name}`);
  const isDvd = codec === 'dvdsub';
  ffmpeg(
    ...inputs,
    ...quickH264,
    '-c:a',
    'aac',
    '-c:s',
    codec,
    ...(codec === 'dvbsub' ? ended : []),
    ...tag,
    isDvd ? drawn : film,
  );
  if (isDvd) ffmpeg('-i', drawn, '-map', '0', '-c', 'copy', ...ended, film);
  return film;
}

const bigEndian = (value: number, bytes: number): number[] =>
  Array.from({ length: bytes }, (_, at) => Math.floor(value / 256 ** (bytes - 1 - at)) % 256);

const sizes = { width: 64, height: 64, side: 16 } as const;

/** A segment of a PGS stream: its clock has 90 ticks in a ms. */
const segment = (ms: number, type: number, body: readonly number[]): number[] => [
  ...Buffer.from('PG', 'latin1'),
  ...bigEndian(90 * ms, 4),
  ...bigEndian(0, 4),
  type,
  ...bigEndian(body.length, 2),
  ...body,
];

/** Subtitles of a Blu-ray disc: a white square at each of these times. */
function pgsOf(shown: readonly Omit<ShownCaption, 'text'>[]): Buffer {
  const { width, height, side } = sizes;
  const out: number[] = [];
  for (const [at, { startMs, endMs }] of shown.entries()) {
    const composition = (number: number, state: number, objects: readonly number[]) => [
      ...[...bigEndian(width, 2), ...bigEndian(height, 2), 0x10, ...bigEndian(number, 2), state, 0, 0],
      ...(objects.length === 0 ? [0] : [1, ...objects]),
    ];
    const window = [1, 0, ...bigEndian(24, 2), ...bigEndian(24, 2), ...bigEndian(side, 2), ...bigEndian(side, 2)];
    const rows = Array.from({ length: side }, () => [0, 0x80 | side, 1, 0, 0]).flat();
    const object = [0, 0, 0, 0xc0, ...bigEndian(rows.length + 4, 3), ...bigEndian(side, 2), ...bigEndian(side, 2)];
    out.push(
      ...segment(startMs, 0x16, composition(2 * at, 0x80, [0, 0, 0, 0, ...bigEndian(24, 2), ...bigEndian(24, 2)])),
    );
    out.push(...segment(startMs, 0x17, window), ...segment(startMs, 0x14, [0, 0, 1, 235, 128, 128, 255]));
    out.push(...segment(startMs, 0x15, [...object, ...rows]), ...segment(startMs, 0x80, []));
    out.push(...segment(endMs, 0x16, composition(2 * at + 1, 0, [])), ...segment(endMs, 0x17, window));
    out.push(...segment(endMs, 0x80, []));
  }
  return Buffer.from(out);
}

/** Writes an MP4 whose subtitles are TTML (`stpp`). ffmpeg writes none, so the sample entry of text gets its name. */
export function timedTextFilm(folder: string, name: string, language: string): string {
  const film = subtitledFilm(folder, name, [{ lines: ['<tt/>'], language }]);
  const bytes = readFileSync(film);
  bytes.write('stpp', bytes.lastIndexOf('tx3g'), 'latin1');
  writeFileSync(film, bytes);
  return film;
}

/** Writes an MP4 whose pictures carry closed captions, and that has no subtitle track. */
export function closedCaptionedFilm(folder: string, name: string, captions: readonly ShownCaption[]): string {
  const [plain, captioned, film] = [`${name}.plain.h264`, `${name}.captions.h264`, name].map((each) =>
    join(folder, each),
  );
  if (plain === undefined || captioned === undefined || film === undefined) throw new Error('three names');
  const slices = ['-bf', '0', '-x264-params', 'slices=1:sliced-threads=0'];
  ffmpeg(...picture(10), ...quickH264, ...slices, '-f', 'h264', plain);
  writeFileSync(captioned, withClosedCaptions(readFileSync(plain), captions, 25));
  ffmpeg('-r', '25', '-i', captioned, ...tone(10), '-c:v', 'copy', '-c:a', 'aac', '-shortest', film);
  return film;
}
