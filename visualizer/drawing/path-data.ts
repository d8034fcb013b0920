import type { Point } from '../../contract/lifecycles/charts.ts';

// In px: how far before a corner a line starts to turn, and the length and half the width of an arrow's head.
const turn = 7;
const headLength = 9;
const headHalf = 4.5;

/** A coordinate or size, to a tenth of a px. */
export const px = (value: number): string => String(Math.round(value * 10) / 10);

const at = ({ x, y }: Point): string => `${px(x)} ${px(y)}`;

/** The point `distance` px, or half of the way, from a corner towards the next one. */
const towards = (corner: Point, next: Point, distance: number): Point => {
  const length = Math.hypot(next.x - corner.x, next.y - corner.y);
  const share = length === 0 ? 0 : Math.min(distance, length / 2) / length;
  return { x: corner.x + (next.x - corner.x) * share, y: corner.y + (next.y - corner.y) * share };
};

/** SVG path data of a line through the points, its corners rounded. */
export const linePath = (points: readonly Point[]): string =>
  points
    .map((point, index) => {
      const before = points[index - 1];
      const after = points[index + 1];
      if (before === undefined) return `M${at(point)}`;
      if (after === undefined) return `L${at(point)}`;
      return `L${at(towards(point, before, turn))}Q${at(point)} ${at(towards(point, after, turn))}`;
    })
    .join('');

/** SVG path data of the triangle at the end of a line. */
export const headPath = (points: readonly Point[]): string => {
  const tip = points.at(-1);
  const from = points.at(-2);
  if (tip === undefined || from === undefined) return '';
  const length = Math.hypot(tip.x - from.x, tip.y - from.y);
  const along = { x: (tip.x - from.x) / length, y: (tip.y - from.y) / length };
  const corner = (side: number): Point => ({
    x: tip.x - along.x * headLength - along.y * side,
    y: tip.y - along.y * headLength + along.x * side,
  });
  return `M${at(tip)}L${at(corner(headHalf))}L${at(corner(-headHalf))}Z`;
};
