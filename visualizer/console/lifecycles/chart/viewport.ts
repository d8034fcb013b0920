import type { Area } from '../../../../contract/lifecycles/charts.ts';

/** Which part of a drawing is seen: a place of it is at `x + scale * place` px of the box. */
export interface Viewport {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

const smallestScale = 0.1;
const largestScale = 4;
/** Below it a label cannot be read: a drawing that is larger is shown from its upper end. */
const legibleScale = 0.6;
const margin = 16;

const limited = (scale: number): number => Math.min(largestScale, Math.max(smallestScale, scale));

/** The whole drawing in the middle of its box, not larger than it is. */
export function fitted(drawing: Size, box: Size): Viewport {
  const scale = limited(
    Math.min(1, (box.width - 2 * margin) / drawing.width, (box.height - 2 * margin) / drawing.height),
  );
  return {
    x: (box.width - drawing.width * scale) / 2,
    y: Math.max(margin, (box.height - drawing.height * scale) / 2),
    scale,
  };
}

/** As much of the drawing as can be read, from its upper end. */
export function opened(drawing: Size, box: Size): Viewport {
  const whole = fitted(drawing, box);
  if (whole.scale >= legibleScale) return whole;
  const scale = Math.max(legibleScale, Math.min(1, (box.width - 2 * margin) / drawing.width));
  return { x: Math.max(margin, (box.width - drawing.width * scale) / 2), y: margin, scale };
}

/** Closer (`factor` above 1) or farther around a place of the box that stays where it is. */
export function scaled(view: Viewport, factor: number, at: { readonly x: number; readonly y: number }): Viewport {
  const scale = limited(view.scale * factor);
  const change = scale / view.scale;
  return { x: at.x - (at.x - view.x) * change, y: at.y - (at.y - view.y) * change, scale };
}

export const moved = (view: Viewport, dx: number, dy: number): Viewport => ({
  ...view,
  x: view.x + dx,
  y: view.y + dy,
});

/** Moves so that an area is seen, and not at all where it is already. */
export function revealing(view: Viewport, area: Area, box: Size): Viewport {
  const shift = (start: number, length: number, room: number): number => {
    if (start >= margin && start + length <= room - margin) return 0;
    return (room - length) / 2 - start;
  };
  const dx = shift(view.x + area.x * view.scale, area.width * view.scale, box.width);
  const dy = shift(view.y + area.y * view.scale, area.height * view.scale, box.height);
  return moved(view, dx, dy);
}
