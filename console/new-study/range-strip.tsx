import { useRef } from 'preact/hooks';
import type { Waveform } from '../../client/evidence.ts';
import type { StudyHost } from '../../client/study-host.ts';
import type { KeyframeFact } from '../../contract/evidence/evidence-object.ts';
import { TimeField } from '../parts/field.tsx';
import { useWidth } from '../parts/window-list.tsx';
import { Filmstrip } from '../pictures/filmstrip.tsx';
import { Wave } from '../pictures/wave.tsx';
import { type Stretch, ticksOf } from '../timeline/ticks.ts';
import { clockTime, duration } from '../words/numbers.ts';

/** The pictures and the sound of a source from an earlier study. */
interface EarlierStudy {
  readonly runtimeId: string;
  readonly waveform: Waveform | null;
  readonly keyframes: readonly KeyframeFact[];
}

const askedStudies = 20;

/** The newest studies of a source, those of the longest range first, up to the first that has sound or pictures; null without one. */
export async function earlierStudy(host: StudyHost, sourceSessionId: string): Promise<EarlierStudy | null> {
  const { runtimes } = await host.runtimes({ sourceSessionId, lifecycle: 'terminal', limit: askedStudies });
  const lengthOf = ({ range }: (typeof runtimes)[number]): number => range.endMs - range.startMs;
  for (const { runtimeId } of runtimes.toSorted((a, b) => lengthOf(b) - lengthOf(a))) {
    const [waveform, keyframes] = await Promise.all([
      host.evidenceObjects.waveform(runtimeId),
      host.evidenceObjects.keyframes(runtimeId),
    ]);
    if (waveform !== null || keyframes.length > 0) return { runtimeId, waveform, keyframes };
  }
  return null;
}

/**
 * A range with one typed edge. An edge beyond the other one moves that too, at the same length, so one field moves a range. The
 * range stays within the source.
 */
export function movedEdge({ startMs, endMs }: Stretch, edge: 'start' | 'end', ms: number, durationMs: number): Stretch {
  const lengthMs = endMs - startMs;
  if (edge === 'start') {
    const start = Math.min(ms, durationMs - 1);
    return { startMs: start, endMs: start < endMs ? endMs : Math.min(durationMs, start + lengthMs) };
  }
  const end = Math.max(1, Math.min(ms, durationMs));
  return { startMs: end > startMs ? startMs : Math.max(0, end - lengthMs), endMs: end };
}

const pictureHeight = 54;
const waveHeight = 48;

/** The pictures and the sound of an earlier study, behind the strip of a new one. */
function StripBackdrop({
  study: { runtimeId, waveform, keyframes },
  durationMs,
}: {
  readonly study: EarlierStudy;
  readonly durationMs: number;
}) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const view = { startMs: 0, endMs: durationMs };
  return (
    <div ref={box} class="strip-backdrop">
      <div class="strip-pictures">
        <Filmstrip runtimeId={runtimeId} facts={keyframes} view={view} width={width} height={pictureHeight} />
      </div>
      <div class="strip-wave">
        {waveform !== null && <Wave waveform={waveform} view={view} width={width} height={waveHeight} />}
      </div>
    </div>
  );
}

interface Range {
  readonly startMs: number;
  readonly endMs: number;
}

interface RangeStripProps {
  /** The earlier study of the source; null without one. */
  readonly earlier: EarlierStudy | null;
  readonly durationMs: number;
  readonly range: Range;
  readonly onRange: (range: Range) => void;
}

const ticksWanted = 8;
const clamp = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value));

/** A range of a source: dragged over a strip, moved by keys, or typed. */
export function RangeStrip({ earlier, durationMs, range, onRange }: RangeStripProps) {
  const strip = useRef<HTMLDivElement>(null);
  const anchor = useRef(0);
  const timeAt = ({ clientX }: PointerEvent): number => {
    const { left = 0, width = 1 } = strip.current?.getBoundingClientRect() ?? {};
    return Math.round(clamp((clientX - left) / width, 0, 1) * durationMs);
  };
  const drag = (event: PointerEvent) => {
    const at = timeAt(event);
    const [startMs, endMs] = [Math.min(anchor.current, at), Math.max(anchor.current, at)];
    if (endMs > startMs) onRange({ startMs, endMs });
  };
  const begin = (event: PointerEvent) => {
    strip.current?.setPointerCapture(event.pointerId);
    const at = timeAt(event);
    const { startMs, endMs } = range;
    const nearMs = durationMs * 0.015;
    // A pull at an edge moves that edge.
    anchor.current = Math.abs(at - startMs) < nearMs ? endMs : Math.abs(at - endMs) < nearMs ? startMs : at;
  };
  const percent = (ms: number): string => `${(ms / durationMs) * 100}%`;
  return (
    <div class="range">
      <div
        ref={strip}
        class="strip"
        data-earlier={earlier !== null}
        onPointerDown={begin}
        onPointerMove={(event) => {
          if (strip.current?.hasPointerCapture(event.pointerId)) drag(event);
        }}
      >
        <div class="ticks">
          {ticksOf({ startMs: 0, endMs: durationMs }, ticksWanted).map((at) => (
            <span key={at} class="tick" style={{ left: percent(at) }}>
              {clockTime(at).replace(/\.000$/, '')}
            </span>
          ))}
        </div>
        {earlier !== null && <StripBackdrop study={earlier} durationMs={durationMs} />}
        <div class="chosen" style={{ left: percent(range.startMs), width: percent(range.endMs - range.startMs) }} />
        <Handle
          label="Start of the range"
          at={range.startMs}
          low={0}
          high={range.endMs - 1}
          left={percent(range.startMs)}
          onMove={(startMs) => onRange({ ...range, startMs })}
        />
        <Handle
          label="End of the range"
          at={range.endMs}
          low={range.startMs + 1}
          high={durationMs}
          left={percent(range.endMs)}
          onMove={(endMs) => onRange({ ...range, endMs })}
        />
      </div>
      <div class="range-fields">
        <TimeField label="From" ms={range.startMs} onMs={(ms) => onRange(movedEdge(range, 'start', ms, durationMs))} />
        <TimeField label="To" ms={range.endMs} onMs={(ms) => onRange(movedEdge(range, 'end', ms, durationMs))} />
        <p class="range-length">
          {duration(range.endMs - range.startMs)} of {duration(durationMs)}
        </p>
        <button type="button" onClick={() => onRange({ startMs: 0, endMs: durationMs })}>
          Whole source
        </button>
      </div>
    </div>
  );
}

interface HandleProps {
  readonly label: string;
  readonly at: number;
  readonly low: number;
  readonly high: number;
  readonly left: string;
  readonly onMove: (ms: number) => void;
}

/** An edge of the range, as a slider for keys: a second a step, ten with Shift, a tenth with Alt. */
function Handle({ label, at, low, high, left, onMove }: HandleProps) {
  const press = (event: KeyboardEvent) => {
    const step = event.shiftKey ? 10_000 : event.altKey ? 100 : 1000;
    const to: Readonly<Record<string, number>> = {
      ArrowLeft: at - step,
      ArrowDown: at - step,
      ArrowRight: at + step,
      ArrowUp: at + step,
      Home: low,
      End: high,
    };
    const next = to[event.key];
    if (next === undefined) return;
    event.preventDefault();
    onMove(clamp(next, low, high));
  };
  return (
    <div
      class="handle"
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={low}
      aria-valuemax={high}
      aria-valuenow={at}
      aria-valuetext={clockTime(at)}
      style={{ left }}
      onKeyDown={press}
    />
  );
}
