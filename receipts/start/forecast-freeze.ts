import type { Forecast } from '../../contract/study/forecast.ts';
import type { ForecastFreeze, ForecastFreezeBody } from '../../contract/study/forecast-freeze.ts';
import { contentDescriptorOf } from '../core/artifact.ts';
import { contentIdOfBytes, storedBytes } from '../core/canonical-json.ts';

export interface AcceptedForecast {
  readonly forecast: Pick<Forecast, 'forecastId' | 'content'>;
  readonly runId: string;
  /** UTC with milliseconds. */
  readonly runStartAt: string;
}

/** Seals the forecast that stood when a run was accepted; `freezeId` and `content` cover everything but themselves. */
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
