import { z } from 'zod';
import { identity } from '../base/grammar.ts';
import { forecast } from './forecast.ts';
import { commandId, runtimeId } from './runtime-start.ts';

/** The answer to a plan: the ids that a start of the same request would have, and its forecast. Nothing is stored. */
export const runtimePlan = z.strictObject({
  schema: z.literal('studio.local-runtime-plan.v1'),
  commandId,
  runtimeId,
  sourceSessionId: identity,
  sourceRevisionId: identity,
  analysisRequestId: identity,
  forecast,
  acceptance: z.strictObject({ status: z.literal('not_started'), frozenForecastId: z.null() }),
});

export type RuntimePlan = z.infer<typeof runtimePlan>;
