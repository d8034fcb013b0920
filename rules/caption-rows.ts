import type { LineBreaks } from '../contract/captions/caption-line.ts';
import type { StyledRun, StyledText, TextStyle } from '../contract/captions/styled-text.ts';
import { textLinesOf } from './caption-guidelines.ts';
import { rowDirections, unclosedRows } from './line-breaks.ts';

/** A row of a caption, in parts of one style. */
export type StyledRow = readonly StyledRun[];

/** The text of a row without its styles. */
export const textOfRow = (row: StyledRow): string => row.map(({ text }) => text).join('');

const isSame = (one: StyledRun, other: StyledRun | undefined): boolean =>
  other !== undefined && one.styles.join() === other.styles.join();

/** The styles that two signs share: a space between them has these. */
const shared = (one: StyledRun | undefined, other: StyledRun | undefined): readonly TextStyle[] =>
  one?.styles.filter((style) => other?.styles.includes(style)) ?? [];

/** Rows of a text with the styles of that text. Breaking changes its spaces alone, so the n-th other sign keeps its style. */
function withStyles(rows: readonly string[], { runs }: StyledText): StyledRun[][] {
  const signs = runs.flatMap(({ text, styles }) => text.split('').map((sign) => ({ text: sign, styles })));
  const written = signs.filter(({ text }) => text.trim() !== '');
  let at = 0;
  return rows.map((row) => {
    const found: StyledRun[] = [];
    for (const text of row.split('')) {
      const isSpace = text.trim() === '';
      const styles = isSpace ? shared(written[at - 1], written[at]) : (written[at]?.styles ?? []);
      if (!isSpace) at += 1;
      const last = found.at(-1);
      const run = { text, styles };
      if (last !== undefined && isSame(run, last)) found[found.length - 1] = { text: last.text + text, styles };
      else found.push(run);
    }
    return found;
  });
}

/** Whole marks of direction around a row, in the styles of its ends. */
const around = (row: StyledRun[], before: string, after: string): StyledRow =>
  [{ text: before, styles: [] }, ...row, { text: after, styles: [] }].filter(({ text }) => text !== '');

/**
 * The rows of a text in a language as a file has them, by the breaks of its author or by rules. Rows without a sign are left out. By
 * `netflix.v2` each row closes the embeddings of text in another direction that it opens or continues.
 */
export function captionRows(styled: StyledText, language: string, breaks: LineBreaks): StyledRow[] {
  const text = styled.runs.map((run) => run.text).join('');
  const rows = breaks === 'author' ? textLinesOf(text) : unclosedRows(text, language, breaks);
  const runs =
    styled.runs.length === 1
      ? rows.map((row) => [{ text: row, styles: styled.runs[0]?.styles ?? [] }])
      : withStyles(rows, styled);
  if (breaks === 'author' || breaks === 'netflix.v1') return runs;
  const directions = rowDirections(rows);
  return runs.map((row, at) => around(row, directions[at]?.before ?? '', directions[at]?.after ?? ''));
}
