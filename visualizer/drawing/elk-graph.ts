import type { ElkExtendedEdge, ElkNode } from 'elkjs';
import type { Chart, ChartState, Line } from '../../contract/lifecycles/charts.ts';
import type { Bundle } from './bundle.ts';
import { arrowGap, boxPadding, dotSize, insideGap, labelPadding } from './distances.ts';
import {
  chartOptions,
  compoundOptions,
  labelOptions,
  mainWayEdgeOptions,
  parallelOptions,
  regionOptions,
} from './elk-options.ts';
import { roomOf } from './line.ts';
import { anywhereLines, headingOf, machineHeading, stateLines } from './wording.ts';

export const dotId = (stateId: string): string => `${stateId}#initial`;
export const signId = (bundleId: string): string => `${bundleId}#anywhere`;

/** What the layout engine is asked to place, and the text that it has to leave room for, by node id. */
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

/** Whether an arrow crosses the border of a region. The engine places regions apart only where none does. */
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
