import type { Range } from '../contract/base/grammar.ts';
import {
  type CalibratedForecast,
  type CalibrationCohort,
  type EstimatedOperation,
  type FloorForecast,
  leastObservations,
  mostObservations,
  type TimedOperation,
} from '../contract/study/forecast.ts';
import { contentIdOfBytes, storedBytes } from '../formats/canonical-json.ts';
import { predictionQuantile } from './statistics.ts';

/** The basis of a calibrated forecast: one cohort of finished operations for each operation that the study will do. */
export type Calibration = readonly CalibrationCohort[];

/**
 * A range of 50 s says little of one of an hour, because an operation takes its time to begin. Operations count whose range was at
 * most this many times longer or shorter.
 */
const likeLength = 4;

const millionths = 1_000_000;

const isLike = (mediaMs: number, rangeMs: number): boolean =>
  mediaMs <= rangeMs * likeLength && rangeMs <= mediaMs * likeLength;

const byLength = (one: TimedOperation, other: TimedOperation): number =>
  one.mediaMs - other.mediaMs || one.workMs - other.workMs;

/**
 * The calibration of a range by finished operations, newest first; null where one of its operations has fewer than five of like
 * length. What it answers is its own calibration: given to it once more it comes out the same.
 */
export function calibrationOf({ startMs, endMs }: Range, cohorts: Calibration): Calibration | null {
  const chosen = cohorts.map(({ cohort, observations }) => ({
    cohort,
    observations: observations
      .filter(({ mediaMs }) => isLike(mediaMs, endMs - startMs))
      .slice(0, mostObservations)
      .sort(byLength),
  }));
  const isEnough = chosen.length > 0 && chosen.every(({ observations }) => observations.length >= leastObservations);
  return isEnough ? chosen : null;
}

/** Names a calibration by what it holds. */
export function calibrationEvidenceOf(cohorts: Calibration): CalibratedForecast['calibration']['evidence'] {
  const schema = 'studio.forecast.calibration.v1';
  const bytes = storedBytes({ schema, cohorts });
  return { schema, contentId: contentIdOfBytes(bytes), bytes: bytes.length };
}

/** The prediction of a cohort for its next operation over `mediaMs`: an interval that holds four of five, and the median. */
function estimatedOperation({ cohort, observations }: CalibrationCohort, mediaMs: number): EstimatedOperation {
  const rates = observations
    .map((each) => Math.round((each.workMs * millionths) / each.mediaMs))
    .sort((one, other) => one - other);
  const rate = (tenths: number): number => predictionQuantile(rates, tenths);
  const [low, median, high] = [rate(1), rate(5), rate(9)];
  const took = (perMillion: number): number => Math.round((perMillion * mediaMs) / millionths);
  return {
    capability: cohort.capability,
    requestedMediaDurationMs: mediaMs,
    observationCount: observations.length,
    lowMs: took(low),
    medianMs: took(median),
    highMs: took(high),
    rateMicro: { low, median, high },
  };
}

/** The scenarios that a calibration of this range leads to. */
export function calibratedScenarios(
  { startMs, endMs }: Range,
  calibration: Calibration,
): Pick<CalibratedForecast['scenarios'], 'expected' | 'conservative'> {
  const mediaMs = endMs - startMs;
  const operations = calibration.map((cohort) => estimatedOperation(cohort, mediaMs));
  const scenario = <const Label extends string>(label: Label, time: 'medianMs' | 'highMs') => ({
    label,
    status: 'calibrated' as const,
    workload: { selectedMediaDurationMs: mediaMs, operations },
    elapsedDurationMs: operations.reduce((sum, operation) => sum + operation[time], 0),
    modelUsage: null,
    apiCost: { amount: null, currency: null },
  });
  return { expected: scenario('expected', 'medianMs'), conservative: scenario('conservative', 'highMs') };
}

// These texts are hashed into every forecast. To change one is to publish another version of its estimator: a stored
// forecast is checked against the texts of its own version.

/** The assumptions of the floor, in the order of the closed set of codes. */
export const assumptions: FloorForecast['assumptions'] = [
  {
    code: 'measured_duration_envelope',
    statement: 'The selected range lies within the duration that the probe measured.',
  },
  {
    code: 'explicit_operation_ranges_only',
    statement:
      'Only the ranges of the planned operations are counted. Captions are not planned here; they can be produced for a range of at most 120000 ms.',
  },
  {
    code: 'workload_not_elapsed_time',
    statement: 'Milliseconds of media are an amount of work and say nothing of how long it takes.',
  },
];

/** The uncertainty of the floor and the figures that it affects, in the order of the closed set of codes. */
export const uncertainty: FloorForecast['uncertainty'] = [
  {
    code: 'dynamic_work_unavailable',
    affects: ['workload'],
    statement: 'Work that follows from what the media turns out to hold is not known before it is studied.',
  },
  {
    code: 'historical_calibration_unavailable',
    affects: ['workload', 'elapsedDurationMs'],
    statement: 'No measurements of earlier studies were consulted.',
  },
  {
    code: 'elapsed_time_unavailable',
    affects: ['elapsedDurationMs'],
    statement: 'The time that the study will take is not estimated.',
  },
  {
    code: 'model_usage_unavailable',
    affects: ['modelUsage'],
    statement: 'No use of a language model is planned, so none is estimated.',
  },
  {
    code: 'pricing_unavailable',
    affects: ['apiCost'],
    statement: 'No price book is at hand, so no cost is estimated.',
  },
];

/** The assumptions of scenarios of finished operations, in the order of the closed set of codes. */
export const calibratedAssumptions: CalibratedForecast['assumptions'] = [
  ...assumptions.filter(({ code }) => code !== 'workload_not_elapsed_time'),
  {
    code: 'like_operations_take_like_time',
    statement:
      'The operations of this study take as long, for each second of media, as finished ones of this host with the same detectors, codecs, class of picture size and a like length.',
  },
  {
    code: 'media_operations_only',
    statement:
      'The scenarios count the passes over the media. Waiting for a worker, recognition of speech, records and captions come on top.',
  },
];

/** Their uncertainty, in the order of the closed set of codes. */
export const calibratedUncertainty: CalibratedForecast['uncertainty'] = [
  ...uncertainty.filter(
    ({ code }) => code !== 'historical_calibration_unavailable' && code !== 'elapsed_time_unavailable',
  ),
  {
    code: 'machine_load_unknown',
    affects: ['elapsedDurationMs'],
    statement:
      'What else this machine will do meanwhile is not known. Four of five operations are expected between low and high.',
  },
];
