import { type ComponentChildren, h, type RefObject, type VNode } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Area, Arrow, ChartDrawing, Point } from '../../contract/lifecycles/charts.ts';
import { type Shape, shapesOf } from '../../visualizer/drawing/svg.ts';
import { textWidth, typefaces } from '../../visualizer/drawing/text.ts';
import type { Marks } from './chart-index.ts';

/** The visible part of a drawing: a place of it is at `x + scale * place` px of the box. */
interface Viewport {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

const smallestScale = 0.1;
const largestScale = 4;
/** Below it the texts of a drawing cannot be read: the names of states alone are shown, in a size that can. */
const legibleScale = 0.5;
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

/** Zooms in (`factor` above 1) or out around a place of the box, which keeps its position. */
export function scaled(view: Viewport, factor: number, at: { readonly x: number; readonly y: number }): Viewport {
  const scale = limited(view.scale * factor);
  const change = scale / view.scale;
  return { x: at.x - (at.x - view.x) * change, y: at.y - (at.y - view.y) * change, scale };
}

const moved = (view: Viewport, dx: number, dy: number): Viewport => ({
  ...view,
  x: view.x + dx,
  y: view.y + dy,
});

/** At least this large is what a person wants to read. */
const closeScale = 0.9;

/** An area in the middle of its box, in a size that can be read. */
function closeTo(view: Viewport, area: Area, box: Size): Viewport {
  const scale = Math.max(view.scale, closeScale);
  const middle = (start: number, length: number, room: number): number => room / 2 - (start + length / 2) * scale;
  // Of an area that is larger than the box, its beginning is seen.
  const along = (start: number, length: number, room: number): number =>
    length * scale > room - 2 * margin ? margin - start * scale : middle(start, length, room);
  return { x: along(area.x, area.width, box.width), y: along(area.y, area.height, box.height), scale };
}

/** Moves so that an area is visible; stays if it is already. */
export function revealing(view: Viewport, area: Area, box: Size): Viewport {
  const shift = (start: number, length: number, room: number): number => {
    if (start >= margin && start + length <= room - margin) return 0;
    return (room - length) / 2 - start;
  };
  const dx = shift(view.x + area.x * view.scale, area.width * view.scale, box.width);
  const dy = shift(view.y + area.y * view.scale, area.height * view.scale, box.height);
  return moved(view, dx, dy);
}

interface ViewportControl {
  readonly view: Viewport;
  readonly box: Size;
  readonly zoom: (factor: number) => void;
  readonly move: (dx: number, dy: number) => void;
  /** Shows the whole drawing. */
  readonly fit: () => void;
  readonly reveal: (area: Area) => void;
  /** Shows an area in a size that can be read. */
  readonly approach: (area: Area) => void;
  /** Moves a place of the drawing into the middle of the box. */
  readonly center: (at: Point) => void;
}

const zoomPerPixel = 0.9975;

/** The part of a drawing that a box shows: the wheel with Ctrl zooms, a drag moves. */
function useViewport(box: RefObject<HTMLElement | null>, drawing: Size): ViewportControl {
  // Null for the whole drawing, however large the box becomes.
  const [view, setView] = useState<Viewport | null>(null);
  const [size, setSize] = useState<Size>({ width: 800, height: 600 });
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const measure = () => setSize({ width: element.clientWidth, height: element.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  // An effect may run before what was measured is rendered.
  const room = (): Size => ({
    width: box.current?.clientWidth ?? size.width,
    height: box.current?.clientHeight ?? size.height,
  });
  const change = (next: (from: Viewport, room: Size) => Viewport) =>
    setView((before) => next(before ?? fitted(drawing, room()), room()));
  const latest = useRef(change);
  latest.current = change;
  // Another drawing, as after folding, is shown whole.
  useEffect(() => setView(null), [drawing.width, drawing.height]);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const turn = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const { left, top } = element.getBoundingClientRect();
      const at = { x: event.clientX - left, y: event.clientY - top };
      latest.current((from) => scaled(from, zoomPerPixel ** event.deltaY, at));
    };
    element.addEventListener('wheel', turn, { passive: false });
    return () => element.removeEventListener('wheel', turn);
  }, []);
  useDrag(box, (dx, dy) => change((from) => moved(from, dx, dy)));
  return {
    view: view ?? fitted(drawing, size),
    box: size,
    zoom: (factor) => change((from, { width, height }) => scaled(from, factor, { x: width / 2, y: height / 2 })),
    move: (dx, dy) => change((from) => moved(from, dx, dy)),
    fit: () => setView(null),
    reveal: (area) =>
      setView((before) => {
        const from = before ?? fitted(drawing, room());
        const to = revealing(from, area, room());
        return to.x === from.x && to.y === from.y ? before : to;
      }),
    approach: (area) => change((from, to) => closeTo(from, area, to)),
    center: (at) =>
      change((from, { width, height }) => ({
        ...from,
        x: width / 2 - at.x * from.scale,
        y: height / 2 - at.y * from.scale,
      })),
  };
}

