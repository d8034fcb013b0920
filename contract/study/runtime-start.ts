import { z } from 'zod';
import { identity, timestamp } from '../base/grammar.ts';
import { artifactId } from '../base/operation.ts';
import { sourceSession } from '../sources/source-session.ts';
import { analysisRequest } from './analysis-request.ts';
import { forecast } from './forecast.ts';
import { forecastFreeze } from './forecast-freeze.ts';
import { workPlan } from './work-plan.ts';

export const commandId = z.string().regex(/^runtime-start:[a-f0-9]{64}$/);

/** Shaped like a version 4 UUID although it is derived from the command. */
export const runtimeId = z.string().regex(/^runtime:[a-f0-9]{8}-[a-f0-9]{4}-4[a-f0-9]{3}-8[a-f0-9]{3}-[a-f0-9]{12}$/);

export const journalId = z.string().regex(/^journal:runtime:[a-f0-9-]{36}$/);

/**
 * The durable promise to run a study, stored as an indented file whose hash is the receipt's content id. Everything in it
 * but `startedAt` and `clientRequestId` follows from the source and the request; the latter stands only where one was
 * given.
 */
export const runtimeStart = z.strictObject({
  schema: z.literal('studio.runtime-start.v1'),
  producer: z.strictObject({ id: z.literal('studio.local-runtime-start'), version: z.literal('1') }),
  commandId,
  runtimeId,
  journalId,
  clientRequestId: identity.optional(),
  sourceSession,
  sourceArtifactId: artifactId,
  analysisRequest,
  workPlan,
  forecast,
  frozenForecast: forecastFreeze,
  startedAt: timestamp,
});

export type RuntimeStart = z.infer<typeof runtimeStart>;
