import type { StyledRun, TextStyle } from '../contract/captions/styled-text.ts';
import { subRipText } from './subtitles.ts';

/** A row of a caption in parts of one style. */
type Row = readonly StyledRun[];

const letters: Readonly<Record<TextStyle, string>> = { italic: 'i', bold: 'b', underline: 'u' };

/** A row with its styles as tags, which end with the row: not every player carries them into the next. */
const tagged = (row: Row, textOf: (text: string) => string): string =>
  row
    .map(({ text, styles }) => {
      const tags = styles.map((style) => letters[style]);
      const ends = tags.toReversed().map((tag) => `</${tag}>`);
      return `${tags.map((tag) => `<${tag}>`).join('')}${textOf(text)}${ends.join('')}`;
    })
    .join('');

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** A text of a cue of WebVTT; an escaped `>` keeps an arrow from beginning another one. */
export const webVttText = (text: string): string =>
  text.replaceAll(/[&<>]/g, (character) => escapes[character] ?? character);

/** A row of a cue of WebVTT (W3C WebVTT, section 4.2.2). */
export const webVttRow = (row: Row): string => tagged(row, webVttText);

/** A row of a cue of SubRip, whose players read the tags of HTML. */
export const subRipRow = (row: Row): string => tagged(row, subRipText);

// A brace would begin an override, and a backslash an escape: a word joiner behind it takes its meaning away.
const assText = (text: string): string =>
  text.replaceAll('\\', '\\\u2060').replaceAll(/[{}]/g, (brace) => `\\${brace}`);

/** A row of an event of ASS. */
export const assRow = (row: Row): string =>
  row
    .map(({ text, styles }) => {
      const overrides = (on: 0 | 1) => styles.map((style) => `\\${letters[style]}${on}`).join('');
      return styles.length === 0 ? assText(text) : `{${overrides(1)}}${assText(text)}{${overrides(0)}}`;
    })
    .join('');

/** The place of a text for SubRip and ASS: an override that players of both know. Nothing for the usual place. */
export const placeOverride = (alignment: number | null): string =>
  alignment === null || alignment === 2 ? '' : `{\\an${alignment}}`;

/**
 * The place of a cue of WebVTT as its settings, with the space before them: `line` from the upper edge (section 4.4), and `position`
 * with `align` at the left or right edge. Nothing for the usual place.
 */
export function webVttSettings(alignment: number | null): string {
  if (alignment === null || alignment === 2) return '';
  const row = Math.ceil(alignment / 3);
  const line = row === 3 ? ' line:0' : row === 2 ? ' line:50%' : '';
  const column = alignment % 3;
  return `${line}${column === 1 ? ' position:0% align:start' : column === 0 ? ' position:100% align:end' : ''}`;
}
