import { styledText, type TextStyle, textStyles } from '../../contract/captions/styled-text.ts';

/** Signs that stand for the begin and the end of a style: noncharacters of Unicode, which no text has. */
const signs: Readonly<Record<TextStyle, readonly [begin: string, end: string]>> = {
  italic: ['\uFDD0', '\uFDD1'],
  bold: ['\uFDD2', '\uFDD3'],
  underline: ['\uFDD4', '\uFDD5'],
};
const anySign = /[\uFDD0-\uFDD5]/g;

const byLetter: Readonly<Record<string, TextStyle>> = { i: 'italic', b: 'bold', u: 'underline' };

const tags: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(byLetter).flatMap(([letter, style]) => [
    [signs[style][0], `<${letter}>`],
    [signs[style][1], `</${letter}>`],
  ]),
);

const signOf = (letter: string, begins: boolean): string => {
  const style = byLetter[letter.toLowerCase()];
  return style === undefined ? '' : signs[style][begins ? 0 : 1];
};

/** A tag of SubRip or WebVTT, which may have classes. */
const styleTag = /<(?<end>\/?)(?<letter>[ibu])(?:[.\s][^<>]*)?>/gi;

/** A style of a block of overrides; `\b` may have a weight, and `\r` begins the style of the event again, or another one. */
const styleOverride = /\\(?:(?<letter>[ibu])(?<value>\d{1,3})(?!\w)|r(?<reset>[^\\{}]*))/g;

const ended = (styles: readonly TextStyle[]): string =>
  styles
    .toReversed()
    .map((style) => signs[style][1])
    .join('');

/** The begins of styles, as signs. */
const begun = (styles: readonly TextStyle[]): string => styles.map((style) => signs[style][0]).join('');

/** A text in styles, as signs. */
export const inStyles = (styles: readonly TextStyle[], text: string): string =>
  styles.length === 0 ? text : `${begun(styles)}${text}${ended(styles)}`;

/**
 * The styles of a block of overrides of ASS or SubRip, as signs. `stylesNamed` has those of a style of the script; without a name, of
 * that of the event.
 */
export const signsOfBlock = (block: string, stylesNamed: (name: string) => readonly TextStyle[] = () => []): string =>
  [...block.matchAll(styleOverride)]
    .map(({ groups = {} }) => {
      const { letter = '', value = '', reset } = groups;
      if (reset !== undefined) return `${ended(textStyles)}${begun(stylesNamed(reset.trim()))}`;
      return signOf(letter, letter === 'b' ? value === '1' || Number(value) > 400 : value === '1');
    })
    .join('');

/** A text of SubRip or WebVTT with signs in the place of tags and overrides of a style. */
export const withSigns = (text: string): string =>
  text
    .replaceAll(styleTag, (_tag, end: string, letter: string) => signOf(letter, end === ''))
    .replaceAll(/\{\\[^{}]*\}/g, (block) => signsOfBlock(block));

/** True if a text already has one of the signs: it is read without styles. */
export const hasSigns = (text: string): boolean => text.search(anySign) !== -1;

export const withoutSigns = (text: string): string => text.replaceAll(anySign, '');

// A style record of 3GPP timed text: begin and end in characters, font, flags, size and color.
const styleRecordBytes = 12;
const styleFlags: readonly (readonly [flag: number, letter: string])[] = [
  [1, 'b'],
  [2, 'i'],
  [4, 'u'],
];

const white = 0xffffff;

interface StyleRecord {
  /** In characters, half-open. */
  readonly from: number;
  readonly to: number;
  readonly flags: number;
  readonly rgb: number;
}

function* styleRecords(boxes: Uint8Array): Generator<StyleRecord> {
  const view = new DataView(boxes.buffer, boxes.byteOffset, boxes.byteLength);
  for (let at = 0; at + 10 <= boxes.length; ) {
    const size = view.getUint32(at);
    if (size < 8 || at + size > boxes.length) return;
    if (view.getUint32(at + 4) === 0x7374796c) {
      const count = Math.min(view.getUint16(at + 8), Math.floor((size - 10) / styleRecordBytes));
      for (let index = 0; index < count; index += 1) {
        const record = at + 10 + index * styleRecordBytes;
        const [from, to] = [view.getUint16(record), view.getUint16(record + 2)];
        yield { from, to, flags: view.getUint8(record + 6), rgb: view.getUint32(record + 8) >>> 8 };
      }
    }
    at += size;
  }
}

/** True if a part of a sample of 3GPP timed text has another color than white. */
export const hasColorIn = (boxes: Uint8Array): boolean =>
  [...styleRecords(boxes)].some(({ from, to, rgb }) => from < to && rgb !== white);

/** A text of a sample of 3GPP timed text with the styles of its `styl` boxes (3GPP TS 26.245, section 5.17) as signs. */
export function withBoxSigns(text: string, boxes: Uint8Array): string {
  const inserted: { readonly at: number; readonly sign: string }[] = [];
  for (const { from, to, flags } of styleRecords(boxes)) {
    for (const [flag, letter] of styleFlags) {
      if ((flags & flag) === 0 || to <= from) continue;
      inserted.push({ at: from, sign: signOf(letter, true) }, { at: to, sign: signOf(letter, false) });
    }
  }
  const characters = [...text];
  for (const { at, sign } of inserted.toSorted((one, other) => other.at - one.at)) characters.splice(at, 0, sign);
  return characters.join('');
}

/**
 * Rows of a shown text with tags in the place of signs. Null if they have no style, or if they are not the rows of that text: styles that
 * are not certain are none.
 */
export function styledRows(rows: readonly string[], text: string): string | null {
  if (withoutSigns(rows.map((row) => withoutSigns(row).trim()).join('\n')) !== text) return null;
  // Markup could not be distinguished from a text that looks like it.
  if (styledText(text).runs.some((run) => run.text !== text)) return null;
  const styled = rows.join('\n').replaceAll(anySign, (sign) => tags[sign] ?? '');
  return styledText(styled).runs.some(({ text: part, styles }) => styles.length > 0 && part.trim() !== '')
    ? styled
    : null;
}
