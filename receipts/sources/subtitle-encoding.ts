import { ServiceError } from '../../contract/base/errors.ts';

/** The text of a subtitle file, and the encoding that it was in by its name in the Encoding Standard. */
export interface DecodedText {
  readonly encoding: string;
  readonly text: string;
}

const byteOrderMarks: readonly (readonly [string, readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16be', [0xfe, 0xff]],
  ['utf-16le', [0xff, 0xfe]],
];

// Tabs and line ends are text. Control characters are the sign of a binary file, or of another encoding.
const control = /[^\P{Cc}\t\n\r]/u;
const loneReturn = /\r(?!\n)/;

/** 0x80 to 0x9F of windows-1252: Node.js up to 22 decodes them as ISO-8859-1 (nodejs/node#56542). Undefined ones stay. */
const windows1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008DŽ\u008F\u0090‘’“”•–—˜™š›œ\u009DžŸ';

/** Encodings whose text follows from the bytes alone; the tables of the others belong to the platform. */
const unicodeEncodings: readonly string[] = ['utf-8', 'utf-16be', 'utf-16le'];

/** Whether the text of a file in this encoding is the same on every platform. */
export const isUnicode = (encoding: string): boolean => unicodeEncodings.includes(encoding);

/** The line, counted from 1, in which a place of a text is. */
const lineAt = (text: string, at: number): number => text.slice(0, at).split('\n').length;

type Decoder = InstanceType<typeof TextDecoder>;

function decoderOf(name: string): Decoder {
  try {
    return new TextDecoder(name, { fatal: true });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ServiceError('invalid_subtitle_request', `encoding: ${name} is no encoding that this host decodes`);
  }
}

/**
 * Decodes a subtitle file, its byte order mark left out. The mark decides before the name does (Encoding Standard, "decode");
 * without either the encoding is UTF-8. Throws `invalid_subtitle_request` for a name that is none, `subtitle_encoding_mismatch`
 * for bytes that are not text in this encoding, and `invalid_subtitle_file` for lines that end with a carriage return alone.
 */
export function decodedText(bytes: Uint8Array, named: string | null): DecodedText {
  const marked = byteOrderMarks.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte))?.[0];
  const stated = decoderOf(named ?? 'utf-8');
  const decoder = marked === undefined ? stated : decoderOf(marked);
  const { encoding } = decoder;
  const text = decodedBy(decoder, bytes);
  const found = control.exec(text);
  if (found !== null) {
    const code = found[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    const place = `line ${lineAt(text, found.index)} has the control character U+${code}`;
    throw new ServiceError('subtitle_encoding_mismatch', `${place}: the file is no text in ${encoding}`);
  }
  const lone = loneReturn.exec(text);
  if (lone === null) return { encoding, text };
  throw new ServiceError(
    'invalid_subtitle_file',
    `line ${lineAt(text, lone.index)} ends with a carriage return and no line feed`,
  );
}

function decodedBy(decoder: Decoder, bytes: Uint8Array): string {
  try {
    const text = decoder.decode(bytes);
    if (decoder.encoding !== 'windows-1252') return text;
    return text.replaceAll(/[\u0080-\u009F]/g, (found) => windows1252[found.charCodeAt(0) - 0x80] ?? found);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new ServiceError('subtitle_encoding_mismatch', `the bytes are no text in ${decoder.encoding}`);
  }
}
