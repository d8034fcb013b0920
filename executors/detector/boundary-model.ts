import { BOUNDARY_WEIGHTS_SHA256, boundaryWeightsFile } from './detector-models.ts';
import { loadPinnedModel } from './pinned-model.ts';
import { BAND_RULE } from './speech-bands.ts';

/** A stretch of one signal: the levels of its bands at each step, and how probable the speech model finds speech there. */
export interface SignalTrack {
  readonly levels: Float32Array;
  readonly estimate: Float32Array;
}

/**
 * Says at each step of 16 ms how probable speech is. The speech model has only what was before, and answers every 32 ms; this
 * one has what is before and behind, so that it finds the moments at which speech begins and ends (docs/speech-model.md).
 */
export interface BoundaryModel {
  /** The probabilities (0 to 1) of each track; all are of equal length. A step depends on `CONTEXT_STEPS` before and behind it. */
  probabilities(tracks: readonly SignalTrack[]): Promise<readonly Float32Array[]>;
}

/** Two seconds whose mean level is taken off, and one that the convolutions reach: whole blocks of 64 steps. */
export const CONTEXT_STEPS = 192;

/** Loads the pinned weights; throws when their file holds anything else. */
export async function loadBoundaryModel(): Promise<BoundaryModel> {
  const { runtime, session } = await loadPinnedModel(boundaryWeightsFile, BOUNDARY_WEIGHTS_SHA256);
  return {
    probabilities: async (tracks) => {
      const steps = tracks[0]?.estimate.length ?? 0;
      const levels = joined(tracks.map((track) => track.levels));
      const estimate = joined(tracks.map((track) => track.estimate));
      const { probability } = await session.run({
        levels: new runtime.Tensor('float32', levels, [tracks.length, steps, BAND_RULE.bands]),
        estimate: new runtime.Tensor('float32', estimate, [tracks.length, steps, 1]),
      });
      const all = probability?.data;
      if (!(all instanceof Float32Array) || all.length !== tracks.length * steps)
        throw new Error('the boundary model answers in an unknown form');
      return tracks.map((_, at) => all.slice(at * steps, (at + 1) * steps));
    },
  };
}

function joined(parts: readonly Float32Array[]): Float32Array {
  const all = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
