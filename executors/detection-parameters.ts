import type { EvidenceArtifact } from '../contract/evidence.ts';
import { FRAME_SAMPLES, SAMPLE_RATE, SPEECH_RULE } from './speech-segmenter.ts';

type Parameters = EvidenceArtifact['parameters'];

/** Quieter than this in every channel, for at least this long. */
export const SILENCE_RULE = { thresholdDb: -40, minimumMs: 300 } as const;

/**
 * ffmpeg's `scdet`: 0 to 100, from how much two neighbouring frames differ and how suddenly. Ten keeps flat cuts; what
 * follows a cut within the debounce is a flash or the same cut again.
 */
export const SHOT_RULE = { threshold: 10, debounceMs: 500 } as const;

/** ffmpeg's `ebur128`; the true peak is printed in thousandths of full scale, fourfold oversampled. */
export const LOUDNESS_RULE = { standard: 'EBU R128', absoluteGateLufs: -70, truePeakSteps: 0.001 } as const;

/** How much of the decoder's output may be damaged before its run counts as failed. */
export const MAXIMUM_ERROR_SHARE = 0.1;

/** Every threshold and limitation that stands behind the facts of one kind. */
export const DETECTION_PARAMETERS = {
  speech_activity: {
    ...SPEECH_RULE,
    sampleRate: SAMPLE_RATE,
    frameSamples: FRAME_SAMPLES,
    beyondAudio: 'non_speech',
    maximumErrorShare: MAXIMUM_ERROR_SHARE,
  },
  silence: { ...SILENCE_RULE, channels: 'all', maximumErrorShare: MAXIMUM_ERROR_SHARE },
  loudness: { ...LOUDNESS_RULE, scope: 'whole range', maximumErrorShare: MAXIMUM_ERROR_SHARE },
  shot_changes: {
    ...SHOT_RULE,
    limitation: 'hard cuts between pictures of one size only; dissolves are not detected',
    maximumErrorShare: MAXIMUM_ERROR_SHARE,
  },
} as const satisfies Readonly<Record<string, Parameters>>;
