import type { Area, Arrow, ChartDrawing, Point, TextArea } from '../../../contract/lifecycles/charts.ts';
import { activeWith, type ChartIndex, enteredBy } from './chart-index.ts';

/** The part of a chart that stays when the rest is folded. */
interface Kept {
  readonly states: ReadonlySet<string>;
  readonly transitions: ReadonlySet<string>;
}

/** Room that nothing kept lies in shrinks to so many px. */
const foldedGap = 24;

type Band = readonly [start: number, end: number];

/** The parts of a path of transitions: these, their ends, and the states around those. */
export function keptOnWay(index: ChartIndex, transitions: readonly string[], states: readonly string[] = []): Kept {
  const ends = transitions.flatMap((id) => {
    const leaving = index.transitions.get(id);
    return leaving === undefined ? [] : [leaving.source.id, ...leaving.transition.targets];
  });
  return { states: activeWith(index, [index.chart.root.id, ...states, ...ends]), transitions: new Set(transitions) };
}

/** The shortest path of transitions from the initial state to a state; empty if no path is known. */
export function wayTo(index: ChartIndex, goal: string): readonly string[] {
  const isThere = (active: string): boolean => activeWith(index, [active]).has(goal);
  const first = index.chart.root.initial;
  if (first === null) return [];
  const seen = new Set<string>();
  let front = enteredBy(index, first).map((state) => ({ state, way: [] as readonly string[] }));
  while (front.length > 0) {
    const next: typeof front = [];
    for (const { state, way } of front) {
      if (isThere(state)) return way;
      if (seen.has(state)) continue;
      seen.add(state);
      for (const around of activeWith(index, [state])) {
        for (const { id, targets } of index.states.get(around)?.state.transitions ?? []) {
          for (const target of targets) {
            for (const leaf of enteredBy(index, target)) next.push({ state: leaf, way: [...way, id] });
          }
        }
      }
    }
    front = next;
  }
  return [];
}

const merged = (bands: readonly Band[]): Band[] => {
  const joined: [number, number][] = [];
  for (const [start, end] of bands.toSorted((one, other) => one[0] - other[0])) {
    const last = joined.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end);
    else joined.push([start, end]);
  }
  return joined;
};

/** The new place of a coordinate once the room between bands has shrunk. It grows with the coordinate. */
function shrinking(bands: readonly Band[], whole: number): (value: number) => number {
  const gaps: (Band & readonly [number, number])[] = [];
  let end = 0;
  for (const [start, until] of [...merged(bands), [whole, whole] as const]) {
    if (start - end > foldedGap) gaps.push([end, start]);
    end = Math.max(end, until);
  }
  return (value) =>
    gaps.reduce((left, [from, to]) => {
      if (value <= from) return left;
      const share = (Math.min(value, to) - from) / (to - from);
      return left - share * (to - from - foldedGap);
    }, value);
}

/**
 * A drawing without what is not kept. The room that this leaves shrinks, everything else stays above, below and beside what it
 * was, and lines stay horizontal and vertical.
 */
export function folded(drawing: ChartDrawing, kept: Kept): ChartDrawing {
  const boxes = drawing.boxes.filter(({ id }) => kept.states.has(id));
  const arrows = drawing.arrows.filter(({ transitions, points }) =>
    transitions.length === 0
      ? boxes.some((box) => isOnBorder(box, points.at(-1)))
      : transitions.some((id) => kept.transitions.has(id)),
  );
  const touches = (area: Area): boolean => arrows.some(({ points }) => holds(area, points[0]));
  const dots = drawing.dots.filter(touches);
  const signs = drawing.signs.filter(touches);
  const labels = arrows.flatMap(({ label }) => label ?? []);
  const headings = boxes.filter((box) => !isLeafIn(boxes, box)).map(headingOf);
  const solid = [...boxes.filter((box) => isLeafIn(boxes, box)), ...headings, ...labels, ...dots, ...signs];
  const corners = arrows.flatMap(({ points }) => points);
  const nearby = foldedGap / 4;
  const across: Band[] = [
    ...solid.map(({ x, width }): Band => [x, x + width]),
    ...corners.map(({ x }): Band => [x - nearby, x + nearby]),
  ];
  const down: Band[] = [
    ...solid.map(({ y, height }): Band => [y, y + height]),
    ...corners.map(({ y }): Band => [y - nearby, y + nearby]),
  ];
  const toX = shrinking(across, drawing.width);
  const toY = shrinking(down, drawing.height);
  const point = ({ x, y }: Point): Point => ({ x: toX(x), y: toY(y) });
  const area = <Part extends Area>(part: Part): Part => {
    const { x, y } = point(part);
    return { ...part, x, y, width: toX(part.x + part.width) - x, height: toY(part.y + part.height) - y };
  };
  const arrow = (each: Arrow): Arrow => ({
    ...each,
    points: each.points.map(point),
    label: each.label === null ? null : area(each.label),
  });
  return {
    ...drawing,
    width: toX(drawing.width),
    height: toY(drawing.height),
    boxes: boxes.map(area),
    dots: dots.map(area),
    signs: signs.map(area),
    arrows: arrows.map(arrow),
  };
}

const headingOf = ({ x, y, lines }: TextArea): Area => ({
  x,
  y,
  width: Math.max(0, ...lines.map(({ width }) => width)) + 2 * foldedGap,
  height: lines.reduce((height, line) => height + line.height, 0) + foldedGap,
});

const holds = (area: Area, point: Point | undefined): boolean =>
  point !== undefined &&
  point.x >= area.x - 1 &&
  point.x <= area.x + area.width + 1 &&
  point.y >= area.y - 1 &&
  point.y <= area.y + area.height + 1;

const isOnBorder = (area: Area, point: Point | undefined): boolean =>
  holds(area, point) && !holds({ x: area.x + 2, y: area.y + 2, width: area.width - 4, height: area.height - 4 }, point);

/** True if no other kept box lies inside it. */
const isLeafIn = (boxes: readonly (Area & { readonly id: string })[], box: Area & { readonly id: string }): boolean =>
  !boxes.some((other) => other.id !== box.id && holds(box, other) && other.width < box.width);
