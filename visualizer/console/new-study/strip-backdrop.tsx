import { useRef } from 'preact/hooks';
import { useWidth } from '../parts/use-width.ts';
import { Filmstrip } from '../pictures/filmstrip.tsx';
import { Wave } from '../pictures/wave.tsx';
import type { EarlierStudy } from './earlier-study.ts';

const pictureHeight = 54;
const waveHeight = 48;

/** What an earlier study saw and heard of a source, as far as it went, behind the strip of a new one. */
export function StripBackdrop({
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