const leastHeight = 340;
const belowBox = 24;

/** Gives a box the height from its place on the page to the lower end of the window, so that all of it is visible. */
function useVisibleHeight(box: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const resize = () => {
      const element = box.current;
      if (element === null) return;
      const top = element.getBoundingClientRect().top + scrollY;
      element.style.height = `${Math.max(leastHeight, innerHeight - top - belowBox)}px`;
    };
    resize();
    addEventListener('resize', resize);
    return () => removeEventListener('resize', resize);
  }, []);
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

interface ChartPictureProps {
  readonly drawing: ChartDrawing;
  readonly marks: Marks;
  readonly scale: number;
  /** The id of the state that is chosen. */
  readonly chosen: string | null;
}

/** The drawing as elements, lit as the marks say. */
function ChartPicture({ drawing, marks, scale, chosen }: ChartPictureProps) {
  const shapes = useMemo(() => shapesOf(drawing), [drawing]);
  const classes = useMemo(() => classesOf(drawing, marks), [drawing, marks]);
  return (
    <>
      {shapes.map((shape) => element(shape, classes, chosen))}
      {drawing.arrows.map((arrow) => (
        <Note key={arrow.transitions.join(' ')} arrow={arrow} words={wordsOn(arrow, marks)} />
      ))}
      {drawing.boxes.map((box) => (
        <BoxNote key={box.id} box={box} words={marks.notes.get(box.id) ?? ''} />
      ))}
      {scale < legibleScale && <Names drawing={drawing} marks={marks} scale={scale} />}
    </>
  );
}

/** In px of the page: the size of names with room, the smallest readable size, and the room that a box needs for a name. */
const nameSize = 12;
const leastNameSize = 9;
const leastRoom = 4.5;

interface NamesProps {
  readonly drawing: ChartDrawing;
  readonly marks: Marks;
  readonly scale: number;
}

/**
 * The names of the innermost states in one size that can be read however small the drawing is: as large as the narrowest box allows. Names
 * that would cover each other are left out. The sign that the note on a state begins with stays before its name.
 */
function Names({ drawing, marks, scale }: NamesProps) {
  const named = drawing.boxes
    .filter(({ kind }) => kind !== 'compound' && kind !== 'parallel')
    .map(({ id, x, y, width, height }) => {
      const sign = marks.notes.get(id)?.split(' ')[0] ?? '';
      const name = `${sign} ${id.slice(id.lastIndexOf('.') + 1)}`.trim();
      const fitting = (width / textWidth(name, 'title')) * typefaces.title.size;
      return { id, name, fitting, at: { x: x + width / 2, y: y + height / 2 } };
    })
    .filter(({ fitting }) => fitting * scale >= leastRoom);
  const fitting = Math.min(nameSize / scale, ...named.map((each) => each.fitting));
  const size = Math.max(fitting, leastNameSize / scale);
  return (
    <g class="names">
      {named.map(({ id, name, at }) => (
        <text key={id} x={at.x} y={at.y + size / 3} font-size={size} text-anchor="middle">
          {name}
        </text>
      ))}
    </g>
  );
}

