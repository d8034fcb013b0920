import {
  type CuePlacement,
  type UnkeptLook,
  type UnreadableCueReason,
  unkeptLook,
} from '../../contract/evidence/evidence.ts';
import { cueSettings } from './cue-settings.ts';
import {
  hasColorIn,
  hasSigns,
  inStyles,
  signsOfBlock,
  styledRows,
  withBoxSigns,
  withoutSigns,
  withSigns,
} from './cue-styles.ts';
import { alignmentOfSsa, type ScriptStyle } from './track-script.ts';

/** The words of a script beside a packet: the styles of an ASS script by name, or the settings of a cue of WebVTT. */
export interface StatedBeside {
  readonly styleNamed?: (name: string) => ScriptStyle | undefined;
  readonly settings?: string;
}

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
 * coordinates of a shape. A brace that is never closed is text. Null if the packet is not an event. `ofBlock` gives what stands for
 * a block.
 */
function assText(event: string, ofBlock: (block: string) => string = () => ''): string | null {
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
    shown += ofBlock(event.slice(opening, closing));
    const scale = [...event.slice(opening, closing).matchAll(DRAWING)].at(-1)?.[1];
    if (scale !== undefined) isDrawing = Number(scale) > 0;
    at = closing + 1;
  }
}

/**
 * The text of a packet of a text track, as a viewer reads it, lines parted by `\n`; or the reason why it is unknown. `placement` is
 * absent if the packet does not state it.
 */
export type CueText =
  | {
      readonly text: string;
      readonly reasonCode: null;
      /** The text with its styles, as the text of a person has them; absent without any. */
      readonly styled?: string;
      readonly placement?: CuePlacement;
      /** Absent if captions can have all of it. */
      readonly unkept?: readonly UnkeptLook[];
    }
  | { readonly text: null; readonly reasonCode: UnreadableCueReason };

/** The largest packet that is read, in bytes: a screen full of text with all its markup takes a tenth. */
export const MAXIMUM_PACKET_BYTES = 32 * 1024;

// Only what the formats know as a tag: "I <3 you" is text. A tag ends before the next one begins.
const TAG = /<\/?(?:[bcisuv]|ruby|rt|lang|font)(?:[.\s][^<>]*)?>|<(?:\d{2,}:)?\d{2}:\d{2}\.\d{3}>/gi;
const LINE_BREAK_TAG = /<br ?\/?>/gi;
// Players of SubRip files obey the overrides of ASS in braces, and show other text in them.
const SUBRIP_OVERRIDE = /\{\\[^{}]*\}/g;
const LINE_BREAK = /\r\n|[\n\r\u2028\u2029]/;
// A reading beside its base. Only the last one of a base may lack its end tag.
const RUBY_TEXT = /<rt(?:[.\s][^<>]*)?>(.*?)(?:<\/rt>|(?=<\/?(?:ruby|rt))|$)/gi;
// Players show them as spaces.
const SPACES = /[\t\v\f]/g;
// Direction marks and joiners are part of a text; the rest of the control characters are not.
const CONTROL = /[\p{Cc}\uFEFF]/gu;
const NAMED = new Map(
  Object.entries({ amp: '&', lt: '<', gt: '>', nbsp: '\u00A0', lrm: '\u200E', rlm: '\u200F', quot: '"', apos: "'" }),
);
const REFERENCE = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-z]+));/g;
const LAST_CODE_POINT = 0x10ffff;

/** The text that a packet carries before its markup is resolved; null if it has not the form of its format. */
type Opening = (packet: Uint8Array, stated: StatedBeside) => string | null;

// A sample of 3GPP timed text: the length of the text in two bytes, the text, then boxes that style it.
const timedText = (packet: Uint8Array): string | null => {
  if (packet.length < 2) return packet.length === 0 ? '' : null;
  const end = 2 + ((packet[0] ?? 0) << 8) + (packet[1] ?? 0);
  if (end > packet.length) return null;
  const text = packet.subarray(2, end);
  const [first, second] = text;
  if (first === 0xfe && second === 0xff) return decoded('utf-16be', text);
  return decoded(first === 0xff && second === 0xfe ? 'utf-16le' : 'utf-8', text);
};

const subRipBreaks = (text: string): string => text.replaceAll('\\N', '\n').replaceAll('\\h', '\u00A0');

