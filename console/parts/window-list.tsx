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

interface WindowListProps {
  readonly label: string;
  readonly count: number;
  /** The height of every row, in pixels. */
  readonly rowHeight: number;
  readonly row: (index: number) => ComponentChildren;
  /** A row that is brought into sight whenever it becomes another one. */
  readonly showing?: number;
  /** Told which rows are in sight, the last one not included. */
  readonly onSight?: (first: number, end: number) => void;
}

const spareRows = 8;
const borderPixels = 2;
// Browsers place nothing beyond about 33 million pixels.
const maximumPixels = 15_000_000;

/** A list of any length of which only the rows in sight are drawn. */
export function WindowList({ label, count, rowHeight, row, showing, onSight }: WindowListProps) {
  const box = useRef<HTMLDivElement>(null);
  const [sight, setSight] = useState({ top: 0, height: 480 });
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
  useEffect(() => {
    const element = box.current;
    if (element === null || showing === undefined || showing < 0) return;
    const above = (showing * rowHeight) / scale;
    const isInSight = above >= element.scrollTop && above + rowHeight <= element.scrollTop + element.clientHeight;
    // Not scrollIntoView, which would move the page as well.
    if (!isInSight) element.scrollTop = above - (element.clientHeight - rowHeight) / 2;
  }, [showing]);
  return (
    <div
      ref={box}
      class="window-list"
      role="list"
      aria-label={label}
      tabIndex={0}
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
              {row(index)}
            </div>
          );
        })}
      </div>
    </div>
  );
}
