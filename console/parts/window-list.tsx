import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

/** The width of an element in pixels, as it changes. */
export function useWidth(of: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(600);
  useEffect(() => {
    if (of.current === null) return;
    const sizes = new ResizeObserver(([entry]) => setWidth(Math.max(1, entry?.contentRect.width ?? 1)));
    sizes.observe(of.current);
    return () => sizes.disconnect();
  }, []);
  return width;
}

/** A page on which a row of a list is higher; the style has the same. */
export const narrowPage = '(max-width: 520px)';

/** True while the page fits a media query. */
export function useMedia(query: string): boolean {
  const [fits, setFits] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const media = matchMedia(query);
    const look = () => setFits(media.matches);
    look();
    media.addEventListener('change', look);
    return () => media.removeEventListener('change', look);
  }, [query]);
  return fits;
}

interface WindowListProps {
  readonly label: string;
  readonly count: number;
  /** The height of every row, in pixels. */
  readonly rowHeight: number;
  /** Draws a row. `tabIndex` belongs to its button or link: Tab reaches one row of a list, and arrows the others. */
  readonly row: (index: number, tabIndex: 0 | -1) => ComponentChildren;
  /** A row that is brought into sight whenever it becomes another one. */
  readonly showing?: number;
  /** Receives the range of visible rows, the last one not included. */
  readonly onSight?: (first: number, end: number) => void;
}

const spareRows = 8;
const borderPixels = 2;
// Browsers place nothing beyond about 33 million pixels.
const maximumPixels = 15_000_000;

/** The place in the list of the row around an element; null outside of rows. */
function placeOf(target: EventTarget | null): number | null {
  const row = target instanceof HTMLElement ? target.closest<HTMLElement>('.window-row') : null;
  return row === null ? null : Number(row.ariaPosInSet) - 1;
}

/** The row to which a key leads from a row. */
const leaps: Readonly<Record<string, (at: number, count: number) => number>> = {
  ArrowDown: (at) => at + 1,
  ArrowUp: (at) => at - 1,
  Home: () => 0,
  End: (_, count) => count - 1,
};

/** A list of any length of which only the rows in sight are drawn. */
export function WindowList({ label, count, rowHeight, row, showing, onSight }: WindowListProps) {
  const box = useRef<HTMLDivElement>(null);
  const [sight, setSight] = useState({ top: 0, height: 480 });
  /** The row that the keyboard was at last. */
  const [current, setCurrent] = useState<number | null>(null);
  /** A row that takes the focus once it is drawn. */
  const wanted = useRef<number | null>(null);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const look = () => setSight({ top: element.scrollTop, height: element.clientHeight });
    const sizes = new ResizeObserver(look);
    sizes.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      sizes.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, []);
  const height = Math.min(count * rowHeight, maximumPixels);
  const scale = count * rowHeight > height ? (count * rowHeight - sight.height) / (height - sight.height) : 1;
  const top = sight.top * scale;
  const first = Math.max(0, Math.floor(top / rowHeight) - spareRows);
  const end = Math.min(count, Math.ceil((top + sight.height) / rowHeight) + spareRows);
  // A list that has grown may be at its end still.
  useEffect(() => onSight?.(first, end), [first, end, count]);
  const bringIntoSight = (index: number): void => {
    const element = box.current;
    if (element === null) return;
    const above = (index * rowHeight) / scale;
    const isInSight = above >= element.scrollTop && above + rowHeight <= element.scrollTop + element.clientHeight;
    // Not scrollIntoView, which would move the page as well.
    if (!isInSight) element.scrollTop = above - (element.clientHeight - rowHeight) / 2;
  };
  useEffect(() => {
    if (showing !== undefined && showing >= 0) bringIntoSight(showing);
  }, [showing]);
  const rowAt = (index: number) =>
    box.current?.querySelector<HTMLElement>(`[aria-posinset="${index + 1}"] :is(a, button)`) ?? null;
  useEffect(() => {
    if (wanted.current === null) return;
    const row = rowAt(wanted.current);
    if (row === null) return;
    wanted.current = null;
    row.focus({ preventScroll: true });
  });
  const press = (event: KeyboardEvent) => {
    const leap = event.ctrlKey || event.metaKey || event.altKey || event.shiftKey ? undefined : leaps[event.key];
    const at = placeOf(event.target);
    if (leap === undefined || at === null) return;
    event.preventDefault();
    const to = Math.min(count - 1, Math.max(0, leap(at, count)));
    wanted.current = to;
    bringIntoSight(to);
    setCurrent(to);
  };
  const isDrawn = (index: number | null | undefined): index is number =>
    index !== null && index !== undefined && index >= first && index < end;
  const entry = [showing, current].find(isDrawn) ?? Math.min(end - 1, Math.ceil(top / rowHeight));
  return (
    <div
      ref={box}
      class="window-list"
      role="list"
      aria-label={label}
      tabIndex={-1}
      onKeyDown={press}
      onFocusIn={({ target }) => setCurrent(placeOf(target))}
      style={{ maxHeight: `${height + borderPixels}px` }}
    >
      <div class="window-space" style={{ height: `${height}px` }}>
        {Array.from({ length: Math.max(0, end - first) }, (_, at) => {
          const index = first + at;
          const place = sight.top + (index * rowHeight - top);
          return (
            <div
              key={index}
              class="window-row"
              role="listitem"
              aria-setsize={count}
              aria-posinset={index + 1}
              style={{ transform: `translateY(${place}px)`, height: `${rowHeight}px` }}
            >
              {row(index, index === entry ? 0 : -1)}
            </div>
          );
        })}
      </div>
    </div>
  );
}
