import { z } from 'zod';
import { contentDescriptor } from '../base/artifact.ts';
import { contentId, positive, range } from '../base/grammar.ts';
import { artifactId, operationId } from '../base/operation.ts';
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

/** What is known of the work before it starts: its least amount, in milliseconds of media, and nothing beyond. */
export const forecast = z.strictObject({
  schema: z.literal('studio.forecast.v1'),
  forecastId,
  content: contentDescriptor,
  estimator: z.strictObject({ id: z.literal('studio.forecast.deterministic-floor'), version: z.literal('1') }),
  inputs: z.strictObject({
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
  }),
  scenarios: z.strictObject({
    baseline,
    expected: unavailableScenario('expected'),
    conservative: unavailableScenario('conservative'),
  }),
  assumptions: z.array(z.strictObject({ code: assumptionCode, statement: z.string().min(1) })),
  uncertainty: z.array(
    z.strictObject({ code: uncertaintyCode, affects: z.array(affectedFigure).min(1), statement: z.string().min(1) }),
  ),
  calibration: z.strictObject({ status: z.literal('unavailable'), evidence: z.null(), cohort: z.null() }),
  pricing: z.strictObject({
    status: z.literal('unavailable'),
    priceBookAdapter: z.null(),
    priceBookSnapshot: z.null(),
    currency: z.null(),
  }),
});

export type Forecast = z.infer<typeof forecast>;
export type ForecastBody = Omit<Forecast, 'forecastId' | 'content'>;
