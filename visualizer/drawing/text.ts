import type { Chart, ChartState, ChartTransition, Line, Span, TextRole } from '../../contract/lifecycles/charts.ts';

// Advance widths of the characters 32 to 126 in thousandths of the font size. Helvetica, Arial and Liberation Sans, one
// of which nearly every viewer has, agree on them.
const regular = [
  278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556,
  556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833,
  722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556,
  556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334,
  260, 334, 584,
];
const bold = [
  278, 333, 474, 556, 556, 889, 722, 238, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556,
  556, 556, 556, 333, 333, 584, 584, 584, 611, 975, 722, 722, 722, 722, 667, 611, 778, 722, 278, 556, 722, 611, 833,
  722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 333, 278, 333, 584, 556, 333, 556, 611, 556, 611,
  556, 333, 611, 611, 278, 278, 556, 278, 889, 611, 611, 611, 611, 389, 556, 333, 611, 556, 778, 556, 556, 500, 389,
  280, 389, 584,
];

export const fontFamily = "Helvetica, Arial, 'Liberation Sans', sans-serif";

/** Sizes in px. */
export const typefaces: Readonly<Record<TextRole, { readonly size: number; readonly bold: boolean }>> = {
  title: { size: 17, bold: true },
  name: { size: 14, bold: true },
  event: { size: 12, bold: true },
  guard: { size: 12, bold: false },
  action: { size: 12, bold: false },
  keyword: { size: 12, bold: false },
  effect: { size: 12, bold: true },
  note: { size: 12, bold: false },
};

/** Width in px. A character outside the table counts as a full em. */
export const textWidth = (text: string, role: TextRole): number => {
  const face = typefaces[role];
  const widths = face.bold ? bold : regular;
  let thousandths = 0;
  for (const character of text) thousandths += widths[character.charCodeAt(0) - 32] ?? 1000;
  return (thousandths * face.size) / 1000;
};

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

/** Breaks the spans, which follow one another without added space, into lines of at most `maximum` px if it can. */
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

// Widths in px, chosen so that a column of states with its labels stays readable at the width of a page.
const widestState = 230;
const widestLabel = 150;

const row = (keyword: string, span: Span): Line[] =>
  wrapped([{ text: `${keyword} `, role: 'keyword' }, span], widestState);

/** `event [guard] / actions` */
const transitionSpans = ({ label, guard, actions }: ChartTransition): Span[] => [
  { text: label, role: 'event' },
  ...(guard === null ? [] : [{ text: ` [${guard}]`, role: 'guard' } as const]),
  ...(actions.length === 0 ? [] : [{ text: ` / ${actions.join(', ')}`, role: 'action' } as const]),
];

/** The entries that join the journal in the commit of a transition or of entering a state. */
const journalLines = (journal: readonly string[], widest: number): Line[] =>
  journal.length === 0
    ? []
    : wrapped(
        [
          { text: 'journal ', role: 'keyword' },
          { text: journal.join(', '), role: 'note' },
        ],
        widest,
      );

const transitionLines = (transition: ChartTransition, widest: number): Line[] => [
  ...wrapped(transitionSpans(transition), widest),
  ...journalLines(transition.journal, widest),
];

/** The text of an arrow that stands for these transitions. */
export const labelLines = (transitions: readonly ChartTransition[]): Line[] =>
  transitions.flatMap((transition) => transitionLines(transition, widestLabel));

export const headingOf = (state: ChartState): Span[] => [{ text: state.name, role: 'name' }];

export const machineHeading = ({ machineId, machineVersion }: Chart): Span[] => [
  { text: machineId, role: 'title' },
  { text: `  version ${machineVersion}`, role: 'note' },
];

/** The text of a state's own box: its heading, what it runs, and the transitions that stay inside it. */
export const stateLines = (state: ChartState, heading: readonly Span[]): Line[] => [
  ...wrapped(heading, widestState),
  ...(state.description === null ? [] : wrapped([{ text: state.description, role: 'note' }], widestState)),
  ...state.invokes.flatMap(({ id, actor }) =>
    row('invoke', { text: id === actor ? id : `${id} (${actor})`, role: 'effect' }),
  ),
  ...state.entry.flatMap((action) => row('entry /', { text: action, role: 'action' })),
  ...journalLines(state.journal, widestState),
  ...state.exit.flatMap((action) => row('exit /', { text: action, role: 'action' })),
  ...state.transitions
    .filter(({ targets }) => targets.length === 0)
    .flatMap((transition) => transitionLines(transition, widestState)),
];

/** The sign from which arrows start that stand for a state as a whole and lead into it; null for the machine itself. */
export const anywhereLines = (state: ChartState | null): Line[] =>
  wrapped([{ text: state === null ? 'in any state' : `anywhere in ${state.name}`, role: 'note' }], widestState);
