import { ServiceError } from '../contract/base/errors.ts';
import type { SubtitleFormat, SubtitleNote, SubtitleTrack } from '../contract/sources/subtitle-track.ts';
import type { Steps } from './steps.ts';

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

/** A text that was adapted, with what was adapted in it. */
interface AdaptedText {
  readonly text: string;
  readonly notes: readonly SubtitleNote[];
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
const srtTimes = new RegExp(`^\\s*${srtTime}\\s*-->\\s*${srtTime}(?:\\s.*)?$`);
/** ffmpeg reads no longer line of a SubRip file as one. */
const longestSrtBytes = 4000;

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
    const isTimed = text.includes('-->');
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
    if (!words.includes('-->')) {
      if (last !== null) place(last);
      last = { line, text: words };
      continue;
    }
    const [, h1 = '', m1 = '', s1 = '', ms1 = '', h2 = '', m2 = '', s2 = '', ms2] = srtTimes.exec(words) ?? [];
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

const fieldsOfFormat = (line: string): string[] =>
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
const assEvent = new RegExp(`^Dialogue: *[^,]*,${assTime},${assTime},((?:[^,]*,){6}.*)$`);

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

/** The text of a subtitle file, and the encoding that it was in by its name in the Encoding Standard. */
interface DecodedText extends AdaptedText {
  readonly encoding: string;
}

const byteOrderMarks: readonly (readonly [string, readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16be', [0xfe, 0xff]],
  ['utf-16le', [0xff, 0xfe]],
];

// Tabs and line ends are text. Control characters are the sign of a binary file, or of another encoding.
const control = /[^\P{Cc}\t\n\r]/u;
// Tables put characters there that the platform does not have, such as those of Hong Kong in Big5.
const privateUse = /\p{Co}/u;
const loneReturn = /\r(?!\n)/g;

/** Names of code pages that systems and players use and the Encoding Standard lacks, by the encoding that it reads them as. */
const codePages: Readonly<Record<string, string>> = {
  cp949: 'euc-kr',
  ms949: 'euc-kr',
  uhc: 'euc-kr',
  cp932: 'shift_jis',
  cp936: 'gbk',
  cp950: 'big5',
  cp65001: 'utf-8',
};

/** 0x80 to 0x9F of windows-1252: Node.js up to 22 decodes them as ISO-8859-1 (nodejs/node#56542). Undefined ones stay. */
const windows1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008DŽ\u008F\u0090‘’“”•–—˜™š›œ\u009DžŸ';

/** Encodings whose text follows from the bytes alone; the tables of the others belong to the platform. */
const unicodeEncodings: readonly string[] = ['utf-8', 'utf-16be', 'utf-16le'];

/** True if the text of a file in this encoding is the same on every platform. */
export const isUnicode = (encoding: string): boolean => unicodeEncodings.includes(encoding);

/** The line, counted from 1, in which a place of a text is. */
const lineAt = (text: string, at: number): number => text.slice(0, at).split('\n').length;

type Decoder = InstanceType<typeof TextDecoder>;

function decoderOf(name: string): Decoder {
  try {
    return new TextDecoder(codePages[name.trim().toLowerCase()] ?? name, { fatal: true });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ServiceError('invalid_subtitle_request', `encoding: ${name} is not an encoding that this host decodes`);
  }
}

/**
 * Decodes a subtitle file, its byte order mark left out. The mark decides before the name does (Encoding Standard, "decode");
 * without either the encoding is UTF-8. A carriage return alone becomes the end of a line. Throws `invalid_subtitle_request` for
 * an unknown name, and `subtitle_encoding_mismatch` for bytes that are not text in this encoding.
 */
export function decodedText(bytes: Uint8Array, named: string | null): DecodedText {
  const marked = byteOrderMarks.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte))?.[0];
  const stated = decoderOf(named ?? 'utf-8');
  const decoder = marked === undefined ? stated : decoderOf(marked);
  const { encoding } = decoder;
  const refusal = (message: string) =>
    new ServiceError(
      'subtitle_encoding_mismatch',
      marked === undefined ? message + offeredEncoding(bytes, encoding) : message,
    );
  const { text, notes } = withLineFeeds(decodedOrRefused(decoder, bytes, refusal));
  const faults = [
    ['control character', control],
    ...(isUnicode(encoding) ? [] : [['private character', privateUse] as const]),
  ] as const;
  for (const [name, fault] of faults) {
    const found = fault.exec(text);
    if (found === null) continue;
    const code = found[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    const place = `line ${lineAt(text, found.index)} has the ${name} U+${code}`;
    throw refusal(`${place}: the file is not text in ${encoding}`);
  }
  return { encoding, text, notes };
}

/** The text with a line feed for each carriage return that has none behind it. */
function withLineFeeds(text: string): AdaptedText {
  const first = text.search(loneReturn);
  if (first === -1) return { text, notes: [] };
  const adapted = text.replaceAll(loneReturn, '\n');
  const count = text.match(loneReturn)?.length ?? 0;
  return { text: adapted, notes: [{ note: 'line_end', line: lineAt(adapted, first), count }] };
}

/** Text in another script than the Latin one has at least so many letters of it, and this share of all. */
const FOREIGN_SCRIPT = { letters: 4, share: 0.2 } as const;

/**
 * The scripts that text in an encoding decodes to: at least this share of the letters beyond ASCII are of them. In order: bytes
 * that fit an earlier one may fit a later one by chance.
 */
const guesses: readonly (readonly [string, RegExp, number])[] = [
  ['utf-8', /\p{L}/gu, 1],
  ['utf-16le', /\p{L}/gu, 1],
  ['utf-16be', /\p{L}/gu, 1],
  ['shift_jis', /[ぁ-ヿ]/gu, 0.3],
  ['euc-jp', /[ぁ-ヿ]/gu, 0.3],
  ['euc-kr', /[가-힣]/gu, 0.95],
  ['gb18030', /\p{Script=Han}/gu, 0.95],
  ['big5', /\p{Script=Han}/gu, 0.95],
  ['windows-1251', /[а-яёіїєўђјљњћџ]/gu, 0.75],
  ['windows-1252', /[\p{Ll}ÀÁÂÄÇÈÉÊÖØÜ]/gu, 0.75],
];

/** So many bytes at most are looked at for a guess: every encoding is tried on them without a break. */
const guessedBytes = 16 * 1024;

/** The first lines of a file: no encoding has a line feed within a character, and UTF-16 has two bytes in each. */
const firstLines = (bytes: Uint8Array): Uint8Array =>
  bytes.length <= guessedBytes ? bytes : bytes.subarray(0, (bytes.lastIndexOf(0x0a, guessedBytes - 1) + 1) & ~1);

/** True if a text is one that this encoding, and hardly another one, would give. */
function isLikely(text: string, [encoding, script, share]: (typeof guesses)[number]): boolean {
  if (control.test(text)) return false;
  // Any bytes are signs in it, and a subtitle file only if they are meant so.
  if (encoding.startsWith('utf-16')) return formatOf(text, Math.max(0, text.search(/\S/))) !== null;
  const letters = text.match(/\p{L}/gu) ?? [];
  const further = letters.filter((letter) => letter > '\u007F');
  const own = further.join('').match(script)?.length ?? 0;
  const isEnough =
    encoding === 'utf-8' || encoding === 'windows-1252'
      ? own > 0
      : own >= FOREIGN_SCRIPT.letters && further.length >= FOREIGN_SCRIPT.share * letters.length;
  return isEnough && own >= share * further.length;
}

/** The encoding that the first lines look most like, to be offered and never taken; null if they look like none. */
function likelyEncoding(file: Uint8Array): string | null {
  const bytes = firstLines(file);
  for (const guess of guesses) {
    const [encoding] = guess;
    try {
      if (isLikely(decodedBy(decoderOf(encoding), bytes), guess)) return encoding;
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
  }
  return null;
}

function offeredEncoding(bytes: Uint8Array, encoding: string): string {
  const likely = likelyEncoding(bytes);
  return likely === null || likely === encoding ? '' : `; they look like ${likely}`;
}

function decodedOrRefused(decoder: Decoder, bytes: Uint8Array, refusal: (message: string) => ServiceError): string {
  try {
    return decodedBy(decoder, bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw refusal(`the bytes are not text in ${decoder.encoding}`);
  }
}

/** The bytes that may come second in a pair of windows-949 outside of EUC-KR. */
const hangulTrails = [...Array(0xff).keys()].filter(
  (byte) => (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a) || byte >= 0x81,
);
let koreanPairs: Uint16Array | null = null;

/**
 * The characters of windows-949 by their two bytes, 0 for none. The Encoding Standard reads both names as windows-949; Node.js reads
 * EUC-KR alone. Windows-949 adds two signs, and 8,822 syllables: all that EUC-KR lacks, in the order of Unicode.
 */
function pairsOfKorean(): Uint16Array {
  if (koreanPairs !== null) return koreanPairs;
  const pairs = new Uint16Array(0x1_0000);
  const plain = new Set<number>();
  const decoder = new TextDecoder('euc-kr');
  const trails = [...Array(94).keys()].map((at) => 0xa1 + at);
  for (let lead = 0xa1; lead <= 0xfe; lead += 1) {
    const row = decoder.decode(Uint8Array.from(trails.flatMap((trail) => [lead, trail, 0x0a]))).split('\n');
    for (const [at, trail] of trails.entries()) {
      const text = row[at] ?? '';
      if (text.length !== 1 || text === '\uFFFD') continue;
      pairs[256 * lead + trail] = text.charCodeAt(0);
      plain.add(text.charCodeAt(0));
    }
  }
  pairs[0xa2e6] = 0x20ac;
  pairs[0xa2e7] = 0xae;
  let syllable = 0xac00;
  for (let lead = 0x81; lead <= 0xc6; lead += 1) {
    for (const trail of hangulTrails) {
      if (lead > 0xa0 && trail > 0xa0) break;
      while (plain.has(syllable)) syllable += 1;
      if (syllable > 0xd7a3) break;
      pairs[256 * lead + trail] = syllable;
      syllable += 1;
    }
  }
  koreanPairs = pairs;
  return pairs;
}

/** So many arguments at most are given to one call. */
const unitsOfPiece = 8192;

/** Decodes windows-949. Throws `TypeError` for bytes that are none. */
function koreanText(bytes: Uint8Array): string {
  const pairs = pairsOfKorean();
  const units = new Uint16Array(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const lead = bytes[at] ?? 0;
    let unit = lead;
    if (lead >= 0x80) {
      unit = pairs[256 * lead + (bytes[at + 1] ?? 0)] ?? 0;
      if (unit !== 0) at += 1;
      // A control character, which no text has; its place is found later.
      else if (lead < 0xa0) unit = lead;
      else throw new TypeError(`byte ${at} begins no character of windows-949`);
    }
    units[length] = unit;
    length += 1;
  }
  const pieces: string[] = [];
  for (let from = 0; from < length; from += unitsOfPiece) {
    pieces.push(String.fromCharCode(...units.subarray(from, Math.min(length, from + unitsOfPiece))));
  }
  return pieces.join('');
}

/** Throws `TypeError` for bytes that are not text in this encoding. */
function decodedBy(decoder: Decoder, bytes: Uint8Array): string {
  if (decoder.encoding === 'euc-kr') return koreanText(bytes);
  const text = decoder.decode(bytes);
  if (decoder.encoding !== 'windows-1252') return text;
  return text.replaceAll(/[\u0080-\u009F]/g, (found) => windows1252[found.charCodeAt(0) - 0x80] ?? found);
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

/** The format that a text states, whose first character after white space is at `start`; null if it states none. */
function formatOf(text: string, start: number): SubtitleFormat | null {
  const line = text.lastIndexOf('\n', start) + 1;
  if (text.startsWith('WEBVTT', line)) return 'webvtt';
  if (/^\[script info\]/i.test(text.slice(line, line + 100))) return 'ass';
  return text.includes('-->') ? 'srt' : null;
}

/**
 * The text of a decoded file in its readable form. SubRip has the numbers of all cues but the first. WebVTT has no styles,
 * regions and some names. ASS has the fields of its events in order. A file in this form is unchanged.
 */
export function* readableText(text: string, format: SubtitleFormat): Steps<AdaptedText> {
  if (format === 'webvtt') return { text: yield* withoutPresentation(text), notes: [] };
  return format === 'srt' ? yield* withNumbers(text) : yield* withOrderedFields(text);
}

/**
 * Opens a subtitle file and finds all of its cues, in short steps; nothing is guessed or skipped, and adaptations are noted.
 * `format` and `encoding` are the stated ones, or null. Throws the codes of `decodedText`. Throws `subtitle_format_mismatch` for
 * a text of another format than stated or of none, and `invalid_subtitle_file` with the first line that cannot be read.
 */
export function* openSubtitleFile(
  bytes: Uint8Array,
  stated: { readonly format: SubtitleFormat | null; readonly encoding: string | null },
): Steps<SubtitleFile> {
  const { encoding, text, notes } = decodedText(bytes, stated.encoding);
  yield;
  const start = text.search(/\S/);
  if (start === -1) throw new ServiceError('invalid_subtitle_file', 'the file is empty');
  const found = formatOf(text, start);
  if (found === null || (stated.format ?? found) !== found) {
    const seen =
      found === null ? 'this is not an SRT, WebVTT or ASS file' : `its text is ${found}, not ${stated.format}`;
    throw new ServiceError('subtitle_format_mismatch', seen);
  }
  yield;
  const readable = yield* readableText(text, found);
  // The readable text of WebVTT lacks lines; every line of the others is at its place.
  const cues = yield* scanners[found](found === 'webvtt' ? text : readable.text);
  if (cues.length === 0) throw new ServiceError('invalid_subtitle_file', 'the file holds no cue');
  const read = Buffer.from(readable.text, 'utf8');
  return { format: found, encoding, text: read, notes: [...notes, ...readable.notes], cues };
}

/** The counts of the cues of a file over media of so many ms; see the schema of a subtitle track. */
export function measuredCues(cues: readonly WrittenCue[], durationMs: number): SubtitleTrack['measured'] {
  let latest = 0;
  let overlapping = 0;
  for (const { startMs, endMs } of cues.toSorted((one, other) => one.startMs - other.startMs)) {
    if (startMs < latest) overlapping += 1;
    latest = Math.max(latest, endMs);
  }
  return {
    cues: cues.length,
    outOfOrder: cues.filter(({ startMs }, at) => startMs < (cues[at - 1]?.startMs ?? 0)).length,
    overlapping,
    withoutDuration: cues.filter(({ startMs, endMs }) => startMs === endMs).length,
    beyondMedia: cues.filter(({ startMs }) => startMs >= durationMs).length,
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
