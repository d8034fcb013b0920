import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Waveform } from '../../client/evidence.ts';
import { session, useHost } from '../host/session.ts';
import { useRemote, useStore } from '../host/use-remote.ts';
import { useWidth } from '../parts/window-list.tsx';
import { peakOf } from '../pictures/wave.tsx';
import type { Playback } from '../player/playback.ts';
import { type Stretch, ticksOf } from '../timeline/ticks.ts';
import { within, zoomed } from '../timeline/timeline.tsx';
import { counted, mediaTime } from '../words/numbers.ts';
import { openGaps, placeTime } from '../words/plan-words.ts';
import { type CaptionDraft, type EditedLine, retimed, shortestLineMs } from './caption-draft.ts';
import { usePlan } from './plan-panel.tsx';

/** An edge of a line that can be dragged. */
interface Edge {
  readonly key: string;
  readonly side: 'startMs' | 'endMs';
}

/**
 * The edge nearest to a time within a tolerance. Of two equally near ones it is that of the selected line, so a person can
 * separate lines that touch.
 */
export function edgeAt(
  lines: readonly EditedLine[],
  atMs: number,
  toleranceMs: number,
  selected: string | null,
): Edge | null {
  let best: { readonly edge: Edge; readonly distance: number } | null = null;
  for (const line of lines) {
    for (const side of ['startMs', 'endMs'] as const) {
      const distance = Math.abs(line[side] - atMs) - (line.key === selected ? 0.5 : 0);
      if (distance <= toleranceMs && (best === null || distance < best.distance)) {
        best = { edge: { key: line.key, side }, distance };
      }
    }
  }
  return best?.edge ?? null;
}

/** A time, or that of a cut or of another edge nearby. */
export function snapped(atMs: number, to: readonly number[], toleranceMs: number): number {
  const nearest = to.reduce<number | null>(
    (best, each) => (best === null || Math.abs(each - atMs) < Math.abs(best - atMs) ? each : best),
    null,
  );
  return nearest !== null && Math.abs(nearest - atMs) <= toleranceMs ? nearest : atMs;
}

/** The times of a line after one of its edges is moved: never shorter than the shortest line. */
export function movedLineEdge({ startMs, endMs }: EditedLine, side: Edge['side'], atMs: number): Stretch {
  return side === 'startMs'
    ? { startMs: Math.min(atMs, endMs - shortestLineMs), endMs }
    : { startMs, endMs: Math.max(atMs, startMs + shortestLineMs) };
}

const shownMs = 12_000;
const height = 112;
const rulerHeight = 18;
const textHeight = 20;
const edgePixels = 7;
const pixelsPerTick = 80;

interface CaptionWaveformProps {
  readonly runtimeId: string;
  readonly draft: CaptionDraft;
  readonly control: Playback;
  readonly range: Stretch;
  /** Times of hard cuts, to which edges snap. */
  readonly cutsMs: readonly number[];
  readonly isLocked: boolean;
}

/**
 * The sound with the lines over it. A person drags an edge; a press elsewhere moves the player there. A canvas draws it,
 * because it follows the player with each frame. For the keyboard, the times of a line are fields beside it.
 */
