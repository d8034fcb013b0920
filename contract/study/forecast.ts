import { z } from 'zod';
import { artifactId, contentDescriptor, operationId } from '../base/artifact.ts';
import { contentId, count, identity, positive, range, sha256Hex, timestamp } from '../base/grammar.ts';
import { mediaCapability } from '../evidence/media-operation.ts';
import { workPlan } from './plan.ts';

/** The least number of finished operations of one kind that allows a forecast of the next one. */
export const leastObservations = 5;

/** So many of the newest operations of a cohort count; older ones are replaced. */
export const mostObservations = 64;

/** Pictures by their number of pixels: up to 720 × 576, up to 1280 × 720, up to 1920 × 1088, and above. */
export const pictureSize = z.enum(['sd', 'hd', 'full_hd', 'ultra_hd', 'unknown']);

/**
 * Operations that one machine does at a like pace. They have the same capability and the same detectors, over media of the same
 * codecs and the same class of picture size. `detectors` is the digest of their names, versions and digests. `subtitleCodecs` is
 * null for operations that read no subtitles.
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

/** Names the evidence of a calibration: `C` of its schema and cohorts, which are beside it. */
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

const unpriced = z.strictObject({ amount: z.null(), currency: z.null() });

const unavailableScenario = <const Label extends string>(label: Label) =>
  z.strictObject({
    label: z.literal(label),
    status: z.literal('unavailable'),
    workload: z.null(),
    elapsedDurationMs: z.null(),
    modelUsage: z.null(),
    apiCost: unpriced,
  });

const baseline = z.strictObject({
  label: z.literal('baseline'),
  status: z.literal('floor_only'),
  workload: z.strictObject({
    selectedMediaDurationMs: positive,
    operationCount: positive,
    requestedOperationMediaDurationMs: positive,
    operations: z.array(
      z.strictObject({ operationId, kind: z.literal('media.seek'), requestedMediaDurationMs: positive }),
    ),
  }),
  elapsedDurationMs: z.null(),
  modelUsage: z.null(),
  apiCost: unpriced,
});

export const assumptionCode = z.enum([
  'measured_duration_envelope',
  'explicit_operation_ranges_only',
  'workload_not_elapsed_time',
]);

export const uncertaintyCode = z.enum([
  'dynamic_work_unavailable',
  'historical_calibration_unavailable',
  'elapsed_time_unavailable',
  'model_usage_unavailable',
  'pricing_unavailable',
]);

export const affectedFigure = z.enum(['workload', 'elapsedDurationMs', 'modelUsage', 'apiCost']);

export const forecastId = z.string().regex(/^forecast:[a-f0-9]{64}$/);

const inputs = z.strictObject({
  artifact: z.strictObject({
    artifactId,
    contentId,
    measuredDurationMs: positive,
    durationMeasurement: z.strictObject({
      schema: z.string().min(1),
      producer: z.string().min(1),
      receiptContentId: contentId,
    }),
  }),
  selectedRange: z.strictObject({ ...range.shape, durationMs: positive }),
  workPlan,
});

const pricing = z.strictObject({
  status: z.literal('unavailable'),
  priceBookAdapter: z.null(),
  priceBookSnapshot: z.null(),
  currency: z.null(),
});

const statedUncertainty = <Code extends z.ZodType>(code: Code) =>
  z.array(z.strictObject({ code, affects: z.array(affectedFigure).min(1), statement: z.string().min(1) }));

const named = { schema: z.literal('studio.forecast.v1'), forecastId, content: contentDescriptor };

/** The forecast from the least work alone: its amount, in milliseconds of media, and nothing beyond. */
export const floorForecast = z.strictObject({
  ...named,
  estimator: z.strictObject({ id: z.literal('studio.forecast.deterministic-floor'), version: z.literal('1') }),
  inputs,
  scenarios: z.strictObject({
    baseline,
    expected: unavailableScenario('expected'),
    conservative: unavailableScenario('conservative'),
  }),
  assumptions: z.array(z.strictObject({ code: assumptionCode, statement: z.string().min(1) })),
  uncertainty: statedUncertainty(uncertaintyCode),
  calibration: z.strictObject({ status: z.literal('unavailable'), evidence: z.null(), cohort: z.null() }),
  pricing,
});

