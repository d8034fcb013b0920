import { createStore } from '@xstate/store';
import type { RefObject } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { KeyframeFact } from '../../contract/evidence/evidence-object.ts';
import { useHost } from '../host/session.ts';
import { useRemote, useStore } from '../host/use-remote.ts';
import { useWidth } from '../parts/window-list.tsx';
import { Filmstrip } from '../pictures/filmstrip.tsx';
import { Wave } from '../pictures/wave.tsx';
import type { Playback } from '../player/playback.ts';
import { clockTime, rangeCode } from '../words/numbers.ts';
import { linesByReason } from '../words/sentence.ts';
import { type Lane, type Mark, placedWords } from './lanes.ts';
import { type Stretch, ticksOf } from './ticks.ts';

type Hover = ReturnType<typeof hover>;

/** The mark that was pointed at last. Beside the timeline: a long one is too much to draw again with each move of the pointer. */
const hover = () =>
  createStore({
    context: { mark: null as Mark | null },
    on: { pointed: (_, { mark }: { mark: Mark | null }) => ({ mark }) },
  });

/** The mark that is pointed at, in words. */
function HoverLine({ of: store }: { readonly of: Hover }) {
  const mark = useStore(store, (context) => context.mark);
  return (
    <p class="hover-line" data-empty={mark === null}>
      {mark === null ? (
        'Point at a mark to name it, choose it to see what it rests on. Arrow keys go from mark to mark; + and − zoom, as do Ctrl and the wheel.'
      ) : (
        <>
          <bdi>{mark.words}</bdi>, {rangeCode(mark.startMs, mark.endMs)}
        </>
      )}
    </p>
  );
}

interface PlayheadProps {
  readonly control: Playback;
  readonly view: Stretch;
  readonly width: number;
}

/** The place of the player. It changes with every frame, so code moves the element without a new render. */
function Playhead({ control, view, width }: PlayheadProps) {
  const line = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const place = () => {
      const { timeMs } = control.store.getSnapshot().context;
      const left = ((timeMs - view.startMs) / (view.endMs - view.startMs)) * width;
      if (line.current === null) return;
      line.current.hidden = left < 0 || left > width;
      line.current.style.transform = `translateX(${left}px)`;
    };
    place();
    const subscription = control.store.subscribe(place);
    return () => subscription.unsubscribe();
  }, [control, view, width]);
  return <div ref={line} class="playhead" aria-hidden="true" />;
}

/** The shortest stretch that is shown: a frame of slow film and something around it. */
export const shortestViewMs = 100;

/** A stretch moved and cut so that it lies in `whole`. */
export function within({ startMs, endMs }: Stretch, whole: Stretch): Stretch {
  const length = Math.min(endMs - startMs, whole.endMs - whole.startMs);
  const start = Math.min(Math.max(startMs, whole.startMs), whole.endMs - length);
  return { startMs: start, endMs: start + length };
}

/** Shows more (`factor` above 1) or less around a time that stays in its place on the screen. */
export function zoomed(view: Stretch, whole: Stretch, factor: number, aroundMs: number): Stretch {
  const length = view.endMs - view.startMs;
  const longest = whole.endMs - whole.startMs;
  const next = Math.min(longest, Math.max(Math.min(shortestViewMs, longest), length * factor));
  // The same view: a zoom until something is seen ends here.
  if (next === length) return view;
  const share = (aroundMs - view.startMs) / length;
  const startMs = aroundMs - share * next;
  return within({ startMs, endMs: startMs + next }, whole);
}

/** Moves by a share of what is shown. */
export function panned(view: Stretch, whole: Stretch, share: number): Stretch {
  const by = (view.endMs - view.startMs) * share;
  return within({ startMs: view.startMs + by, endMs: view.endMs + by }, whole);
}

/** The same view where it shows the stretch already; else moved, and widened where it must be, so that it does. */
export function showing(view: Stretch, whole: Stretch, { startMs, endMs }: Stretch): Stretch {
  if (startMs >= view.startMs && endMs <= view.endMs) return view;
  const length = Math.max(view.endMs - view.startMs, (endMs - startMs) * 1.2);
  const middle = (startMs + endMs) / 2;
  return within({ startMs: middle - length / 2, endMs: middle + length / 2 }, whole);
}

interface Moves {
  readonly zoom: (factor: number, atMs: number) => void;
  readonly pan: (share: number) => void;
}

const zoomPerPixel = 1.0025;

/**
 * The wheel over a timeline: with Ctrl, or on the ruler, it zooms around the pointer; sideways, or with Shift, it moves. Any other
 * turn scrolls the page as everywhere.
 */
