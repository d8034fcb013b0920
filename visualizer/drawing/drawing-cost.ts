import type { Arrow, ChartDrawing, Point } from '../../contract/lifecycles/charts.ts';

// In px of arrow length: how far a reader would rather follow a line than meet one of these.
const bendCost = 25;
const crossingCost = 120;
const mainWayBendCost = 400;
/** A px of width is read against the width of a page, a px of height is only scrolled. */
const widthCost = 4;
/** What lies left of the main way is read before it. */
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
export const costOf = (drawing: ChartDrawing): number => {
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