const subRip: Opening = (packet) => subRipBreaks(decoded('utf-8', packet).replace(SUBRIP_OVERRIDE, ''));

const styleNameOf = (event: string): string => event.split(',', 3)[2] ?? '';

const styledEvent: Opening = (packet, { styleNamed }) => {
  const event = decoded('utf-8', packet);
  const stylesNamed = (name: string) => styleNamed?.(name === '' ? styleNameOf(event) : name)?.styles ?? [];
  const text = assText(event, (block) => signsOfBlock(block, stylesNamed));
  return text === null ? null : inStyles(stylesNamed(''), text);
};

/** The boxes behind the text of a sample of 3GPP timed text. */
const boxesOf = (packet: Uint8Array): Uint8Array => packet.subarray(2 + ((packet[0] ?? 0) << 8) + (packet[1] ?? 0));

const styledSubRip: Opening = (packet) => subRipBreaks(withSigns(decoded('utf-8', packet)));

/** The same as `openings`, with signs for the styles in it. */
const styledOpenings: ReadonlyMap<string, Opening> = new Map(
  Object.entries({
    mov_text: (packet) => {
      const text = timedText(packet);
      if (text === null || packet.length < 2) return text;
      return withSigns(withBoxSigns(text, boxesOf(packet)));
    },
    subrip: styledSubRip,
    srt: styledSubRip,
    text: styledSubRip,
    webvtt: (packet) => withSigns(decoded('utf-8', packet)),
    ass: styledEvent,
    ssa: styledEvent,
  } satisfies Record<string, Opening>),
);

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