interface Classes {
  readonly states: ReadonlyMap<string, string>;
  /** By the ids of all transitions of an arrow, as its shapes name them. */
  readonly arrows: ReadonlyMap<string, string>;
}

const classesOf = ({ arrows }: ChartDrawing, { states, transitions }: Marks): Classes => ({
  states,
  arrows: new Map(
    arrows.map(({ transitions: ids }) => [
      ids.join(' '),
      [...new Set(ids.flatMap((id) => transitions.get(id)?.split(' ') ?? []))].join(' '),
    ]),
  ),
});

function element({ tag, attributes, children }: Shape, classes: Classes, chosen: string | null): VNode {
  const { 'data-state': state, 'data-transitions': transitions } = attributes;
  const added = [
    state === undefined ? undefined : classes.states.get(state),
    transitions === undefined ? undefined : classes.arrows.get(transitions),
    (state !== undefined && state === chosen) || (chosen !== null && transitions?.split(' ').includes(chosen))
      ? 'chosen'
      : undefined,
  ].filter((name) => name !== undefined && name !== '');
  const given = added.length === 0 ? attributes : { ...attributes, class: `${attributes.class} ${added.join(' ')}` };
  return h(tag, given, ...children.map((child) => (typeof child === 'string' ? child : element(child, classes, null))));
}

const wordsOn = ({ transitions }: Arrow, { notes }: Marks): string =>
  transitions.flatMap((id) => notes.get(id) ?? []).join(' | ');

const noteHeight = 17;
const noteSides = 7;
const belowLabel = 6;

function Note({ arrow, words }: { readonly arrow: Arrow; readonly words: string }) {
  if (words === '') return null;
  return <NoteAt at={placeOf(arrow)} words={words} />;
}

/** On the upper border of a state, at its right end. */
function BoxNote({ box: { x, y, width }, words }: { readonly box: Area; readonly words: string }) {
  if (words === '') return null;
  return <NoteAt at={{ x: x + width - textWidth(words, 'note') / 2 - 2 * noteSides, y }} words={words} />;
}

function NoteAt({ at: { x, y }, words }: { readonly at: Point; readonly words: string }) {
  const width = textWidth(words, 'note') + 2 * noteSides;
  return (
    <g class="note-on-chart" data-sign={words.split(' ')[0]}>
      <rect x={x - width / 2} y={y - noteHeight / 2} width={width} height={noteHeight} rx={noteHeight / 2} />
      <text x={x} y={y + 4} text-anchor="middle">
        {words}
      </text>
    </g>
  );
}

