import type { CalibratedForecast, FloorForecast } from '../../contract/study/forecast.ts';

// These texts are hashed into every forecast. To change one is to publish another version of its estimator: a stored
// forecast is checked against the texts of its own version.

/** What the floor takes for granted, in the order of the closed set of codes. */
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

/** What the floor cannot say and which of its figures that leaves open, in the order of the closed set of codes. */
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

/** What scenarios of finished operations take for granted, in the order of the closed set of codes. */
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

/** What they cannot say, in the order of the closed set of codes. */
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
