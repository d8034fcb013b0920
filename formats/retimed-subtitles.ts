import { ServiceError } from '../contract/base/errors.ts';
import type { SubtitleFormat } from '../contract/sources/subtitle-track.ts';
import type { Steps } from './steps.ts';
import { fieldsOfFormat, linesOfStep, openSubtitleFile, type SubtitleFile, type WrittenCue } from './subtitles.ts';

/** A time in ms becomes `numerator / denominator` of it, plus `offsetMs`. */
export interface Placement {
  readonly numerator: number;
  readonly denominator: number;
  readonly offsetMs: number;
}

/** A subtitle file with other times. */
export interface RetimedFile {
  readonly bytes: Uint8Array;
  /** Cues with other times than before. */
  readonly moved: number;
  /** Those of them that would begin before the film: they begin with it. */
  readonly early: number;
}

/** ASS writes hundredths of a second. */
const assStepMs = 10;

/** Where a time of the old clock lies on the new one; no time is before the film. */
const movedMs = (ms: number, { numerator, denominator, offsetMs }: Placement): number =>
  Math.max(0, Math.round((ms * numerator) / denominator) + offsetMs);

const writtenTime = '(?:(\\d{1,4}) ?: ?)?([0-5]?\\d) ?: ?([0-5]?\\d)(?: ?([,.]) ?(\\d{1,9}))?';
const aTime = new RegExp(`^\\s*${writtenTime}\\s*$`);
/** Two times with their arrow between them, and all that is around. */
const timesLine = new RegExp(
  `^(\\D*)(${writtenTime.replaceAll(/\((?!\?)/g, '(?:')})(\\D+)(${writtenTime.replaceAll(/\((?!\?)/g, '(?:')})(.*)$`,
  's',
);

