import { useMemo } from 'preact/hooks';
import type { Waveform } from '../../client/evidence.ts';
import type { Stretch } from '../timeline/ticks.ts';

/** The loudest sample of a waveform, so that quiet sound can be seen as well; at least 1. */
export const peakOf = ({ lowest, highest }: Waveform): number => {
  let peak = 1;
  for (const value of highest) peak = Math.max(peak, value);
  for (const value of lowest) peak = Math.max(peak, -value);
  return peak;
};

/**
 * The outline of a stretch of sound as a path of `width` × `height`. It goes along the highest samples and back along the
 * lowest, one of each for a pixel. Empty if the waveform does not cover the stretch.
 */
export function waveOutline(waveform: Waveform, view: Stretch, width: number, height: number, peak: number): string {
  const { startMs, windowMs, lowest, highest } = waveform;
  const middle = height / 2;
  const pixels = Math.max(1, Math.round(width));
  const msOfPixel = (view.endMs - view.startMs) / pixels;
  const upper: string[] = [];
  const lower: string[] = [];
  for (let pixel = 0; pixel < pixels; pixel += 1) {
    const from = (view.startMs + pixel * msOfPixel - startMs) / windowMs;
    const first = Math.max(0, Math.floor(from));
    const end = Math.min(highest.length, Math.max(Math.ceil(from + msOfPixel / windowMs), first + 1));
    if (from < -1 || first >= end) continue;
    let [low, high] = [0, 0];
    for (let at = first; at < end; at += 1) {
      low = Math.min(low, lowest[at] ?? 0);
      high = Math.max(high, highest[at] ?? 0);
    }
    // Half a pixel to each side, so that silence is a line.
    upper.push(`${pixel} ${(middle - 0.5 - (high / peak) * (middle - 1)).toFixed(1)}`);
    lower.push(`${pixel} ${(middle + 0.5 - (low / peak) * (middle - 1)).toFixed(1)}`);
  }
  return upper.length === 0 ? '' : `M${[...upper, ...lower.reverse()].join('L')}Z`;
}

interface WaveProps {
  readonly waveform: Waveform;
  readonly view: Stretch;
  readonly width: number;
  readonly height: number;
}

/** The sound of a stretch, as loud as its study has it at most. */
export function Wave({ waveform, view, width, height }: WaveProps) {
  const peak = useMemo(() => peakOf(waveform), [waveform]);
  const { startMs, endMs } = view;
  const outline = useMemo(
    () => waveOutline(waveform, { startMs, endMs }, width, height, peak),
    [waveform, startMs, endMs, width, height, peak],
  );
  return (
    <svg class="wave" width={width} height={height} aria-hidden="true">
      <path d={outline} />
    </svg>
  );
}
