import { useMemo } from 'preact/hooks';
import type { Waveform } from '../../../client/evidence.ts';
import type { Stretch } from '../parts/ticks.ts';
import { peakOf, waveOutline } from './wave-outline.ts';

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
