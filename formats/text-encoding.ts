import { ServiceError } from '../contract/base/errors.ts';
import type { SubtitleNote } from '../contract/sources/subtitle-track.ts';
import {
  bestFit,
  type Fit,
  fitIn,
  foreignSigns,
  hasQuotesAlone,
  type SeenLetters,
  seenLetters,
} from './written-letters.ts';

/** A text that was adapted, with what was adapted in it. */
export interface AdaptedText {
  readonly text: string;
  readonly notes: readonly SubtitleNote[];
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
export function decodedText(bytes: Uint8Array, named: string | null, language: string | null = null): DecodedText {
  const marked = byteOrderMarks.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte))?.[0];
  const stated = decoderOf(named ?? 'utf-8');
  const decoder = marked === undefined ? stated : decoderOf(marked);
  const { encoding } = decoder;
  const refusal = (message: string) => {
    const likely = marked === undefined ? (likelyEncoding(bytes, language)?.encoding ?? null) : null;
    return new EncodingMismatch(message, likely === encoding ? null : likely);
  };
  const whole = withoutEndOfFile(decodedOrRefused(decoder, bytes, refusal));
  const { text, notes } = withLineFeeds(whole.text);
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
  return { encoding, text, notes: [...notes, ...whole.notes] };
}

/** NUL characters, by which programs fill up a block, and U+001A, by which DOS ends a file. */
const endSigns = '\\0\\u001A';
const endSign = new RegExp(`[${endSigns}]`, 'g');
const endOfFile = new RegExp(`\\s*[${endSigns}]+\\s*$`);

/** So many characters have at most one NUL or end-of-file sign that is not at the end: more are the sign of a binary file. */
const charactersOfStray = 100;

/** The text without the signs for the end of a file: at its end, and single ones elsewhere, where files were joined. */
function withoutEndOfFile(text: string): AdaptedText {
  const found = [...text.matchAll(endSign)].map(({ index }) => index);
  const [first] = found;
  if (first === undefined) return { text, notes: [] };
  const kept = text.replaceAll(endSign, '');
  const end = text.length - (endOfFile.exec(text)?.[0].length ?? 0);
  const stray = found.filter((at) => at < end).length;
  if (kept.trim() === '' || stray * charactersOfStray > kept.length) return { text, notes: [] };
  return { text: kept, notes: [{ note: 'end_of_file', line: lineAt(text, first), count: found.length }] };
}

/** The text with a line feed for each carriage return that has none behind it. */
function withLineFeeds(text: string): AdaptedText {
  const first = text.search(loneReturn);
  if (first === -1) return { text, notes: [] };
  const adapted = text.replaceAll(loneReturn, '\n');
  const count = text.match(loneReturn)?.length ?? 0;
  return { text: adapted, notes: [{ note: 'line_end', line: lineAt(adapted, first), count }] };
}

/** An encoding that bytes look like, and how well the letters of its text fit: 1 for all of them. */
interface LikelyEncoding {
  readonly encoding: string;
  readonly share: number;
  /** The language whose letters fit; null if the form alone tells. */
  readonly language: string | null;
}

/**
 * Encodings of one byte a character, and then of more. Of those that give the same text the first one counts, so that a name is
 * one that systems use. Any bytes are text in most of them.
 */
const candidates: readonly string[] = [
  ...['windows-1252', 'windows-1250', 'windows-1251', 'windows-1253', 'windows-1254', 'windows-1255', 'windows-1256'],
  ...['windows-1257', 'windows-1258', 'windows-874', 'koi8-r', 'koi8-u'],
  ...['iso-8859-2', 'iso-8859-4', 'iso-8859-5', 'iso-8859-6', 'iso-8859-7', 'iso-8859-8', 'iso-8859-13', 'iso-8859-15'],
  ...['ibm866', 'x-mac-cyrillic', 'macintosh'],
  ...['shift_jis', 'euc-jp', 'euc-kr', 'gb18030', 'big5', 'iso-2022-jp'],
];

/**
 * The bounds of a guess; they are choices. So many bytes at most are looked at: every encoding is tried on them without a break.
 * An encoding is offered if this share of the letters fits. A later one must fit better by `better`. A text is not in its stated
 * encoding if it has `fewestLetters`, and another one fits better by `clearly` and by `betterLetters`.
 */
const GUESS = {
  bytes: 16 * 1024,
  share: 0.5,
  better: 0.005,
  clearly: 0.03,
  betterLetters: 1,
  fewestLetters: 3,
} as const;

/** The first lines of a file: no encoding has a line feed within a character, and UTF-16 has two bytes in each. */
const firstLines = (bytes: Uint8Array): Uint8Array =>
  bytes.length <= GUESS.bytes ? bytes : bytes.subarray(0, (bytes.lastIndexOf(0x0a, GUESS.bytes - 1) + 1) & ~1);

