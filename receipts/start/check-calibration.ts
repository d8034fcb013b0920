import type { RegisteredSource } from '../../contract/sources/source-session.ts';
import type { Forecast } from '../../contract/study/forecast.ts';
import { demandDerived } from '../core/evidence-chain-error.ts';
import { calibrationIn } from './forecast.ts';

/** The passes over the media, in the order in which their time is estimated. */
const passes = ['media.detect', 'media.subtitles'] as const;

/**
 * Checks that a forecast was calibrated by one cohort for each pass over the media, of operations over media of these codecs. How
 * long they took cannot be derived. Throws `EvidenceChainError` of the start.
 */
export function checkCalibration(forecast: Forecast, { tracks, subtitleTracks = [] }: RegisteredSource): void {
  const calibration = calibrationIn(forecast);
  if (calibration === null) return;
  const attached = subtitleTracks.map(({ trackIndex }) => trackIndex);
  const codecsOf = (wanted: (typeof tracks)[number]['kind']): string[] =>
    tracks.flatMap(({ kind, index, codec }) => (kind === wanted && !attached.includes(index) ? [codec] : []));
  const derived = passes.map((capability) => ({
    capability,
    video: codecsOf('video')[0] ?? null,
    audioCodec: codecsOf('audio')[0] ?? null,
    subtitleCodecs: capability === 'media.subtitles' ? codecsOf('subtitle').sort() : null,
  }));
  const stated = calibration.map(({ cohort: { capability, video, audioCodec, subtitleCodecs } }) => ({
    ...{ capability, video: video?.codec ?? null, audioCodec, subtitleCodecs },
  }));
  demandDerived('start', { forecast: { calibration: stated } }, { forecast: { calibration: derived } });
}
