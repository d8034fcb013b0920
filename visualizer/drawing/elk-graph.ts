import type { ElkExtendedEdge, ElkNode } from 'elkjs';
import type { Chart, ChartState, ChartTransition, Line } from '../../contract/lifecycles/charts.ts';
import { anywhereLines, headingOf, labelLines, machineHeading, roomOf, stateLines } from './text.ts';
import { arrowGap, boxPadding, dotSize, insideGap, labelPadding } from './theme.ts';

type Options = Readonly<Record<string, string>>;

const layered: Options = {
  'elk.algorithm': 'layered',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
  'elk.spacing.nodeNode': '28',
  'elk.spacing.edgeNode': '18',
  'elk.spacing.edgeEdge': '14',
  'elk.spacing.edgeLabel': '6',
  'elk.layered.spacing.nodeNodeBetweenLayers': '26',
  'elk.layered.spacing.edgeNodeBetweenLayers': '16',
  'elk.layered.spacing.edgeEdgeBetweenLayers': '14',
};

/** The machine and everything in it is laid out at once, so that arrows may cross the borders of states. */
const chartOptions = (seed: number): Options => ({
  ...layered,
  'elk.direction': 'DOWN',
  'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
  'elk.layered.cycleBreaking.strategy': 'MODEL_ORDER',
  'elk.json.edgeCoords': 'ROOT',
  'elk.json.shapeCoords': 'ROOT',
  'elk.randomSeed': String(seed),
});

const compoundOptions: Options = { ...layered };

/** The regions of a parallel state lie below one another ... */
const parallelOptions: Options = {
  ...layered,
  'elk.direction': 'RIGHT',
  'elk.hierarchyHandling': 'SEPARATE_CHILDREN',
  'elk.separateConnectedComponents': 'false',
  'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
  'elk.spacing.nodeNode': '12',
};

/** ... and each reads from left to right. */
const regionOptions: Options = {
  ...layered,
  'elk.direction': 'RIGHT',
  'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
  'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
  'elk.spacing.nodeNode': '14',
};

/** The options that keep the main way straight and short while other arrows go around it. */
const mainWayEdgeOptions: Options = {
  'elk.layered.priority.direction': '20',
  'elk.layered.priority.straightness': '20',
  'elk.layered.priority.shortness': '20',
};

/** The label interrupts its arrow; this option counts on the label alone, not on the graph. */
const labelOptions: Options = { 'elk.edgeLabels.inline': 'true' };

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

export const dotId = (stateId: string): string => `${stateId}#initial`;
export const signId = (bundleId: string): string => `${bundleId}#anywhere`;

/** The graph for the layout engine, and the text that it has to leave room for, by node id. */
export interface ElkInput {
  readonly graph: ElkNode;
  readonly linesOf: ReadonlyMap<string, readonly Line[]>;
}

const sizeOf = (lines: readonly Line[], sides: number, topAndBottom: number): { width: number; height: number } => {
  const room = roomOf(lines);
  return { width: Math.ceil(room.width) + sides, height: Math.ceil(room.height) + topAndBottom };
};

const edgeOf = (bundle: Bundle): ElkExtendedEdge => ({
  id: bundle.id,
  sources: [bundle.inward ? signId(bundle.id) : bundle.source],
  targets: [bundle.target],
  layoutOptions: bundle.onMainWay ? mainWayEdgeOptions : {},
  labels: [
    {
      id: `${bundle.id}#label`,
      text: bundle.id,
      ...sizeOf(bundle.lines, 2 * labelPadding.side, 2 * labelPadding.top),
      layoutOptions: labelOptions,
    },
  ],
});

const idsIn = (state: ChartState): string[] => state.states.flatMap((child) => [child.id, ...idsIn(child)]);

/** True if an arrow crosses the border of a region. The engine places regions apart only if none does. */
const isCrossed = (parallel: ChartState, bundles: readonly Bundle[]): boolean =>
  parallel.states.some((region) => {
    const inside = new Set(idsIn(region));
    return bundles.some(
      ({ source, target, inward }) =>
        (inside.has(target) && !inside.has(source) && !(inward && source === region.id)) ||
        (inside.has(source) && !inside.has(target)),
    );
  });

const optionsOf = (
  state: ChartState,
  parent: ChartState | null,
  seed: number,
  bundles: readonly Bundle[],
): Readonly<Record<string, string>> => {
  if (parent === null) return chartOptions(seed);
  const isApart = (each: ChartState): boolean => each.kind === 'parallel' && !isCrossed(each, bundles);
  if (isApart(state)) return parallelOptions;
  return isApart(parent) ? regionOptions : compoundOptions;
};

/** Node ids are state ids and edge ids are bundle ids. Another seed leads to another arrangement. */
export const elkInput = (chart: Chart, bundles: readonly Bundle[], seed: number): ElkInput => {
  const linesOf = new Map<string, readonly Line[]>();
  const starts: ElkExtendedEdge[] = [];

  const signOf = (bundle: Bundle, state: ChartState | null): ElkNode => {
    const id = signId(bundle.id);
    const lines = anywhereLines(state);
    linesOf.set(id, lines);
    return { id, ...sizeOf(lines, 2 * boxPadding.side, 2 * labelPadding.top) };
  };

  const nodeOf = (state: ChartState, parent: ChartState | null): ElkNode => {
    const lines = stateLines(state, parent === null ? machineHeading(chart) : headingOf(state));
    linesOf.set(state.id, lines);
    const arrivals = bundles.filter(({ target }) => target === state.id).length;
    const text = sizeOf(lines, 2 * boxPadding.side, boxPadding.top + boxPadding.bottom);
    const width = Math.max(text.width, arrivals * arrowGap);
    if (state.states.length === 0) return { id: state.id, width, height: text.height };
    const dot = state.initial === null ? [] : [{ id: dotId(state.id), width: dotSize, height: dotSize }];
    if (state.initial !== null)
      starts.push({
        id: `${dotId(state.id)}>`,
        sources: [dotId(state.id)],
        targets: [state.initial],
        layoutOptions: mainWayEdgeOptions,
      });
    return {
      id: state.id,
      layoutOptions: {
        ...optionsOf(state, parent, seed, bundles),
        'elk.padding': `[top=${text.height},left=${insideGap},bottom=${insideGap},right=${insideGap}]`,
        'elk.nodeSize.constraints': 'MINIMUM_SIZE',
        'elk.nodeSize.minimum': `(${width},${text.height})`,
      },
      children: [
        ...dot,
        ...state.states.map((child) => nodeOf(child, state)),
        ...bundles
          .filter(({ inward, source }) => inward && source === state.id)
          .map((bundle) => signOf(bundle, parent === null ? null : state)),
      ],
    };
  };

  const graph = nodeOf(chart.root, null);
  return { graph: { ...graph, edges: [...starts, ...bundles.map(edgeOf)] }, linesOf };
};