/** The text of bytes; null if they are none in this encoding. */
function textIn(encoding: string, bytes: Uint8Array): string | null {
  try {
    return decodedBy(decoderOf(encoding), bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/** UTF-8 and UTF-16 by their form: hardly any other text has it. */
function likelyUnicode(bytes: Uint8Array): string | null {
  const utf8 = textIn('utf-8', bytes);
  if (utf8 !== null && !control.test(utf8) && /[\u0080-\u{10FFFF}]/u.test(utf8)) return 'utf-8';
  return (
    ['utf-16le', 'utf-16be'].find((encoding) => {
      const text = textIn(encoding, bytes);
      return text !== null && !control.test(text) && /-->|^WEBVTT|^\[script info\]/im.test(text);
    }) ?? null
  );
}

/** How well a text fits a language, or the one that it fits best if that is null or its letters are not known. */
const fitOver = (seen: SeenLetters, language: string | null): Fit =>
  (language === null ? null : fitIn(seen, language)) ?? bestFit(seen);

/**
 * The encoding that the first lines look most like, to be offered and never taken; null if they look like none. The stated language
 * decides if the text can be in it.
 */
function likelyEncoding(file: Uint8Array, language: string | null): LikelyEncoding | null {
  const bytes = firstLines(file);
  const unicode = likelyUnicode(bytes);
  if (unicode !== null) return { encoding: unicode, share: 1, language: null };
  const decoded = candidates.flatMap((encoding) => {
    const text = textIn(encoding, bytes);
    return text === null || /[^\P{Cc}\t\n\r\u0080-\u009F]/u.test(text)
      ? []
      : [{ encoding, text, seen: seenLetters(text) }];
  });
  // They are the same in many encodings.
  const [usual] = decoded;
  if (usual !== undefined && hasQuotesAlone(usual.text)) return { encoding: usual.encoding, share: 1, language: null };
  for (const wanted of language === null ? [null] : [language, null]) {
    let best: LikelyEncoding = { encoding: '', share: 0, language: null };
    for (const { encoding, seen } of decoded) {
      const { share, language: fitting } = fitOver(seen, wanted);
      if (share > best.share + GUESS.better) best = { encoding, share, language: fitting };
    }
    if (best.share >= GUESS.share) return best;
  }
  return null;
}

/** A refusal that offers the encoding which the bytes look like. */
export class EncodingMismatch extends ServiceError {
  /** Null if they look like none. */
  readonly likely: string | null;

  constructor(message: string, likely: string | null) {
    super('subtitle_encoding_mismatch', likely === null ? message : `${message}; they look like ${likely}`);
    this.likely = likely;
  }
}

/**
 * Throws `subtitle_encoding_mismatch` for a text whose letters clearly fit a language better in another encoding. Any bytes are
 * text in most encodings. `language` is the stated one, as a base code.
 */
export function demandLetters(bytes: Uint8Array, { encoding, text }: DecodedText, language: string | null): void {
  if (isUnicode(encoding)) return;
  const seen = seenLetters(text.slice(0, GUESS.bytes));
  const letters = [...seen.counts.values(), ...seen.misplaced.values()].reduce((all, count) => all + count, 0);
  if (letters < GUESS.fewestLetters) return;
  const likely = likelyEncoding(bytes, language);
  if (likely === null || likely.encoding === encoding) return;
  const inLanguage = language === null ? null : fitIn(seen, language);
  const { share } = inLanguage?.language === likely.language ? inLanguage : bestFit(seen);
  const lead = likely.share - share;
  if (lead < GUESS.clearly || lead * letters < GUESS.betterLetters) return;
  const signs = foreignSigns(seen, likely.language ?? '').slice(0, 5);
  const [first = ''] = signs;
  const line = 1 + text.split('\n').findIndex((each) => each.includes(first) || each.toLowerCase().includes(first));
  const named = signs.map((sign) => `“${sign}”`).join(', ');
  throw new EncodingMismatch(`from line ${line} on the bytes are ${named} in ${encoding}`, likely.encoding);
}

/** The first line whose bytes are not UTF-8, if most characters beyond ASCII are; null for text in another encoding. */
function brokenLine(bytes: Uint8Array): number | null {
  const text = new TextDecoder('utf-8').decode(bytes);
  const broken = text.match(/\uFFFD/g)?.length ?? 0;
  const whole = text.match(/[^\0-\u007F\uFFFD]/gu)?.length ?? 0;
  return broken > 0 && whole >= 4 * broken ? lineAt(text, text.indexOf('\uFFFD')) : null;
}

function decodedOrRefused(decoder: Decoder, bytes: Uint8Array, refusal: (message: string) => ServiceError): string {
  try {
    return decodedBy(decoder, bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const line = decoder.encoding === 'utf-8' ? brokenLine(bytes) : null;
    if (line === null) throw refusal(`the bytes are not text in ${decoder.encoding}`);
    throw new EncodingMismatch(`line ${line} has bytes that are not text in utf-8, as the rest of the file is`, null);
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
