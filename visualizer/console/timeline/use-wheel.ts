import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Stretch } from '../parts/ticks.ts';

interface Moves {
  readonly zoom: (factor: number, atMs: number) => void;
  readonly pan: (share: number) => void;
}

const zoomPerPixel = 1.0025;

/**
 * The wheel over a timeline: with Ctrl, or on the ruler, it zooms around the pointer; sideways, or with Shift, it moves. Any other
 * turn scrolls the page as everywhere.
 */
export function useWheel(
  box: RefObject<HTMLElement | null>,
  ruler: RefObject<HTMLElement | null>,
  view: Stretch,
  moves: Moves,
): void {
  const latest = useRef({ view, moves });
  latest.current = { view, moves };
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const turn = (event: WheelEvent) => {
      const { left = 0, width = 1, top = 0, bottom = 0 } = ruler.current?.getBoundingClientRect() ?? {};
      const { startMs, endMs } = latest.current.view;
      const isOnRuler = event.clientY >= top && event.clientY <= bottom;
      const sideways = event.shiftKey ? event.deltaY : event.deltaX;
      if (event.ctrlKey || event.metaKey || isOnRuler) {
        const atMs = startMs + ((event.clientX - left) / width) * (endMs - startMs);
        latest.current.moves.zoom(zoomPerPixel ** event.deltaY, atMs);
      } else if (Math.abs(sideways) > Math.abs(event.shiftKey ? 0 : event.deltaY)) {
        latest.current.moves.pan(sideways / width);
      } else return;
      event.preventDefault();
    };
    element.addEventListener('wheel', turn, { passive: false });
    return () => element.removeEventListener('wheel', turn);
  }, []);
}
