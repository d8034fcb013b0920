import { type ComponentChildren, h, type RefObject, type VNode } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Area, ChartDrawing, Point, StateBox } from '../../../contract/lifecycles/charts.ts';
import { type Marks, markedShapes, placeOf, type Shape, smallShapes } from '../../../visualizer/drawing/svg.ts';
import { fontFamily, roomOf } from '../../../visualizer/drawing/text.ts';
import { boxPadding } from '../../../visualizer/drawing/theme.ts';

/**
 * The part of a drawing in sight: a place of it is at `x + across * place.x` and `y + down * place.y` px of the box. The scales
 * differ only while texts are too small to be read. The drawing is then as wide as the names of its states need.
 */
interface Viewport {
  readonly x: number;
  readonly y: number;
  readonly across: number;
  readonly down: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

const smallestScale = 0.1;
const largestScale = 4;
/** Below it the texts of a drawing cannot be read: only the names of states are shown, in a size that can. */
const legibleScale = 0.5;
const margin = 16;

const limited = (scale: number): number => Math.min(largestScale, Math.max(smallestScale, scale));

/** The least width of a drawing: all of its box, but no wider than its texts need to be read. */
export const leastAcross = (drawing: Size, box: Size): number =>
  Math.max(0, Math.min(legibleScale, (box.width - 2 * margin) / drawing.width));

/** The whole drawing in the middle of its box, not larger than it is. */
export function fitted(drawing: Size, box: Size): Viewport {
  const down = limited(
    Math.min(1, (box.width - 2 * margin) / drawing.width, (box.height - 2 * margin) / drawing.height),
  );
  const across = Math.max(down, leastAcross(drawing, box));
  return {
    x: (box.width - drawing.width * across) / 2,
    y: Math.max(margin, (box.height - drawing.height * down) / 2),
    across,
    down,
  };
}

/** Zooms in (`factor` above 1) or out around a place of the box, which keeps its position. `least` is the least scale across. */
export function scaled(view: Viewport, factor: number, at: Point, least = 0): Viewport {
  const down = limited(view.down * factor);
  const across = Math.max(down, least);
  return {
    x: at.x - ((at.x - view.x) * across) / view.across,
    y: at.y - ((at.y - view.y) * down) / view.down,
    across,
    down,
  };
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
  const scale = Math.max(view.down, closeScale);
  const middle = (start: number, length: number, room: number): number => room / 2 - (start + length / 2) * scale;
  // Of an area that is larger than the box, its beginning is seen.
  const along = (start: number, length: number, room: number): number =>
    length * scale > room - 2 * margin ? margin - start * scale : middle(start, length, room);
  const at = { x: along(area.x, area.width, box.width), y: along(area.y, area.height, box.height) };
  return { ...at, across: scale, down: scale };
}

/** Moves so that an area is visible; stays if it is already. */
export function revealing(view: Viewport, area: Area, box: Size): Viewport {
  const shift = (start: number, length: number, room: number): number => {
    if (start >= margin && start + length <= room - margin) return 0;
    return (room - length) / 2 - start;
  };
  const dx = shift(view.x + area.x * view.across, area.width * view.across, box.width);
  const dy = shift(view.y + area.y * view.down, area.height * view.down, box.height);
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
  const zoomAt = (factor: number, place: (room: Size) => Point) =>
    change((from, size) => scaled(from, factor, place(size), leastAcross(drawing, size)));
  const latest = useRef(zoomAt);
  latest.current = zoomAt;
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
      latest.current(zoomPerPixel ** event.deltaY, () => at);
    };
    element.addEventListener('wheel', turn, { passive: false });
    return () => element.removeEventListener('wheel', turn);
  }, []);
  useDrag(box, (dx, dy) => change((from) => moved(from, dx, dy)));
  return {
    view: view ?? fitted(drawing, size),
    box: size,
    zoom: (factor) => zoomAt(factor, ({ width, height }) => ({ x: width / 2, y: height / 2 })),
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
        x: width / 2 - at.x * from.across,
        y: height / 2 - at.y * from.down,
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
  readonly view: Viewport;
  /** The id of the state that is chosen. */
  readonly chosen: string | null;
}

/** The drawing as elements, lit as the marks say. */
function ChartPicture({ drawing, marks, view: { x, y, across, down }, chosen }: ChartPictureProps) {
  const shapes = useMemo(() => markedShapes(drawing, marks), [drawing, marks]);
  return (
    <>
      <g class="scaled" transform={`translate(${x} ${y}) scale(${across} ${down})`}>
        {shapes.map((shape) => element(shape, chosen))}
      </g>
      {down < legibleScale && (
        <g transform={`translate(${x} ${y})`}>
          <SmallParts drawing={drawing} marks={marks} across={across} down={down} />
        </g>
      )}
    </>
  );
}

/** In px of the page: the size of names that have room, the least that can be read, and the room beside a name. */
const nameSize = 12;
const leastNameSize = 9;
const besideName = 3;
/** The room that a line of text takes, and the place of its baseline below the middle of its letters, by its size. */
const lineHeight = 1.25;
const baselineDrop = 0.26;
/** A name that is cut has at least so many letters. */
const leastLetters = 3;

/** A name on a small drawing, in px from the corner of the drawing. */
interface PlacedName {
  readonly id: string;
  readonly name: string;
  readonly x: number;
  /** The middle of the line. */
  readonly y: number;
  readonly width: number;
  readonly size: number;
  readonly isHeading: boolean;
}

const holdsStates = ({ kind }: StateBox): boolean => kind === 'compound' || kind === 'parallel';

