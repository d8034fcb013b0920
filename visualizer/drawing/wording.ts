import type { Chart, ChartState, ChartTransition, Line, Span } from '../../contract/lifecycles/charts.ts';
import { wrapped } from './line.ts';

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

/** What joins the journal in the commit of a transition or of entering a state. */
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
