import { ServiceError } from '../contract/base/errors.ts';
import type { SubtitleFormat, SubtitleNote, SubtitleTrack } from '../contract/sources/subtitle-track.ts';
import type { Steps } from './steps.ts';
import { type AdaptedText, decodedText, demandLetters } from './text-encoding.ts';
import { foreignLetters, LetterCount } from './written-letters.ts';

/** So many lines are looked at in one step: the longest step is then the one over a file of a single line. */
export const linesOfStep = 64;

/** A line of a text, counted from 1, without its line feed. */
interface TextLine {
  readonly line: number;
  readonly text: string;
}

/** The lines of a text one by one, as `split('\n')` has them all. */
function* linesOf(text: string): Generator<TextLine, void, undefined> {
  let line = 1;
  for (let from = 0; ; line += 1) {
    const end = text.indexOf('\n', from);
    if (end === -1) {
      yield { line, text: text.slice(from) };
      return;
    }
    yield { line, text: text.slice(from, end) };
    from = end + 1;
  }
}

const linesOfPiece = 1024;

/** Lines that are joined by line feeds as they come: to join half a million at once would take long. */
class JoinedLines {
  readonly #pieces: string[] = [];
  #lines: string[] = [];

  add(line: string): void {
    this.#lines.push(line);
    if (this.#lines.length < linesOfPiece) return;
    this.#pieces.push(this.#lines.join('\n'));
    this.#lines = [];
  }

  text(): string {
    return [...this.#pieces, ...(this.#lines.length > 0 ? [this.#lines.join('\n')] : [])].join('\n');
  }
}

/** One cue of a subtitle file as it is written. */
export interface WrittenCue {
  /** The line of its times, counted from 1. */
  readonly line: number;
  readonly startMs: number;
  /** Never before `startMs`. */
  readonly endMs: number;
  /** Its text with its markup, lines parted by `\n`; of an ASS event everything behind its times. */
  readonly text: string;
}

const notesOf = (note: SubtitleNote['note'], lines: readonly number[]): SubtitleNote[] =>
  lines[0] === undefined ? [] : [{ note, line: lines[0], count: lines.length }];

/** The refusal of a file whose cues could not be read without a guess. */
export const faultyLine = (line: number, message: string): ServiceError =>
  new ServiceError('invalid_subtitle_file', `line ${line}: ${message}`);

/** A written time in ms. */
const msOf = (hours: string, minutes: string, seconds: string, ms: number): number =>
  ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + ms;

/** A cue of these times and this text. Throws `invalid_subtitle_file` for one that ends before it begins. */
function cueOf(line: number, startMs: number, endMs: number, text: string): WrittenCue {
  if (endMs < startMs) throw faultyLine(line, 'the cue ends before it begins');
  return { line, startMs, endMs, text };
}

/** A line without the carriage return before its line feed. */
const withoutReturn = (line: string): string => (line.endsWith('\r') ? line.slice(0, -1) : line);

const isBlank = (line: string): boolean => line.trim() === '';

const srtTime = '(\\d{1,4}):([0-5]\\d):([0-5]\\d)[,.](\\d{3})';
const srtTimes = new RegExp(`^\\s*${srtTime}\\s*-->\\s*${srtTime}(?:\\s.*)?$`, 's');
/** ffmpeg reads no longer line of a SubRip file as one. */
const longestSrtBytes = 4000;

/** Marks without a width, which editors show as nothing: those of direction, joiners, and byte order marks. */
const marks = '[\\u00AD\\u200B-\\u200F\\u202A-\\u202E\\u2060-\\u2069\\uFEFF]';
const marksAround = new RegExp(`^(?:\\s*${marks})+\\s*|\\s*(?:${marks}\\s*)+$`, 'g');
const withoutMarks = (line: string): string => line.replaceAll(marksAround, '');

/** Times as other programs write them: fewer digits, no milliseconds, a comma or a point, no hours, another arrow. */
const looseTime = '(?:(\\d{1,4}) ?: ?)?([0-5]?\\d) ?: ?([0-5]?\\d)(?: ?[,.] ?(\\d{1,9}))?';
const looseTimes = new RegExp(`^\\s*${looseTime}\\s*(?:-{1,2}[>›]|[–—]>?|→)\\s*${looseTime}(\\s.*)?$`, 's');
/** Whole times around another arrow; text may have a range such as `9:30 – 10:15`. */
const otherArrow = /^\s*\d{1,4}:\d{1,2}:\d{1,2}[,.]\d{1,3}\s*(?:->|--›|[–—]>?|→)\s*\d{1,4}:\d{1,2}:\d{1,2}[,.]\d{1,3}/;
/** A line that is meant as times, whatever is wrong with it. */
const meantAsTimes = /^[\s\d:.,;]*\d:[\d\s:.,;]*--+>|\d:\d.*--+>.*\d:\d/;

/** Times in the form of a format, whose point is `point`; null for a line without times. */
function timesIn(line: string, point: string): string | null {
  const [, h1 = '0', m1 = '', s1 = '', f1 = '', h2 = '0', m2 = '', s2, f2 = '', rest = ''] =
    looseTimes.exec(line) ?? [];
  if (s2 === undefined) return null;
  const two = (digits: string): string => digits.padStart(2, '0');
  // A fraction of a second: `,8` is 800 ms.
  const written = (hours: string, minutes: string, seconds: string, fraction: string): string =>
    `${two(hours)}:${two(minutes)}:${two(seconds)}${point}${fraction.slice(0, 3).padEnd(3, '0')}`;
  return `${written(h1, m1, s1, f1)} --> ${written(h2, m2, s2, f2)}${rest}`;
}

/** Lines that were adapted, by the kind of what was adapted. */
class Adapted {
  readonly #lines = new Map<SubtitleNote['note'], number[]>();

  get isEmpty(): boolean {
    return this.#lines.size === 0;
  }

  at(note: SubtitleNote['note'], line: number): void {
    const lines = this.#lines.get(note) ?? [];
    this.#lines.set(note, lines);
    lines.push(line);
  }

  /** Notes a line, and returns what it is read as. */
  line(note: SubtitleNote['note'], line: number, readAs: string): string {
    this.at(note, line);
    return readAs;
  }

  notes(): SubtitleNote[] {
    return [...this.#lines].flatMap(([note, lines]) => notesOf(note, lines));
  }
}

/**
 * The text of a SubRip file with its times in the usual form, and without marks in front of them and of their numbers. Every line
 * keeps its place. What cannot be times is left as it is.
 */
function* withPlainTimes(file: string): Steps<AdaptedText> {
  const kept = new JoinedLines();
  const adapted = new Adapted();
  let above: TextLine | null = null;
  const keep = ({ line, text }: TextLine, isNumberOfCue: boolean): void => {
    const words = withoutReturn(text);
    const plain = withoutMarks(words);
    // Two byte order marks in front of the first number have always been read.
    const isRead = line === 1 && /^\uFEFF*\d+\s*$/.test(words);
    if (plain === words || !isNumberOfCue || isRead) kept.add(text);
    else kept.add(adapted.line('invisible_mark', line, plain) + text.slice(words.length));
  };
  for (const { line, text } of linesOf(file)) {
    if (line % linesOfStep === 0) yield;
    const words = withoutReturn(text);
    const plain = withoutMarks(words);
    const isBelowNumber: boolean = above !== null && isNumber(withoutMarks(withoutReturn(above.text)));
    const isArrow: boolean = words.includes('-->') || (isBelowNumber && otherArrow.test(plain));
    const meant: string | null = !isArrow || srtTimes.test(plain) ? plain : timesIn(plain, ',');
    const isTimes: boolean = isArrow && meant !== null;
    if (above !== null) keep(above, isTimes && isBelowNumber);
    above = isTimes ? null : { line, text };
    if (!isTimes && words.includes('-->') && !meantAsTimes.test(words)) adapted.at('arrow', line);
    if (!isTimes) continue;
    if (plain !== words) adapted.at('invisible_mark', line);
    if (meant !== plain) adapted.at('time_form', line);
    kept.add(meant === words ? text : meant + text.slice(words.length));
  }
  if (above !== null) keep(above, false);
  return { text: adapted.isEmpty ? file : kept.text(), notes: adapted.notes() };
}

/** The number of a cue by itself. */
const isNumber = (line: string): boolean => /^\s*\d+\s*$/.test(line);

/**
 * The text of a SubRip file in which each cue but the first one has a number. A cue without one gets the blank line above its
 * times as its number, so that every line keeps its place. Anything else is left to `srtCues`. Throws `invalid_subtitle_file` if
 * some cues have no number and another one has a number that may be text, with a blank line below it.
 */
function* withNumbers(file: string): Steps<AdaptedText> {
  const kept = new JoinedLines();
  const without: number[] = [];
  let above: string | null = null;
  let last: string | null = null;
  let apart: number | null = null;
  let cues = 0;
  for (const { line, text } of linesOf(file)) {
    if (line % linesOfStep === 0) yield;
    const isTimed = srtTimes.test(withoutReturn(text)) || meantAsTimes.test(text);
    if (isTimed) cues += 1;
    if (isTimed && last === null) without.push(line);
    else if (isTimed && above !== null && isBlank(above)) {
      if (isNumber(last ?? '')) apart ??= line;
      else {
        without.push(line);
        above = `${cues}${above.endsWith('\r') ? '\r' : ''}`;
      }
    }
    if (above !== null) kept.add(above);
    above = text;
    if (!isBlank(withoutReturn(text))) last = isTimed ? '' : text;
  }
  kept.add(above ?? '');
  if (without.length === 0) return { text: file, notes: [] };
  if (apart === null) return { text: kept.text(), notes: notesOf('cue_number', without) };
  throw faultyLine(apart, 'the number above a blank line may be text, as other cues have no number');
}

interface OpenCue {
  readonly line: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly below: JoinedLines;
}

/**
 * The cues of a SubRip file. Each has a number, which the first may lack, times, and text up to the next number. ffmpeg skips
 * malformed cues; this function refuses them. Throws `invalid_subtitle_file`.
 */
function* srtCues(file: string): Steps<WrittenCue[]> {
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
    if (early !== null) throw faultyLine(early.line, 'there is text before the first cue; remove it');
    if (open !== null) cues.push(cueOf(open.line, open.startMs, open.endMs, open.below.text()));
  };
  for (const { line, text: whole } of linesOf(file)) {
    if (line % linesOfStep === 0) yield;
    const words = withoutReturn(whole);
    if (Buffer.byteLength(words) > longestSrtBytes) throw faultyLine(line, `longer than ${longestSrtBytes} bytes`);
    if (isBlank(words)) continue;
    const times = srtTimes.exec(words);
    if (times === null && !meantAsTimes.test(words)) {
      if (last !== null) place(last);
      last = { line, text: words };
      continue;
    }
    const [, h1 = '', m1 = '', s1 = '', ms1 = '', h2 = '', m2 = '', s2 = '', ms2] = times ?? [];
    if (ms2 === undefined) throw faultyLine(line, 'times are needed, such as 00:01:02,345 --> 00:01:04,000');
    const isFirst = last === null && open === null;
    if (!isFirst && !isNumber(last?.text ?? '')) {
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

/** The fields of an event in the one order that ffmpeg reads, with what stands for one that a file lacks. */
const assFields = {
  Layer: '0',
  Start: null,
  End: null,
  Style: 'Default',
  Name: '',
  MarginL: '0',
  MarginR: '0',
  MarginV: '0',
  Effect: '',
  Text: null,
} as const;
const otherAssNames: Readonly<Record<string, string>> = { marked: 'layer', actor: 'name' };

/** The fields that a Format line of an ASS file names, in its order, lower case and by their usual names. */
export const fieldsOfFormat = (line: string): string[] =>
  line
    .slice(line.indexOf(':') + 1)
    .replaceAll(/\s/g, '')
    .toLowerCase()
    .split(',')
    .map((name) => otherAssNames[name] ?? name);

const orderedAssFields = Object.keys(assFields).map((name) => name.toLowerCase());
const isInOrder = (fields: readonly string[]): boolean => fields.join() === orderedAssFields.join();

/**
 * An order of fields that covers an event: times, the text last, as it may have commas, and nothing twice or of no known name.
 */
const isWholeOrder = (fields: readonly string[]): boolean =>
  fields.at(-1) === 'text' &&
  ['start', 'end'].every((name) => fields.includes(name)) &&
  fields.every((name, at) => orderedAssFields.includes(name) && fields.indexOf(name) === at);

/**
 * The text of an ASS file with the fields of its events in the order that ffmpeg reads. Every line keeps its place. What has another
 * order than a whole one is left to `assCues`.
 */
function* withOrderedFields(file: string): Steps<AdaptedText> {
  const kept = new JoinedLines();
  const moved: number[] = [];
  let section = '';
  let order: readonly string[] | null = null;
  for (const { line, text: whole } of linesOf(file)) {
    if (line % linesOfStep === 0) yield;
    const text = withoutReturn(whole);
    const end = whole.slice(text.length);
    if (/^\[.*\]\s*$/.test(text)) section = text.trim().toLowerCase();
    if (section === '[events]' && /^format:/i.test(text)) {
      const fields = fieldsOfFormat(text);
      order = isWholeOrder(fields) && !isInOrder(fields) ? fields : null;
      if (order !== null) moved.push(line);
      kept.add(order === null ? whole : `Format: ${Object.keys(assFields).join(', ')}${end}`);
    } else if (section === '[events]' && order !== null && /^dialogue:/i.test(text)) {
      kept.add(`${orderedEvent(text, order)}${end}`);
    } else kept.add(whole);
  }
  return moved.length === 0 ? { text: file, notes: [] } : { text: kept.text(), notes: notesOf('field_order', moved) };
}

/**
 * The text of an ASS file without marks in front of its first heading, and with its events that have separators of Unicode noted.
 * A viewer shows these as the end of a line.
 */
function* withPlainHeading(file: string): Steps<AdaptedText> {
  const adapted = new Adapted();
  const [heading = ''] = file.split('\n', 1);
  const plain = withoutMarks(heading);
  const isMarked = plain !== heading && plain.startsWith('[');
  if (isMarked) adapted.at('invisible_mark', 1);
  for (const { line, text } of linesOf(file)) {
    if (line % linesOfStep === 0) yield;
    if (/^dialogue:.*[\u2028\u2029]/is.test(text)) adapted.at('line_separator', line);
  }
  return { text: isMarked ? plain + file.slice(heading.length) : file, notes: adapted.notes() };
}

/** A line of dialogue by the fields of its file, in the order that ffmpeg reads; the line itself if it has too few. */
function orderedEvent(text: string, order: readonly string[]): string {
  const values = text.slice(text.indexOf(':') + 1).split(',');
  if (values.length < order.length) return text;
  const given = [
    ...values.slice(0, order.length - 1).map((value) => value.trim()),
    values.slice(order.length - 1).join(','),
  ];
  const inOrder = Object.entries(assFields).map(([name, otherwise]) => {
    const at = order.indexOf(name.toLowerCase());
    return at === -1 ? otherwise : given[at];
  });
  return `Dialogue: ${inOrder.join(',')}`;
}

const assTime = '(\\d{1,4}):([0-5]\\d):([0-5]\\d)[.](\\d{2})';
const assEvent = new RegExp(`^Dialogue: *[^,]*,${assTime},${assTime},((?:[^,]*,){6}.*)$`, 's');

/** The events of an ASS or SSA file that show something. Throws `invalid_subtitle_file`. */
function* assCues(file: string): Steps<WrittenCue[]> {
  const cues: WrittenCue[] = [];
  let section = '';
  let isOrdered = false;
  for (const { line, text: whole } of linesOf(file)) {
    if (line % linesOfStep === 0) yield;
    const text = withoutReturn(whole);
    if (/^\[.*\]\s*$/.test(text)) section = text.trim().toLowerCase();
    if (section === '[events]' && /^format:/i.test(text)) {
      isOrdered = isInOrder(fieldsOfFormat(text));
      if (!isOrdered) throw faultyLine(line, 'the Format line needs Start, End and, as its last field, Text');
    }
    if (!/^\s*dialogue\s*:/i.test(text)) continue;
    if (section !== '[events]' || !isOrdered) throw faultyLine(line, 'a Format line of [Events] is needed above');
    const [, h1 = '', m1 = '', s1 = '', cs1 = '', h2 = '', m2 = '', s2 = '', cs2 = '', rest] =
      assEvent.exec(text) ?? [];
    if (rest === undefined) {
      throw faultyLine(line, 'an event is needed, such as Dialogue: 0,0:01:02.34,0:01:04.00,Default,,0,0,0,,Text');
    }
    cues.push(cueOf(line, msOf(h1, m1, s1, 10 * Number(cs1)), msOf(h2, m2, s2, 10 * Number(cs2)), rest));
  }
  return cues;
}

const vttTime = '(?:(\\d{2,4}):)?([0-5]\\d):([0-5]\\d)\\.(\\d{3})';
const vttTimes = new RegExp(`^${vttTime}[ \\t]+-->[ \\t]+${vttTime}(?:[ \\t].*)?$`);
const isComment = (line: string): boolean => /^NOTE(?:[ \t]|$)/.test(line);
const isPresentation = (line: string): boolean => /^(?:STYLE|REGION)[ \t]*$/.test(line);

/**
 * True for the names that ffmpeg takes for the head of the file or for a comment, whatever follows these letters. It reads no cue
 * of such a name.
 */
const isTakenForOther = (name: string): boolean => /^(?:NOTE|WEBVTT)/.test(name) && !isComment(name);

/** The state of a file at a line: the kind of the block that it is in. */
type VttPlace = 'between' | 'head' | 'again' | 'passed over' | 'name' | 'cue';

const isHeading = (line: string): boolean => /^WEBVTT(?:[ \t]|$)/.test(line);

/**
 * The text of a WebVTT file with its times in the form of the format, and without marks in front of them. The headings of further
 * parts of a stream are left out. Every line keeps its place. Throws `invalid_subtitle_file` if parts have different clocks.
 */
function* withPlainBlocks(file: string): Steps<AdaptedText> {
  const kept = new JoinedLines();
  const adapted = new Adapted();
  const at: { place: VttPlace } = { place: 'between' };
  let clock: string | null = null;
  let heading: TextLine | null = null;
  const clockAt = (line: number, words: string): void => {
    if (!words.startsWith('X-TIMESTAMP-MAP')) return;
    if (clock !== null && clock !== words) throw faultyLine(line, 'the parts of the file have different clocks');
    clock = words;
    adapted.at('stream_clock', line);
  };
  /** Times that begin a cue, as the format has them; other lines as they are. */
  const begun = (line: number, words: string): string => {
    const plain = withoutMarks(words);
    const meant = vttTimes.test(plain) || !plain.includes('-->') ? plain : (timesIn(plain, '.') ?? plain);
    if (!vttTimes.test(meant)) return words;
    at.place = 'cue';
    if (plain !== words) adapted.at('invisible_mark', line);
    return meant === plain ? meant : adapted.line('time_form', line, meant);
  };
  for (const { line, text } of linesOf(file)) {
    if (line % linesOfStep === 0) yield;
    const words = withoutReturn(text);
    const end = text.slice(words.length);
    const plain = withoutMarks(words);
    if (heading !== null) {
      const isName = words.includes('-->');
      kept.add(isName ? heading.text : '');
      if (!isName) adapted.at('repeated_head', heading.line);
      at.place = isName ? 'name' : 'again';
      heading = null;
    }
    let read = words;
    if (words === '') at.place = 'between';
    else if (line === 1) {
      at.place = 'head';
      if (isHeading(plain) && plain !== words) read = adapted.line('invisible_mark', line, plain);
    } else if (at.place === 'again') {
      clockAt(line, words);
      read = '';
    } else if (at.place === 'head') clockAt(line, words);
    else if (at.place === 'cue') {
      if (words.includes('-->') && !meantAsTimes.test(words)) adapted.at('arrow', line);
    } else if (at.place === 'name') read = begun(line, words);
    else if (at.place === 'between') {
      at.place = isComment(words) || isPresentation(words) ? 'passed over' : 'name';
      if (at.place === 'name') read = begun(line, words);
      if (isHeading(words)) heading = { line, text };
    }
    if (heading === null) kept.add(read + end);
  }
  if (heading !== null) kept.add(heading.text);
  return { text: adapted.isEmpty ? file : kept.text(), notes: adapted.notes() };
}

/**
 * The text of a WebVTT file without styles and regions, since ffmpeg reads no cue behind a block of styles. It also leaves out
 * names for which ffmpeg skips their cues. A block is a run of lines without a blank one.
 */
function* withoutPresentation(file: string): Steps<string> {
  const kept = new JoinedLines();
  let [isWithin, isHidden, isWhole] = [false, false, true];
  for (const { line, text } of linesOf(file)) {
    if (line % linesOfStep === 0) yield;
    const words = withoutReturn(text);
    if (words === '') isHidden = false;
    else if (!isWithin) isHidden = isPresentation(words);
    const isDropped = line > 1 && !isWithin && !words.includes('-->') && isTakenForOther(words);
    isWithin = words !== '';
    if (isHidden || isDropped) isWhole = false;
    else kept.add(text);
  }
  return isWhole ? file : kept.text();
}

/** The content of a block so far: a name that times have to follow, times with text, or a block without a cue. */
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
function* vttCues(file: string): Steps<WrittenCue[]> {
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
    if (meantAsTimes.test(words)) throw faultyLine(line, 'a blank line is needed before the next cue');
    block.text.add(words);
  }
  return block;
}

function checkHead(line: number, words: string): void {
  if (words.includes('-->')) throw faultyLine(line, 'a blank line is needed before the first cue');
}

const noTimes = (line: number) => faultyLine(line, 'times are needed, such as 00:01:02.345 --> 00:01:04.000');

function timed(line: number, words: string): Block {
  const [, h1 = '0', m1 = '', s1 = '', ms1 = '', h2 = '0', m2 = '', s2 = '', ms2] = vttTimes.exec(words) ?? [];
  if (ms2 === undefined) throw noTimes(line);
  const [startMs, endMs] = [msOf(h1, m1, s1, Number(ms1)), msOf(h2, m2, s2, Number(ms2))];
  return { is: 'cue', line, startMs, endMs, text: new JoinedLines() };
}

/** A subtitle file that was read whole. */
export interface SubtitleFile {
  readonly format: SubtitleFormat;
  readonly encoding: string;
  /** The text as UTF-8, as ffmpeg reads it. */
  readonly text: Uint8Array;
  /** The adaptations of the file's text, in the order of the kinds. */
  readonly notes: readonly SubtitleNote[];
  /** In the order of the file; at least one. */
  readonly cues: readonly WrittenCue[];
}

const scanners: Readonly<Record<SubtitleFormat, (text: string) => Steps<WrittenCue[]>>> = {
  srt: srtCues,
  webvtt: vttCues,
  ass: assCues,
};

const firstSign = new RegExp(`(?!${marks})\\S`);

/** The format that a text states, by its first line that shows something; null if it states none. */
function formatOf(text: string): SubtitleFormat | null {
  const start = Math.max(0, text.search(firstSign));
  const line = withoutMarks(text.slice(text.lastIndexOf('\n', start) + 1, start + 100));
  if (line.startsWith('WEBVTT')) return 'webvtt';
  if (/^\[script info\]/i.test(line)) return 'ass';
  return text.includes('-->') || text.split('\n', 10).some((each) => otherArrow.test(each)) ? 'srt' : null;
}

/** A readable text, and the same with each line at the place that it has in the file. */
interface ReadableText extends AdaptedText {
  readonly inPlace: string;
}

/**
 * The text of a decoded file in its readable form. SubRip has the numbers of all cues but the first. WebVTT has no styles,
 * regions and some names. ASS has the fields of its events in order. Times have the form of the format. A file in this form is
 * unchanged.
 */
export function* readableText(text: string, format: SubtitleFormat): Steps<ReadableText> {
  if (format === 'webvtt') {
    const plain = yield* withPlainBlocks(text);
    return { text: yield* withoutPresentation(plain.text), inPlace: plain.text, notes: plain.notes };
  }
  const plain = format === 'srt' ? yield* withPlainTimes(text) : yield* withPlainHeading(text);
  const readable = format === 'srt' ? yield* withNumbers(plain.text) : yield* withOrderedFields(plain.text);
  return { ...readable, inPlace: readable.text, notes: [...plain.notes, ...readable.notes] };
}

const cueMarkup = /<[^<>]*>|\{[^{}]*\}|\\[Nnh]/g;

/** The cues whose letters the stated language does not have, if these are most letters that it could not be without. */
function* otherLetters(cues: readonly WrittenCue[], format: SubtitleFormat, language: string): Steps<SubtitleNote[]> {
  const whole = new LetterCount();
  for (const [at, { text }] of cues.entries()) {
    if (at % linesOfStep === 0) yield;
    // The fields of an event in front of its text.
    const words = format === 'ass' ? text.split(',').slice(6).join(',') : text;
    whole.add(words.replaceAll(cueMarkup, ' '));
  }
  const foreign = foreignLetters(whole, language);
  if (foreign === null) return [];
  const having = cues.filter(({ text }) => foreign.some((sign) => text.toLowerCase().includes(sign)));
  const lines = (having.length === 0 ? cues : having).map(({ line }) => line);
  return notesOf('other_letters', lines).map((note) => ({ ...note, found: foreign.slice(0, 5).join(' ') }));
}

/**
 * Opens a subtitle file and finds all of its cues, in short steps; nothing is guessed or skipped, and adaptations are noted.
 * `format` and `encoding` are the stated ones, or null. Throws the codes of `decodedText`. Throws `subtitle_format_mismatch` for
 * a text of another format than stated or of none, and `invalid_subtitle_file` with the first line that cannot be read.
 */
export function* openSubtitleFile(
  bytes: Uint8Array,
  stated: {
    readonly format: SubtitleFormat | null;
    readonly encoding: string | null;
    /** The stated language of the text, as a base code; null or absent if none is stated. */
    readonly language?: string | null;
  },
): Steps<SubtitleFile> {
  const { language = null } = stated;
  const decoded = decodedText(bytes, stated.encoding, language);
  const { encoding, text, notes } = decoded;
  yield;
  demandLetters(bytes, decoded, language);
  yield;
  if (!firstSign.test(text)) throw new ServiceError('invalid_subtitle_file', 'the file is empty');
  const found = formatOf(text);
  if (found === null || (stated.format ?? found) !== found) {
    const seen =
      found === null ? 'this is not an SRT, WebVTT or ASS file' : `its text is ${found}, not ${stated.format}`;
    throw new ServiceError('subtitle_format_mismatch', seen);
  }
  yield;
  const readable = yield* readableText(text, found);
  const cues = yield* scanners[found](readable.inPlace);
  if (cues.length === 0) throw new ServiceError('invalid_subtitle_file', 'the file holds no cue');
  const read = Buffer.from(readable.text, 'utf8');
  const remarks = language === null ? [] : yield* otherLetters(cues, found, language);
  return { format: found, encoding, text: read, notes: [...notes, ...readable.notes, ...remarks], cues };
}

/** The cues of a file with a fault, each by its place in the file, counted from 1. */
interface FaultyCues {
  /** They start before the cue above them. */
  readonly outOfOrder: readonly number[];
  /** They start while an earlier cue is shown. */
  readonly overlapping: readonly number[];
  readonly withoutDuration: readonly number[];
  /** They start after the end of the media. */
  readonly beyondMedia: readonly number[];
}

/** The faulty cues of a file over media of so many ms. */
export function faultyCues(cues: readonly WrittenCue[], durationMs: number): FaultyCues {
  const placed = cues.map((cue, at) => ({ ...cue, number: at + 1 }));
  const numbersOf = (isFaulty: (cue: WrittenCue, at: number) => boolean): readonly number[] =>
    placed.filter(isFaulty).map(({ number }) => number);
  let latest = 0;
  const overlapping: number[] = [];
  for (const { startMs, endMs, number } of placed.toSorted((one, other) => one.startMs - other.startMs)) {
    if (startMs < latest) overlapping.push(number);
    latest = Math.max(latest, endMs);
  }
  return {
    outOfOrder: numbersOf(({ startMs }, at) => startMs < (cues[at - 1]?.startMs ?? 0)),
    overlapping,
    withoutDuration: numbersOf(({ startMs, endMs }) => startMs === endMs),
    beyondMedia: numbersOf(({ startMs }) => startMs >= durationMs),
  };
}

/** The counts of the cues of a file over media of so many ms; see the schema of a subtitle track. */
export function measuredCues(cues: readonly WrittenCue[], durationMs: number): SubtitleTrack['measured'] {
  const { outOfOrder, overlapping, withoutDuration, beyondMedia } = faultyCues(cues, durationMs);
  return {
    cues: cues.length,
    outOfOrder: outOfOrder.length,
    overlapping: overlapping.length,
    withoutDuration: withoutDuration.length,
    beyondMedia: beyondMedia.length,
  };
}

// Players read these as a tag, an override or a break of ASS, a style of MicroDVD, or a character reference.
const markup = /<(?=\/?\p{L})|\{(?=\\|[CcFfoPSsYy]:)|\\(?=[Nnh])|&(?=#?\w+;)/gu;

/** An arrow in a text as SubRip has it. */
const withoutArrow = (text: string): string => text.replaceAll('-->', '→');

/**
 * A text as SubRip has it. The format has no escapes, and players hide what looks like markup: a word joiner behind the first sign
 * takes its meaning away. An arrow would begin a cue.
 */
export const subRipText = (text: string): string => withoutArrow(text).replaceAll(markup, '$&\u2060');

/** A text as a person reads it in a SubRip file: without the word joiners of `subRipText`. */
export const plainOfSubRip = (text: string): string => withoutArrow(text).replaceAll(/([<{\\&])\u2060/g, '$1');
