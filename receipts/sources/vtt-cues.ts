import type { Steps } from '../../formats/steps.ts';
import { cueOf, faultyLine, msOf, type WrittenCue, withoutReturn } from './subtitle-cues.ts';
import { JoinedLines, linesOf, linesOfStep } from './text-lines.ts';

const vttTime = '(?:(\\d{2,4}):)?([0-5]\\d):([0-5]\\d)\\.(\\d{3})';
const vttTimes = new RegExp(`^${vttTime}[ \\t]+-->[ \\t]+${vttTime}(?:[ \\t].*)?$`);
const isComment = (line: string): boolean => /^NOTE(?:[ \t]|$)/.test(line);
const isPresentation = (line: string): boolean => /^(?:STYLE|REGION)[ \t]*$/.test(line);

/** What ffmpeg takes for the head of the file or for a comment, whatever follows these letters: it reads no cue of such a name. */
const isTakenForOther = (name: string): boolean => /^(?:NOTE|WEBVTT)/.test(name) && !isComment(name);

/** What is left out of a WebVTT file before ffmpeg reads it. */
export interface ReadableVtt {
  /** Whether names are left out for which ffmpeg passes over their cues; else they stay. */
  readonly dropsNames: boolean;
}

/**
 * The text of a WebVTT file without what only says how cues look: ffmpeg reads no cue behind a block of styles. A block is
 * lines that stand together.
 */
export function* withoutPresentation(file: string, { dropsNames }: ReadableVtt): Steps<string> {
  const kept = new JoinedLines();
  let [isWithin, isHidden, isWhole] = [false, false, true];
  for (const { line, text } of linesOf(file)) {
    if (line % linesOfStep === 0) yield;
    const words = withoutReturn(text);
    if (words === '') isHidden = false;
    else if (!isWithin) isHidden = isPresentation(words);
    const isDropped = dropsNames && line > 1 && !isWithin && !words.includes('-->') && isTakenForOther(words);
    isWithin = words !== '';
    if (isHidden || isDropped) isWhole = false;
    else kept.add(text);
  }
  return isWhole ? file : kept.text();
}

/** What stands in a block so far: a name that times have to follow, times with text, or what holds no cue. */
type Block =
  | { readonly is: 'head' | 'passed over' }
  | { readonly is: 'name'; readonly line: number }
  | {
      readonly is: 'cue';
      readonly line: number;
      readonly startMs: number;
      readonly endMs: number;
      readonly text: JoinedLines;
    };

/** The cues of a WebVTT file (W3C WebVTT, section 4.1). Throws `invalid_subtitle_file`. */
export function* vttCues(file: string): Steps<WrittenCue[]> {
  const cues: WrittenCue[] = [];
  let block: Block | null = null;
  const close = (): void => {
    if (block?.is === 'name') throw noTimes(block.line + 1);
    if (block?.is === 'cue') cues.push(cueOf(block.line, block.startMs, block.endMs, block.text.text()));
    block = null;
  };
  for (const { line, text } of linesOf(file)) {
    if (line % linesOfStep === 0) yield;
    const words = withoutReturn(text);
    if (line === 1 && !/^WEBVTT(?:[ \t]|$)/.test(words)) throw faultyLine(1, 'WEBVTT is needed');
    if (words === '') close();
    else block = line === 1 ? { is: 'head' } : withLine(block, line, words);
  }
  close();
  return cues;
}

function withLine(block: Block | null, line: number, words: string): Block {
  if (block === null) {
    if (isComment(words) || isPresentation(words)) return { is: 'passed over' };
    return words.includes('-->') ? timed(line, words) : { is: 'name', line };
  }
  if (block.is === 'name') return timed(line, words);
  if (block.is === 'head') checkHead(line, words);
  if (block.is === 'cue') {
    if (words.includes('-->')) throw faultyLine(line, 'a blank line is needed before the next cue');
    block.text.add(words);
  }
  return block;
}

function checkHead(line: number, words: string): void {
  if (words.includes('-->')) throw faultyLine(line, 'a blank line is needed before the first cue');
  if (words.startsWith('X-TIMESTAMP-MAP')) throw faultyLine(line, 'the file is a part of a stream with its own clock');
}

const noTimes = (line: number) => faultyLine(line, 'times are needed, such as 00:01:02.345 --> 00:01:04.000');

function timed(line: number, words: string): Block {
  const [, h1 = '0', m1 = '', s1 = '', ms1 = '', h2 = '0', m2 = '', s2 = '', ms2] = vttTimes.exec(words) ?? [];
  if (ms2 === undefined) throw noTimes(line);
  const [startMs, endMs] = [msOf(h1, m1, s1, Number(ms1)), msOf(h2, m2, s2, Number(ms2))];
  return { is: 'cue', line, startMs, endMs, text: new JoinedLines() };
}
