/** The styles that the text of a person may have. */
export const textStyles = ['italic', 'bold', 'underline'] as const;
export type TextStyle = (typeof textStyles)[number];

/** A part of a text in one style. */
export interface StyledRun {
  readonly text: string;
  readonly styles: readonly TextStyle[];
}

/** A text with its styles. `alignment` is its place as on a number pad, 8 is above in the middle; null is the usual place. */
export interface StyledText {
  readonly alignment: number | null;
  readonly runs: readonly StyledRun[];
}

/** One side of a line of captions, as corrections and captions have it. */
interface ShownSide {
  readonly text: string | null;
  readonly by?: 'host' | 'person';
}

/** The letters of the styles, in SubRip and WebVTT as tags, in ASS as overrides. */
const letters: Readonly<Record<string, TextStyle>> = { i: 'italic', b: 'bold', u: 'underline' };

/** The markup that is read: `<i>`, `</i>`, `{\i1}`, `{\i0}`, the same of `b` and `u`, and `{\an1}` to `{\an9}`. */
const markup = /<(?<end>\/?)(?<tag>[ibu])>|\{\\(?:an(?<alignment>[1-9])|(?<override>[ibu])(?<on>[01]))\}/gi;

/** Other markup of SubRip, ASS and WebVTT: it is text here. */
const otherMarkup = /<\/?(?:font|c|v|s|em|strong|span|lang|ruby|rt)(?:[.\s][^<>]*)?>|\{\\[^{}]*\}/gi;

/**
 * The text of a person in parts of one style, without its markup. The first place counts, wherever it is. A style that is not
 * ended lasts to the end of the text. An end without a beginning is left out.
 */
export function styledText(text: string): StyledText {
  const runs: StyledRun[] = [];
  const styles = new Set<TextStyle>();
  let alignment: number | null = null;
  let at = 0;
  const take = (to: number): void => {
    if (to > at) runs.push({ text: text.slice(at, to), styles: textStyles.filter((style) => styles.has(style)) });
  };
  for (const { 0: found, index, groups = {} } of text.matchAll(markup)) {
    take(index);
    at = index + found.length;
    const style = letters[(groups.tag ?? groups.override ?? '').toLowerCase()];
    if (style === undefined) alignment ??= Number(groups.alignment);
    else if (groups.on === '0' || groups.end === '/') styles.delete(style);
    else styles.add(style);
  }
  take(text.length);
  return { alignment, runs };
}

/** The styles of a side: the text of the host has none, whatever it looks like. */
export const styledSide = ({ text, by }: ShownSide): StyledText =>
  by === 'person' && text !== null
    ? styledText(text)
    : { alignment: null, runs: text === null ? [] : [{ text, styles: [] }] };

/** The words of a side as a viewer reads them: without the markup of a person. Null if the side has no text. */
export const wordsOfSide = (side: ShownSide): string | null =>
  side.text === null
    ? null
    : styledSide(side)
        .runs.map(({ text }) => text)
        .join('')
        .trim();

/** The markup in the text of a person that sets nothing here, each kind once. A file shows it as text. */
export const unreadMarkup = (text: string): string[] => [
  ...new Set([...text.replaceAll(markup, '').matchAll(otherMarkup)].map(([found]) => found)),
];
