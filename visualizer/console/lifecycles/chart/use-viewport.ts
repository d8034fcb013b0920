import type { RefObject } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { Area } from '../../../../contract/lifecycles/charts.ts';
import { fitted, moved, opened, revealing, type Size, scaled, type Viewport } from './viewport.ts';

export interface ViewportControl {
  readonly view: Viewport;
  readonly zoom: (factor: number) => void;
  readonly move: (dx: number, dy: number) => void;
  /** Shows the whole drawing. */
  readonly fit: () => void;
  readonly reveal: (area: Area) => void;
}

const zoomPerPixel = 0.9975;

/** Which part of a drawing a box shows: the wheel with Ctrl zooms, a drag moves. */
export function useViewport(box: RefObject<HTMLElement | null>, drawing: Size): ViewportControl {
  const [view, setView] = useState<Viewport | null>(null);
  const size = useCallback(
    (): Size => ({ width: box.current?.clientWidth ?? 800, height: box.current?.clientHeight ?? 600 }),
    [],
  );
  // Another drawing, as after folding, is shown from its beginning.
  useEffect(() => setView(opened(drawing, size())), [drawing.width, drawing.height]);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const turn = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const { left, top } = element.getBoundingClientRect();
      const at = { x: event.clientX - left, y: event.clientY - top };
      setView((before) => before && scaled(before, zoomPerPixel ** event.deltaY, at));
    };
    element.addEventListener('wheel', turn, { passive: false });
    return () => element.removeEventListener('wheel', turn);
  }, []);
  useDrag(box, (dx, dy) => setView((before) => before && moved(before, dx, dy)));
  return {
    view: view ?? opened(drawing, size()),
    zoom: (factor) =>
      setView((before) => {
        const { width, height } = size();
        return before && scaled(before, factor, { x: width / 2, y: height / 2 });
      }),
    move: (dx, dy) => setView((before) => before && moved(before, dx, dy)),
    fit: () => setView(fitted(drawing, size())),
    reveal: (area) => setView((before) => revealing(before ?? opened(drawing, size()), area, size())),
  };
}

/** Movements of a pointer that is held down over a box, in px; a press that does not move is left alone. */
function useDrag(box: RefObject<HTMLElement | null>, onDrag: (dx: number, dy: number) => void): void {
  const latest = useRef(onDrag);
  latest.current = onDrag;
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const stop = new AbortController();
    const { signal } = stop;
    let last: { readonly x: number; readonly y: number; readonly id: number } | null = null;
    const down = ({ button, clientX, clientY, pointerId }: PointerEvent) => {
      if (button === 0) last = { x: clientX, y: clientY, id: pointerId };
    };
    const go = ({ clientX, clientY, pointerId }: PointerEvent) => {
      if (last === null || last.id !== pointerId) return;
      if (!element.hasPointerCapture(pointerId) && Math.hypot(clientX - last.x, clientY - last.y) < 4) return;
      // Captured only now: a capture would take the click from what was pressed.
      element.setPointerCapture(pointerId);
      latest.current(clientX - last.x, clientY - last.y);
      last = { x: clientX, y: clientY, id: pointerId };
    };
    const up = () => {
      last = null;
    };
    element.addEventListener('pointerdown', down, { signal });
    element.addEventListener('pointermove', go, { signal });
    element.addEventListener('pointerup', up, { signal });
    element.addEventListener('pointercancel', up, { signal });
    return () => stop.abort();
  }, []);
}
