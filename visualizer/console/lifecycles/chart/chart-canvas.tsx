import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { ChartDrawing } from '../../../../contract/lifecycles/charts.ts';
import { ChartPicture } from './chart-picture.tsx';
import type { Marks } from './marks.ts';
import { useViewport } from './use-viewport.ts';

const step = 60;
const closer = 1.25;

interface ChartCanvasProps {
  readonly drawing: ChartDrawing;
  readonly marks: Marks;
  readonly chosen: string | null;
  readonly onChoose: (stateId: string) => void;
  /** A state that is brought into sight whenever it is another one. */
  readonly inSight?: string | null;
  /** Further controls, beside those of the zoom. */
  readonly children?: ComponentChildren;
}

/** A chart that can be moved, zoomed, and chosen from. A screen reader has its outline. */
export function ChartCanvas({ drawing, marks, chosen, onChoose, inSight = null, children }: ChartCanvasProps) {
  const box = useRef<HTMLDivElement>(null);
  const { view, zoom, move, fit, reveal } = useViewport(box, drawing);
  const shown = inSight ?? chosen;
  useEffect(() => {
    const area = drawing.boxes.find(({ id }) => id === shown);
    if (area !== undefined) reveal(area);
  }, [shown, drawing]);
  const deeds: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => move(step, 0),
    ArrowRight: () => move(-step, 0),
    ArrowUp: () => move(0, step),
    ArrowDown: () => move(0, -step),
    '+': () => zoom(closer),
    '=': () => zoom(closer),
    '-': () => zoom(1 / closer),
    '0': fit,
  };
  const press = (event: KeyboardEvent) => {
    const deed = event.ctrlKey || event.metaKey || event.altKey ? undefined : deeds[event.key];
    if (deed === undefined) return;
    event.preventDefault();
    deed();
  };
  const choose = ({ target }: MouseEvent) => {
    const id = target instanceof Element ? target.closest<SVGElement>('[data-state]')?.dataset.state : undefined;
    if (id !== undefined) onChoose(id);
  };
  const { x, y, scale } = view;
  return (
    <div class="chart-frame">
      <div class="chart-tools" role="toolbar" aria-label="View of the chart">
        <button type="button" aria-label="Closer" onClick={() => zoom(closer)}>
          +
        </button>
        <button type="button" aria-label="Farther" onClick={() => zoom(1 / closer)}>
          −
        </button>
        <button type="button" onClick={fit}>
          Whole
        </button>
        {children}
      </div>
      <div
        ref={box}
        class="chart-canvas"
        tabIndex={0}
        role="group"
        aria-label={`Chart of ${drawing.machineId}: arrows move it, plus and minus zoom, 0 shows all of it`}
        onKeyDown={press}
        onClick={choose}
      >
        <svg class="chart" role="img" aria-label={`${drawing.machineId}, version ${drawing.machineVersion}`}>
          <g transform={`translate(${x} ${y}) scale(${scale})`}>
            <ChartPicture drawing={drawing} marks={marks} chosen={chosen} />
          </g>
        </svg>
      </div>
    </div>
  );
}
