import { z } from 'zod';
import { contentDescriptor } from '../base/artifact.ts';
import { contentId, identity, timestamp } from '../base/grammar.ts';
import { forecastId } from './forecast.ts';

/** The seal on the forecast that stood when a run was accepted; `content` describes this record without id and content. */
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