export function CaptionWaveform({ runtimeId, draft, control, range, cutsMs, isLocked }: CaptionWaveformProps) {
  const host = useHost();
  const { remote } = useRemote(() => host.evidenceObjects.waveform(runtimeId), [host, runtimeId]);
  const wave = remote.state === 'ready' ? remote.value : null;
  const peak = useMemo(() => (wave === null ? 1 : peakOf(wave)), [wave]);
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useWidth(canvas);
  const lines = useStore(draft.store, (context) => context.lines);
  const selected = useStore(draft.store, (context) => context.selected);
  const [view, setView] = useState<Stretch>(() =>
    within({ startMs: range.startMs, endMs: range.startMs + shownMs }, range),
  );
  const theme = useStore(session, (context) => context.theme);
  const { remote: planned } = usePlan(runtimeId, { method: 'auto' });
  const plan = planned.state === 'ready' ? (planned.value?.plan ?? null) : null;
  const gaps = useMemo(() => (plan === null ? [] : openGaps(plan, lines)), [plan, lines]);
  const drag = useRef<(Edge & { readonly step: string }) | null>(null);
  const msPerPixel = (view.endMs - view.startMs) / width;

  useEffect(() => {
    const line = lines.find(({ key }) => key === selected);
    if (line === undefined || drag.current !== null) return;
    if (line.startMs < view.startMs || line.endMs > view.endMs) setView(around(line.startMs, view, range));
  }, [selected]);

  useEffect(() => {
    let frame = 0;
    const draw = () => {
      frame = 0;
      const { timeMs, speed } = control.store.getSnapshot().context;
      if (speed !== 0 && (timeMs < view.startMs || timeMs > view.endMs)) setView(around(timeMs, view, range));
      else if (canvas.current !== null) {
        paint(canvas.current, { wave, peak, lines, gaps, selected, view, width, timeMs, cutsMs });
      }
    };
    const soon = () => {
      frame ||= requestAnimationFrame(draw);
    };
    soon();
    const subscription = control.store.subscribe(soon);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', soon);
    return () => {
      cancelAnimationFrame(frame);
      subscription.unsubscribe();
      scheme.removeEventListener('change', soon);
    };
  }, [wave, peak, lines, gaps, selected, view, width, cutsMs, control, theme]);

  useEffect(() => {
    const element = canvas.current;
    if (element === null) return;
    const turn = (event: WheelEvent) => {
      const sideways = event.shiftKey ? event.deltaY : event.deltaX;
      if (event.ctrlKey || event.metaKey) {
        setView((now) => zoomed(now, range, 1.0025 ** event.deltaY, msAt(event, now)));
      } else if (sideways !== 0) {
        const by = (now: Stretch) => (sideways / width) * (now.endMs - now.startMs);
        setView((now) => within({ startMs: now.startMs + by(now), endMs: now.endMs + by(now) }, range));
      } else return;
      event.preventDefault();
    };
    element.addEventListener('wheel', turn, { passive: false });
    return () => element.removeEventListener('wheel', turn);
  }, [width, range]);

  const msAt = (event: MouseEvent, of: Stretch = view): number => {
    const { left = 0 } = canvas.current?.getBoundingClientRect() ?? {};
    return of.startMs + ((event.clientX - left) / width) * (of.endMs - of.startMs);
  };
  const edgeUnder = (event: MouseEvent) =>
    isLocked ? null : edgeAt(lines, msAt(event), edgePixels * msPerPixel, selected);

  const press = (event: PointerEvent & { readonly currentTarget: HTMLElement }) => {
    const edge = edgeUnder(event);
    const atMs = msAt(event);
    const line = lines.find(({ startMs, endMs }) => atMs >= startMs && atMs < endMs);
    if (edge === null) {
      control.seek(atMs);
      if (line !== undefined) draft.select(line.key);
      return;
    }
    event.currentTarget.setPointerCapture(event.pointerId);
    drag.current = { ...edge, step: `drag ${edge.key} ${performance.now()}` };
    draft.select(edge.key);
  };
  const move = (event: PointerEvent & { readonly currentTarget: HTMLElement }) => {
    const edge = drag.current;
    if (edge === null) {
      event.currentTarget.dataset.edge = String(edgeUnder(event) !== null);
      return;
    }
    const line = lines.find(({ key }) => key === edge.key);
    if (line === undefined) return;
    const others = lines.flatMap(({ key, startMs, endMs }) => (key === edge.key ? [] : [startMs, endMs]));
    const atMs = snapped(msAt(event), [...cutsMs, ...others], edgePixels * msPerPixel);
    draft.edit((before) => retimed(before, edge.key, movedLineEdge(line, edge.side, atMs), range), edge.step);
  };
  const release = () => {
    drag.current = null;
  };

  return (
    <div class="caption-wave">
      <canvas
        ref={canvas}
        role="img"
        aria-label="The sound, with the lines over it. The times of a line can be typed below."
        onPointerDown={press}
        onPointerMove={move}
        onPointerUp={release}
        onPointerCancel={release}
      />
      <span hidden>
        {inks.map((ink) => (
          <i key={ink} class={`ink ${ink}`} />
        ))}
      </span>
      <GapLinks gaps={gaps} control={control} />
      {remote.state === 'failed' && <p class="hint">The waveform cannot be read from the host now.</p>}
      {remote.state === 'ready' && wave === null && <p class="hint">This source has no sound to draw.</p>}
    </div>
  );
}

/** So many passages are in sight below the sound. */
const shownGaps = 8;

/** The passages without a line, each a step of the player to it. */
const GapLinks = ({ gaps, control }: { readonly gaps: readonly Stretch[]; readonly control: Playback }) =>
  gaps.length === 0 ? null : (
    <p class="caption-gaps">
      {counted(gaps.length, 'spoken passage has', 'spoken passages have')} no line:{' '}
      {gaps.slice(0, shownGaps).map((gap) => (
        <button key={gap.startMs} type="button" class="link mono" onClick={() => control.playOver(gap)}>
          <span class="sr">Play</span> {placeTime(gap.startMs)}
        </button>
      ))}
      {gaps.length > shownGaps && ` and ${gaps.length - shownGaps} more`}
    </p>
  );

/** The same length of view, with a time near its start. */
const around = (atMs: number, { startMs, endMs }: Stretch, range: Stretch): Stretch => {
  const length = endMs - startMs;
  return within({ startMs: atMs - length * 0.1, endMs: atMs + length * 0.9 }, range);
};

/** The parts of the drawing, each in the color of an element of that class. */
const inks = ['line', 'selected', 'gap', 'edge', 'sound', 'text', 'cut', 'head'] as const;
type Ink = (typeof inks)[number];

