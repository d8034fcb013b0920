import { cueOf, faultyLine, msOf, type WrittenCue, withoutReturn } from './subtitle-cues.ts';

const vttTime = '(?:(\\d{2,4}):)?([0-5]\\d):([0-5]\\d)\\.(\\d{3})';
const vttTimes = new RegExp(`^${vttTime}[ \\t]+-->[ \\t]+${vttTime}(?:[ \\t].*)?$`);
const isComment = (line: string): boolean => /^NOTE(?:[ \t]|$)/.test(line);
const isPresentation = (line: string): boolean => /^(?:STYLE|REGION)[ \t]*$/.test(line);

/** Lines that stand together, from the line counted from 1. */
interface Block {
  readonly line: number;
  readonly lines: readonly string[];
}

function blocksOf(lines: readonly string[]): Block[] {
  const blocks: { line: number; lines: string[] }[] = [];
  let open: string[] | null = null;
  for (const [at, text] of lines.entries()) {
    if (text === '') open = null;
    else if (open !== null) open.push(text);
    else {
      open = [text];
      blocks.push({ line: at + 1, lines: open });
    }
  }
  return blocks;
}

/** The text of a WebVTT file without what only says how cues look: ffmpeg reads no cue behind a block of styles. */
export function withoutPresentation(text: string): string {
  const lines = text.split('\n');
  const hidden = blocksOf(lines.map(withoutReturn)).filter(({ lines: [first = ''] }) => isPresentation(first));
  if (hidden.length === 0) return text;
  const gone = new Set(
    hidden.flatMap(({ line, lines: { length } }) => Array.from({ length }, (_, at) => line - 1 + at)),
  );
  return lines.filter((_, at) => !gone.has(at)).join('\n');
}

/** The cues of a WebVTT file (W3C WebVTT, section 4.1). Throws `invalid_subtitle_file`. */
export function vttCues(lines: readonly string[]): WrittenCue[] {
  const [head, ...blocks] = blocksOf(lines);
  if (head?.line !== 1 || !/^WEBVTT(?:[ \t]|$)/.test(head.lines[0] ?? '')) throw faultyLine(1, 'WEBVTT is needed');
  for (const [at, text] of head.lines.entries()) {
    if (text.includes('-->')) throw faultyLine(at + 1, 'a blank line is needed before the first cue');
    if (text.startsWith('X-TIMESTAMP-MAP'))
      throw faultyLine(at + 1, 'the file is a part of a stream with its own clock');
  }
  return blocks.flatMap((block) => {
    const [first = '', second = ''] = block.lines;
    return isComment(first) || isPresentation(first) ? [] : [vttCue(block, first.includes('-->') ? 0 : 1, second)];
  });
}

function vttCue({ line, lines }: Block, at: 0 | 1, second: string): WrittenCue {
  const times = at === 0 ? (lines[0] ?? '') : second;
  const [, h1 = '0', m1 = '', s1 = '', ms1 = '', h2 = '0', m2 = '', s2 = '', ms2] = vttTimes.exec(times) ?? [];
  if (ms2 === undefined) throw faultyLine(line + at, 'times are needed, such as 00:01:02.345 --> 00:01:04.000');
  const below = lines.slice(at + 1);
  const arrow = below.findIndex((text) => text.includes('-->'));
  if (arrow !== -1) throw faultyLine(line + at + 1 + arrow, 'a blank line is needed before the next cue');
  const [startMs, endMs] = [msOf(h1, m1, s1, Number(ms1)), msOf(h2, m2, s2, Number(ms2))];
  return cueOf(line + at, startMs, endMs, below.join('\n'));
}
