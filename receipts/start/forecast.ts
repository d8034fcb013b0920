import type { Range } from '../../contract/base/grammar.ts';
import type { SourceSession } from '../../contract/sources/source-session.ts';
import type { Forecast, ForecastBody } from '../../contract/study/forecast.ts';
import type { WorkPlan } from '../../contract/study/work-plan.ts';
import { contentDescriptorOf } from '../core/artifact.ts';
import { contentIdOfBytes, storedBytes } from '../core/canonical-json.ts';
import { assumptions, uncertainty } from './forecast-statements.ts';

export interface ForecastInput {
  readonly sourceArtifactId: string;
  readonly session: SourceSession;
  readonly range: Range;
  readonly workPlan: WorkPlan;
}

const unavailable = <const Label extends string>(label: Label) =>
  ({
    label,
    status: 'unavailable',
    workload: null,
    elapsedDurationMs: null,
    modelUsage: null,
    apiCost: { amount: null, currency: null },
  }) as const;

const lengthOf = ({ startMs, endMs }: Range): number => endMs - startMs;

function baselineOf(range: Range, { operations }: WorkPlan): ForecastBody['scenarios']['baseline'] {
  const requested = operations.map(({ operationId, kind, range }) => ({
    operationId,
    kind,
    requestedMediaDurationMs: lengthOf(range),
  }));
  return {
    label: 'baseline',
    status: 'floor_only',
    workload: {
      selectedMediaDurationMs: lengthOf(range),
      operationCount: requested.length,
      requestedOperationMediaDurationMs: requested.reduce((sum, each) => sum + each.requestedMediaDurationMs, 0),
      operations: requested,
    },
    elapsedDurationMs: null,
    modelUsage: null,
    apiCost: { amount: null, currency: null },
  };
}

/** The forecast without its id and content descriptor: what both of them are the digest of. */
const forecastBodyOf = ({ sourceArtifactId, session, range, workPlan }: ForecastInput): ForecastBody => ({
  schema: 'studio.forecast.v1',
  estimator: { id: 'studio.forecast.deterministic-floor', version: '1' },
  inputs: {
    artifact: {
      artifactId: sourceArtifactId,
      contentId: session.source.contentId,
      measuredDurationMs: session.source.durationMs,
      durationMeasurement: {
        schema: session.mediaProbe.schema,
        producer: session.mediaProbe.producer,
        receiptContentId: session.mediaProbe.contentId,
      },
    },
    selectedRange: { ...range, durationMs: lengthOf(range) },
    workPlan,
  },
  scenarios: {
    baseline: baselineOf(range, workPlan),
    expected: unavailable('expected'),
    conservative: unavailable('conservative'),
  },
  assumptions: [...assumptions],
  uncertainty: [...uncertainty],
  calibration: { status: 'unavailable', evidence: null, cohort: null },
  pricing: { status: 'unavailable', priceBookAdapter: null, priceBookSnapshot: null, currency: null },
});

/** The least work that a request implies. Deterministic: equal inputs give an equal `forecastId`. */
export function forecastOf(input: ForecastInput): Forecast {
  const { schema, ...rest } = forecastBodyOf(input);
  const bytes = storedBytes({ schema, ...rest });
  const content = contentDescriptorOf(contentIdOfBytes(bytes), bytes.length);
  return { schema, forecastId: `forecast:${content.digest}`, content, ...rest };
}
