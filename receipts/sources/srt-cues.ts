import type { Steps } from '../../formats/steps.ts';
import { cueOf, faultyLine, msOf, type WrittenCue, withoutReturn } from './subtitle-cues.ts';
import { JoinedLines, linesOf, linesOfStep, type TextLine } from './text-lines.ts';

const isBlank = (line: string): boolean => line.trim() === '';

const srtTime = '(\\d{1,4}):([0-5]\\d):([0-5]\\d)[,.](\\d{3})';
const srtTimes = new RegExp(`^\\s*${srtTime}\\s*-->\\s*${srtTime}(?:\\s.*)?$`);
/** ffmpeg reads no longer line of a SubRip file as one. */
const longestSrtBytes = 4000;

interface OpenCue {
  readonly line: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly below: JoinedLines;
}

/**
 * The cues of a SubRip file: a number, times, and text up to the number of the next cue. ffmpeg skips what it cannot place;
 * here all of it is refused. Throws `invalid_subtitle_file`.
 */
export function* srtCues(file: string): Steps<WrittenCue[]> {
  const cues: WrittenCue[] = [];
  let open: OpenCue | null = null;
  // The last line with text: the number of the next cue, or text of the open one.
  let last: TextLine | null = null;
  let early: TextLine | null = null;
  const place = (text: TextLine): void => {
    if (open === null) early ??= text;
    else open.below.add(text.text);
  };
  const close = (): void => {
    if (early !== null) throw faultyLine(early.line, 'text stands before the first cue');
    if (open !== null) cues.push(cueOf(open.line, open.startMs, open.endMs, open.below.text()));
  };
  for (const { line, text: whole } of linesOf(file)) {
    if (line % linesOfStep === 0) yield;
    const words = withoutReturn(whole);
    if (Buffer.byteLength(words) > longestSrtBytes) throw faultyLine(line, `longer than ${longestSrtBytes} bytes`);
    if (isBlank(words)) continue;
    if (!words.includes('-->')) {
      if (last !== null) place(last);
      last = { line, text: words };
      continue;
    }
    const [, h1 = '', m1 = '', s1 = '', ms1 = '', h2 = '', m2 = '', s2 = '', ms2] = srtTimes.exec(words) ?? [];
    if (ms2 === undefined) throw faultyLine(line, 'times are needed, such as 00:01:02,345 --> 00:01:04,000');
    if (last === null || !/^\s*\d+\s*$/.test(last.text)) {
      throw faultyLine(line, 'the number of the cue is missing above its times');
    }
    close();
    last = null;
    const [startMs, endMs] = [msOf(h1, m1, s1, Number(ms1)), msOf(h2, m2, s2, Number(ms2))];
    open = { line, startMs, endMs, below: new JoinedLines() };
  }
  if (last !== null) place(last);
  close();
  return cues;
}