/**
 * The time of one operation, in ms: half of like ones took at most `medianMs`, and four of five between `lowMs` and `highMs`.
 * The rates behind them are milliseconds of work per million milliseconds of media.
 */
const estimatedOperation = z.strictObject({
  capability: mediaCapability,
  requestedMediaDurationMs: positive,
  observationCount: positive.min(leastObservations),
  lowMs: count,
  medianMs: count,
  highMs: count,
  rateMicro: z.strictObject({ low: count, median: count, high: count }),
});

const calibratedScenario = <const Label extends string>(label: Label) =>
  z.strictObject({
    label: z.literal(label),
    status: z.literal('calibrated'),
    workload: z.strictObject({ selectedMediaDurationMs: positive, operations: z.array(estimatedOperation).min(1) }),
    elapsedDurationMs: count,
    modelUsage: z.null(),
    apiCost: unpriced,
  });

/**
 * A forecast with scenarios that come from finished operations of the same host: `expected` adds up their medians, `conservative`
 * the times that nine of ten like operations did not exceed. `calibration.evidence` names the operations by digest, and
 * `calibration.cohort` holds them, so that the scenarios can be derived again.
 */
export const calibratedForecast = z.strictObject({
  ...named,
  estimator: z.strictObject({ id: z.literal('studio.forecast.host-calibrated'), version: z.literal('1') }),
  inputs,
  scenarios: z.strictObject({
    baseline,
    expected: calibratedScenario('expected'),
    conservative: calibratedScenario('conservative'),
  }),
  assumptions: z.array(
    z.strictObject({
      code: z.enum([...assumptionCode.options, 'like_operations_take_like_time', 'media_operations_only']),
      statement: z.string().min(1),
    }),
  ),
  uncertainty: statedUncertainty(z.enum([...uncertaintyCode.options, 'machine_load_unknown'])),
  calibration: z.strictObject({
    status: z.literal('available'),
    evidence: calibrationEvidence,
    cohort: z.array(calibrationCohort).min(1),
  }),
  pricing,
});

/** The makers of forecasts: the least work alone, or with the finished operations of the host, if there are enough. */
export const forecastEstimators = ['deterministic-floor', 'host-calibrated'] as const;

export type ForecastEstimator = (typeof forecastEstimators)[number];

/** The forecast of the work of a study before it starts. Calibrated only on hosts that were started with that estimator. */
export const forecast = z.union([floorForecast, calibratedForecast]);

export type FloorForecast = z.infer<typeof floorForecast>;
export type CalibratedForecast = z.infer<typeof calibratedForecast>;
export type Forecast = z.infer<typeof forecast>;
export type EstimatedOperation = z.infer<typeof estimatedOperation>;

/** The seal on the forecast of a run at the time of its acceptance; `content` describes this record without id and content. */
export const forecastFreeze = z.strictObject({
  schema: z.literal('studio.forecast-freeze.v1'),
  freezeId: z.string().regex(/^forecast-freeze:[a-f0-9]{64}$/),
  content: contentDescriptor,
  producer: z.strictObject({ id: z.literal('studio.forecast.freeze'), version: z.literal('1') }),
  forecast: z.strictObject({
    schema: z.literal('studio.forecast.v1'),
    forecastId,
    contentId,
  }),
  acceptance: z.strictObject({
    runId: identity,
    acceptedBy: z.literal('operator:local-runtime-host'),
    runStartAt: timestamp,
  }),
  immutability: z.strictObject({
    forecast: z.literal('referenced_by_content_id'),
    actuals: z.literal('not_embedded'),
    evaluation: z.literal('separate_artifact'),
  }),
});

export type ForecastFreeze = z.infer<typeof forecastFreeze>;
export type ForecastFreezeBody = Omit<ForecastFreeze, 'freezeId' | 'content'>;
