import type { Chart, ChartState, ChartTransition } from '../../contract/chart.ts';
import type { Line } from './line.ts';
import { labelLines } from './wording.ts';

/** Transitions that share their ends: one arrow with at least one line of text each. */
export interface Bundle {
  readonly id: string;
  readonly source: string;
  readonly target: string;
  readonly transitions: readonly ChartTransition[];
  readonly happy: boolean;
  /** It leads into the very state that it leaves, so it is drawn from a sign inside that state. */
  readonly inward: boolean;
  readonly lines: readonly Line[];
}

interface Ends {
  readonly source: ChartState;
  readonly target: string;
  readonly happy: boolean;
  readonly transitions: ChartTransition[];
}

const holds = (state: ChartState, id: string): boolean =>
  state.states.some((child) => child.id === id || holds(child, id));

const bundleOf = ([id, { source, target, happy, transitions }]: readonly [string, Ends]): Bundle => ({
  id,
  source: source.id,
  target,
  transitions,
  happy,
  inward: holds(source, target),
  lines: labelLines(transitions),
});

/** All arrows of a chart, those of the happy path first: the layout gives way to what comes first. */
export const bundlesOf = (chart: Chart): Bundle[] => {
  const happyPath = new Set(chart.happyPath);
  const ends = new Map<string, Ends>();
  const visit = (source: ChartState): void => {
    for (const transition of source.transitions) {
      const happy = happyPath.has(transition.id);
      for (const target of transition.targets) {
        const id = `${source.id}>${target}${happy ? '!' : ''}`;
        const known = ends.get(id);
        if (known === undefined) ends.set(id, { source, target, happy, transitions: [transition] });
        else known.transitions.push(transition);
      }
    }
    source.states.forEach(visit);
  };
  visit(chart.root);
  const bundles = [...ends].map(bundleOf);
  return [...bundles.filter(({ happy }) => happy), ...bundles.filter(({ happy }) => !happy)];
};
