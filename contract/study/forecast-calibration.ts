import { z } from 'zod';
import { contentId, count, positive, sha256Hex } from '../base/grammar.ts';
import { mediaCapability } from '../evidence/media-operation.ts';

/** Below this many finished operations of one kind nothing is said of the next one. */
export const leastObservations = 5;

/** So many of the newest operations of a cohort count; older ones are replaced. */
export const mostObservations = 64;

/** Pictures by their number of pixels: up to 720 × 576, up to 1280 × 720, up to 1920 × 1088, and above. */
export const pictureSize = z.enum(['sd', 'hd', 'full_hd', 'ultra_hd', 'unknown']);

/**
 * Operations that one machine does at a like pace: of the same capability, with the same detectors (`detectors` is the digest of
 * their names, versions and digests), over media of the same codecs and the same class of picture size. `subtitleCodecs` is null
 * for operations that read no subtitles.
 */
export const workCohort = z.strictObject({
  capability: mediaCapability,
  detectors: sha256Hex,
  video: z.strictObject({ codec: z.string().min(1), size: pictureSize }).nullable(),
  audioCodec: z.string().min(1).nullable(),
  subtitleCodecs: z.array(z.string().min(1)).nullable(),
});

/** One finished operation: how long its range was and how long the work took, by the clock on the wall. */
export const timedOperation = z.strictObject({ mediaMs: positive, workMs: count });

/** A finished operation as the ledger keeps it. `number` counts those of its cohort. It names no runtime, source or medium. */
export const observedOperation = z.strictObject({ cohort: workCohort, number: count, timed: timedOperation });

/** The finished operations that an estimate rests on, in the order of their lengths. */
export const calibrationCohort = z.strictObject({
  cohort: workCohort,
  observations: z.array(timedOperation).min(leastObservations).max(mostObservations),
});

/** Names the evidence of a calibration: `C` of its schema and cohorts, which stand beside it. */
export const calibrationEvidence = z.strictObject({
  schema: z.literal('studio.forecast.calibration.v1'),
  contentId,
  bytes: positive,
});

export type PictureSize = z.infer<typeof pictureSize>;
export type WorkCohort = z.infer<typeof workCohort>;
export type TimedOperation = z.infer<typeof timedOperation>;
export type ObservedOperation = z.infer<typeof observedOperation>;
export type CalibrationCohort = z.infer<typeof calibrationCohort>;
