import type { Range } from '../../contract/base/grammar.ts';
import type { RegisteredSource, SourceSession } from '../../contract/sources/source-session.ts';
import type {
  CalibratedForecast,
  FloorForecast,
  Forecast,
  ForecastFreeze,
  ForecastFreezeBody,
} from '../../contract/study/forecast.ts';
import type { WorkPlan } from '../../contract/study/plan.ts';
import { contentIdOfBytes, storedBytes } from '../../formats/canonical-json.ts';
import {
  assumptions,
  type Calibration,
  calibratedAssumptions,
  calibratedScenarios,
  calibratedUncertainty,
  calibrationEvidenceOf,
  uncertainty,
} from '../../rules/forecast.ts';
import { lengthOf } from '../../rules/time-spans.ts';
import { demandDerived } from '../evidence-chain.ts';
import { contentDescriptorOf } from '../identities.ts';

interface ForecastInput {
  readonly sourceArtifactId: string;
  readonly session: SourceSession;
  readonly range: Range;
  readonly workPlan: WorkPlan;
  /** Null or absent: the least work alone. */
  readonly calibration?: Calibration | null;
}

type Body<Kind extends Forecast> = Omit<Kind, 'schema' | 'forecastId' | 'content'>;

const unavailable = <const Label extends string>(label: Label) =>
  ({
    label,
    status: 'unavailable',
    workload: null,
    elapsedDurationMs: null,
    modelUsage: null,
    apiCost: { amount: null, currency: null },
  }) as const;

function baselineOf(range: Range, { operations }: WorkPlan): Forecast['scenarios']['baseline'] {
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

const schema = 'studio.forecast.v1';

const inputsOf = ({ sourceArtifactId, session, range, workPlan }: ForecastInput): Forecast['inputs'] => ({
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
});

const pricing: Forecast['pricing'] = {
  status: 'unavailable',
  priceBookAdapter: null,
  priceBookSnapshot: null,
  currency: null,
};

const floorBodyOf = (input: ForecastInput): Body<FloorForecast> => ({
  estimator: { id: 'studio.forecast.deterministic-floor', version: '1' },
  inputs: inputsOf(input),
  scenarios: {
    baseline: baselineOf(input.range, input.workPlan),
    expected: unavailable('expected'),
    conservative: unavailable('conservative'),
  },
  assumptions: [...assumptions],
  uncertainty: [...uncertainty],
  calibration: { status: 'unavailable', evidence: null, cohort: null },
  pricing,
});

const calibratedBodyOf = (input: ForecastInput, calibration: Calibration): Body<CalibratedForecast> => ({
  estimator: { id: 'studio.forecast.host-calibrated', version: '1' },
  inputs: inputsOf(input),
  scenarios: { baseline: baselineOf(input.range, input.workPlan), ...calibratedScenarios(input.range, calibration) },
  assumptions: [...calibratedAssumptions],
  uncertainty: [...calibratedUncertainty],
  calibration: { status: 'available', evidence: calibrationEvidenceOf(calibration), cohort: [...calibration] },
  pricing,
});

/** Both the id and the content descriptor of a forecast are the digest of the rest of it. */
function namesOf(body: Body<FloorForecast> | Body<CalibratedForecast>): Pick<Forecast, 'forecastId' | 'content'> {
  const bytes = storedBytes({ schema, ...body });
  const content = contentDescriptorOf(contentIdOfBytes(bytes), bytes.length);
  return { forecastId: `forecast:${content.digest}`, content };
}

/**
 * The least work that a request implies, and with a calibration the time that it is expected to take. Deterministic: equal inputs
 * give an equal `forecastId`.
 */
export function forecastOf(input: ForecastInput): Forecast {
  const { calibration = null } = input;
  if (calibration === null) {
    const body = floorBodyOf(input);
    return { schema, ...namesOf(body), ...body };
  }
  const body = calibratedBodyOf(input, calibration);
  return { schema, ...namesOf(body), ...body };
}

/** The finished operations that a forecast was calibrated by; null for the least work alone. */
export const calibrationIn = ({ calibration }: Forecast): Calibration | null => calibration.cohort;

interface AcceptedForecast {
  readonly forecast: Pick<Forecast, 'forecastId' | 'content'>;
  readonly runId: string;
  /** UTC with milliseconds. */
  readonly runStartAt: string;
}

/** Seals the forecast of an accepted run; `freezeId` and `content` cover everything but themselves. */
export function forecastFreezeOf({ forecast, runId, runStartAt }: AcceptedForecast): ForecastFreeze {
  const body: ForecastFreezeBody = {
    schema: 'studio.forecast-freeze.v1',
    producer: { id: 'studio.forecast.freeze', version: '1' },
    forecast: {
      schema: 'studio.forecast.v1',
      forecastId: forecast.forecastId,
      contentId: forecast.content.contentId,
    },
    acceptance: { runId, acceptedBy: 'operator:local-runtime-host', runStartAt },
    immutability: {
      forecast: 'referenced_by_content_id',
      actuals: 'not_embedded',
      evaluation: 'separate_artifact',
    },
  };
  const { schema, ...rest } = body;
  const bytes = storedBytes(body);
  const content = contentDescriptorOf(contentIdOfBytes(bytes), bytes.length);
  return { schema, freezeId: `forecast-freeze:${content.digest}`, content, ...rest };
}

/** The passes over the media, in the order in which their time is estimated. */
const passes = ['media.detect', 'media.subtitles'] as const;

/**
 * Checks that a forecast was calibrated by one cohort for each pass over the media, of operations over media of these codecs. How
 * long they took cannot be derived. Throws `EvidenceChainError` of the start.
 */
export function checkCalibration(forecast: Forecast, { tracks, subtitleTracks = [] }: RegisteredSource): void {
  const calibration = calibrationIn(forecast);
  if (calibration === null) return;
  const attached = subtitleTracks.map(({ trackIndex }) => trackIndex);
  const codecsOf = (wanted: (typeof tracks)[number]['kind']): string[] =>
    tracks.flatMap(({ kind, index, codec }) => (kind === wanted && !attached.includes(index) ? [codec] : []));
  const derived = passes.map((capability) => ({
    capability,
    video: codecsOf('video')[0] ?? null,
    audioCodec: codecsOf('audio')[0] ?? null,
    subtitleCodecs: capability === 'media.subtitles' ? codecsOf('subtitle').sort() : null,
  }));
  const stated = calibration.map(({ cohort: { capability, video, audioCodec, subtitleCodecs } }) => ({
    capability,
    video: video?.codec ?? null,
    audioCodec,
    subtitleCodecs,
  }));
  demandDerived('start', { forecast: { calibration: stated } }, { forecast: { calibration: derived } });
}
