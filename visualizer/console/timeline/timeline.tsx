import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type Stretch, ticksOf } from '../parts/ticks.ts';
import { useWidth } from '../parts/use-width.ts';
import type { Playback } from '../player/playback.ts';
import { timeCode } from '../words/time-code.ts';
import { entryMark } from './drawn-marks.ts';
import { HoverLine, hover } from './hover-line.tsx';
import { LaneRow } from './lane-row.tsx';
import type { Lane, Mark } from './lanes.ts';
import { Playhead } from './playhead.tsx';
import { useWheel } from './use-wheel.ts';
import { panned, showing, zoomed } from './view.ts';

interface TimelineProps {
  readonly runtimeId: string;
  readonly whole: Stretch;
  readonly lanes: readonly Lane[];
  readonly chosenKey: string | null;
  readonly onChoose: (mark: Mark) => void;
  readonly control: Playback;
}

const pixelsPerTick = 92;
const zoomStep = 1.6;
const middleOf = ({ startMs, endMs }: Stretch): number => (startMs + endMs) / 2;

/** The evidence of a study over time: a lane for each kind, from the whole range down to a frame. */
export function Timeline({ runtimeId, whole, lanes, chosenKey, onChoose, control }: TimelineProps) {
  const [view, setView] = useState<Stretch>(whole);
  const pointed = useMemo(hover, []);
  const point = (mark: Mark | null) => pointed.send({ type: 'pointed', mark });
  const [focusKey, setFocusKey] = useState<string | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const ruler = useRef<HTMLDivElement>(null);
  const width = useWidth(ruler);
  /** Whether keys have changed what is shown. */
  const isByKeys = useRef(false);
  useWheel(box, ruler, view, {
    zoom: (factor, atMs) => setView((now) => zoomed(now, whole, factor, atMs)),
    pan: (share) => setView((now) => panned(now, whole, share)),
  });
  useEffect(() => {
    if (focusKey === null) return;
    const element = box.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(focusKey)}"]`);
    if (element !== null && element !== undefined) {
      element.focus({ preventScroll: true });
      setFocusKey(null);
      return;
    }
    // It is drawn as one with its neighbours: closer, until it is a mark of its own.
    const mark = lanes.flatMap(({ marks }) => marks).find(({ key }) => key === focusKey);
    if (mark === undefined) setFocusKey(null);
    else setView((now) => zoomed(now, whole, 0.5, middleOf(mark)));
  }, [focusKey, view]);

  useEffect(() => {
    // What was out of sight lost the focus: the keys go on at the mark that Tab reaches.
    if (!isByKeys.current || document.activeElement !== document.body) return;
    box.current?.querySelector<HTMLElement>('.mark[tabindex="0"]')?.focus({ preventScroll: true });
  }, [view]);

  const go = (mark: Mark | undefined): void => {
    if (mark === undefined) return;
    setView((now) => showing(now, whole, mark));
    point(mark);
    setFocusKey(mark.key);
  };
  const zoom = (factor: number) => setView((now) => zoomed(now, whole, factor, anchorOf(now)));
  const anchorOf = (now: Stretch): number => {
    const hovered = pointed.getSnapshot().context.mark;
    const at = hovered === null ? control.store.getSnapshot().context.timeMs : middleOf(hovered);
    return at >= now.startMs && at < now.endMs ? at : middleOf(now);
  };
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const deeds: Readonly<Record<string, () => void>> = {
      '+': () => zoom(1 / zoomStep),
      '=': () => zoom(1 / zoomStep),
      '-': () => zoom(zoomStep),
      '0': () => setView(whole),
      PageUp: () => setView((now) => panned(now, whole, -0.8)),
      PageDown: () => setView((now) => panned(now, whole, 0.8)),
    };
    const deed = deeds[event.key];
    if (deed === undefined) return;
    event.preventDefault();
    isByKeys.current = true;
    deed();
  };
  const seekTo = (event: PointerEvent & { readonly currentTarget: HTMLElement }) => {
    const { left } = event.currentTarget.getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (event.clientX - left) / width));
    control.seek(view.startMs + share * (view.endMs - view.startMs));
  };
  const withMarks = lanes.filter(({ marks }) => marks.length > 0);
  const entry = useMemo(() => entryMark(lanes, chosenKey, view, width), [lanes, chosenKey, view, width]);
  return (
    <section class="timeline" aria-labelledby="timeline-title">
      <div class="timeline-head">
        <h2 id="timeline-title">Timeline of evidence</h2>
        <div class="zoom" role="group" aria-label="Zoom">
          <button type="button" onClick={() => zoom(1 / zoomStep)} aria-label="Closer (+)" title="Closer (+)">
            +
          </button>
          <button type="button" onClick={() => zoom(zoomStep)} aria-label="Farther (-)" title="Farther (-)">
            −
          </button>
          <button type="button" onClick={() => setView(whole)} title="Whole range (0)">
            Whole range
          </button>
        </div>
      </div>
      <div ref={box} class="lanes" role="group" aria-label="Lanes" onKeyDown={press}>
        <div class="lane ruler-lane">
          <span class="lane-name quiet">{timeCode(Math.round(view.startMs))}</span>
          <div
            ref={ruler}
            class="ruler"
            onPointerDown={(event) => {
              event.currentTarget.setPointerCapture(event.pointerId);
              seekTo(event);
            }}
            onPointerMove={(event) => {
              if (event.currentTarget.hasPointerCapture(event.pointerId)) seekTo(event);
            }}
          >
            {ticksOf(view, width / pixelsPerTick).map((at) => (
              <span
                key={at}
                class="tick"
                style={{ left: `${((at - view.startMs) / (view.endMs - view.startMs)) * width}px` }}
              >
                {timeCode(at).replace(/\.000$/, '')}
              </span>
            ))}
          </div>
        </div>
        {lanes.map((lane) => (
          <LaneRow
            key={lane.key}
            runtimeId={runtimeId}
            lane={lane}
            view={view}
            width={width}
            chosenKey={chosenKey}
            entryKey={entry?.key ?? null}
            onChoose={onChoose}
            onHover={point}
            onSide={(mark, by) => go(lane.marks[lane.marks.indexOf(mark) + by])}
            onLane={(mark, by) => go(nearest(withMarks, lane, by, mark))}
          />
        ))}
        <Playhead control={control} view={view} width={width} />
      </div>
      <HoverLine of={pointed} />
    </section>
  );
}

/** The mark of the next lane that lies nearest in time. */
function nearest(lanes: readonly Lane[], from: Lane, by: number, mark: Mark): Mark | undefined {
  const marks = lanes[lanes.indexOf(from) + by]?.marks ?? [];
  const distance = (other: Mark) => Math.abs(middleOf(other) - middleOf(mark));
  return marks.reduce<Mark | undefined>(
    (best, each) => (best === undefined || distance(each) < distance(best) ? each : best),
    undefined,
  );
}
