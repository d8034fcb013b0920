import type { UnreadableCueReason } from '../../contract/evidence/evidence.ts';

// An event as Matroska stores it: ReadOrder, Layer, Style, Name, MarginL, MarginR, MarginV, Effect, Text.
const FIELDS_BEFORE_TEXT = 8;
const DRAWING = /\\p(\d+)/g;
// A soft break is a space unless the script asks otherwise, which next to none does.
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\\N', '\n'],
  ['\\n', ' '],
  ['\\h', '\u00A0'],
  ['\\{', '{'],
  ['\\}', '}'],
]);
const ESCAPE = /\\[Nnh{}]/g;

/** The beginning of the text of an event; -1 if it has too few fields. */
function textStart(event: string): number {
  let at = 0;
  for (let field = 0; field < FIELDS_BEFORE_TEXT; field += 1) {
    at = event.indexOf(',', at) + 1;
    if (at === 0) return -1;
  }
  return at;
}

const isEscaped = (text: string, at: number): boolean => text[at - 1] === '\\';

/** The first brace from `from` on that opens a block; -1 if none does. */
function openingBrace(text: string, from: number): number {
  let at = text.indexOf('{', from);
  while (at !== -1 && isEscaped(text, at)) at = text.indexOf('{', at + 1);
  return at;
}

/**
 * The visible text of an ASS event, without the blocks in braces (overrides and remarks) and without drawings, which are
 * coordinates of a shape. A brace that is never closed is text. Null if the packet is not an event.
 */
function assText(event: string): string | null {
  const start = textStart(event);
  if (start === -1) return null;
  let shown = '';
  let isDrawing = false;
  let at = start;
  for (;;) {
    const opening = openingBrace(event, at);
    const closing = opening === -1 ? -1 : event.indexOf('}', opening);
    const plain = event.slice(at, closing === -1 ? undefined : opening);
    if (!isDrawing) shown += plain.replace(ESCAPE, (written) => ESCAPES.get(written) ?? written);
    if (closing === -1) return shown;
    const scale = [...event.slice(opening, closing).matchAll(DRAWING)].at(-1)?.[1];
    if (scale !== undefined) isDrawing = Number(scale) > 0;
    at = closing + 1;
  }
}

/** The text of a packet of a text track, as a viewer reads it, lines parted by `\n`; or the reason why it is unknown. */
export type CueText =
  | { readonly text: string; readonly reasonCode: null }
  | { readonly text: null; readonly reasonCode: UnreadableCueReason };

/** The largest packet that is read, in bytes: a screen full of text with all its markup takes a tenth. */
export const MAXIMUM_PACKET_BYTES = 32 * 1024;

// Only what the formats know as a tag: "I <3 you" is text. A tag ends before the next one begins.
const TAG = /<\/?(?:[bcisuv]|ruby|rt|lang|font)(?:[.\s][^<>]*)?>|<(?:\d{2,}:)?\d{2}:\d{2}\.\d{3}>/gi;
const LINE_BREAK_TAG = /<br ?\/?>/gi;
// Players of SubRip files obey the overrides of ASS in braces, and show other text in them.
const SUBRIP_OVERRIDE = /\{\\[^{}]*\}/g;
const LINE_BREAK = /\r\n|\n|\r/;
// Players show them as spaces.
const SPACES = /[\t\v\f]/g;
// Direction marks and joiners are part of a text; the rest of the control characters are not.
const CONTROL = /[\p{Cc}\u2028\u2029\uFEFF]/gu;
const NAMED = new Map(
  Object.entries({ amp: '&', lt: '<', gt: '>', nbsp: '\u00A0', lrm: '\u200E', rlm: '\u200F', quot: '"', apos: "'" }),
);
const REFERENCE = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-z]+));/g;
const LAST_CODE_POINT = 0x10ffff;

/** The text that a packet carries before its markup is resolved; null if it has not the form of its format. */
type Opening = (packet: Uint8Array) => string | null;

// A sample of 3GPP timed text: the length of the text in two bytes, the text, then boxes that style it.
const timedText: Opening = (packet) => {
  if (packet.length < 2) return packet.length === 0 ? '' : null;
  const end = 2 + ((packet[0] ?? 0) << 8) + (packet[1] ?? 0);
  if (end > packet.length) return null;
  const text = packet.subarray(2, end);
  const [first, second] = text;
  if (first === 0xfe && second === 0xff) return decoded('utf-16be', text);
  return decoded(first === 0xff && second === 0xfe ? 'utf-16le' : 'utf-8', text);
};

const subRip: Opening = (packet) =>
  decoded('utf-8', packet).replace(SUBRIP_OVERRIDE, '').replaceAll('\\N', '\n').replaceAll('\\h', '\u00A0');

/** How a packet is opened, by ffmpeg's name of the codec; what is not here is not read. */
const openings: ReadonlyMap<string, Opening> = new Map(
  Object.entries({
    mov_text: timedText,
    subrip: subRip,
    srt: subRip,
    text: subRip,
    webvtt: (packet) => decoded('utf-8', packet),
    ass: (packet) => assText(decoded('utf-8', packet)),
    ssa: (packet) => assText(decoded('utf-8', packet)),
  } satisfies Record<string, Opening>),
);

/** True if packets of this codec are text that is read here. */
export const isReadableCodec = (codec: string): boolean => openings.has(codec);

/**
 * The visible text of one packet of a text track: tags, overrides, drawings and control characters removed, character references
 * resolved, blank lines left out. It is empty if nothing is shown. The text of a packet belongs to that packet alone.
 */
export function cueTextOf(codec: string, packet: Uint8Array): CueText {
  if (packet.length > MAXIMUM_PACKET_BYTES) return unreadable('too_long');
  try {
    const text = openings.get(codec)?.(packet) ?? null;
    return text === null ? unreadable('malformed') : { text: shownText(text), reasonCode: null };
  } catch (error) {
    if (error instanceof TypeError) return unreadable('undecodable');
    throw error;
  }
}

const unreadable = (reasonCode: UnreadableCueReason): CueText => ({ text: null, reasonCode });

/** Throws `TypeError` on bytes that are not of this encoding. */
const decoded = (encoding: string, bytes: Uint8Array): string =>
  new TextDecoder(encoding, { fatal: true }).decode(bytes);

const shownText = (text: string): string =>
  text
    .replace(LINE_BREAK_TAG, '\n')
    .split(LINE_BREAK)
    .map((line) => line.replace(TAG, '').replace(REFERENCE, resolved).replace(SPACES, ' ').replace(CONTROL, '').trim())
    .filter((line) => line !== '')
    .join('\n');

function resolved(reference: string, decimal?: string, hexadecimal?: string, name?: string): string {
  if (name !== undefined) return NAMED.get(name) ?? reference;
  const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal);
  return code > LAST_CODE_POINT || (code >= 0xd800 && code <= 0xdfff) ? reference : String.fromCodePoint(code);
}