/** The parts of a written time; null for other text. */
function readTime(text: string) {
  const [, hours, minutes, seconds = '', point, fraction = ''] = aTime.exec(text) ?? [];
  if (minutes === undefined) return null;
  const ms = Number(fraction.slice(0, 3).padEnd(3, '0'));
  return { hours, point, ms: ((Number(hours ?? '0') * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + ms };
}

/** A time in the place of a written one, with as many digits of hours and the same point. */
function writtenAs(old: string, ms: number, format: SubtitleFormat): string {
  const { hours, point = format === 'srt' ? ',' : '.' } = readTime(old) ?? {};
  const isAss = format === 'ass';
  const whole = isAss ? Math.round(ms / assStepMs) * assStepMs : ms;
  const two = (value: number): string => String(value).padStart(2, '0');
  const hour = Math.floor(whole / 3_600_000);
  const shownHours = hours === undefined && hour === 0 ? '' : `${String(hour).padStart(hours?.length ?? 2, '0')}:`;
  const minutes = two(Math.floor(whole / 60_000) % 60);
  const fraction = isAss ? two((whole % 1000) / assStepMs) : String(whole % 1000).padStart(3, '0');
  return `${shownHours}${minutes}:${two(Math.floor(whole / 1000) % 60)}${point}${fraction}`;
}

/** The line with these times in the place of its own. Throws a fault of the line if it has none. */
function withTimes(line: string, times: readonly [number, number], format: SubtitleFormat): string {
  const [, before, start = '', between, end = '', after] = timesLine.exec(line) ?? [];
  if (before === undefined) throw cannotMove();
  return `${before}${writtenAs(start, times[0], format)}${between}${writtenAs(end, times[1], format)}${after}`;
}

const cannotMove = () =>
  new ServiceError('invalid_subtitle_file', 'the times of this file cannot be replaced as they are written');

/**
 * The bytes of a file as text in which each line feed and each digit is one character. Encodings other than UTF-16 write these as
 * ASCII does. No other sign of theirs has a line feed in it, so their bytes stay.
 */
function asText(bytes: Uint8Array, encoding: string): string {
  const buffer = Buffer.from(bytes);
  if (encoding === 'utf-16be') return buffer.swap16().toString('utf16le');
  return buffer.toString(encoding === 'utf-16le' ? 'utf16le' : 'latin1');
}

function asBytes(text: string, encoding: string): Buffer {
  if (encoding === 'utf-16be') return Buffer.from(text, 'utf16le').swap16();
  return Buffer.from(text, encoding === 'utf-16le' ? 'utf16le' : 'latin1');
}

const lineEnd = /(\r\n|\r|\n)/;
const innerTime = /<(?:\d{2,4}:)?[0-5]\d:[0-5]\d\.\d{3}>/g;

/** The events of an ASS file with other times; comments move like the dialogue around them. */
function* retimedEvents(lines: string[], placeAt: (startMs: number) => Placement | null): Steps<void> {
  let section = '';
  let order: readonly string[] = [];
  for (let at = 0; at < lines.length; at += 2) {
    if (at % (2 * linesOfStep) === 0) yield;
    const line = lines[at] ?? '';
    const heading = /\[[^\]]*\]\s*$/.exec(line)?.[0];
    if (heading !== undefined && !line.includes(':')) section = heading.trim().toLowerCase();
    if (section !== '[events]') continue;
    if (/^format:/i.test(line)) order = fieldsOfFormat(line);
    if (!/^\s*(?:dialogue|comment)\s*:/i.test(line)) continue;
    const fields = line.slice(line.indexOf(':') + 1).split(',');
    const [start, end] = [order.indexOf('start'), order.indexOf('end')];
    const [startText = '', endText = ''] = [fields[start], fields[end]];
    const [from, to] = [readTime(startText), readTime(endText)];
    if (from === null || to === null || fields.length < order.length) continue;
    const place = placeAt(from.ms);
    if (place === null) continue;
    const written = (text: string, ms: number): string =>
      text.replace(text.trim(), () => writtenAs(text, movedMs(ms, place), 'ass'));
    fields[start] = written(startText, from.ms);
    fields[end] = written(endText, to.ms);
    lines[at] = line.slice(0, line.indexOf(':') + 1) + fields.join(',');
  }
}

/** The cues of an SRT or WebVTT file with other times; times within a text move with their cue. */
function* retimedCues(
  lines: string[],
  { cues, format }: SubtitleFile,
  placeAt: (startMs: number) => Placement | null,
): Steps<void> {
  for (const [number, { line, startMs, endMs, text }] of cues.entries()) {
    if (number % linesOfStep === 0) yield;
    const place = placeAt(startMs);
    if (place === null) continue;
    const at = 2 * (line - 1);
    lines[at] = withTimes(lines[at] ?? '', [movedMs(startMs, place), movedMs(endMs, place)], format);
    if (format !== 'webvtt') continue;
    for (let below = 1; below <= text.split('\n').length; below += 1) {
      const inside = lines[at + 2 * below];
      if (inside === undefined) break;
      lines[at + 2 * below] = inside.replaceAll(innerTime, (written) => {
        const time = written.slice(1, -1);
        return `<${writtenAs(time, movedMs(readTime(time)?.ms ?? 0, place), format)}>`;
      });
    }
  }
}

const withoutTimes = (text: string): string => text.replaceAll(innerTime, '<>');

/** The time that a cue must have once its file is written. */
function expected({ startMs, endMs, text }: WrittenCue, place: Placement | null, format: SubtitleFormat) {
  const stepMs = format === 'ass' ? assStepMs : 1;
  const at = (ms: number): number => (place === null ? ms : Math.round(movedMs(ms, place) / stepMs) * stepMs);
  return { startMs: at(startMs), endMs: at(endMs), text: withoutTimes(text) };
}

/**
 * A subtitle file with other times, in short steps; every other byte stays. `placeAt` takes the start of a cue and returns where the
 * cue belongs, or null if it stays. ASS rounds to hundredths of a second. The result is read again and compared. Throws the codes of
 * `openSubtitleFile`, and `invalid_subtitle_file` for times that cannot be replaced.
 */
export function* retimedSubtitles(
  bytes: Uint8Array,
  stated: { readonly format: SubtitleFormat; readonly encoding: string },
  placeAt: (startMs: number) => Placement | null,
): Steps<RetimedFile> {
  const file = yield* openSubtitleFile(bytes, stated);
  const { encoding, format, cues } = file;
  // Lines and their ends by turns.
  const lines = asText(bytes, encoding).split(lineEnd);
  yield;
  if (format === 'ass') yield* retimedEvents(lines, placeAt);
  else yield* retimedCues(lines, file, placeAt);
  const written = asBytes(lines.join(''), encoding);
  const again = yield* openSubtitleFile(written, { format, encoding });
  let moved = 0;
  let early = 0;
  for (const [at, cue] of cues.entries()) {
    if (at % linesOfStep === 0) yield;
    const place = placeAt(cue.startMs);
    const wanted = expected(cue, place, format);
    const found = again.cues[at];
    const isRight =
      found !== undefined &&
      found.startMs === wanted.startMs &&
      found.endMs === wanted.endMs &&
      withoutTimes(found.text) === wanted.text;
    if (!isRight) throw cannotMove();
    if (wanted.startMs !== cue.startMs || wanted.endMs !== cue.endMs) moved += 1;
    if (place !== null && (cue.startMs * place.numerator) / place.denominator + place.offsetMs < 0) early += 1;
  }
  if (again.cues.length !== cues.length) throw cannotMove();
  return { bytes: written, moved, early };
}