/** True if the first letter of a text is written from right to left. A page finds the direction of a text in this way. */
export const isRightToLeft = (text: string): boolean =>
  /^\P{L}*[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u.test(text);

interface Painted {
  readonly wave: Waveform | null;
  readonly peak: number;
  readonly lines: readonly EditedLine[];
  readonly gaps: readonly Stretch[];
  readonly selected: string | null;
  readonly view: Stretch;
  readonly width: number;
  readonly timeMs: number;
  readonly cutsMs: readonly number[];
}

function paint(element: HTMLCanvasElement, painted: Painted) {
  const { wave, peak, lines, gaps, selected, view, width, timeMs, cutsMs } = painted;
  const context = element.getContext('2d');
  if (context === null) return;
  const ratio = devicePixelRatio || 1;
  if (element.width !== Math.round(width * ratio) || element.height !== height * ratio) {
    element.width = Math.round(width * ratio);
    element.height = height * ratio;
  }
  const style = getComputedStyle(element);
  const inkColor = (ink: Ink): string => {
    const sample = element.parentElement?.querySelector(`.ink.${ink}`);
    return sample === null || sample === undefined ? style.color : getComputedStyle(sample).color;
  };
  const placeOf = (ms: number): number => ((ms - view.startMs) / (view.endMs - view.startMs)) * width;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  const bottom = height - rulerHeight;
  context.font = `11px ${style.fontFamily}`;

  const isInSight = ({ startMs, endMs }: Stretch): boolean => endMs > view.startMs && startMs < view.endMs;
  const inSight = lines.filter(isInSight);
  const openInSight = gaps.filter(isInSight);
  context.fillStyle = inkColor('gap');
  for (const { startMs, endMs } of openInSight) {
    context.fillRect(placeOf(startMs), 0, placeOf(endMs) - placeOf(startMs), bottom);
  }
  for (const { key, startMs, endMs } of inSight) {
    context.fillStyle = inkColor(key === selected ? 'selected' : 'line');
    context.fillRect(placeOf(startMs), 0, placeOf(endMs) - placeOf(startMs), bottom);
  }

  if (wave !== null) {
    context.fillStyle = inkColor('sound');
    // Below the texts of the lines, which stay readable.
    const half = (bottom - textHeight) / 2;
    const middle = textHeight + half;
    const msPerPixel = (view.endMs - view.startMs) / width;
    for (let pixel = 0; pixel < width; pixel += 1) {
      const from = (view.startMs + pixel * msPerPixel - wave.startMs) / wave.windowMs;
      const first = Math.max(0, Math.floor(from));
      const end = Math.min(wave.highest.length, Math.max(first + 1, Math.ceil(from + msPerPixel / wave.windowMs)));
      let [low, high] = [0, 0];
      for (let at = first; at < end; at += 1) {
        low = Math.min(low, wave.lowest[at] ?? 0);
        high = Math.max(high, wave.highest[at] ?? 0);
      }
      const [top, foot] = [middle - (high / peak) * half * 0.95, middle - (low / peak) * half * 0.95];
      context.fillRect(pixel, top, 1, Math.max(1, foot - top));
    }
  }

  context.fillStyle = inkColor('cut');
  for (const cut of cutsMs) {
    if (cut >= view.startMs && cut < view.endMs) context.fillRect(Math.round(placeOf(cut)), 0, 1, bottom);
  }

  context.textBaseline = 'top';
  context.fillStyle = inkColor('text');
  for (const { startMs } of openInSight) context.fillText('no line', Math.max(placeOf(startMs), 0) + 6, 4);
  for (const { key, startMs, endMs, target, source } of inSight) {
    const [left, right] = [placeOf(startMs), placeOf(endMs)];
    context.fillStyle = inkColor('edge');
    for (const edge of [left, right]) context.fillRect(Math.round(edge) - 1, 0, key === selected ? 3 : 2, bottom);
    context.save();
    context.beginPath();
    context.rect(left + 4, 0, Math.max(0, right - left - 8), textHeight);
    context.clip();
    context.fillStyle = inkColor('text');
    const text = (target ?? source ?? '').replaceAll('\n', ' ');
    const isRtl = isRightToLeft(text);
    context.direction = isRtl ? 'rtl' : 'ltr';
    context.textAlign = isRtl ? 'right' : 'left';
    context.fillText(text, isRtl ? Math.min(right, width) - 6 : Math.max(left, 0) + 6, 4);
    context.restore();
  }

  context.fillStyle = inkColor('text');
  for (const tick of ticksOf(view, width / pixelsPerTick)) {
    const left = placeOf(tick);
    context.fillRect(left, bottom, 1, 5);
    context.fillText(mediaTime(tick), left + 4, bottom + 4);
  }
  context.fillStyle = inkColor('head');
  context.fillRect(Math.round(placeOf(timeMs)), 0, 2, bottom);
}