/** Below the label of an arrow; without a label, in the middle of its line. */
function placeOf({ label, points }: Arrow): Point {
  if (label !== null) return { x: label.x + label.width / 2, y: label.y + label.height + belowLabel };
  const from = points[Math.floor((points.length - 1) / 2)] ?? { x: 0, y: 0 };
  const to = points[Math.ceil(points.length / 2)] ?? from;
  return { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
}

/** The place at which an arrow is visible: its label, or the middle of its line. */
function areaOfArrow({ arrows }: ChartDrawing, transitionId: string | null): Area | undefined {
  const arrow = arrows.find(({ transitions }) => transitionId !== null && transitions.includes(transitionId));
  if (arrow === undefined) return undefined;
  return arrow.label ?? { ...placeOf(arrow), width: 0, height: 0 };
}

const step = 60;
const closer = 1.25;

interface ChartCanvasProps {
  readonly drawing: ChartDrawing;
  readonly marks: Marks;
  readonly chosen: string | null;
  readonly onChoose: (stateId: string) => void;
  /** A state or a transition that is brought into sight whenever it is another one. */
  readonly inSight?: string | null;
  /** True if a part that comes into view also gets a readable size. */
  readonly isClose?: boolean;
  /** Tells charts of the same machine apart: `of 0.2.0`. */
  readonly version?: string;
  /** Further controls, beside those of the zoom. */
  readonly children?: ComponentChildren;
}

/** A chart that can be moved, zoomed, and chosen from. A screen reader has its outline. */
export function ChartCanvas({
  drawing,
  marks,
  chosen,
  onChoose,
  inSight = null,
  isClose = false,
  version = '',
  children,
}: ChartCanvasProps) {
  const box = useRef<HTMLDivElement>(null);
  useVisibleHeight(box);
  const { view, box: room, zoom, move, fit, reveal, approach, center } = useViewport(box, drawing);
  const shown = inSight ?? chosen;
  useEffect(() => {
    const area = drawing.boxes.find(({ id }) => id === shown) ?? areaOfArrow(drawing, shown);
    if (area !== undefined) (isClose ? approach : reveal)(area);
  }, [shown, isClose, drawing]);
  const actions: Readonly<Record<string, () => void>> = {
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
    const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : actions[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  };
  const choose = ({ target }: MouseEvent) => {
    const id = target instanceof Element ? target.closest<SVGElement>('[data-state]')?.dataset.state : undefined;
    if (id !== undefined) onChoose(id);
  };
  const { x, y, scale } = view;
  return (
    <div class="chart-frame">
      <div class="chart-tools" role="toolbar" aria-label={`View of the chart ${version}`.trim()}>
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
        aria-label={`Chart of ${`${drawing.machineId} ${version}`.trim()}: arrows move it, plus and minus zoom, 0 shows all of it`}
        onKeyDown={press}
        onClick={choose}
      >
        <svg
          class="chart"
          data-small={scale < legibleScale}
          role="img"
          aria-label={`${drawing.machineId}, version ${drawing.machineVersion}`}
        >
          <g transform={`translate(${x} ${y}) scale(${scale})`}>
            <ChartPicture drawing={drawing} marks={marks} scale={scale} chosen={chosen} />
          </g>
        </svg>
        <Minimap drawing={drawing} marks={marks} view={view} box={room} onPlace={center} />
      </div>
    </div>
  );
}

/** The longer side of the minimap, in px. */
const minimapSide = 140;

interface MinimapProps {
  readonly drawing: ChartDrawing;
  readonly marks: Marks;
  readonly view: Viewport;
  readonly box: Size;
  readonly onPlace: (at: Point) => void;
}

/** The boxes of the whole drawing with the part that is in sight, if that is not all of it. For pointers alone: keys move the chart. */
function Minimap({ drawing, marks, view, box, onPlace }: MinimapProps) {
  const seen = {
    x: -view.x / view.scale,
    y: -view.y / view.scale,
    width: box.width / view.scale,
    height: box.height / view.scale,
  };
  const isWhole =
    seen.x <= 0 && seen.y <= 0 && seen.x + seen.width >= drawing.width && seen.y + seen.height >= drawing.height;
  if (isWhole) return null;
  const scale = minimapSide / Math.max(drawing.width, drawing.height);
  const place = (event: PointerEvent) => {
    if (event.buttons !== 1 || !(event.currentTarget instanceof Element)) return;
    event.stopPropagation();
    const { left, top } = event.currentTarget.getBoundingClientRect();
    onPlace({ x: (event.clientX - left) / scale, y: (event.clientY - top) / scale });
  };
  return (
    <svg
      class="minimap"
      aria-hidden="true"
      width={drawing.width * scale}
      height={drawing.height * scale}
      viewBox={`0 0 ${drawing.width} ${drawing.height}`}
      onPointerDown={place}
      onPointerMove={place}
      onClick={(event) => event.stopPropagation()}
    >
      {drawing.boxes.map(({ id, x, y, width, height }) => (
        <rect key={id} class={`minimap-state ${marks.states.get(id) ?? ''}`} {...{ x, y, width, height }} />
      ))}
      <rect class="minimap-seen" {...seen} />
    </svg>
  );
}
