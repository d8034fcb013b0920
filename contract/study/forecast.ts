import { z } from 'zod';
import { contentDescriptor } from '../base/artifact.ts';
import { contentId, count, positive, range } from '../base/grammar.ts';
import { artifactId, operationId } from '../base/operation.ts';
import { mediaCapability } from '../evidence/media-operation.ts';
import { calibrationCohort, calibrationEvidence, leastObservations } from './forecast-calibration.ts';
import { workPlan } from './work-plan.ts';

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

/** What is known of the work before it starts: its least amount, in milliseconds of media, and nothing beyond. */
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

/** Who makes forecasts: the least work alone, or with the finished operations of the host, where there are enough. */
export const forecastEstimators = ['deterministic-floor', 'host-calibrated'] as const;

export type ForecastEstimator = (typeof forecastEstimators)[number];

/** What is known of the work of a study before it starts. Calibrated on hosts that were started with that estimator alone. */
export const forecast = z.union([floorForecast, calibratedForecast]);

export type FloorForecast = z.infer<typeof floorForecast>;
export type CalibratedForecast = z.infer<typeof calibratedForecast>;
export type Forecast = z.infer<typeof forecast>;
export type EstimatedOperation = z.infer<typeof estimatedOperation>;