const PLACED = /\\(?:an(?<numpad>[1-9])|a(?<legacy>\d{1,2})|(?:pos|move)\(\s*(?<x>-?[\d.]+)\s*,\s*(?<y>-?[\d.]+))/g;
const LONGEST_STYLE = 100;

/** The alignment and the first place that the overrides of a text state; of several the first one counts, as players have it. */
function overridesOf(text: string): CuePlacement {
  let alignment: number | undefined;
  let at: Pick<CuePlacement, 'x' | 'y'> | undefined;
  for (const [block] of text.matchAll(SUBRIP_OVERRIDE)) {
    for (const { groups = {} } of block.matchAll(PLACED)) {
      const { numpad, legacy, x, y } = groups;
      if (numpad !== undefined) alignment ??= Number(numpad);
      if (legacy !== undefined) alignment ??= alignmentOfSsa(Number(legacy)) ?? undefined;
      const [left, top] = [Math.round(Number(x)), Math.round(Number(y))];
      if (Number.isSafeInteger(left) && Number.isSafeInteger(top)) at ??= { x: left, y: top };
    }
  }
  return { ...(alignment !== undefined && { alignment }), ...at };
}

const usualPlace = 2;

/** Layer, style and overrides of an event. An alignment is stated by an override, or by its style if that is not the usual one. */
function assPlacement(event: string, { styleNamed }: StatedBeside): CuePlacement {
  const [, layer = '', style = ''] = event.split(',', 3);
  const name = style.replace(/^\*/, '').trim().slice(0, LONGEST_STYLE);
  const alignment = styleNamed?.(style)?.alignment ?? usualPlace;
  return {
    ...(alignment !== usualPlace && { alignment }),
    layer: /^\d{1,9}$/.test(layer.trim()) ? Number(layer) : 0,
    ...(name !== '' && name.isWellFormed() && { style: name }),
    ...overridesOf(event.slice(Math.max(0, textStart(event)))),
  };
}

const subRipCodecs: readonly string[] = ['subrip', 'srt', 'text'];

/** The place of a packet on the picture, as far as it states it. */
function placementOf(codec: string, packet: Uint8Array, stated: StatedBeside): { readonly placement?: CuePlacement } {
  if (codec === 'ass' || codec === 'ssa') return { placement: assPlacement(decoded('utf-8', packet), stated) };
  if (codec === 'webvtt') {
    const settings = cueSettings(stated.settings ?? '');
    return settings === null || settings.alignment === usualPlace
      ? {}
      : { placement: { alignment: settings.alignment } };
  }
  if (!subRipCodecs.includes(codec)) return {};
  const placement = overridesOf(decoded('utf-8', packet));
  return Object.keys(placement).length === 0 ? {} : { placement };
}

const COLORED = /<font\s[^<>]*\bcolor\b|<c\.[^<>\s]|\{[^{}]*\\1?c&H/i;
const SPEAKER = /<v[.\s][^<>]*>/i;

/** The properties of a packet that no caption has. */
function unkeptOf(
  codec: string,
  packet: Uint8Array,
  stated: StatedBeside,
  placement: CuePlacement | undefined,
): UnkeptLook[] {
  const written = codec === 'mov_text' ? '' : new TextDecoder().decode(packet);
  const settings = codec === 'webvtt' ? cueSettings(stated.settings ?? '') : null;
  const found: Readonly<Record<UnkeptLook, boolean>> = {
    color: codec === 'mov_text' ? packet.length > 2 && hasColorIn(boxesOf(packet)) : COLORED.test(written),
    speaker: codec === 'webvtt' && SPEAKER.test(written),
    place: settings?.isExact ?? placement?.x !== undefined,
    vertical: settings?.isVertical ?? false,
  };
  return unkeptLook.options.filter((look) => found[look]);
}

/** True if packets of this codec are text that is read here. */
export const isReadableCodec = (codec: string): boolean => openings.has(codec);

/**
 * The visible text of one packet of a text track: tags, overrides, drawings and control characters removed, character references
 * resolved, blank lines left out. Readings of ruby are in parentheses behind their base. The text is empty if nothing is shown. It
 * belongs to that packet alone. `stated` has the words of the script of the track for it.
 */
export function cueTextOf(codec: string, packet: Uint8Array, stated: StatedBeside = {}): CueText {
  if (packet.length > MAXIMUM_PACKET_BYTES) return unreadable('too_long');
  try {
    const text = openings.get(codec)?.(packet, stated) ?? null;
    if (text === null) return unreadable('malformed');
    const shown = shownText(text);
    const styled = hasSigns(text) ? null : styledOf(codec, packet, { text: shown, stated });
    const placed = placementOf(codec, packet, stated);
    const unkept = unkeptOf(codec, packet, stated, placed.placement);
    return {
      text: shown,
      reasonCode: null,
      ...(styled !== null && { styled }),
      ...placed,
      ...(unkept.length > 0 && { unkept }),
    };
  } catch (error) {
    if (error instanceof TypeError) return unreadable('undecodable');
    throw error;
  }
}

const unreadable = (reasonCode: UnreadableCueReason): CueText => ({ text: null, reasonCode });

/** Throws `TypeError` on bytes that are not of this encoding. */
const decoded = (encoding: string, bytes: Uint8Array): string =>
  new TextDecoder(encoding, { fatal: true }).decode(bytes);

const shownRows = (text: string): string[] =>
  text
    .replace(LINE_BREAK_TAG, '\n')
    .split(LINE_BREAK)
    .map((line) =>
      line
        .replace(RUBY_TEXT, bracketed)
        .replace(TAG, '')
        .replace(REFERENCE, resolved)
        .replace(SPACES, ' ')
        .replace(CONTROL, '')
        .trim(),
    );

const shownText = (text: string): string =>
  shownRows(text)
    .filter((line) => line !== '')
    .join('\n');

/** A shown text with its styles; null if its packet states none. */
function styledOf(
  codec: string,
  packet: Uint8Array,
  { text, stated }: { readonly text: string; readonly stated: StatedBeside },
): string | null {
  const opened = styledOpenings.get(codec)?.(packet, stated) ?? null;
  if (opened === null || !hasSigns(opened)) return null;
  const rows = shownRows(opened);
  // A row without a sign of text may begin or end a style.
  const kept: string[] = [];
  let held = '';
  for (const row of rows) {
    if (withoutSigns(row).trim() === '') held += row.trim();
    else {
      kept.push(held + row);
      held = '';
    }
  }
  return styledRows(kept, text);
}

/** A reading of ruby as a text without ruby has it (HTML, `rp`). */
const bracketed = (_ruby: string, reading: string): string => (reading.trim() === '' ? '' : `(${reading})`);

function resolved(reference: string, decimal?: string, hexadecimal?: string, name?: string): string {
  if (name !== undefined) return NAMED.get(name) ?? reference;
  const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal);
  return code > LAST_CODE_POINT || (code >= 0xd800 && code <= 0xdfff) ? reference : String.fromCodePoint(code);
}