function useWheel(
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

/** Pixels of a track with something behind its marks. The style has the same. */
const backdropHeight = 54;

interface BackdropProps {
  readonly lane: Lane;
  readonly runtimeId: string;
  readonly view: Stretch;
  readonly width: number;
}

/** The pictures or the sound behind the marks of a lane. */
const Backdrop = ({ lane, ...place }: BackdropProps) => {
  if (lane.backdrop === 'sound') return <Sound key={lane.key} {...place} />;
  return lane.backdrop === 'pictures' ? <Pictures lane={lane} {...place} /> : null;
};

function Pictures({ lane, runtimeId, view, width }: BackdropProps) {
  const facts = useMemo(
    () =>
      lane.marks.flatMap(({ subject }) => {
        const fact = subject.kind === 'fact' ? subject.row.facts[subject.factIndex] : undefined;
        return fact?.kind === 'keyframe' ? [fact satisfies KeyframeFact] : [];
      }),
    [lane],
  );
  return <Filmstrip runtimeId={runtimeId} facts={facts} view={view} width={width} height={backdropHeight} />;
}

function Sound({ runtimeId, view, width }: Omit<BackdropProps, 'lane'>) {
  const host = useHost();
  const { remote } = useRemote(() => host.evidenceObjects.waveform(runtimeId), [host, runtimeId]);
  if (remote.state === 'loading') return <span class="absence">loading the waveform</span>;
  if (remote.state === 'failed') return <span class="absence">the waveform cannot be had from the host now</span>;
  return remote.value === null ? null : (
    <Wave waveform={remote.value} view={view} width={width} height={backdropHeight} />
  );
}

/** A mark as it is drawn: in pixels from the left of what is shown, and how many facts it stands for. */
interface DrawnMark {
  readonly mark: Mark;
  readonly left: number;
  readonly width: number;
  readonly count: number;
}

const leastPixels = 3;
/** A cut is a line that is pressed beside it as well: closer ones would lie over the line. */
const leastOfTone: Readonly<Record<string, number>> = { cut: 7 };

/** The first mark that may reach into a stretch: marks are in order of their starts. */
function firstNear(marks: readonly Mark[], startMs: number, longestMs: number): number {
  let low = 0;
  let high = marks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((marks[middle]?.startMs ?? 0) < startMs - longestMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The length of the longest mark of a lane. */
export const longestOf = (marks: readonly Mark[]): number =>
  marks.reduce((longest, { startMs, endMs }) => Math.max(longest, endMs - startMs), 0);

/**
 * The visible marks of a lane. Marks of one kind on the same few pixels are drawn as one, so a lane never draws more than its
 * width allows.
 */
export function drawnMarks(
  marks: readonly Mark[],
  longestMs: number,
  view: Stretch,
  width: number,
): readonly DrawnMark[] {
  const scale = width / (view.endMs - view.startMs);
  const drawn: DrawnMark[] = [];
  /** The place of the last mark of each kind: speech and pauses alternate, so the mark before is often of another kind. */
  const lasts = new Map<string, number>();
  for (let at = firstNear(marks, view.startMs, longestMs); at < marks.length; at += 1) {
    const mark = marks[at];
    if (mark === undefined || mark.startMs >= view.endMs) break;
    if (mark.endMs < view.startMs) continue;
    const left = (mark.startMs - view.startMs) * scale;
    const least = leastOfTone[mark.tone] ?? leastPixels;
    const own = Math.max(least, (mark.endMs - mark.startMs) * scale);
    const place = lasts.get(mark.tone) ?? drawn.length;
    const last = drawn[place];
    const isSmall = last !== undefined && own <= least;
    if (isSmall && left - last.left < Math.max(least, last.width) && last.width <= 2 * least)
      drawn[place] = { ...last, count: last.count + 1 };
    else {
      lasts.set(mark.tone, drawn.length);
      drawn.push({ mark, left, width: own, count: 1 });
    }
  }
  return drawn;
}

/** The one mark of a timeline that Tab reaches: the chosen one if it is drawn as itself, else the first that is drawn. */
export function entryMark(
  lanes: readonly Lane[],
  chosenKey: string | null,
  view: Stretch,
  width: number,
): Mark | undefined {
  const drawn = lanes.flatMap(({ marks }) => drawnMarks(marks, longestOf(marks), view, width));
  return (drawn.find(({ mark }) => mark.key === chosenKey) ?? drawn[0])?.mark;
}

interface LaneRowProps {
  readonly runtimeId: string;
  readonly lane: Lane;
  readonly view: Stretch;
  readonly width: number;
  readonly chosenKey: string | null;
  /** The one mark of the whole timeline that Tab reaches; arrow keys lead on from it. */
  readonly entryKey: string | null;
  readonly onChoose: (mark: Mark) => void;
  readonly onHover: (mark: Mark | null) => void;
  readonly onSide: (mark: Mark, by: 1 | -1) => void;
  readonly onLane: (mark: Mark, by: 1 | -1) => void;
}

/** Pixels of a mark with words in it, and of a letter in it. */
const readableWidth = 72;
const letterWidth = 7;

/** True if the words of a mark have room in it. The start of a spoken or written line is of use; half a word is not. */
export const hasRoom = ({ tone, words }: Pick<Mark, 'tone' | 'words'>, width: number): boolean =>
  width > (tone === 'text' ? readableWidth : Math.max(readableWidth, (words.length + 2) * letterWidth));

function LaneRow(props: LaneRowProps) {
  const { runtimeId, lane, view, width, chosenKey, entryKey, onChoose, onHover, onSide, onLane } = props;
  const longest = useMemo(() => longestOf(lane.marks), [lane]);
  const press = (mark: Mark) => (event: KeyboardEvent) => {
    const actions: Readonly<Record<string, () => void>> = {
      ArrowLeft: () => onSide(mark, -1),
      ArrowRight: () => onSide(mark, 1),
      ArrowUp: () => onLane(mark, -1),
      ArrowDown: () => onLane(mark, 1),
    };
    const action = actions[event.key];
    if (action === undefined) return;
    event.preventDefault();
    action();
  };
  return (
    <div class="lane" role="group" aria-label={lane.title}>
      <span class="lane-name" title={lane.title}>
        {lane.title}
      </span>
      <div class="track" data-absence={lane.absence?.kind} data-backdrop={lane.backdrop ?? undefined}>
        <Backdrop lane={lane} runtimeId={runtimeId} view={view} width={width} />
        {lane.absence !== null && <span class="absence">{lane.absence.words}</span>}
        {drawnMarks(lane.marks, longest, view, width).map(({ mark, left, width: own, count }) => (
          <button
            type="button"
            key={mark.key}
            class={`mark ${mark.tone}`}
            data-key={mark.key}
            data-claim={mark.claimState ?? undefined}
            data-many={count > 1 ? count : undefined}
            aria-pressed={mark.key === chosenKey}
            aria-label={placedWords(count > 1 ? `${count} facts from: ${mark.words}` : mark.words, mark)}
            tabIndex={mark.key === entryKey ? 0 : -1}
            style={{ left: `${left}px`, width: `${own}px` }}
            onClick={() => onChoose(mark)}
            onFocus={() => onHover(mark)}
            onMouseEnter={() => onHover(mark)}
            onKeyDown={press(mark)}
          >
            {hasRoom(mark, own) && lane.backdrop === null && <MarkWords mark={mark} left={left} />}
          </button>
        ))}
      </div>
    </div>
  );
}

/** The words of a mark, moved so that they stay in sight where its start is not. */
const MarkWords = ({ mark, left }: { readonly mark: Mark; readonly left: number }) => (
  <span class="mark-words" style={{ marginLeft: `${Math.max(0, -left)}px` }}>
    {mark.words}
  </span>
);

interface TimelineProps {
  readonly runtimeId: string;
  readonly whole: Stretch;
  readonly lanes: readonly Lane[];
  readonly chosenKey: string | null;
  readonly onChoose: (mark: Mark) => void;
  readonly control: Playback;
  /** The time of the source that a running pass has reached; null without one. */
  readonly doneMs: number | null;
}

/** The lanes that a timeline draws, and those that it folds into lines below them. */
interface FoldedLanes {
  readonly shown: readonly Lane[];
  /** The one mark of a kind that holds for the whole range. */
  readonly whole: readonly Mark[];
  /** Lanes of what was looked for and is not there. */
  readonly nothing: readonly Lane[];
  /** Lanes of what has no place in time or could not be measured, with their words. */
  readonly said: readonly Lane[];
}

/** Leaves the lanes that show where something is. A claim keeps its lane, because its state is to be seen. */
export function foldedLanes(lanes: readonly Lane[], { startMs, endMs }: Stretch): FoldedLanes {
  const isWhole = ({ marks, backdrop, key }: Lane): boolean =>
    marks.length === 1 &&
    backdrop === null &&
    !key.startsWith('claims ') &&
    (marks[0]?.startMs ?? 0) <= startMs &&
    (marks[0]?.endMs ?? 0) >= endMs;
  return {
    shown: lanes.filter((lane) => lane.absence === null && !isWhole(lane)),
    whole: lanes.filter(isWhole).flatMap(({ marks }) => marks),
    nothing: lanes.filter(({ absence }) => absence?.kind === 'empty'),
    // The lane of a track has its language in its title.
    said: lanes.filter(
      ({ absence, key }) =>
        absence?.kind === 'unavailable' || (absence?.kind === 'unplaced' && !key.startsWith('text_language ')),
    ),
  };
}

interface FoldedLinesProps extends Omit<FoldedLanes, 'shown'> {
  readonly chosenKey: string | null;
  readonly onChoose: (mark: Mark) => void;
}

/** The evidence without a place on a timeline, in a line each. */
const FoldedLines = ({ whole, nothing, said, chosenKey, onChoose }: FoldedLinesProps) => (
  <div class="folded">
    {whole.length > 0 && (
      <p>
        <span class="quiet">Over the whole range:</span>{' '}
        {whole.map((mark) => (
          <button
            key={mark.key}
            type="button"
            class="link"
            data-key={mark.key}
            aria-pressed={mark.key === chosenKey}
            onClick={() => onChoose(mark)}
          >
            {mark.words}
          </button>
        ))}
      </p>
    )}
    {nothing.length > 0 && (
      <p class="quiet">Not found: {nothing.map(({ title }) => title.toLowerCase()).join(', ')}.</p>
    )}
    {linesByReason(said.map(({ title, absence }) => ({ what: title, why: absence?.words ?? '' }))).map((line) => (
      <p key={line} class="quiet">
        {line}
      </p>
    ))}
  </div>
);

const pixelsPerTick = 92;
const zoomStep = 1.6;
const middleOf = ({ startMs, endMs }: Stretch): number => (startMs + endMs) / 2;

/** The evidence of a study over time: a lane for each kind, from the whole range down to a frame. */
export function Timeline({ runtimeId, whole, lanes: all, chosenKey, onChoose, control, doneMs }: TimelineProps) {
  const { shown: lanes, ...folded } = useMemo(() => foldedLanes(all, whole), [all, whole]);
  const [view, setView] = useState<Stretch>(whole);
  const pointed = useMemo(hover, []);
  const point = (mark: Mark | null) => pointed.send({ type: 'pointed', mark });
  const [focusKey, setFocusKey] = useState<string | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const ruler = useRef<HTMLDivElement>(null);
  const width = useWidth(ruler);
  /** True if keys have changed what is shown. */
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
    // It is drawn as one with its neighbors: closer, until it is a mark of its own.
    const mark = lanes.flatMap(({ marks }) => marks).find(({ key }) => key === focusKey);
    if (mark === undefined) setFocusKey(null);
    else setView((now) => zoomed(now, whole, 0.5, middleOf(mark)));
  }, [focusKey, view]);

  useEffect(() => {
    // A mark that left the view has lost the focus: the keys continue at the mark that Tab reaches.
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
    const actions: Readonly<Record<string, () => void>> = {
      '+': () => zoom(1 / zoomStep),
      '=': () => zoom(1 / zoomStep),
      '-': () => zoom(zoomStep),
      '0': () => setView(whole),
      PageUp: () => setView((now) => panned(now, whole, -0.8)),
      PageDown: () => setView((now) => panned(now, whole, 0.8)),
    };
    const action = actions[event.key];
    if (action === undefined) return;
    event.preventDefault();
    isByKeys.current = true;
    action();
  };
  const seekTo = (event: PointerEvent & { readonly currentTarget: HTMLElement }) => {
    const { left } = event.currentTarget.getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (event.clientX - left) / width));
    control.seek(view.startMs + share * (view.endMs - view.startMs));
  };
  const placeOf = (ms: number): number => ((ms - view.startMs) / (view.endMs - view.startMs)) * width;
  const withMarks = lanes.filter(({ marks }) => marks.length > 0);
  const entry = useMemo(() => entryMark(lanes, chosenKey, view, width), [lanes, chosenKey, view, width]);
  return (
    <section class="timeline" aria-labelledby="timeline-title">
      <div class="timeline-head">
        <h2 id="timeline-title">Timeline</h2>
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
          <span class="lane-name quiet">{clockTime(Math.round(view.startMs))}</span>
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
              <span key={at} class="tick" style={{ left: `${placeOf(at)}px` }}>
                {clockTime(at).replace(/\.000$/, '')}
              </span>
            ))}
            {doneMs !== null && doneMs < view.endMs && (
              <span class="undone" style={{ left: `${Math.max(0, placeOf(doneMs))}px` }}>
                <span class="sr">measured until {clockTime(doneMs)}</span>
              </span>
            )}
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
      <FoldedLines {...folded} chosenKey={chosenKey} onChoose={onChoose} />
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
