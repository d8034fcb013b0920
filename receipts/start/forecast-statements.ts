import type { ForecastBody } from '../../contract/study/forecast.ts';

// These texts are hashed into every forecast. To change one is to publish another version of the estimator: a stored
// forecast is checked against the texts of its own version.

/** What the floor takes for granted, in the order of the closed set of codes. */
export const assumptions: ForecastBody['assumptions'] = [
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

/** What the floor cannot say and which of its figures that leaves open, in the order of the closed set of codes. */
export const uncertainty: ForecastBody['uncertainty'] = [
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
