import elkjs, { type ElkExtendedEdge, type ElkNode } from 'elkjs';
import type {
  Area,
  Arrow,
  Chart,
  ChartDrawing,
  ChartState,
  Point,
  StateBox,
  TextArea,
} from '../../contract/lifecycles/charts.ts';
import { type Bundle, bundlesOf, dotId, type ElkInput, elkInput, signId } from './elk-graph.ts';

// In px of arrow length: how far a reader would rather follow a line than meet one of these.
const bendCost = 25;
const crossingCost = 120;
const mainWayBendCost = 400;
/** A px of width is read against the width of a page, a px of height is only scrolled. */
const widthCost = 4;
/** The parts left of the main way are read before it. */
const leftOfMainWayCost = 2;

type Segment = readonly [Point, Point];

const segmentsOf = ({ points }: Arrow): Segment[] =>
  points.slice(1).flatMap((to, index) => {
    const from = points[index];
    return from === undefined ? [] : [[from, to] as const];
  });

const lengthOf = ([from, to]: Segment): number => Math.abs(to.x - from.x) + Math.abs(to.y - from.y);

const between = (value: number, one: number, other: number): boolean =>
  value > Math.min(one, other) && value < Math.max(one, other);

/** All lines are horizontal or vertical. */
const cross = ([a, b]: Segment, [c, d]: Segment): boolean =>
  (between(a.x, c.x, d.x) && between(c.y, a.y, b.y)) || (between(a.y, c.y, d.y) && between(c.x, a.x, b.x));

const crossingsIn = (arrows: readonly Arrow[]): number => {
  const lines = arrows.map(segmentsOf);
  let crossings = 0;
  lines.forEach((one, index) => {
    for (const other of lines.slice(index + 1))
      for (const segment of one) crossings += other.filter((line) => cross(segment, line)).length;
  });
  return crossings;
};

const mainWayLeft = ({ boxes }: ChartDrawing): number =>
  Math.min(
    ...boxes.filter(({ onMainWay, depth }) => onMainWay && depth === 1).map(({ x }) => x),
    Number.MAX_SAFE_INTEGER,
  );

/** How hard a drawing is to read, in px; only to compare drawings of the same chart. */
const costOf = (drawing: ChartDrawing): number => {
  const { arrows, width } = drawing;
  const bends = (some: readonly Arrow[]): number =>
    some.reduce((count, { points }) => count + Math.max(0, points.length - 2), 0);
  const length = arrows.flatMap(segmentsOf).reduce((total, segment) => total + lengthOf(segment), 0);
  return (
    length +
    bends(arrows) * bendCost +
    bends(arrows.filter(({ onMainWay }) => onMainWay)) * mainWayBendCost +
    crossingsIn(arrows) * crossingCost +
    width * widthCost +
    Math.min(mainWayLeft(drawing), width) * leftOfMainWayCost
  );
};

// The engine's arrangement depends on its seed: as many are tried, and the first of the best is taken.
const usualSeeds = 8;

const round = (value: number | undefined): number => Math.round((value ?? 0) * 10) / 10;

const pointOf = ({ x, y }: { x?: number; y?: number }): Point => ({ x: round(x), y: round(y) });

const areaOf = (shape: { x?: number; y?: number; width?: number; height?: number }): Area => ({
  ...pointOf(shape),
  width: round(shape.width),
  height: round(shape.height),
});

const pointsOf = (edge: ElkExtendedEdge): Point[] =>
  (edge.sections ?? []).flatMap((section) =>
    [section.startPoint, ...(section.bendPoints ?? []), section.endPoint].map(pointOf),
  );

const allNodes = (node: ElkNode): ElkNode[] => [node, ...(node.children ?? []).flatMap(allNodes)];

const arrowOf = (edge: ElkExtendedEdge, bundle: Bundle | undefined): Arrow => {
  const label = edge.labels?.[0];
  return {
    transitions: bundle?.transitions.map(({ id }) => id) ?? [],
    points: pointsOf(edge),
    label: label === undefined || bundle === undefined ? null : { ...areaOf(label), lines: [...bundle.lines] },
    onMainWay: bundle?.onMainWay ?? false,
  };
};

const drawingOf = (chart: Chart, bundles: readonly Bundle[], placed: ElkNode, { linesOf }: ElkInput): ChartDrawing => {
  const areas = new Map(allNodes(placed).map((node) => [node.id, areaOf(node)]));
  const textArea = (id: string): TextArea[] => {
    const area = areas.get(id);
    return area === undefined ? [] : [{ ...area, lines: [...(linesOf.get(id) ?? [])] }];
  };
  const onTheWay = new Set(
    bundles.filter(({ onMainWay }) => onMainWay).flatMap(({ source, target }) => [source, target]),
  );
  const boxesOf = (state: ChartState, depth: number, region: boolean): StateBox[] => [
    ...textArea(state.id).map((area) => ({
      ...area,
      id: state.id,
      kind: state.kind,
      depth,
      region,
      onMainWay: onTheWay.has(state.id),
    })),
    ...state.states.flatMap((child) => boxesOf(child, depth + 1, state.kind === 'parallel')),
  ];
  const boxes = boxesOf(chart.root, 0, false);
  return {
    schema: 'studio.chart-drawing.v1',
    machineId: chart.machineId,
    machineVersion: chart.machineVersion,
    width: Math.ceil(placed.width ?? 0),
    height: Math.ceil(placed.height ?? 0),
    boxes,
    dots: boxes.flatMap(({ id }) => areas.get(dotId(id)) ?? []),
    signs: bundles.flatMap(({ id }) => textArea(signId(id))),
    arrows: allNodes(placed)
      .flatMap(({ edges }) => edges ?? [])
      .map((edge) =>
        arrowOf(
          edge,
          bundles.find(({ id }) => id === edge.id),
        ),
      ),
  };
};

/**
 * Places a chart: boxes, starting dots and arrows in px, the same for the same chart. Fewer seeds take less time and may lead
 * to a drawing that is harder to read.
 */
export const layoutOf = async (chart: Chart, seeds: number = usualSeeds): Promise<ChartDrawing> => {
  const bundles = bundlesOf(chart);
  const engine = new elkjs.default();
  let best: { readonly drawing: ChartDrawing; readonly cost: number } | null = null;
  for (let seed = 1; seed <= seeds; seed += 1) {
    const input = elkInput(chart, bundles, seed);
    const drawing = drawingOf(chart, bundles, await engine.layout(input.graph), input);
    const cost = costOf(drawing);
    if (best === null || cost < best.cost) best = { drawing, cost };
  }
  if (best === null) throw new Error('no arrangement was tried');
  return best.drawing;
};