/**
 * The names of states on a small drawing, in one size: as large as their boxes allow, and large enough to be read. A name that is wider
 * than its box is cut; one without room, or that would cover another one, is left out. The state that an actor is in always has its
 * name, beside its box if there is no room in it. The sign that the note on a state begins with stays before its name. `emOf` measures
 * a name in em of the typeface.
 */
export function namesOn(
  { boxes }: Pick<ChartDrawing, 'boxes'>,
  { notes, states }: Pick<Marks, 'notes' | 'states'>,
  { across, down }: Pick<Viewport, 'across' | 'down'>,
  emOf: (name: string) => number,
): readonly PlacedName[] {
  const places = boxes.map((box) => {
    const sign = notes.get(box.id)?.split(' ')[0] ?? '';
    const room = {
      width: box.width * across - 2 * besideName,
      height: (holdsStates(box) ? boxPadding.top + roomOf(box.lines).height : box.height) * down,
    };
    return { box, name: `${sign} ${box.id.slice(box.id.lastIndexOf('.') + 1)}`.trim(), room };
  });
  const sizes = places
    .filter(({ box }) => !holdsStates(box))
    .map(({ name, room }) => Math.min(room.width / emOf(name), room.height / lineHeight));
  const size = Math.max(leastNameSize, Math.min(nameSize, ...sizes));
  const placed: PlacedName[] = [];
  const isNow = (box: StateBox): boolean =>
    !holdsStates(box) && states.get(box.id)?.split(' ').includes('now') === true;
  // Other names give way to that of the present state.
  for (const { box, name: whole, room } of places.toSorted((one, other) => +isNow(other.box) - +isNow(one.box))) {
    const name = cut(whole, room.width / size, emOf);
    if (name === null || room.height < size) {
      if (isNow(box))
        placed.push(besideBox(box, boxes, { name: whole, width: emOf(whole) * size, size }, { across, down }));
      continue;
    }
    const width = emOf(name) * size;
    const isHeading = holdsStates(box);
    const middle = isHeading ? besideName + room.height / 2 : (box.height * down) / 2;
    const x = box.x * across + (isHeading ? 2 * besideName : (box.width * across - width) / 2);
    const one = { id: box.id, name, x, y: box.y * down + middle, width, size, isHeading };
    if (!placed.some((other) => isOver(one, other))) placed.push(one);
  }
  return placed;
}

/** A name at the right of its box, or at the left if the drawing ends there. */
function besideBox(
  { id, x, y, width: long, height }: StateBox,
  boxes: readonly StateBox[],
  name: Pick<PlacedName, 'name' | 'width' | 'size'>,
  { across, down }: Pick<Viewport, 'across' | 'down'>,
): PlacedName {
  const end = Math.max(...boxes.map((box) => box.x + box.width)) * across;
  const right = (x + long) * across + besideName;
  const left = Math.max(0, x * across - besideName - name.width);
  const at = right + name.width <= end ? right : left;
  return { ...name, id, x: at, y: (y + height / 2) * down, isHeading: false };
}

/** A name that fits into a width in em, cut with an ellipsis if needed; null if too few letters would remain. */
function cut(name: string, width: number, emOf: (name: string) => number): string | null {
  if (emOf(name) <= width) return name;
  for (let length = name.length - 1; length >= leastLetters; length -= 1) {
    const part = `${name.slice(0, length).trimEnd()}…`;
    if (emOf(part) <= width) return part;
  }
  return null;
}

const isOver = (one: PlacedName, other: PlacedName): boolean =>
  one.x < other.x + other.width &&
  other.x < one.x + one.width &&
  Math.abs(one.y - other.y) < (one.size + other.size) / 2;

const pen = { size: 100, context: null as CanvasRenderingContext2D | null };

/** The width of a name in em, in the typeface that the page really has. */
function emOnPage(name: string): number {
  pen.context ??= document.createElement('canvas').getContext('2d');
  if (pen.context === null) return name.length;
  pen.context.font = `600 ${pen.size}px ${fontFamily}`;
  return pen.context.measureText(name).width / pen.size;
}

interface SmallPartsProps extends Pick<Viewport, 'across' | 'down'> {
  readonly drawing: ChartDrawing;
  readonly marks: Marks;
}

/** The parts that keep their size however small a drawing is: heads of arrows, starting dots, and names of states. */
function SmallParts({ drawing, marks, across, down }: SmallPartsProps) {
  const shapes = useMemo(
    () => smallShapes(drawing, marks, ({ x, y }) => ({ x: x * across, y: y * down })),
    [drawing, marks, across, down],
  );
  const names = useMemo(() => namesOn(drawing, marks, { across, down }, emOnPage), [drawing, marks, across, down]);
  return (
    <>
      {shapes.map((shape) => element(shape, null))}
      <g class="names">
        {names.map(({ id, name, x, y, size, isHeading }) => (
          <text key={id} class={isHeading ? 'heading' : ''} x={x} y={y + size * baselineDrop} font-size={size}>
            {name}
          </text>
        ))}
      </g>
    </>
  );
}

function element({ tag, attributes, children }: Shape, chosen: string | null): VNode {
  const { 'data-state': state, 'data-transitions': transitions } = attributes;
  const isChosen = chosen !== null && (state === chosen || transitions?.split(' ').includes(chosen) === true);
  const given = isChosen ? { ...attributes, class: `${attributes.class} chosen` } : attributes;
  return h(tag, given, ...children.map((child) => (typeof child === 'string' ? child : element(child, null))));
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
          data-small={view.down < legibleScale}
          role="img"
          aria-label={`${drawing.machineId}, version ${drawing.machineVersion}`}
        >
          <ChartPicture drawing={drawing} marks={marks} view={view} chosen={chosen} />
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
    x: -view.x / view.across,
    y: -view.y / view.down,
    width: box.width / view.across,
    height: box.height / view.down,
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
