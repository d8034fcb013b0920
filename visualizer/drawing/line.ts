import type { Line, Span } from '../../contract/lifecycles/charts.ts';
import { textWidth, typefaces } from './typeface.ts';

const lineHeight = 1.4;

const lineOf = (spans: Span[]): Line => ({
  spans,
  width: spans.reduce((width, { text, role }) => width + textWidth(text, role), 0),
  height: Math.max(...spans.map(({ role }) => typefaces[role].size)) * lineHeight,
});

// An event name may be cut after its dots; the stroke before an action stays with it.
const piecesOf = ({ text, role }: Span): Span[] =>
  text.split(/(?<=[^/] |^ )|(?<=\.)(?=\w)/).map((piece) => ({ text: piece, role }));

const joined = (pieces: readonly Span[]): Span[] => {
  const spans: Span[] = [];
  for (const piece of pieces) {
    const last = spans.at(-1);
    if (last?.role === piece.role) spans[spans.length - 1] = { text: last.text + piece.text, role: last.role };
    else spans.push(piece);
  }
  const end = spans.at(-1);
  if (end !== undefined) spans[spans.length - 1] = { text: end.text.trimEnd(), role: end.role };
  return spans;
};

/** Breaks the spans, which follow one another without added space, into lines of at most `maximum` px where it can. */
export const wrapped = (spans: readonly Span[], maximum: number): Line[] => {
  const rows: Span[][] = [[]];
  let width = 0;
  for (const piece of spans.flatMap(piecesOf)) {
    const pieceWidth = textWidth(piece.text.trimEnd(), piece.role);
    if (width > 0 && width + pieceWidth > maximum) {
      rows.push([]);
      width = 0;
    }
    rows.at(-1)?.push(piece);
    width += textWidth(piece.text, piece.role);
  }
  return rows.map((row) => lineOf(joined(row)));
};

/** The room that lines take when they are written one below the other, in px. */
export const roomOf = (lines: readonly Line[]): { width: number; height: number } => ({
  width: Math.max(0, ...lines.map((line) => line.width)),
  height: lines.reduce((height, line) => height + line.height, 0),
});
