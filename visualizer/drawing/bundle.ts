import type { Chart, ChartState, ChartTransition, Line } from '../../contract/lifecycles/charts.ts';
import { labelLines } from './wording.ts';

/** Transitions that share their ends: one arrow with at least one line of text each. */
export interface Bundle {
  readonly id: string;
  readonly source: string;
  readonly target: string;
  readonly transitions: readonly ChartTransition[];
  readonly onMainWay: boolean;
  /** It leads into the very state that it leaves, so it is drawn from a sign inside that state. */
  readonly inward: boolean;
  readonly lines: readonly Line[];
}

interface Ends {
  readonly source: ChartState;
  readonly target: string;
  readonly onMainWay: boolean;
  readonly transitions: ChartTransition[];
}

const holds = (state: ChartState, id: string): boolean =>
  state.states.some((child) => child.id === id || holds(child, id));

const bundleOf = ([id, { source, target, onMainWay, transitions }]: readonly [string, Ends]): Bundle => ({
  id,
  source: source.id,
  target,
  transitions,
  onMainWay,
  inward: holds(source, target),
  lines: labelLines(transitions),
});

/** All arrows of a chart, those of the main way first: the layout gives way to what comes first. */
export const bundlesOf = (chart: Chart): Bundle[] => {
  const mainWay = new Set(chart.mainWay);
  const ends = new Map<string, Ends>();
  const visit = (source: ChartState): void => {
    for (const transition of source.transitions) {
      const onMainWay = mainWay.has(transition.id);
      for (const target of transition.targets) {
        const id = `${source.id}>${target}${onMainWay ? '!' : ''}`;
        const known = ends.get(id);
        if (known === undefined) ends.set(id, { source, target, onMainWay, transitions: [transition] });
        else known.transitions.push(transition);
      }
    }
    source.states.forEach(visit);
  };
  visit(chart.root);
  const bundles = [...ends].map(bundleOf);
  return [...bundles.filter(({ onMainWay }) => onMainWay), ...bundles.filter(({ onMainWay }) => !onMainWay)];
};
