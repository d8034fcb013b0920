import { ServiceError } from '../../contract/base/errors.ts';

/** One cue of a subtitle file as it stands there. */
export interface WrittenCue {
  /** The line of its times, counted from 1. */
  readonly line: number;
  readonly startMs: number;
  /** Never before `startMs`. */
  readonly endMs: number;
  /** Its text with its markup, lines parted by `\n`; of an ASS event everything behind its times. */
  readonly text: string;
}

/** The refusal of a file whose cues could not be read without a guess. */
export const faultyLine = (line: number, message: string): ServiceError =>
  new ServiceError('invalid_subtitle_file', `line ${line}: ${message}`);

/** A written time in ms. */
export const msOf = (hours: string, minutes: string, seconds: string, ms: number): number =>
  ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + ms;

/** A cue of these times and this text. Throws `invalid_subtitle_file` for one that ends before it begins. */
export function cueOf(line: number, startMs: number, endMs: number, text: string): WrittenCue {
  if (endMs < startMs) throw faultyLine(line, 'the cue ends before it begins');
  return { line, startMs, endMs, text };
}

/** A line without the carriage return before its line feed. */
export const withoutReturn = (line: string): string => (line.endsWith('\r') ? line.slice(0, -1) : line);
