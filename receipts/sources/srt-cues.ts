import { cueOf, faultyLine, msOf, type WrittenCue } from './subtitle-cues.ts';

const isBlank = (line: string): boolean => line.trim() === '';

const srtTime = '(\\d{1,4}):([0-5]\\d):([0-5]\\d)[,.](\\d{3})';
const srtTimes = new RegExp(`^\\s*${srtTime}\\s*-->\\s*${srtTime}(?:\\s.*)?$`);
/** ffmpeg reads no longer line of a SubRip file as one. */
const longestSrtBytes = 4000;

interface OpenCue {
  readonly line: number;
  readonly startMs: number;
  readonly endMs: number;
}

/**
 * The cues of a SubRip file: a number, times, and text up to the number of the next cue. ffmpeg skips what it cannot place;
 * here all of it is refused. Throws `invalid_subtitle_file`.
 */
export function srtCues(lines: readonly string[]): WrittenCue[] {
  const cues: WrittenCue[] = [];
  let open: OpenCue | null = null;
  let below: { readonly line: number; readonly text: string }[] = [];
  const close = (texts: readonly { readonly line: number; readonly text: string }[]): void => {
    const [first] = texts;
    if (open === null && first !== undefined) throw faultyLine(first.line, 'text stands before the first cue');
    const text = texts.map((each) => each.text).join('\n');
    if (open !== null) cues.push(cueOf(open.line, open.startMs, open.endMs, text));
  };
  for (const [at, text] of lines.entries()) {
    const line = at + 1;
    if (Buffer.byteLength(text) > longestSrtBytes) throw faultyLine(line, `longer than ${longestSrtBytes} bytes`);
    if (isBlank(text)) continue;
    if (!text.includes('-->')) {
      below.push({ line, text });
      continue;
    }
    const [, h1 = '', m1 = '', s1 = '', ms1 = '', h2 = '', m2 = '', s2 = '', ms2] = srtTimes.exec(text) ?? [];
    if (ms2 === undefined) throw faultyLine(line, 'times are needed, such as 00:01:02,345 --> 00:01:04,000');
    const above = below.pop();
    if (above === undefined || !/^\s*\d+\s*$/.test(above.text)) {
      throw faultyLine(line, 'the number of the cue is missing above its times');
    }
    close(below);
    below = [];
    open = { line, startMs: msOf(h1, m1, s1, Number(ms1)), endMs: msOf(h2, m2, s2, Number(ms2)) };
  }
  close(below);
  return cues;
}
